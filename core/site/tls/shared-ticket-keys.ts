/**
 * Session ticket keys shared by all nodes, so that a client can resume its session on any node. The
 * store holds the keys encrypted. The first node that finds a rotation due writes a new key through
 * the journal, and every node reads it from there.
 */

import type { Logger } from '../../base/log/index.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Task, Tasks } from '../../base/tasks.ts';
import type { Config } from '../../config/index.ts';
import { write } from '../../journal/draft/draft.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Environment } from '../../store/environment.ts';
import { rawReader } from '../../store/raw-reader.ts';
import { Reader } from '../../store/reader.ts';
import { TICKET_KEYS_CONTEXT, type TicketKeysRow, ticketKeys } from '../../store/rows.ts';
import { nextTicketKeys, type TicketKeys } from './ticket-keys.ts';

/** Bytes of a key; see TicketKeys. */
const KEY = 48;
/**
 * Maximum random delay of a rotation, as a share of the interval: nodes rarely write a key at the
 * same time.
 */
const JITTER = 0.05;
const RETRY = { first: 30_000, longest: 30_000 };

interface SharedTicketKeysOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly secrets: Secrets;
  /** The rotation interval in seconds. */
  readonly rotation: number;
  readonly tasks: Tasks;
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
  readonly #task: Task;
  /** When the next rotation is due, by performance.now(). */
  #dueAt = Number.POSITIVE_INFINITY;
  #isUnreadable = false;

  private constructor(options: SharedTicketKeysOptions) {
    this.#options = options;
    this.#reader = new Reader(rawReader(options.environment));
    this.#now = options.now ?? Date.now;
    this.#task = options.tasks.add({
      name: 'ticket-keys',
      owner: 'claim',
      due: () => this.#dueAt - performance.now(),
      log: options.log,
      retry: RETRY,
      report: (error) => error !== null && this.#logFailure(error),
      run: () => this.#rotate(),
    });
    options.journal.onEdge(({ hasTicketKeys }) => {
      if (!hasTicketKeys || !this.#take()) return;
      for (const listener of this.#listeners) listener(this.#keys);
    });
  }

  /**
   * Resolves after the first rotation: with the stored keys, or with the keys of this node alone if
   * the store cannot be read or written.
   */
  static async open(options: SharedTicketKeysOptions): Promise<SharedTicketKeys> {
    const shared = new SharedTicketKeys(options);
    await shared.#rotate().catch((error: unknown) => {
      shared.#logFailure(error);
      shared.#dueAt = performance.now() + RETRY.first;
    });
    shared.#task.start();
    return shared;
  }

  get keys(): TicketKeys {
    return this.#keys;
  }

  /** Calls `listener` with the current keys, and after each change. */
  follow(listener: (keys: TicketKeys) => void): void {
    this.#listeners.push(listener);
    listener(this.#keys);
  }

  close(): void {
    void this.#task.stop();
  }

  /** Writes a new key if one is due. Rejects if a commit does; the current keys stay in use. */
  async #rotate(): Promise<void> {
    const { environment, journal, secrets } = this.#options;
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
    this.#dueAt = performance.now() + Math.max(1000, this.#untilDue() * (1 + JITTER * Math.random()));
  }

  #logFailure(error: unknown): void {
    this.#options.log.warn('cannot rotate the session ticket keys', { error });
  }

  get #rotationMs(): number {
    return this.#options.rotation * 1000;
  }

  /**
   * The age of the current key. A time in the future, from a clock that was ahead, counts as an age
   * too: the key would otherwise be used until that time.
   */
  #age({ rotatedAt }: TicketKeysRow): number {
    return Math.abs(this.#now() - rotatedAt);
  }

  #untilDue(): number {
    const row = this.#reader.row(ticketKeys, ticketKeys.key(NONE));
    return row === undefined ? 0 : this.#rotationMs - this.#age(row);
  }

  /**
   * Loads the keys of the store. False: there are none, or they cannot be decrypted; the current
   * keys stay.
   */
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
          'cannot decrypt the shared session ticket keys with secrets.key_file; other nodes cannot resume sessions of this one',
          { reason: (error as Error).message },
        );
      this.#isUnreadable = true;
      return null;
    }
  }
}

/** The only row of the table; the key does not depend on the content. */
const NONE: TicketKeysRow = { sealed: '', rotatedAt: 0 };

/** Null: no listener of the configuration uses TLS. */
export async function openTicketKeys(
  { dns, edge }: Pick<Config, 'dns' | 'edge'>,
  parts: Omit<SharedTicketKeysOptions, 'rotation'>,
): Promise<SharedTicketKeys | null> {
  if (dns.tlsListen.length + edge.httpsListen.length === 0) return null;
  return SharedTicketKeys.open({ ...parts, rotation: edge.ticketRotation });
}
