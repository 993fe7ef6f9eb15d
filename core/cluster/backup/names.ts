/**
 * Names of the files of backups, which sort by time. A backup is a file with the data, and a
 * description. The description is written last: without it the backup does not count.
 *
 *   20261127T033000Z-000000004711-ns1.backup[.age]   the data
 *   20261127T033000Z-000000004711-ns1.json           the description
 *   journal/SEGMENT.entries[.age]                    changes: see segments.ts
 */

export const DESCRIPTION = '.json';
export const DATA = '.backup';
export const ENCRYPTED = '.age';

export interface Encrypted {
  /** With the key of secrets.key_file, or for recipients. */
  readonly with: 'key' | 'recipients';
  /** The key: its id in hexadecimal, see core/base/secrets.ts. */
  readonly keyId?: string;
}

/** The description of a backup. */
export interface Backup {
  /** Name without suffix. */
  readonly name: string;
  /** Version of the description's format. */
  readonly format: number;
  readonly version: string;
  readonly node: string;
  /** ISO 8601: when the copy of the store was made. */
  readonly made: string;
  /**
   * ISO 8601: the time of the last change in the backup, by the clock of the node that wrote the
   * change. Omitted: not known, as for backups of version 0.2.0 and before.
   */
  readonly lastChange?: string;
  /** Sequence and hash (hexadecimal) of the last change in the backup. */
  readonly sequence: number;
  readonly hash: string;
  /** Name and bytes of the data as stored, and their SHA-256 in hexadecimal. */
  readonly file: string;
  readonly size: number;
  readonly sha256: string;
  readonly encrypted: Encrypted | null;
  /**
   * Id of the oldest secret key that its private keys may be encrypted with. Omitted by versions
   * before 0.3.0.
   */
  readonly secretKeyId?: string;
  /** Duration in milliseconds. */
  readonly took: number;
}

export const BACKUP_FORMAT = 1;

/** Ids of the secret keys without which the backup, or the private keys in it, are lost. */
export const secretKeysOf = ({ encrypted, secretKeyId }: Pick<Backup, 'encrypted' | 'secretKeyId'>): string[] => [
  ...new Set([encrypted?.keyId, secretKeyId].filter((id) => id !== undefined)),
];

const digits = (sequence: number): string => String(sequence).padStart(12, '0');

export function backupName(made: Date, sequence: number, node: string): string {
  const time = made.toISOString().replace(/[-:]|\.\d+/g, '');
  return `${time}-${digits(sequence)}-${node.replace(/[^\w.-]/g, '_')}`;
}

/** Undefined: not the description of a backup, or of a later version. */
export function parseDescription(text: string): Backup | undefined {
  let parsed: Backup;
  try {
    parsed = JSON.parse(text) as Backup;
  } catch {
    return undefined;
  }
  const isWhole =
    parsed?.format === BACKUP_FORMAT &&
    Number.isSafeInteger(parsed.sequence) &&
    Number.isSafeInteger(parsed.size) &&
    /^[0-9a-f]{64}$/.test(parsed.hash) &&
    /^[0-9a-f]{64}$/.test(parsed.sha256) &&
    isFileName(parsed.name) &&
    isFileName(parsed.file) &&
    !Number.isNaN(Date.parse(parsed.made)) &&
    (parsed.lastChange === undefined || !Number.isNaN(Date.parse(parsed.lastChange)));
  return isWhole ? parsed : undefined;
}

/** Rejects paths: a description must not refer to files outside its folder. */
const isFileName = (name: unknown): boolean => typeof name === 'string' && /^[\w.-]+$/.test(name) && name[0] !== '.';
