/**
 * The stream of changes for one client. It has no queue, only a position in the journal: it reads
 * entries when the transport requests the next chunk. A slow client therefore costs no memory. If
 * the journal no longer has the position, the client receives `reload`.
 */

import { RecentMap } from '../../core/base/recent-map.ts';
import { decodeEntry } from '../../core/journal/entry-codec.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { type Id, sequenceKey } from '../../core/store/keys.ts';
import type { Services } from '../change/services.ts';
import type { Caller } from '../http/caller.ts';
import { allows } from '../people/auth/scopes.ts';
import { type ObjectChange, objectChanges } from './object-changes.ts';
import { OpenStreams } from './open-streams.ts';
import { type NextEvents, RETRY_LINE, SentEvents, type SentEventsOptions } from './sent-events.ts';

/** Minimum milliseconds between wake-ups, so that a read covers several groups of entries. */
const WAKE_INTERVAL = 20;

/** Maximum entries whose changes are cached for all streams. */
const MAX_REMEMBERED = 256;

/** Maximum entries that one read processes. */
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
  /** The header Last-Event-ID; undefined: the stream starts at the head of the journal. */
  readonly lastEventId: string | undefined;
}

export class EventStream extends SentEvents<Viewer> {
  /** The last entry that was sent or skipped. */
  #position = 0;

  /** Throws HttpError 429. */
  constructor(private readonly options: EventStreamOptions) {
    super(options, ({ caller }) => caller.account.id);
  }

  protected override readNext(viewer: Viewer): NextEvents {
    return { text: this.#read(viewer), hasMore: this.#position < this.options.journal.head };
  }

  /**
   * Includes the position, so that the client of a quiet account can resume within the stored
   * history.
   */
  protected override heartbeatText(): string {
    return `: heartbeat\nid: ${this.#position}\n\n`;
  }

  protected override async startText(): Promise<string> {
    const { lastEventId, journal } = this.options;
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

  /** The event that makes the client reload the current state. */
  #reload(): string {
    this.#position = this.options.journal.head;
    return `event: reload\nid: ${this.#position}\ndata: {"seq":${this.#position}}\n\n`;
  }

  /** The events of the next entries; empty if the client must not see any of them. */
  #read({ caller, accountId }: Viewer): string {
    const { streams, journal } = this.options;
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
      // Only the last event of an entry has the id: a partly sent entry is sent again as a whole.
      for (const [i, { kind, id }] of visible.entries())
        text += `event: change\n${i === visible.length - 1 ? `id: ${seq}\n` : ''}data: ${JSON.stringify({ seq, kind, id })}\n\n`;
      this.#position = seq;
    }
    return text;
  }
}

/** The changes of an entry; `many`: too many to list; `gone`: the entry is no longer stored. */
export type EntryChanges = readonly ObjectChange[] | 'many' | 'gone';

/** The open streams of changes, and their wake-up after each change. */
export class EventStreams extends OpenStreams {
  readonly #services: Pick<Services, 'environment' | 'reader'>;
  readonly #remembered = new RecentMap<EntryChanges, number>(MAX_REMEMBERED);
  #timer: NodeJS.Timeout | null = null;

  constructor(services: Pick<Services, 'environment' | 'journal' | 'reader'>) {
    super();
    this.#services = services;
    services.journal.onApplied(() => this.#wakeSoon());
  }

  changesOf(sequence: number): EntryChanges {
    const remembered = this.#remembered.get(sequence);
    if (remembered !== undefined) return remembered;
    const { environment, reader } = this.#services;
    const bytes = environment.journal.get(sequenceKey(sequence));
    if (bytes === undefined) return 'gone';
    const changes = objectChanges(decodeEntry(bytes), reader) ?? 'many';
    this.#remembered.set(sequence, changes);
    return changes;
  }

  override close(): void {
    super.close();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #wakeSoon(): void {
    if (!this.isUsed || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.wakeAll();
    }, WAKE_INTERVAL);
  }
}
