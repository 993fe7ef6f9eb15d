/** How much memory there is: what defaults follow from. */
import { totalmem } from 'node:os';

/** Bytes that this process may use: the machine's memory, or what its control group may use if that is less. */
export const availableMemory = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** A share of that, within bounds, as whole megabytes. `most`, `least`: bytes. */
export function memoryShare(share: number, least: number, most: number): number {
  const bytes = Math.max(least, Math.min(most, availableMemory() * share));
  return Math.floor(bytes / 1024 ** 2) * 1024 ** 2;
}
