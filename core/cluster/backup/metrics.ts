/** Metrics of backups. */
import type { Registry } from '../../base/metrics/index.ts';
import type { Config } from '../../config/index.ts';
import type { JobResult } from './job.ts';
import type { BackupObserver } from './keeper.ts';
import { isBackupOn } from './open-target.ts';
import { timeOf } from './schedule.ts';

export function backupMetrics(
  metrics: Registry,
  state: () => JobResult | null,
  settings: Config['backup'],
  keyIds: readonly string[],
): BackupObserver {
  const failures = metrics.counter(
    'waypost_backup_failures_total',
    'Backups, and copies of changes between backups, that failed on this node.',
    ['kind'],
  );
  let duration: number | null = null;
  metrics.read('gauge', 'waypost_backup_interval_seconds', 'The setting backup.interval.', [], (emit) => {
    if (isBackupOn(settings)) emit(settings.interval);
  });
  metrics.read('gauge', 'waypost_backups', 'Backups in the folder or bucket.', [], (emit) => {
    const found = state();
    if (found !== null) emit(found.count);
  });
  metrics.read(
    'gauge',
    'waypost_backups_of_other_keys',
    'Backups that need a secret key which secrets.key_file does not have, by the id of the key.',
    ['key'],
    (emit) => {
      for (const [id, count] of Object.entries(state()?.secretKeys ?? {})) if (!keyIds.includes(id)) emit(count, id);
    },
  );
  metrics.read(
    'gauge',
    'waypost_backup_last_success_timestamp_seconds',
    'Time of the latest backup, by any node; 0: this node knows of none.',
    [],
    (emit) => {
      const latest = state()?.latest ?? null;
      if (isBackupOn(settings)) emit(latest === null ? 0 : timeOf(latest) / 1000);
    },
  );
  metrics.read('gauge', 'waypost_backup_last_size_bytes', 'Size of the latest backup.', [], (emit) => {
    const latest = state()?.latest;
    if (latest) emit(latest.size);
  });
  metrics.read(
    'gauge',
    'waypost_backup_last_duration_seconds',
    'Duration of the latest backup of this node.',
    [],
    (emit) => {
      if (duration !== null) emit(duration);
    },
  );
  metrics.read(
    'gauge',
    'waypost_backup_position',
    'Sequence of the last change that the backups and the copies of changes have.',
    [],
    (emit) => {
      const found = state();
      if (found !== null) emit(found.position);
    },
  );
  return {
    made(seconds) {
      duration = seconds;
    },
    failed: (kind) => failures.add(1, kind),
  };
}
