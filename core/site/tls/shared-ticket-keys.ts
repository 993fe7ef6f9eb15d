/**
 * The keys of session tickets that all nodes share, so that a client who comes to another node
 * resumes there. They are in the store, sealed; whichever node finds that a new one is due writes
 * it through the journal, and each takes what the journal brings.
 */

import type { Logger } from '../../base/log/index.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Config } from '../../config/index.ts';
import { write } from '../../journal/draft/draft.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Environment } from '../../store/environment.ts';
import { Reader, rawReader } from '../../store/reader.ts';
import { TICKET_KEYS_CONTEXT, type TicketKeysRow, ticketKeys } from '../../store/rows.ts';
import { nextTicketKeys, type TicketKeys } from './ticket-keys.ts';

/** Bytes of a key: see TicketKeys. */
const KEY = 48;
/**
 * A node waits up to this part of a rotation longer than another one, so that one of them is first.
 */
const JITTER = 0.05;
/** Milliseconds until what failed is tried again. */
const RETRY_MS = 30_000;

interface SharedTicketKeysOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly secrets: Secrets;
  /** Seconds. */
  readonly rotation: number;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export class SharedTicketKeys {
  readonly #listeners: ((keys: TicketKeys) => void)[] = [];
  #keys: TicketKeys = nextTicketKeys(null);
  readonly #options: SharedTicketKeysOptions;
  readonly #reader: Reader;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #isUnreadable = false;

  private constructor(options: SharedTicketKeysOptions) {
    this.#options = options;
    this.#reader = new Reader(rawReader(options.environment));
    this.#now = options.now ?? Date.now;
    options.journal.onEdge(({ hasTicketKeys }) => {
      if (!hasTicketKeys || !this.#take()) return;
      for (const listener of this.#listeners) listener(this.#keys);
    });
  }

  /** Resolves when there are keys: those of the store, if need be after a new one was written. */
  static async open(options: SharedTicketKeysOptions): Promise<SharedTicketKeys> {
    const shared = new SharedTicketKeys(options);
    await shared.#rotate();
    return shared;
  }

  get keys(): TicketKeys {
    return this.#keys;
  }

  /** `listener` receives those that there are, and each time that there are others. */
  follow(listener: (keys: TicketKeys) => void): void {
    this.#listeners.push(listener);
    listener(this.#keys);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /**
   * Writes a new key if one is due, and sees to the next. Never rejects: without it the last keys
   * go on.
   */
  async #rotate(): Promise<void> {
    const { environment, journal, secrets, log } = this.#options;
    let wait: number;
    try {
      await write(environment, journal, 'edge', (draft) => {
        const row = draft.row(ticketKeys, ticketKeys.key(NONE));
        if (row !== undefined && this.#age(row) < this.#rotationMs) return;
        const next = nextTicketKeys(row === undefined ? null : this.#open(row));
        const bytes = Buffer.concat([next.current, next.previous ?? Buffer.alloc(0)]);
        draft.put(ticketKeys, {
          sealed: secrets.seal(bytes, TICKET_KEYS_CONTEXT).toString('base64'),
          rotatedAt: this.#now(),
        });
      });
      this.#take();
      wait = this.#untilDue() * (1 + JITTER * Math.random());
    } catch (error) {
      if (!this.#isClosed) log.warn('cannot rotate the session ticket keys', { error });
      wait = RETRY_MS;
    }
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#rotate(), Math.max(1000, wait)).unref();
  }

  get #rotationMs(): number {
    return this.#options.rotation * 1000;
  }

  /**
   * One of a clock that ran ahead is as old as it is away from now: else it would last until then.
   */
  #age({ rotatedAt }: TicketKeysRow): number {
    return Math.abs(this.#now() - rotatedAt);
  }

  #untilDue(): number {
    const row = this.#reader.row(ticketKeys, ticketKeys.key(NONE));
    return row === undefined ? 0 : this.#rotationMs - this.#age(row);
  }

  /** Whether the store has keys that can be read; else those of this node alone stay. */
  #take(): boolean {
    const row = this.#reader.row(ticketKeys, ticketKeys.key(NONE));
    const keys = row === undefined ? null : this.#open(row);
    if (keys !== null) this.#keys = keys;
    return keys !== null;
  }

  #open({ sealed }: TicketKeysRow): TicketKeys | null {
    try {
      const bytes = this.#options.secrets.unseal(Buffer.from(sealed, 'base64'), TICKET_KEYS_CONTEXT);
      this.#isUnreadable = false;
      return {
        current: Uint8Array.from(bytes.subarray(0, KEY)),
        previous: bytes.length > KEY ? Uint8Array.from(bytes.subarray(KEY)) : null,
      };
    } catch (error) {
      if (!this.#isUnreadable)
        this.#options.log.warn(
          'cannot decrypt the session ticket keys in the store; sessions cannot be resumed on other nodes. All nodes need the same secrets.key_file.',
          { reason: (error as Error).message },
        );
      this.#isUnreadable = true;
      return null;
    }
  }
}

/** The table has one row, whose key is the same whatever it holds. */
const NONE: TicketKeysRow = { sealed: '', rotatedAt: 0 };

/** Null where the configuration has no TLS. */
export async function openTicketKeys(
  { dns, edge }: Pick<Config, 'dns' | 'edge'>,
  parts: Omit<SharedTicketKeysOptions, 'rotation'>,
): Promise<SharedTicketKeys | null> {
  if (dns.tlsListen.length + edge.httpsListen.length === 0) return null;
  return SharedTicketKeys.open({ ...parts, rotation: edge.ticketRotation });
}
