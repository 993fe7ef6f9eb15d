/**
 * The changes that one client receives. The stream keeps no queue: it has its position in the
 * journal and reads entries when the transport takes the next chunk. So a slow client costs no
 * memory. If its position is no longer stored, it receives `reload`.
 */
import type { Journal } from '../../core/journal/journal.ts';
import type { Id } from '../../core/store/keys.ts';
import type { Caller } from '../http/caller.ts';
import { allows } from '../people/auth/scopes.ts';
import type { ObjectChange } from './object-changes.ts';
import { type NextEvents, RETRY_LINE, SentEvents, type SentEventsOptions } from './sent-events.ts';
import type { EventStreams } from './streams.ts';

/** Entries that are read without a pause. */
const MAX_ENTRIES = 500;
/** Characters at which a chunk ends. */
const MAX_CHUNK = 16 * 1024;

export interface Viewer {
  readonly caller: Caller;
  /** The account whose changes are sent; null: all accounts. */
  readonly accountId: Id | null;
}

export interface EventStreamOptions extends SentEventsOptions<Viewer> {
  readonly streams: EventStreams;
  readonly journal: Pick<Journal, 'head' | 'latest'>;
  /** The header Last-Event-ID; undefined: the stream starts now. */
  readonly lastEventId: string | undefined;
}

export class EventStream extends SentEvents<Viewer> {
  readonly #options: EventStreamOptions;
  /** The last entry that was sent or skipped. */
  #position = 0;

  /** Throws HttpError 429. */
  constructor(options: EventStreamOptions) {
    super(options, ({ caller }) => caller.account.id);
    this.#options = options;
  }

  protected override readNext(viewer: Viewer): NextEvents {
    return { text: this.#read(viewer), hasMore: this.#position < this.#options.journal.head };
  }

  /** With the position: the client of a quiet account must not fall behind the stored history. */
  protected override heartbeatText(): string {
    return `: heartbeat\nid: ${this.#position}\n\n`;
  }

  protected override async startText(): Promise<string> {
    const { lastEventId, journal } = this.#options;
    if (lastEventId === undefined) {
      this.#position = journal.head;
      return `${RETRY_LINE}id: ${this.#position}\n\n`;
    }
    const last = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
    // Another node may have sent an entry that this node has not applied yet.
    if (last !== null && last > journal.head) await journal.latest().catch(() => {});
    this.#position = journal.head;
    if (last === null || last > journal.head) return `${RETRY_LINE}\n${this.#reload()}`;
    this.#position = last;
    return `${RETRY_LINE}id: ${last}\n\n`;
  }

  /** Tells the client to read everything again, from the current state. */
  #reload(): string {
    this.#position = this.#options.journal.head;
    return `event: reload\nid: ${this.#position}\ndata: {"seq":${this.#position}}\n\n`;
  }

  /** The events of the next entries; empty if the client must not see any of them. */
  #read({ caller, accountId }: Viewer): string {
    const { streams, journal } = this.#options;
    const position = this.#position;
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
}
