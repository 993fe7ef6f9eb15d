/**
 * Server-sent events (HTML Living Standard 9.2) for one client. The stream keeps no queue: it has
 * its position in the journal and reads entries when the transport takes the next chunk. So a slow
 * client costs no memory. If its position is no longer stored, it receives `reload`; if it reads
 * nothing, the transport closes the connection.
 */
import { setImmediate } from 'node:timers/promises';
import type { Journal } from '../../core/journal/journal.ts';
import type { Id } from '../../core/store/keys.ts';
import { allows } from '../auth/scopes.ts';
import type { Caller } from '../http/caller.ts';
import type { ObjectChange } from './object-changes.ts';
import type { EventStreams, Stream } from './streams.ts';

/**
 * Milliseconds without a change after which a comment is sent. Shorter than the 8 to 12 seconds
 * after which uWebSockets.js closes a silent connection.
 */
const HEARTBEAT = 5_000;
/** Milliseconds after which a client that lost its connection connects again. */
const RETRY = 2_000;
/** Entries that are read without a pause. */
const MAX_ENTRIES = 500;
/** Characters at which a chunk ends. */
const MAX_CHUNK = 16 * 1024;

export interface Viewer {
  readonly caller: Caller;
  /** The account whose changes are sent; null: all accounts. */
  readonly accountId: Id | null;
}

export interface EventStreamOptions {
  readonly streams: EventStreams;
  readonly journal: Pick<Journal, 'head' | 'latest'>;
  /** The header Last-Event-ID; undefined: the stream starts now. */
  readonly lastEventId: string | undefined;
  /** Throws when the client must not read the stream any more. */
  authorize(): Viewer;
  /** Milliseconds without an event after which a comment is sent; omitted: HEARTBEAT. */
  readonly heartbeat?: number;
}

const DONE = { done: true, value: undefined } as const;

export class EventStream implements AsyncIterableIterator<string>, Stream {
  readonly #options: EventStreamOptions;
  readonly #leave: () => void;
  readonly #heartbeat: number;
  /** The last entry that was sent or skipped; null: the stream has not started. */
  #position: number | null = null;
  #isEnded = false;
  #sentAt = 0;
  #wake: () => void = () => {};

  /** Throws HttpError 429. */
  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#heartbeat = options.heartbeat ?? HEARTBEAT;
    this.#leave = options.streams.enter(options.authorize().caller.account.id, this);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string>> {
    const text = this.#isEnded ? null : await this.#nextText();
    if (text === null || this.#isEnded) return this.return();
    this.#sentAt = performance.now();
    return { done: false, value: text };
  }

  async return(): Promise<IteratorResult<string>> {
    this.end();
    return DONE;
  }

  wake(): void {
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#leave();
    this.#wake();
  }

  /** Null: the stream has ended. */
  async #nextText(): Promise<string | null> {
    if (this.#position === null) return this.#start();
    for (;;) {
      // Before each read: nothing is sent after the token was revoked.
      const viewer = this.#authorize();
      if (viewer === null) return null;
      const text = this.#read(viewer);
      if (text !== '') return text;
      if (this.#position < this.#options.journal.head) await setImmediate();
      else await this.#waitForChange(this.#sentAt + this.#heartbeat - performance.now());
      if (this.#isEnded) return null;
      // With the position: the client of a quiet account must not fall behind the stored history.
      if (performance.now() >= this.#sentAt + this.#heartbeat && this.#authorize() !== null)
        return `: heartbeat\nid: ${this.#position}\n\n`;
    }
  }

  async #start(): Promise<string> {
    const { lastEventId, journal } = this.#options;
    const head = `retry: ${RETRY}\n`;
    if (lastEventId === undefined) {
      this.#position = journal.head;
      return `${head}id: ${this.#position}\n\n`;
    }
    const last = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
    // Another node may have sent an entry that this node has not applied yet.
    if (last !== null && last > journal.head) await journal.latest().catch(() => {});
    this.#position = journal.head;
    if (last === null || last > journal.head) return `${head}\n${this.#reload()}`;
    this.#position = last;
    return `${head}id: ${last}\n\n`;
  }

  /** Tells the client to read everything again, from the current state. */
  #reload(): string {
    this.#position = this.#options.journal.head;
    return `event: reload\nid: ${this.#position}\ndata: {"seq":${this.#position}}\n\n`;
  }

  /** The events of the next entries; empty if the client must not see any of them. */
  #read({ caller, accountId }: Viewer): string {
    const { streams, journal } = this.#options;
    const position = this.#position ?? journal.head;
    const { scopes, domains } = caller.token;
    const isVisible = (change: ObjectChange): boolean =>
      (accountId === null || change.accountId === accountId) &&
      allows(scopes, change.scope, 'read') &&
      (domains === undefined || (change.domainId !== null && domains.includes(change.domainId)));
    let text = '';
    const end = Math.min(journal.head, position + MAX_ENTRIES);
    for (let seq = position + 1; seq <= end && text.length < MAX_CHUNK; seq++) {
      const changes = streams.changesOf(seq);
      if (changes === 'gone' || changes === 'many') return text + this.#reload();
      const visible = changes.filter(isVisible);
      // The id is in the last event of an entry: an entry that was sent in part is sent again.
      for (const [i, { kind, id }] of visible.entries())
        text += `event: change\n${i === visible.length - 1 ? `id: ${seq}\n` : ''}data: ${JSON.stringify({ seq, kind, id })}\n\n`;
      this.#position = seq;
    }
    return text;
  }

  /** Null: the client must not read the stream any more. */
  #authorize(): Viewer | null {
    try {
      return this.#options.authorize();
    } catch {
      return null;
    }
  }

  /** Waits until the stream is woken, at most `timeout` milliseconds. */
  async #waitForChange(timeout: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, Math.max(0, timeout));
    });
    clearTimeout(timer);
    this.#wake = () => {};
  }
}
