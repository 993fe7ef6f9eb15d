/** The available memory, for defaults that depend on it. */
import { totalmem } from 'node:os';

/** Bytes that this process may use: the memory of the machine or of its control group. */
export const availableMemory = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** A share of the available memory, within bounds, as whole megabytes. `most`, `least`: bytes. */
export function memoryShare(share: number, least: number, most: number): number {
  const bytes = Math.max(least, Math.min(most, availableMemory() * share));
  return Math.floor(bytes / 1024 ** 2) * 1024 ** 2;
}
