/** Settings of compression at the edge. Counts apply to each thread. */
import { bytes, flag, integer } from './kinds.ts';
import type { Setting } from './setting.ts';

const KB = 1024;
const MB = 1024 * KB;

const compress: Setting<boolean> = {
  kind: flag,
  standard: () => true,
  doc: 'Whether the edge compresses responses of origins (brotli, gzip, and zstd if Node.js supports it) for clients that accept it. An origin prevents this with "Cache-Control: no-transform".',
  secret: false,
};

/** A shorter response fits one packet anyway, and compression doubles the CPU of the request. */
const minBytes: Setting<number> = {
  kind: bytes(1, 64 * MB),
  standard: () => 1 * KB,
  doc: 'Minimum size of a response to compress, if its size is known in advance.',
  secret: false,
};

const concurrency: Setting<number> = {
  kind: integer(0, 100_000),
  standard: () => 128,
  doc: 'Maximum number of responses that each thread compresses as a stream at the same time: long responses and those of slow origins. Further responses are sent uncompressed. Each takes about 1 MB of memory.',
  secret: false,
};

const cachedMaxBytes: Setting<number> = {
  kind: bytes(0, 256 * MB),
  standard: () => 8 * MB,
  doc: 'Maximum size of a cached response that is compressed again at a higher level, to be stored in that form.',
  secret: false,
};

export const COMPRESS_SETTINGS = {
  compress,
  compress_min_bytes: minBytes,
  compress_concurrency: concurrency,
  compress_cached_max_bytes: cachedMaxBytes,
} as const;
