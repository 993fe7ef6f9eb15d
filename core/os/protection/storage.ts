/**
 * Which commits a node accepts while its disk is almost full. Below the reserve only those that
 * keep the service running: certificates, signatures, sign-ins. Below a quarter of it none, since
 * LMDB would fail in the middle of one.
 */
import { diskFull } from '../../base/disk-full.ts';
import type { UnavailableError } from '../../base/errors.ts';
import { DISK } from './levels.ts';

/** Authors next to accounts that can wait: their work is large, and is repeated later. */
const PATIENT: ReadonlySet<string> = new Set(['secondary', 'catalog', 'settings', 'rotation']);

const isPatient = (author: string): boolean => PATIENT.has(author) || /^\d+$/.test(author);

/** The StorageGuard of the journal. */
export class Storage {
  level: number = DISK.normal;

  get isFull(): boolean {
    return this.level >= DISK.full;
  }

  get isReadOnly(): boolean {
    return this.level >= DISK.readOnly;
  }

  /** `author`: CommitRequest.by. Null: the commit is accepted. */
  refusalOf(author: string): UnavailableError | null {
    if (!this.isReadOnly || (!this.isFull && !isPatient(author))) return null;
    return diskFull();
  }
}
