import { setFlagsFromString } from 'node:v8';

/**
 * The V8 flags of the daemon, also used by npm start and the systemd unit. Sizes are in megabytes.
 *
 * Requests in flight survive collections of V8's default young generation and are copied each time,
 * so a larger one is used. If less than the young generation's size is left below the old
 * generation's limit, V8 collects the old generation: with a heap of 30 MB once or twice a second.
 */
export const MAIN_HEAP = ['--max-semi-space-size=64', '--initial-old-space-size=128'] as const;

/**
 * Without this, V8 would apply the flags to every thread that is started later, beyond the limits
 * of some threads. Must be called before the first thread starts.
 */
export function resetHeapFlags(): void {
  for (const option of MAIN_HEAP) setFlagsFromString(option.replace(/\d+$/, '0'));
}
