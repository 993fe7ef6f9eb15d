/** Opens the scheduled backups that are configured. */
import { Piscina } from 'piscina';
import { StateError, UnavailableError } from '../../base/errors.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Tasks } from '../../base/tasks.ts';
import { withTimeout } from '../../base/timers.ts';
import { type Config, type Follow, secretKeyFile } from '../../config/index.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Environment } from '../../store/environment.ts';
import { identifyHistory } from '../installation.ts';
import type { BackupSummary } from '../readiness.ts';
import { encryptionOf } from './encryption.ts';
import type { Job, JobResult, Refusal } from './job.ts';
import { BackupKeeper } from './keeper.ts';
import { keyExport } from './key-escrow.ts';
import { backupMetrics } from './metrics.ts';
import { checkBackupSettings, isBackupOn } from './open-target.ts';

interface OpenBackupsOptions {
  readonly config: Config;
  readonly version: string;
  readonly environment: Environment;
  readonly journal: Journal;
  readonly secrets: Secrets;
  readonly metrics: Registry;
  readonly tasks: Tasks;
  readonly log: Logger;
  /** A wrong clock must not delete backups. */
  readonly clock: { readonly isTrusted: boolean };
  /** Whether every stored secret is encrypted with the first key of the key file. */
  readonly isResealed: () => boolean;
  /** As LiveConfig; omitted: the configuration never changes. */
  readonly follow?: Follow;
}

interface Backups {
  /** Problems for /readyz. */
  warnings(): readonly string[];
  /** Null: not known yet, or no backups are configured. */
  summary(): BackupSummary | null;
  start(): void;
  stop(): Promise<void>;
}

const IDLE_TIMEOUT = 5000;
/** Milliseconds that a running job may take to stop. */
const GRACE_MS = 10_000;

/** Does nothing before `start`. Throws ConfigError `invalid_config`. */
export function openBackups(options: OpenBackupsOptions): Backups {
  const { config, version, environment, journal, secrets, metrics, tasks, log, clock, isResealed, follow } = options;
  const { dataDir, nodeName, store, protection, backup, etcd } = config;
  checkBackupSettings(backup);
  let keeper: BackupKeeper | undefined;
  const observer = backupMetrics(metrics, () => keeper?.state ?? null, backup, secrets.keyIds);
  const stop = new SharedArrayBuffer(4);
  const pool = new Piscina({
    filename: new URL('./worker.js', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_TIMEOUT,
  });
  const { keyIds } = secrets;
  const run = async (kind: Job['kind']): Promise<JobResult> => {
    const encryption = await encryptionOf(backup, secrets);
    // Without a quorum, or next to an older node, there is no id yet. Backups work without it.
    await identifyHistory(environment, journal).catch(ignoreUnavailable);
    const outcome: JobResult | Refusal = await pool.run({
      kind,
      config: { dataDir, nodeName, store, protection, backup, etcd },
      encryption,
      secretKeyId: isResealed() ? keyIds[0] : keyIds[keyIds.length - 1],
      version,
      stop,
    } satisfies Job);
    if ('refusal' in outcome) throw new StateError('other_history', outcome.refusal);
    return outcome;
  };
  const opened = new BackupKeeper({
    settings: backup,
    tasks,
    log,
    run,
    observer,
    isClockTrusted: () => clock.isTrusted,
    head: () => journal.head,
    secretKeys: { ids: keyIds, isResealed },
  });
  keeper = opened;
  follow?.(['backup'], () => opened.settingsChanged());
  return {
    warnings: () => opened.warnings(),
    summary() {
      const { state, error } = opened;
      if (state === null && error === null) return null;
      const { latest = null, count = 0, position = 0 } = state ?? {};
      return { latest: latest?.made ?? null, count, sequence: position, error };
    },
    start() {
      if (isBackupOn(backup) && backup.encryption === 'key' && typeof keyExport(config) === 'string')
        log.warn('the secret key was never exported; backups cannot be decrypted without it', {
          file: secretKeyFile(config),
        });
      opened.start();
    },
    async stop() {
      Atomics.store(new Int32Array(stop), 0, 1);
      // Aborts a request to a service that hangs.
      await withTimeout(opened.stop(), GRACE_MS, () => undefined);
      await pool.destroy();
    },
  };
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof UnavailableError)) throw error;
}
