/**
 * Delivers the request logs of domains to their owners. Each node delivers the lines of its own
 * edge. Nothing is written to disk: lines wait in limited memory, and those that wait too long or
 * are too many are dropped and counted. Accounts take turns: slow receivers delay their own alone.
 */
import { randomUUID } from 'node:crypto';
import { FairSlots, type Slot } from '../../base/fair-slots.ts';
import { SlotLines } from '../../base/slot-lines.ts';
import { withTimeout } from '../../base/timeout.ts';
import type { Attempt } from '../../net/delivery/sender.ts';
import { type LogsDocument, logPlan } from './document.ts';
import { type Batch, Outbox, type OutboxState } from './outbox.ts';

/** Lines of a domain, as an edge thread sends them. */
export interface DomainLines {
  readonly domainId: number;
  /** Complete lines; empty if all were dropped. */
  readonly text: string;
  readonly lines: number;
  /** Lines that the thread has dropped because this node was too slow. */
  readonly dropped: number;
}

/** The state of a domain's logs on a node. */
export interface NodeLogState extends OutboxState {
  readonly node: string;
  /** Seconds since 1970: what was counted before is lost. */
  readonly since: number;
}

interface DelivererOptions {
  readonly nodeName: string;
  /** Undefined: there is no such domain. */
  accountOf(domainId: number): number | undefined;
  /** Undefined: the domain has no document of logs. */
  readDocument(domainId: number): LogsDocument | undefined;
  /** Never rejects. `dropped`: lines that were dropped since the last delivered batch. */
  send(domainId: number, document: LogsDocument, batch: Batch, dropped: number): Promise<Attempt>;
  /** Nothing is sent to the domain's receiver for a while. */
  release(domainId: number): void;
  /** Seconds since 1970; omitted: the clock of the machine. */
  readonly now?: () => number;
  /** 0 ≤ r < 1; omitted: Math.random. */
  readonly random?: () => number;
}

/** Bytes of all lines that wait on this node, and of those of a domain. */
const MAX_BYTES = 64 << 20;
const MAX_DOMAIN_BYTES = 8 << 20;
/** Bytes of a batch before compression. */
export const BATCH_BYTES = 1 << 20;
/** Seconds that lines wait for more: an object of a bucket should not be small. */
const ENDPOINT_INTERVAL = 5;
const BUCKET_INTERVAL = 60;
/** Seconds after which lines that could not be delivered are dropped. */
export const MAX_AGE = 900;
/** Seconds before the first retry, and at most. */
const FIRST_RETRY = 1;
const LONGEST_RETRY = 60;
/** Concurrent attempts: of one account alone half of them. */
const MAX_SENDING = 64;
/** Accounts that wait for a slot; those above are retried every second. */
const MAX_ACCOUNTS_WAITING = 4096;
/** Milliseconds between two rounds. */
const ROUND_MS = 250;
/** Domains whose counts are remembered; of those without lines, the oldest are forgotten. */
const MAX_DOMAINS = 10_000;
/** Seconds for the lines that wait when this node stops. */
const STOP_SECONDS = 3;
/** The receiver cannot process the batch, and never will. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 413, 422]);

const testBatch = (line: string, at: number): Batch => ({
  id: randomUUID(),
  text: Buffer.from(line),
  lines: 1,
  at,
});

interface Receiver {
  readonly outbox: Outbox;
  /** Undefined: not read since the last change. Null: nothing is delivered. */
  document: LogsDocument | null | undefined;
  account: string;
  /** It waits for its turn to send. */
  isQueued: boolean;
}

export class LogDeliverer {
  readonly #options: DelivererOptions;
  readonly #now: () => number;
  readonly #since: number;
  readonly #receivers = new Map<number, Receiver>();
  #bytes = 0;
  readonly #slots = new FairSlots({ slots: MAX_SENDING, queue: MAX_ACCOUNTS_WAITING });
  readonly #lines = new SlotLines(this.#slots);
  #delivered = 0;
  #dropped = 0;
  #isStopping = false;
  #timer: NodeJS.Timeout | null = null;
  #onIdle: (() => void) | null = null;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => Date.now() / 1000);
    this.#since = Math.floor(this.#now());
  }

  /** For metrics, of all domains. */
  get counts(): { readonly delivered: number; readonly dropped: number; readonly bytes: number } {
    return { delivered: this.#delivered, dropped: this.#dropped, bytes: this.#bytes };
  }

  receive(all: readonly DomainLines[]): void {
    for (const { domainId, text, lines, dropped } of all) {
      const receiver = this.#receiverOf(domainId);
      if (this.#documentOf(domainId, receiver) === null) continue;
      const { outbox } = receiver;
      this.#change(outbox, () => outbox.countDropped(dropped));
      if (lines === 0) continue;
      this.#change(outbox, () => outbox.add(Buffer.from(text), lines, this.#now()));
      this.#makeRoom(outbox);
    }
    this.#timer ??= setInterval(() => this.turn(), ROUND_MS).unref();
  }

  /** One round: starts the attempts that are due. */
  turn(): void {
    const now = this.#now();
    let isIdle = true;
    for (const [domainId, receiver] of this.#receivers) {
      const { outbox } = receiver;
      if (outbox.isEmpty) continue;
      this.#change(outbox, () => outbox.dropBefore(now - MAX_AGE));
      this.#sendInTurn(domainId, receiver, now);
      if (!outbox.isEmpty) isIdle = false;
    }
    if (!isIdle) return;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#onIdle?.();
  }

  /** Documents of these domains, or the domains, have changed. */
  forget(domainIds: Iterable<number>): void {
    for (const domainId of domainIds) {
      const receiver = this.#receivers.get(domainId);
      if (receiver === undefined) continue;
      receiver.document = undefined;
      receiver.account = this.#accountOf(domainId);
      receiver.outbox.nextAt = 0;
      this.#options.release(domainId);
    }
  }

  stateOf(domainId: number): NodeLogState {
    const { outbox } = this.#receivers.get(domainId) ?? { outbox: new Outbox() };
    return { node: this.#options.nodeName, since: this.#since, ...outbox.state };
  }

  /** Sends a line at once, whatever waits. Null: the domain delivers no logs. */
  async test(domainId: number, line: string): Promise<Attempt | null> {
    const document = this.#documentOf(domainId, {
      outbox: new Outbox(),
      document: undefined,
      account: '',
      isQueued: false,
    });
    if (document === null) return null;
    return this.#options.send(domainId, document, testBatch(line, this.#now()), 0);
  }

  /** Delivers what waits, with one attempt for each domain and a deadline. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    for (const { outbox } of this.#receivers.values()) outbox.nextAt = 0;
    this.turn();
    await withTimeout(idle, STOP_SECONDS * 1000, () => {});
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#lines.close();
    for (const domainId of this.#receivers.keys()) this.#options.release(domainId);
  }

  #receiverOf(domainId: number): Receiver {
    const receiver = this.#receivers.get(domainId);
    if (receiver !== undefined) return receiver;
    if (this.#receivers.size >= MAX_DOMAINS) this.#forgetIdle();
    const added: Receiver = {
      outbox: new Outbox(),
      document: undefined,
      account: this.#accountOf(domainId),
      isQueued: false,
    };
    this.#receivers.set(domainId, added);
    return added;
  }

  #forgetIdle(): void {
    for (const [domainId, { outbox }] of this.#receivers)
      if (outbox.isEmpty) {
        this.#receivers.delete(domainId);
        this.#options.release(domainId);
        return;
      }
  }

  /** Null: nothing is delivered. */
  #documentOf(domainId: number, receiver: Receiver): LogsDocument | null {
    if (receiver.document !== undefined) return receiver.document;
    const document = this.#options.readDocument(domainId);
    receiver.document = document === undefined || logPlan(document) === null ? null : document;
    if (receiver.document === null) this.#change(receiver.outbox, () => receiver.outbox.clear());
    return receiver.document;
  }

  #sendInTurn(domainId: number, receiver: Receiver, now: number): void {
    if (receiver.isQueued || this.#nextOf(domainId, receiver, now) === null) return;
    receiver.isQueued = true;
    const begin = (slot: Slot): void => {
      receiver.isQueued = false;
      const isCurrent = this.#receivers.get(domainId) === receiver;
      if (!isCurrent || !this.#sendNext(domainId, receiver, this.#now(), slot)) slot.release();
    };
    this.#lines.put({ begin, cancel: () => {} }, receiver.account);
  }

  #accountOf(domainId: number): string {
    return `${this.#options.accountOf(domainId) ?? ''}`;
  }

  /** Null: nothing is to be sent now. */
  #nextOf(domainId: number, receiver: Receiver, now: number): { document: LogsDocument; batch: Batch } | null {
    const document = this.#documentOf(domainId, receiver);
    if (document === null) return null;
    const interval = this.#isStopping ? 0 : document.bucket === null ? ENDPOINT_INTERVAL : BUCKET_INTERVAL;
    const batch = receiver.outbox.nextBatch(now, BATCH_BYTES, now - interval);
    return batch && { document, batch };
  }

  /** Returns whether there was something to send. */
  #sendNext(domainId: number, receiver: Receiver, now: number, slot: Slot): boolean {
    const next = this.#nextOf(domainId, receiver, now);
    if (next !== null) void this.#send(domainId, receiver, next.document, next.batch, slot);
    return next !== null;
  }

  async #send(domainId: number, receiver: Receiver, document: LogsDocument, batch: Batch, slot: Slot): Promise<void> {
    const { outbox } = receiver;
    const { send, random = Math.random } = this.#options;
    const reported = outbox.unreportedLines;
    outbox.isSending = true;
    const { status, error } = await send(domainId, document, batch, reported);
    outbox.isSending = false;
    const now = this.#now();
    this.#change(outbox, () => {
      if (error === null) {
        this.#delivered += batch.lines;
        outbox.noteDelivered(Math.floor(now), reported);
        return;
      }
      const isFinal = (status !== null && FINAL_STATUSES.has(status)) || this.#isStopping;
      const pause = Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** Math.min(outbox.failures, 20));
      outbox.noteFailed(Math.floor(now), error, isFinal, now + pause * (0.5 + random()));
    });
    // A document that was changed meanwhile may no longer want the batch.
    if (this.#documentOf(domainId, receiver) === null) this.#change(outbox, () => outbox.clear());
    // Others that wait are first.
    if (this.#lines.waiting > 0 || !this.#sendNext(domainId, receiver, now, slot)) slot.release();
    if (this.#isStopping) this.turn();
  }

  /**
   * A domain with more than its share loses its oldest lines, and then the domain with most of the
   * account with most.
   */
  #makeRoom(outbox: Outbox): void {
    while (outbox.bytes > MAX_DOMAIN_BYTES && this.#change(outbox, () => outbox.dropOldest()));
    while (this.#bytes > MAX_BYTES) {
      const largest = this.#largest() ?? outbox;
      if (!this.#change(largest, () => largest.dropOldest())) return;
    }
  }

  #largest(): Outbox | null {
    const byAccount = new Map<string, number>();
    for (const { account, outbox } of this.#receivers.values())
      byAccount.set(account, (byAccount.get(account) ?? 0) + outbox.bytes);
    let largest: Receiver | null = null;
    const excess = (a: Receiver, b: Receiver): number =>
      byAccount.get(a.account)! - byAccount.get(b.account)! || a.outbox.bytes - b.outbox.bytes;
    for (const receiver of this.#receivers.values())
      if (largest === null || excess(receiver, largest) > 0) largest = receiver;
    return largest?.outbox ?? null;
  }

  /** Keeps the totals. */
  #change<T>(outbox: Outbox, work: () => T): T {
    const { bytes } = outbox;
    const dropped = outbox.droppedLines;
    const result = work();
    this.#bytes += outbox.bytes - bytes;
    this.#dropped += outbox.droppedLines - dropped;
    return result;
  }
}
