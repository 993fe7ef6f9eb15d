import { setFlagsFromString } from 'node:v8';

/**
 * The V8 flags of the daemon, also used by npm start and the systemd unit. Sizes are in megabytes.
 *
 * Requests in flight survive collections of V8's default young generation and are copied each time,
 * so a larger one is used. It keeps its size: V8 would make it 1 to 128 MB large by the work of the
 * last seconds, and the memory of a node would swing by as much.
 *
 * If less than the young generation's size is left below the old generation's limit, V8 collects
 * the old generation: with a heap of 30 MB once or twice a second.
 */
export const MAIN_HEAP = [
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  '--initial-old-space-size=128',
  '--no-memory-reducer',
] as const;

/**
 * Without this, V8 would apply the flags to every thread that is started later, beyond the limits
 * of some threads. Must be called before the first thread starts.
 */
export function resetHeapFlags(): void {
  for (const option of MAIN_HEAP) setFlagsFromString(option.replace(/\d+$/, '0').replace('--no-', '--'));
}
