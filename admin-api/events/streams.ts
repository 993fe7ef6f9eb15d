/** The open streams of events: their number is limited, and they are woken after each change. */
import { decodeEntry } from '../../core/journal/entry-codec.ts';
import { type Id, sequenceKey } from '../../core/store/keys.ts';
import type { Services } from '../change/services.ts';
import { HttpError } from '../http/errors.ts';
import { type ObjectChange, objectChanges } from './object-changes.ts';

/** Concurrent streams of all accounts. */
const MAX_STREAMS = 1000;
/** Concurrent streams of one account. */
const MAX_ACCOUNT_STREAMS = 20;
/** Seconds after which a client that exceeds a limit retries. */
const RETRY_SECONDS = '10';

/** Milliseconds between two wakes: streams read several groups of entries at once. */
const WAKE_INTERVAL = 20;

/** Entries whose changes are remembered, so that streams do not read each entry again. */
const MAX_REMEMBERED = 256;

export interface Stream {
  /** The journal may have new entries. */
  wake(): void;
  end(): void;
}

/** The changes of an entry; `many`: too many to list; `gone`: the entry is no longer stored. */
export type EntryChanges = readonly ObjectChange[] | 'many' | 'gone';

export class EventStreams {
  readonly #services: Pick<Services, 'environment' | 'reader'>;
  readonly #open = new Set<Stream>();
  readonly #accounts = new Map<Id, number>();
  readonly #remembered = new Map<number, EntryChanges>();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(services: Pick<Services, 'environment' | 'journal' | 'reader'>) {
    this.#services = services;
    services.journal.onApplied(() => this.#wakeSoon());
  }

  /** Returns a function to call when the stream ends. Throws HttpError 429. */
  enter(accountId: Id, stream: Stream): () => void {
    const count = this.#accounts.get(accountId) ?? 0;
    if (this.#isClosed || this.#open.size >= MAX_STREAMS || count >= MAX_ACCOUNT_STREAMS)
      throw new HttpError(
        429,
        'too_many_streams',
        count >= MAX_ACCOUNT_STREAMS
          ? `The account has ${count} open streams of events, which is the limit; close one of them.`
          : 'This node has too many open streams of events; retry later.',
        { headers: { 'Retry-After': RETRY_SECONDS } },
      );
    this.#open.add(stream);
    this.#accounts.set(accountId, count + 1);
    return () => {
      if (!this.#open.delete(stream)) return;
      const left = (this.#accounts.get(accountId) ?? 1) - 1;
      if (left === 0) this.#accounts.delete(accountId);
      else this.#accounts.set(accountId, left);
    };
  }

  changesOf(sequence: number): EntryChanges {
    const remembered = this.#remembered.get(sequence);
    if (remembered !== undefined) return remembered;
    const { environment, reader } = this.#services;
    const bytes = environment.journal.get(sequenceKey(sequence));
    if (bytes === undefined) return 'gone';
    const changes = objectChanges(decodeEntry(bytes), reader) ?? 'many';
    if (this.#remembered.size >= MAX_REMEMBERED)
      for (const oldest of this.#remembered.keys()) {
        this.#remembered.delete(oldest);
        break;
      }
    this.#remembered.set(sequence, changes);
    return changes;
  }

  /** Ends all streams. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const stream of this.#open) stream.end();
  }

  #wakeSoon(): void {
    if (this.#open.size === 0 || this.#timer !== null || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      for (const stream of this.#open) stream.wake();
    }, WAKE_INTERVAL);
  }
}
