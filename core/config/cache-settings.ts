/** Settings of where the edge keeps responses. */
import { bytes, type Kind } from './kinds.ts';
import { memoryShare } from './memory.ts';
import type { Setting } from './schema.ts';

const KB = 1024;
const MB = 1024 * KB;
const GB = 1024 * MB;

function size(kind: Kind<number>, standard: number, doc: string): Setting<number> {
  return { kind, standard: () => standard, doc, secret: false };
}

export const CACHE_SETTINGS = {
  cache_memory: {
    ...size(
      bytes(1 * MB, 1024 * GB),
      256 * MB,
      'Memory for responses that are kept, of all threads together, with what it takes to find them. What does not fit is read from the disk.',
    ),
    standard: () => memoryShare(1 / 8, 1 * MB, 256 * MB),
    standardText: 'an eighth of the memory, at most 256MB',
    example: '"256MB"',
  },
  cache_memory_object: size(
    bytes(1 * KB, 64 * MB),
    1 * MB,
    'Larger responses are kept on disk only. Never more than an eighth of the memory of a thread.',
  ),
  cache_disk: size(
    bytes(0, 16 * 1024 * GB),
    1 * GB,
    'Disk for responses that are kept, in the folder "cache" of the data folder; 0 for none. It survives restarts. Each GB takes 16 MB of memory for its index.',
  ),
  cache_object: size(
    bytes(1 * KB, 64 * GB),
    128 * MB,
    'Larger responses are not kept. Never more than a quarter of the disk.',
  ),
} as const;
