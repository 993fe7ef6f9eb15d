/** The store of another node, which replaces that of this node at the next start. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export const STORE = 'waypost.mdb';
export const PART = 'snapshot.part';
export const READY = 'snapshot.ready';
/** The previous store is kept: it may contain changes that no other node has. */
const BEFORE = 'waypost.mdb.replaced';

/**
 * Replaces the store by a complete snapshot. The store must not be open; it is kept next to the new
 * one as `before`. False: there is no snapshot.
 */
export function installSnapshot(folder: string, before = BEFORE): boolean {
  const ready = join(folder, READY);
  // A leftover of an interrupted transfer: the next one starts from the first byte.
  rmSync(join(folder, PART), { force: true });
  if (!existsSync(ready)) return false;
  if (existsSync(join(folder, STORE))) renameSync(join(folder, STORE), join(folder, before));
  // LMDB's table of readers belongs to the old store.
  rmSync(join(folder, `${STORE}-lock`), { force: true });
  renameSync(ready, join(folder, STORE));
  return true;
}
