import { setFlagsFromString } from 'node:v8';

/**
 * What the daemon is started with, by npm start and the unit of systemd, too. Requests under way live through each collection of V8's usual young generation and are copied, so it is
 * larger here. And where less is left of the old generation's limit than the young one holds, V8 collects the old one: of a heap of 30 MB that was once or twice a second. Megabytes.
 */
export const MAIN_HEAP = ['--max-semi-space-size=64', '--initial-old-space-size=128'] as const;

/** V8 would give these to every thread that is started later, beyond the limits which some are given. To be called before the first. */
export function keepHeapToMain(): void {
  for (const option of MAIN_HEAP) setFlagsFromString(option.replace(/\d+$/, '0'));
}
