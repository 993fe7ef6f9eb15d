/** Settings of compression at the edge. Counts apply to each thread. */
import { bytes, flag, integer, KB, MB } from './kinds.ts';
import { setting } from './setting.ts';

const compress = setting(
  flag,
  true,
  'Whether the edge compresses responses of origins (brotli, gzip, and zstd if Node.js supports it) for clients that accept it. An origin prevents this with "Cache-Control: no-transform".',
);

/** A shorter response fits one packet anyway, and compression doubles the CPU of the request. */
const minBytes = setting(
  bytes(1, 64 * MB),
  1 * KB,
  'Minimum size of a response to compress, if its size is known in advance.',
);

const concurrency = setting(
  integer(0, 100_000),
  128,
  'Maximum number of responses that each thread compresses as a stream at the same time: long responses and those of slow origins. Further responses are sent uncompressed. Each takes about 1 MB of memory.',
);

const cachedMaxBytes = setting(
  bytes(0, 256 * MB),
  8 * MB,
  'Maximum size of a cached response that is compressed again at a higher level, to be stored in that form.',
);

export const COMPRESS_SETTINGS = {
  compress,
  compress_min_bytes: minBytes,
  compress_concurrency: concurrency,
  compress_cached_max_bytes: cachedMaxBytes,
} as const;
