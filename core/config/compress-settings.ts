/** Settings of what the edge compresses. Counts are of each thread by itself. */
import { bytes, flag, integer } from './kinds.ts';
import type { Setting } from './schema.ts';

const KB = 1024;
const MB = 1024 * KB;

const compress: Setting<boolean> = {
  kind: flag,
  standard: () => true,
  doc: 'Whether responses of origins are compressed (brotli, gzip, and zstd where Node has it) for visitors who take it. An origin that wants one left as it is says "Cache-Control: no-transform".',
  secret: false,
};

/** Half a KB less, in the same packet, for twice the CPU of the whole request: below it nobody gains. */
const minBytes: Setting<number> = {
  kind: bytes(1, 64 * MB),
  standard: () => 1 * KB,
  doc: 'Responses that are known to be shorter are not compressed.',
  secret: false,
};

const concurrency: Setting<number> = {
  kind: integer(0, 100_000),
  standard: () => 128,
  doc: 'Responses at one time, of each thread, that are compressed as they come from slow origins or because they are long; further ones are sent as they are. Each takes about a megabyte.',
  secret: false,
};

const cachedMaxBytes: Setting<number> = {
  kind: bytes(0, 256 * MB),
  standard: () => 8 * MB,
  doc: 'Responses in the cache that are longer are not compressed a second time, better, to be kept that way.',
  secret: false,
};

export const COMPRESS_SETTINGS = {
  compress,
  compress_min_bytes: minBytes,
  compress_concurrency: concurrency,
  compress_cached_max_bytes: cachedMaxBytes,
} as const;
