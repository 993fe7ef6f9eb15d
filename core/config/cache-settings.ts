/** Settings of the response cache of the edge. */
import { bytes, GB, KB, MB } from './kinds.ts';
import { memoryShare } from './memory.ts';
import { setting } from './setting.ts';

export const CACHE_SETTINGS = {
  cache_memory: {
    ...setting(
      bytes(1 * MB, 1024 * GB),
      256 * MB,
      'Memory for cached responses and their index, for all threads together. Responses that do not fit are read from disk.',
    ),
    standard: () => memoryShare(1 / 8, 1 * MB, 256 * MB),
    standardText: 'an eighth of the memory, at most 256MB',
    example: '"256MB"',
  },
  cache_memory_object: setting(
    bytes(1 * KB, 64 * MB),
    1 * MB,
    'Maximum size of a response that is cached in memory; larger responses are cached on disk only. It is also limited to an eighth of the memory of a thread.',
  ),
  cache_disk: setting(
    bytes(0, 16 * 1024 * GB),
    1 * GB,
    'Disk space for cached responses, in the folder "cache" of the data folder; 0 disables it. It survives restarts. Each GB needs 16 MB of memory for its index.',
  ),
  cache_object: setting(
    bytes(1 * KB, 64 * GB),
    128 * MB,
    'Maximum size of a cached response; larger responses are not cached. It is also limited to a quarter of the disk space.',
  ),
} as const;
