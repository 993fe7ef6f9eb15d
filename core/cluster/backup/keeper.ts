/**
 * Makes scheduled backups. The backups in the target determine when the next is due, so a restart
 * or a takeover by another node changes nothing. Only the first node by name makes them, unless
 * every node is configured to.
 */
import { StateError } from '../../base/errors.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Task, Tasks } from '../../base/tasks.ts';
import type { Config } from '../../config/index.ts';
import type { Job, JobResult } from './job.ts';
import { type Backup, secretKeysOf } from './names.ts';
import { isBackupOn } from './open-target.ts';
import { nextBackup, timeOf } from './schedule.ts';

interface KeeperOptions {
  readonly settings: Config['backup'];
  readonly tasks: Tasks;
  readonly log: Logger;
  /** Without a trusted clock no backup is made: names and retention depend on it. */
  readonly isClockTrusted: () => boolean;
  /** Sequence of the journal's last entry. */
  readonly head: () => number;
  readonly secretKeys: SecretKeys;
  readonly run: (kind: Job['kind']) => Promise<JobResult>;
  /** Called with each outcome of a backup or a copy of changes. */
  readonly observer: BackupObserver;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface SecretKeys {
  /** The current key first. */
  readonly ids: readonly string[];
  /** Whether every stored secret is encrypted with the current key. */
  isResealed(): boolean;
}

export interface BackupObserver {
  made(seconds: number): void;
  failed(kind: 'backup' | 'changes'): void;
}

/** Milliseconds between two checks of what is due. */
const TICK_MS = 1000;
/** Milliseconds after which the target is listed again. */
const LOOK_MS = 600_000;
const RETRY = { first: 60_000, longest: 3_600_000 };

export class BackupKeeper {
  readonly #now: () => number;
  readonly #task: Task;
  #state: JobResult | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #copiedAt = Number.NEGATIVE_INFINITY;
  /** Head of the journal at the last copy. */
  #copiedHead = -1;
  /** The last job that was started. */
  #kind: Job['kind'] = 'look';
  #lastError: string | null = null;
  /** The journal does not reach back to the last copy, so a backup is due. */
  #isBroken = false;

  constructor(private readonly options: KeeperOptions) {
    this.#now = options.now ?? Date.now;
    const { settings, tasks, log } = options;
    this.#task = tasks.add({
      name: 'backup',
      owner: settings.everyNode ? 'node' : 'first',
      due: () => (isBackupOn(settings) ? TICK_MS : Number.POSITIVE_INFINITY),
      log,
      retry: RETRY,
      report: (error, delay) => error !== null && this.#noteFailure(error as Error, delay),
      run: () => this.#makeDue(),
      standby: () => this.#lookIfDue(),
    });
  }

  /** The backups of the target; null: not known yet. */
  get state(): JobResult | null {
    return this.#state;
  }

  /** Why the last attempt failed; null: it did not. */
  get error(): string | null {
    return this.#lastError;
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** To be called when the settings have changed: another place has other backups. */
  settingsChanged(): void {
    this.#state = null;
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    this.#copiedAt = Number.NEGATIVE_INFINITY;
    this.#copiedHead = -1;
    this.#lastError = null;
    this.#task.reschedule();
  }

  /** Problems for the operator; empty if there are none. */
  warnings(): string[] {
    if (!isBackupOn(this.options.settings)) return [];
    const { interval } = this.options.settings;
    const latest = this.#state?.latest ?? null;
    const reason = this.#lastError === null ? '' : `: ${this.#lastError}`;
    // No warning while the first backup is in progress.
    if (latest === null) {
      if (reason === '') return [];
      return [`there is no backup${reason}`];
    }
    if (this.#now() - timeOf(latest) < 2 * interval * 1000) return [];
    return [`the latest backup is of ${latest.made}${reason}`];
  }

  async #makeDue(): Promise<void> {
    const { settings, head, isClockTrusted } = this.options;
    if (!isClockTrusted() || !isBackupOn(settings)) return;
    await this.#lookIfDue();
    const now = this.#now();
    const latest = this.#state?.latest ?? null;
    const due = nextBackup(settings, latest && timeOf(latest), now);
    if (now >= due || this.#isBroken || this.#needsOldKey(latest)) {
      await this.#attempt('backup');
      return;
    }
    const { journalInterval } = settings;
    const isChanged = head() !== this.#copiedHead;
    if (journalInterval > 0 && isChanged && now - this.#copiedAt >= journalInterval * 1000)
      await this.#attempt('changes');
  }

  /** After a rotation, the latest backup is made anew, so that the old key can be removed. */
  #needsOldKey(latest: Backup | null): boolean {
    const { ids, isResealed } = this.options.secretKeys;
    return latest !== null && isResealed() && secretKeysOf(latest).some((id) => id !== ids[0]);
  }

  async #lookIfDue(): Promise<void> {
    const { settings, isClockTrusted } = this.options;
    if (isBackupOn(settings) && isClockTrusted() && this.#now() - this.#lookedAt >= LOOK_MS)
      await this.#attempt('look');
  }

  async #attempt(kind: Job['kind']): Promise<void> {
    const { run, log, head } = this.options;
    const before = head();
    this.#kind = kind;
    const result = await run(kind);
    this.#state = result;
    this.#lookedAt = this.#now();
    if (kind === 'backup') this.#noteBackup(result);
    if (kind === 'changes') this.#noteChanges(result, before);
    if (this.#lastError !== null) log.info('backups work again');
    this.#lastError = null;
  }

  #noteFailure(error: Error, delay: number): void {
    const { message } = error;
    // The backups that were found are not of this installation.
    if (error instanceof StateError && error.code === 'other_history') {
      this.#state = null;
      this.#lookedAt = Number.NEGATIVE_INFINITY;
    }
    const { log, observer } = this.options;
    const kind = this.#kind;
    this.#lastError = message;
    observer.failed(kind === 'changes' ? 'changes' : 'backup');
    const fields = { reason: message, retrySeconds: delay / 1000 };
    if (kind === 'look') log.error('cannot read the backups; retrying', fields);
    else if (kind === 'backup') log.error('backup failed; retrying', fields);
    else log.error('cannot copy the changes since the latest backup; retrying', fields);
  }

  #noteBackup({ made, deleted, secretKeys: needed }: JobResult): void {
    this.#isBroken = false;
    this.#copiedHead = -1;
    if (made === null) return;
    const { name, size, sequence, took } = made;
    const { observer, log, secretKeys } = this.options;
    observer.made(took / 1000);
    log.info('backup made', { name, bytes: size, sequence, seconds: took / 1000, ...deletedOf(deleted) });
    const older = Object.keys(needed).filter((id) => id !== secretKeys.ids[0]);
    if (older.length > 0)
      log.warn('older backups need earlier secret keys; keep the exports of these', { keys: older });
  }

  #noteChanges({ copied }: JobResult, head: number): void {
    this.#copiedAt = this.#now();
    this.#copiedHead = head;
    this.#isBroken = copied === null;
    if (copied === null) this.options.log.warn('the journal does not reach back to the latest backup; making a backup');
    else this.options.log.debug('changes copied', { sequence: copied.position.sequence, segments: copied.segments });
  }
}

const deletedOf = (deleted: JobResult['deleted']): Record<string, number> =>
  deleted === null || deleted.backups === 0 ? {} : { deleted: deleted.backups };
