/** Backups, and the copy of the secret key outside of this machine. */
import { type KeyExport, keyExport } from '../../../core/cluster/backup/key-escrow.ts';
import { secretKeyFile } from '../../../core/config/index.ts';
import { type AnyCheck, check, NotChecked, ok, warning } from './check.ts';
import { type Context, rootHint } from './context.ts';
import { pathExists } from './machine.ts';

interface KeyReading {
  readonly file: string;
  readonly exists: boolean;
  /** Last export of the secret key: none, of another key, or its time. */
  readonly exported: KeyExport;
}

export const secretKey = check<KeyReading>({
  id: 'backup.secret_key',
  why: 'No backup contains it, and without it the private keys in every backup are lost.',
  read(context) {
    const { config } = context;
    const file = secretKeyFile(config);
    if (!pathExists(file)) return { file, exists: false, exported: 'never' };
    try {
      return { file, exists: true, exported: keyExport(config) };
    } catch (error) {
      throw new NotChecked((error as Error).message, rootHint(context));
    }
  },
  judge({ file, exists, exported }) {
    if (!exists) return ok(`${file} is created at the first start`);
    const fix = 'sudo waypost backup export-key --out secret.key.age   # and keep it elsewhere';
    if (exported === 'never') return warning(`${file} was never exported`, fix);
    if (exported === 'other-key') return warning(`${file} was replaced after the last export`, fix);
    return ok(`${file} was exported at ${exported.at}`);
  },
});

interface BackupReading {
  /** Time of the last backup, in seconds since 1970; 0: none. Null: the daemon makes no backups. */
  readonly last: number | null;
  /** Seconds between two backups; null: unknown. */
  readonly interval: number | null;
  readonly hasStore: boolean;
  readonly now: number;
  /** Ids of secret keys that backups need and the key file lacks. */
  readonly missingKeys: readonly string[];
  /** Why the last attempt failed; null: it did not. */
  readonly error: string | null;
}

const gauge = (metrics: string, name: string): number | null => {
  const match = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(metrics);
  return match === null ? null : Number(match[1]);
};

const MISSING_KEY = /^waypost_backups_of_other_keys\{key="([0-9a-f]+)"\}/gm;
const DAY = 86_400;

/** As /readyz reports it. */
async function backupError(context: Context): Promise<string | null> {
  const reply = await context.fetch('/readyz');
  try {
    const { backup } = JSON.parse(reply?.body ?? '{}') as { backup?: { error?: unknown } };
    return typeof backup?.error === 'string' ? backup.error : null;
  } catch {
    return null;
  }
}

export const lastBackup = check<BackupReading>({
  id: 'backup.last',
  why: 'What was written since the last backup is lost with the disk.',
  async read(context) {
    const hasStore = await context.store().then(
      () => true,
      () => false,
    );
    const reply = await context.fetch('/metrics');
    if (reply === null || reply.status !== 200) {
      if (!hasStore) return { last: null, interval: null, hasStore, now: 0, missingKeys: [], error: null };
      throw new NotChecked('only a running daemon reports its last backup', 'sudo systemctl start waypost');
    }
    const last = gauge(reply.body, 'waypost_backup_last_success_timestamp_seconds');
    const interval = gauge(reply.body, 'waypost_backup_interval_seconds');
    const missingKeys = [...reply.body.matchAll(MISSING_KEY)].map(([, id]) => id);
    return { last, interval, hasStore, now: Date.now() / 1000, missingKeys, error: await backupError(context) };
  },
  judge({ last, interval, hasStore, now, missingKeys, error }) {
    if (last === null) {
      const found = 'no scheduled backups (backup.folder, backup.s3_bucket)';
      return hasStore
        ? warning(found, 'sudoedit /etc/waypost/waypost.toml   # set backup.folder; see docs/backups.md')
        : ok('there are no data yet');
    }
    if (error !== null) return warning(`the last attempt failed: ${error}`, 'sudo waypost backup now');
    if (last === 0) return warning('there is no backup yet', 'sudo waypost backup now');
    const age = now - last;
    const found = `the last backup is ${(age / 3600).toFixed(1)} hours old`;
    const limit = 2 * (interval ?? DAY);
    if (age > limit) return warning(found, 'sudo waypost backup now');
    if (missingKeys.length === 0) return ok(found);
    return warning(
      `older backups need secret keys that secrets.key_file lacks: ${missingKeys.join(', ')}`,
      'waypost backup list   # its column KEYS; keep the exports of these keys, or delete the backups',
    );
  },
});

export const BACKUP_CHECKS: readonly AnyCheck[] = [lastBackup, secretKey];
