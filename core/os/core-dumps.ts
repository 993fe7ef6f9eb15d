/** Disables core dumps of this process: its memory contains private keys. */
import koffi from 'koffi';

const PR_SET_DUMPABLE = 4;

/**
 * From now on no core dump is written, and other processes of the same user cannot read the memory.
 * False: the system does not support it.
 */
export function disableCoreDumps(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return koffi.load(null).func('int prctl(int, ulong, ulong, ulong, ulong)')(PR_SET_DUMPABLE, 0, 0, 0, 0) === 0;
  } catch {
    return false;
  }
}
