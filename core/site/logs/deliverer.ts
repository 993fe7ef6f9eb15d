/**
 * Delivers the request logs of domains to their owners. Each node delivers the lines of its own
 * edge. Lines are queued in bounded memory and never written to disk. Lines above the limits or
 * older than MAX_AGE are dropped and counted. Accounts are served in turns, so that a slow receiver
 * delays only its own account.
 */
import { randomUUID } from 'node:crypto';
import { FairSlots, type Slot, SlotLines } from '../../base/fair-slots.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Task, Tasks } from '../../base/tasks.ts';
import { withTimeout } from '../../base/timers.ts';
import type { Attempt } from '../../net/delivery/sender.ts';
import { type LogsDocument, logPlan } from './document.ts';
import { type Batch, Outbox, type OutboxState } from './outbox.ts';

/** Lines of a domain, as an edge thread sends them. */
export interface DomainLines {
  readonly domainId: number;
  /** Complete lines; empty if all were dropped. */
  readonly text: string;
  readonly lines: number;
  /** Lines that the thread dropped because this node read them too slowly. */
  readonly dropped: number;
}

/** The state of a domain's logs on a node. */
export interface NodeLogState extends OutboxState {
  readonly node: string;
  /** Seconds since 1970: the start of all counts. */
  readonly since: number;
}

interface DelivererOptions {
  readonly nodeName: string;
  readonly tasks: Tasks;
  readonly log: Logger;
  /** Undefined: the domain does not exist. */
  accountOf(domainId: number): number | undefined;
  readDocument(domainId: number): LogsDocument;
  /** Never rejects. `dropped`: lines that were dropped since the last delivered batch. */
  send(domainId: number, document: LogsDocument, batch: Batch, dropped: number): Promise<Attempt>;
  /** Whether deliveries wait after a restore. */
  isPaused(): boolean;
  /** Closes idle connections to the receiver of the domain. */
  release(domainId: number): void;
  /** Seconds since 1970; omitted: the system clock. */
  readonly now?: () => number;
  /** 0 ≤ r < 1; omitted: Math.random. */
  readonly random?: () => number;
}

/** Maximum bytes of queued lines: of this node, and of one domain. */
const MAX_BYTES = 64 << 20;
const MAX_DOMAIN_BYTES = 8 << 20;
/** Bytes of a batch before compression. */
export const BATCH_BYTES = 1 << 20;
/** Seconds to collect lines for a batch, so that objects in a bucket are not small. */
const ENDPOINT_INTERVAL = 5;
const BUCKET_INTERVAL = 60;
/** Seconds after which undelivered lines are dropped. */
export const MAX_AGE = 900;
/** Seconds before the first retry, and the maximum. */
const FIRST_RETRY = 1;
const LONGEST_RETRY = 60;
/** Concurrent attempts; one account can use half of them. */
const MAX_SENDING = 64;
/** Maximum number of accounts that wait for a slot; further accounts are retried every second. */
const MAX_ACCOUNTS_WAITING = 4096;
/** Milliseconds between two rounds. */
const ROUND_MS = 250;
/** Maximum number of domains with counts. Above it, the oldest domain without lines is evicted. */
const MAX_DOMAINS = 10_000;
/** Deadline in seconds to deliver queued lines when this node stops. */
const STOP_SECONDS = 3;
/** The receiver will never accept the batch; it is not retried. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 413, 422]);

const PAUSED = 'deliveries are paused after a restore, until an administrator resumes them';

const testBatch = (line: string, at: number): Batch => ({
  id: randomUUID(),
  text: Buffer.from(line),
  lines: 1,
  at,
});

interface Receiver {
  readonly outbox: Outbox;
  /** Undefined: not read since the last change. Null: logs are off. */
  document: LogsDocument | null | undefined;
  account: string;
  /** The receiver waits for a slot. */
  isQueued: boolean;
}

export class LogDeliverer {
  readonly #now: () => number;
  readonly #since: number;
  readonly #receivers = new Map<number, Receiver>();
  #bytes = 0;
  readonly #slots = new FairSlots({ slots: MAX_SENDING, queue: MAX_ACCOUNTS_WAITING });
  readonly #lines = new SlotLines(this.#slots);
  #delivered = 0;
  #dropped = 0;
  #isStopping = false;
  /** As of the last round. */
  #isPaused = false;
  readonly #task: Task;
  /** No line is queued. */
  #isIdle = true;
  #onIdle: (() => void) | null = null;

  constructor(private readonly options: DelivererOptions) {
    this.#now = options.now ?? (() => Date.now() / 1000);
    this.#since = Math.floor(this.#now());
    this.#task = options.tasks.add({
      name: 'site-logs',
      owner: 'node',
      due: () => (this.#isIdle ? Number.POSITIVE_INFINITY : ROUND_MS),
      log: options.log,
      run: () => this.turn(),
    });
  }

  start(): void {
    this.#task.start();
  }

  /** The totals of all domains, for metrics. */
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
    this.#task.wake(ROUND_MS);
  }

  /** One round: starts the attempts that are due. */
  turn(): void {
    const now = this.#now();
    this.#isIdle = true;
    this.#isPaused = this.options.isPaused();
    for (const [domainId, receiver] of this.#receivers) {
      const { outbox } = receiver;
      if (outbox.isEmpty) continue;
      this.#change(outbox, () => outbox.dropBefore(now - MAX_AGE));
      this.#sendInTurn(domainId, receiver, now);
      if (!outbox.isEmpty) this.#isIdle = false;
    }
    if (this.#isIdle) this.#onIdle?.();
  }

  /** These domains or their documents have changed. */
  forget(domainIds: Iterable<number>): void {
    for (const domainId of domainIds) {
      const receiver = this.#receivers.get(domainId);
      if (receiver === undefined) continue;
      receiver.document = undefined;
      receiver.account = this.#accountOf(domainId);
      receiver.outbox.nextAt = 0;
      this.options.release(domainId);
    }
  }

  stateOf(domainId: number): NodeLogState {
    const { outbox } = this.#receivers.get(domainId) ?? { outbox: new Outbox() };
    return { node: this.options.nodeName, since: this.#since, ...outbox.state };
  }

  /** Sends a line immediately, before all queued lines. Null: the domain delivers no logs. */
  async test(domainId: number, line: string): Promise<Attempt | null> {
    const document = this.#documentOf(domainId, {
      outbox: new Outbox(),
      document: undefined,
      account: '',
      isQueued: false,
    });
    if (document === null) return null;
    if (this.options.isPaused()) return { status: null, error: PAUSED, milliseconds: 0 };
    return this.options.send(domainId, document, testBatch(line, this.#now()), 0);
  }

  /** Delivers the queued lines, with one attempt for each domain and a deadline. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    for (const { outbox } of this.#receivers.values()) outbox.nextAt = 0;
    this.turn();
    if (!this.#isPaused) await withTimeout(idle, STOP_SECONDS * 1000, () => {});
    await this.#task.stop();
    this.#lines.close();
    for (const domainId of this.#receivers.keys()) this.options.release(domainId);
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
        this.options.release(domainId);
        return;
      }
  }

  /** Null: logs are off. */
  #documentOf(domainId: number, receiver: Receiver): LogsDocument | null {
    if (receiver.document !== undefined) return receiver.document;
    const document = this.options.readDocument(domainId);
    receiver.document = logPlan(document) === null ? null : document;
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
    return `${this.options.accountOf(domainId) ?? ''}`;
  }

  /** Null: no batch is due. */
  #nextOf(domainId: number, receiver: Receiver, now: number): { document: LogsDocument; batch: Batch } | null {
    if (this.#isPaused) return null;
    const document = this.#documentOf(domainId, receiver);
    if (document === null) return null;
    const interval = this.#isStopping ? 0 : document.bucket === null ? ENDPOINT_INTERVAL : BUCKET_INTERVAL;
    const batch = receiver.outbox.nextBatch(now, BATCH_BYTES, now - interval);
    return batch && { document, batch };
  }

  /** Returns whether a batch was due. */
  #sendNext(domainId: number, receiver: Receiver, now: number, slot: Slot): boolean {
    const next = this.#nextOf(domainId, receiver, now);
    if (next !== null) void this.#send(domainId, receiver, next.document, next.batch, slot);
    return next !== null;
  }

  async #send(domainId: number, receiver: Receiver, document: LogsDocument, batch: Batch, slot: Slot): Promise<void> {
    const { outbox } = receiver;
    const { send, random = Math.random } = this.options;
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
    // The document may have changed during the attempt, and logs may be off now.
    if (this.#documentOf(domainId, receiver) === null) this.#change(outbox, () => outbox.clear());
    // Queued receivers take precedence over the next batch of this receiver.
    if (this.#lines.waiting > 0 || !this.#sendNext(domainId, receiver, now, slot)) slot.release();
    if (this.#isStopping) this.turn();
  }

  /**
   * Drops the oldest lines of a domain above its limit. Above the limit of the node, drops lines of
   * the largest domain of the largest account.
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

  /** Runs `work` on an outbox and updates the totals. */
  #change<T>(outbox: Outbox, work: () => T): T {
    const { bytes } = outbox;
    const dropped = outbox.droppedLines;
    const result = work();
    this.#bytes += outbox.bytes - bytes;
    this.#dropped += outbox.droppedLines - dropped;
    return result;
  }
}
