/**
 * Logs errors of apps and faults of the host. An app can cause any number of errors, so entries are
 * rate limited. The first of a kind is written at once; repetitions are counted and written once a
 * second.
 */
import { escapeControls } from '../../../core/base/log/index.ts';
import { OPERATIONS } from '../bridge/operations.ts';

export interface HostLogEntry {
  readonly appId: string;
  /**
   * `malformed`: a message that is no request. `rejected`: a request with an error that the app
   * could have avoided. `dropped`: messages without a response. `failed`: a fault of the host.
   */
  readonly type: 'malformed' | 'rejected' | 'dropped' | 'failed';
  /** Of the request, with control characters escaped. */
  readonly operation: string | undefined;
  /** Contains no values of the app. */
  readonly reason: string;
  /** How often it happened since the previous entry of this kind. */
  readonly count: number;
  /** Of `failed`. */
  readonly error?: unknown;
}

export type WriteLog = (entry: HostLogEntry) => void;

const WINDOW_MS = 1000;
/** Maximum kinds of entries in a window; all further kinds share one entry. */
const MAX_KINDS = 32;
const LONGEST_NAME = 64;
const OVERFLOW = 'entries of further kinds';

interface Kind {
  readonly entry: HostLogEntry;
  repetitions: number;
}

export class HostLog {
  readonly #kinds = new Map<string, Kind>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly appId: string,
    private readonly write: WriteLog,
  ) {}

  report(type: HostLogEntry['type'], operation: string | undefined, reason: string, error?: unknown): void {
    const name = operation === undefined ? undefined : shown(operation);
    const key = `${type}\n${name ?? ''}\n${reason}`;
    const kind = this.#kinds.get(key);
    if (kind !== undefined) {
      kind.repetitions++;
      return;
    }
    if (this.#kinds.size < MAX_KINDS) this.#add(key, { type, operation: name, reason, error }, true);
    else if (this.#kinds.has(OVERFLOW)) this.#kinds.get(OVERFLOW)!.repetitions++;
    else this.#add(OVERFLOW, { type: 'dropped', operation: undefined, reason: OVERFLOW }, false);
  }

  /** Writes the counted repetitions. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const kinds = [...this.#kinds.values()];
    this.#kinds.clear();
    for (const { entry, repetitions } of kinds) if (repetitions > 0) this.#emit({ ...entry, count: repetitions });
  }

  #add(key: string, fields: Omit<HostLogEntry, 'appId' | 'count'>, isWritten: boolean): void {
    const entry = { appId: this.appId, count: 1, ...fields };
    this.#kinds.set(key, { entry, repetitions: isWritten ? 0 : 1 });
    if (isWritten) this.#emit(entry);
    this.#timer ??= setTimeout(() => this.flush(), WINDOW_MS).unref();
  }

  #emit(entry: HostLogEntry): void {
    try {
      this.write(entry);
    } catch {
      // A failure of the log cannot be reported.
    }
  }
}

/** Escapes the operation: an unknown name is any text of the app. */
const shown = (operation: string): string =>
  OPERATIONS.has(operation) ? operation : escapeControls(operation.slice(0, LONGEST_NAME));
