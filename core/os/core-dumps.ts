/** Disables core dumps of this process: its memory contains private keys. */
import koffi from 'koffi';

const PR_GET_DUMPABLE = 3;
const PR_SET_DUMPABLE = 4;

type Prctl = (option: number, value: number, third: number, fourth: number, fifth: number) => number;

const loadPrctl = (): Prctl => koffi.load(null).func('int prctl(int, ulong, ulong, ulong, ulong)') as unknown as Prctl;

/**
 * From now on no core dump is written, and other processes of the same user cannot read the memory.
 * False: the system does not support it.
 */
export function disableCoreDumps(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return loadPrctl()(PR_SET_DUMPABLE, 0, 0, 0, 0) === 0;
  } catch {
    return false;
  }
}

/** Linux only. */
export const hasCoreDumps = (): boolean => loadPrctl()(PR_GET_DUMPABLE, 0, 0, 0, 0) !== 0;
