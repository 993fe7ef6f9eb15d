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
 * Sets V8's flags for the threads that are started later: must be called before the first. Without
 * this, V8 would apply the main heap's flags to them, beyond the limits of some.
 *
 * In no thread is anything allocated in the old generation at once ("pretenuring"). V8 does so
 * where it has seen objects survive, as those of requests do that wait for a slow origin. From then
 * on all requests leave garbage there, and collections of the young generation keep all that such
 * garbage refers to.
 */
export function setThreadHeapFlags(): void {
  for (const option of MAIN_HEAP) setFlagsFromString(option.replace(/\d+$/, '0').replace('--no-', '--'));
  setFlagsFromString('--no-allocation-site-pretenuring');
}
