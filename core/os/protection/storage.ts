/**
 * Decides which commits a node accepts while its disk is almost full. Below the reserve: only those
 * that keep the service running, such as certificates, signatures and sign-ins. Below a quarter of
 * it: none, since LMDB would fail during a commit.
 */
import { diskFull } from '../../base/disk-full.ts';
import type { UnavailableError } from '../../base/errors.ts';
import { DISK } from './levels.ts';

/**
 * Authors whose commits can wait like those of accounts: their work is large, and is retried later.
 */
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
