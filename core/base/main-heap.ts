import { setFlagsFromString } from 'node:v8';

/**
 * The V8 flags of the daemon, also used by npm start and the systemd unit. Sizes are in megabytes.
 *
 * Requests in flight survive collections of V8's default young generation and are copied each time,
 * so a larger one is used. Its size is fixed: V8 would resize it between 1 and 128 MB by recent
 * load, and the memory of a node would vary as much.
 *
 * V8 collects the old generation if the space below its limit is smaller than the young generation.
 * Without a larger initial limit, a heap of 30 MB would be collected once or twice per second.
 */
export const MAIN_HEAP = [
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  '--initial-old-space-size=128',
  '--no-memory-reducer',
] as const;

/** The flags with little memory: heaps are collected more often, and shrink when they are idle. */
export const SMALL_MAIN_HEAP = '--max-semi-space-size=2';
/** Bytes of `protection.memory`; memory is little below it, as with less than 1 GB. */
const LITTLE_MEMORY = 900 * 1024 ** 2;

/** Whether heaps must be small. `budget`: protection.memory in bytes. */
export const hasLittleMemory = (budget: number): boolean => budget < LITTLE_MEMORY;

/**
 * Sets V8's flags for threads. Must be called before the first thread starts. Otherwise V8 applies
 * the flags of the main heap to threads, which exceed the limits of some.
 *
 * Pretenuring is off in all threads. With it, V8 allocates objects directly in the old generation
 * if earlier objects of the same code survived, for example during requests to a slow origin. Then
 * all requests leave garbage there, and collections of the young generation keep all objects that
 * this garbage refers to.
 */
export function setThreadHeapFlags(): void {
  for (const option of [...MAIN_HEAP, SMALL_MAIN_HEAP])
    setFlagsFromString(option.replace(/\d+$/, '0').replace('--no-', '--'));
  setFlagsFromString('--no-allocation-site-pretenuring');
}
