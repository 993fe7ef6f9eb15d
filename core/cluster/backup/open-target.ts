/** The target that the settings name. */
import { ConfigError, StateError } from '../../base/errors.ts';
import { readPrivateFile } from '../../base/private-file.ts';
import type { Config } from '../../config/index.ts';
import { FolderTarget } from './folder-target.ts';
import type { Target } from './target.ts';

type BackupSettings = Config['backup'];

export const isBackupOn = ({ folder, s3Bucket }: BackupSettings): boolean =>
  folder !== undefined || s3Bucket !== undefined;

/** Throws ConfigError `invalid_config` for settings that contradict each other. */
export function checkBackupSettings(backup: BackupSettings): void {
  const { folder, s3Bucket, s3Endpoint, s3CredentialsFile, encryption, recipients } = backup;
  const fail = (message: string): never => {
    throw new ConfigError('invalid_config', message);
  };
  if (folder !== undefined && s3Bucket !== undefined)
    fail('backup.folder and backup.s3_bucket are both set: set one of them.');
  if (s3Bucket !== undefined && (s3Endpoint === undefined || s3CredentialsFile === undefined))
    fail('backup.s3_bucket needs backup.s3_endpoint and backup.s3_credentials_file.');
  if (isBackupOn(backup) && encryption === 'recipients' && recipients.length === 0)
    fail('backup.encryption is "recipients", and backup.recipients is empty.');
}

/** Throws ConfigError, and StateError `no_target` if no backups are configured. */
export async function openTarget(backup: BackupSettings): Promise<Target> {
  checkBackupSettings(backup);
  const { folder, s3Bucket, s3Endpoint, s3Region, s3Prefix, s3PathStyle, s3CredentialsFile, s3Timeout } = backup;
  if (folder !== undefined) return new FolderTarget(folder);
  if (s3Bucket === undefined || s3Endpoint === undefined || s3CredentialsFile === undefined)
    throw new StateError('no_target', 'No place for backups is set: set backup.folder or backup.s3_bucket.');
  // A start checks the settings before it answers DNS, and an HTTP client takes long to load.
  const { S3Target } = await import('./s3-target.ts');
  return await S3Target.open({
    endpoint: s3Endpoint,
    region: s3Region,
    bucket: s3Bucket,
    prefix: s3Prefix,
    isPathStyle: s3PathStyle,
    ...readCredentials(s3CredentialsFile),
    timeout: s3Timeout * 1000,
  });
}

function readCredentials(file: string): { accessKeyId: string; secretAccessKey: string } {
  const [accessKeyId = '', secretAccessKey = ''] = (readPrivateFile(file) ?? '').split('\n').map((line) => line.trim());
  if (accessKeyId === '' || secretAccessKey === '')
    throw new ConfigError(
      'bad_credentials',
      `${file} must contain the access key id on its first line and the secret access key on its second.`,
    );
  return { accessKeyId, secretAccessKey };
}
