/**
 * The content codings of the edge (RFC 9110 section 8.4.1), and their levels: for bodies that are
 * compressed while they are sent, and for cached bodies.
 *
 * Figures of node 20.20 (zstd: 22.23) on a 2-core x86-64 machine by bench/edge/compress.ts: µs of
 * CPU, and the compressed size of JavaScript source. JSON and prose give the same order.
 *
 *     | bytes  | 1,024         | 16,384         | 65,536         |
 *     | gzip 4 | 23, 53.5 %    | 152, 29.6 %    | 686, 26.3 %    |
 *     | gzip 5 | 21, 53.4 %    | 211, 29.0 %    | 964, 25.4 %    |
 *     | gzip 6 | 19, 53.4 %    | 236, 28.9 %    | 1,309, 25.3 %  |
 *     | br 4   | 31, 53.0 %    | 216, 29.9 %    | 786, 26.5 %    |
 *     | br 5   | 32, 50.1 %    | 323, 27.6 %    | 1,183, 24.5 %  |
 *     | br 6   | 32, 50.1 %    | 329, 27.5 %    | 1,435, 24.2 %  |
 *     | br 10  | 955, 45.7 %   | 6,850, 25.8 %  | 24,775, 22.6 % |
 *     | br 11  | 1,600, 45.0 % | 17,215, 25.0 % | 69,615, 22.0 % |
 *     | zstd 3 | 48, 55.2 %    | 148, 30.4 %    | 444, 27.4 %    |
 *
 * So bodies are sent with gzip 5 or brotli 5. gzip 6 costs a third more CPU for 0.1 %, and the
 * result of brotli 4 is larger than that of gzip 5.
 */
import * as zlib from 'node:zlib';

/** The name in Content-Encoding. Only clients use `x-gzip`. */
export type Coding = 'br' | 'gzip' | 'zstd';

/** A compressing stream of node:zlib. */
export type CodingStream = zlib.Gzip | zlib.BrotliCompress;

/** Available since Node 22.15; the types are those of Node 20. */
interface Zstd {
  createZstdCompress?(options: object): CodingStream;
  zstdCompressSync?(bytes: Uint8Array, options: object): Buffer;
}
const zstd: Zstd = zlib as object;
const hasZstd = zstd.createZstdCompress !== undefined && zstd.zstdCompressSync !== undefined;

const constants = zlib.constants as unknown as Readonly<Record<string, number>>;

/**
 * The available codings in order of preference. Cached bodies prefer the smallest result. Bodies
 * that are compressed while they are sent prefer zstd: a third of the CPU for an eighth more bytes.
 */
export const CODINGS_AT_ONCE: readonly Coding[] = hasZstd ? ['zstd', 'br', 'gzip'] : ['br', 'gzip'];
export const CODINGS_KEPT: readonly Coding[] = hasZstd ? ['br', 'zstd', 'gzip'] : ['br', 'gzip'];

/**
 * Maximum bytes to compress synchronously, in the thread of the connection. A stream gets more than
 * this at a time unless the source pauses. A switch to another thread and back costs 50 to 150 µs
 * of CPU, and a stream holds memory. 32 KB take 0.2 to 0.9 ms, an acceptable delay of the event
 * loop.
 */
export const SHORT = 32 * 1024;

const GZIP_AT_ONCE = 5;
const BROTLI_AT_ONCE = 5;
const ZSTD_AT_ONCE = 3;
/**
 * log2 of the window of a stream. A brotli stream holds 1.1 MB with 2^16 after a megabyte of input,
 * 2.5 MB with 2^18, and 3.3 MB with Node's 2^22. 4 MB of JavaScript shrink to 17.3, 16.6 and 15.8 %
 * (gzip, with 0.4 MB: 18.3 %). A zstd stream holds 1.2 MB with 2^17, and 1.7 MB or more with its
 * default. Memory matters most, because many streams wait for slow origins.
 */
const BROTLI_STREAM_WINDOW = 16;
const ZSTD_STREAM_WINDOW = 17;

/** Levels for bodies up to a length. */
type Levels = readonly (readonly [length: number, level: number])[];
const MB = 1024 * 1024;
const GZIP_KEPT = 9;
/**
 * Brotli 11 takes 1 ms per KB; 10 takes a third of that for 3 % more bytes, and 9 an eighth for 7 %
 * more. zstd 19 takes 0.35 ms per KB, and 12 takes 0.1 ms for 5 % more.
 */
// biome-ignore format: a table
const BROTLI_KEPT: Levels = [[64 * 1024, 11], [MB, 10], [Number.POSITIVE_INFINITY, 9]];
// biome-ignore format: a table
const ZSTD_KEPT: Levels = [[MB, 19], [Number.POSITIVE_INFINITY, 12]];
/** Decoders need not support a window above 8 MB (RFC 9659 section 3). */
const ZSTD_MOST_WINDOW = 23;

function levelFor(length: number, levels: Levels): number {
  return levels.find(([most]) => length <= most)![1];
}

function brotliParams(quality: number, window: number | undefined, length: number): Record<number, number> {
  const params: Record<number, number> = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: length,
  };
  if (window !== undefined) params[constants.BROTLI_PARAM_LGWIN] = window;
  return params;
}

/** Without a window, the level sets it, below the limit of decoders. */
function zstdParams(level: number, window?: number): Record<number, number> {
  const params: Record<number, number> = { [constants.ZSTD_c_compressionLevel]: level };
  if (window !== undefined) params[constants.ZSTD_c_windowLog] = window;
  return params;
}

/** Compresses a short body at a moderate level. Blocks the thread. */
export function compressAtOnce(bytes: Uint8Array, coding: Coding): Buffer {
  switch (coding) {
    case 'gzip':
      return zlib.gzipSync(bytes, { level: GZIP_AT_ONCE });
    case 'br':
      return zlib.brotliCompressSync(bytes, { params: brotliParams(BROTLI_AT_ONCE, undefined, bytes.length) });
    case 'zstd':
      return zstd.zstdCompressSync!(bytes, { params: zstdParams(ZSTD_AT_ONCE) });
  }
}

/**
 * Compresses a complete body at a high level. Blocks the thread, for up to a second at the maximum
 * length, so it is for background threads.
 */
export function compressWell(bytes: Uint8Array, coding: Coding): Buffer {
  switch (coding) {
    case 'gzip':
      return zlib.gzipSync(bytes, { level: GZIP_KEPT });
    case 'br':
      return zlib.brotliCompressSync(bytes, {
        params: brotliParams(levelFor(bytes.length, BROTLI_KEPT), undefined, bytes.length),
      });
    case 'zstd':
      return zstd.zstdCompressSync!(bytes, { params: zstdParams(levelFor(bytes.length, ZSTD_KEPT), ZSTD_MOST_WINDOW) });
  }
}

/** A stream for a body that arrives in parts. */
export function openCodingStream(coding: Coding): CodingStream {
  switch (coding) {
    case 'gzip':
      return zlib.createGzip({ level: GZIP_AT_ONCE });
    case 'br':
      return zlib.createBrotliCompress({ params: brotliParams(BROTLI_AT_ONCE, BROTLI_STREAM_WINDOW, 0) });
    case 'zstd':
      return zstd.createZstdCompress!({ params: zstdParams(ZSTD_AT_ONCE, ZSTD_STREAM_WINDOW) });
  }
}

/**
 * The flush that makes all written bytes decodable. For gzip, the kind that keeps the window;
 * Node's default resets it.
 */
export function flushKind(coding: Coding): number {
  switch (coding) {
    case 'gzip':
      return constants.Z_SYNC_FLUSH;
    case 'br':
      return constants.BROTLI_OPERATION_FLUSH;
    case 'zstd':
      return constants.ZSTD_e_flush;
  }
}
