/**
 * The content codings that the edge makes (RFC 9110 section 8.4.1), and how hard each works: once
 * for what is sent as it comes, and once for what is kept.
 *
 * Figures of node 20.20 (zstd: 22.23) on a 2-core x86-64 machine by bench/edge/compress.ts: µs of
 * CPU, and what is left of JavaScript source. JSON and prose order the levels alike.
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
 * So gzip 5 and brotli 5 for what is sent as it comes: gzip 6 costs a third more for 0.1 %, and
 * brotli 4 leaves more than gzip 5 does.
 */
import * as zlib from 'node:zlib';

/** As it stands in Content-Encoding; `x-gzip` is said by clients alone. */
export type Coding = 'br' | 'gzip' | 'zstd';

/** A stream of node:zlib, whichever coding it makes. */
export type CodingStream = zlib.Gzip | zlib.BrotliCompress;

/** Node has it from 22.15 on; the types are those of Node 20. */
interface Zstd {
  createZstdCompress?(options: object): CodingStream;
  zstdCompressSync?(bytes: Uint8Array, options: object): Buffer;
}
const zstd: Zstd = zlib as object;
const hasZstd = zstd.createZstdCompress !== undefined && zstd.zstdCompressSync !== undefined;

const constants = zlib.constants as unknown as Readonly<Record<string, number>>;

/**
 * What this Node makes, the one that is sent when a client likes several as well: what is kept gets
 * the smallest, and what is sent as it comes the one that takes a third of the CPU for an eighth
 * more.
 */
export const CODINGS_AT_ONCE: readonly Coding[] = hasZstd ? ['zstd', 'br', 'gzip'] : ['br', 'gzip'];
export const CODINGS_KEPT: readonly Coding[] = hasZstd ? ['br', 'zstd', 'gzip'] : ['br', 'gzip'];

/**
 * Bytes that are coded at once, in the thread of the connection, and else the least that a stream
 * is given at a time if it has come. A way to another thread and back costs 50 to 150 µs of CPU and
 * a stream its memory, while 32 KB take 0.2 to 0.9 ms: what the loop can stand.
 */
export const SHORT = 32 * 1024;

const GZIP_AT_ONCE = 5;
const BROTLI_AT_ONCE = 5;
const ZSTD_AT_ONCE = 3;
/**
 * log2 of the window of a stream. With 2^16 one of brotli takes 1.1 MB after a megabyte of input,
 * with 2^18 2.5 MB, with node's 2^22 3.3 MB; 4 MB of JavaScript become 17.3, 16.6 and 15.8 % (gzip,
 * which takes 0.4 MB: 18.3 %). Of zstd 1.2 MB with 2^17, 1.7 MB and growing with its own. Of many
 * that wait for slow origins, memory is what matters.
 */
const BROTLI_STREAM_WINDOW = 16;
const ZSTD_STREAM_WINDOW = 17;

/** Levels for bodies up to a length. */
type Levels = readonly (readonly [length: number, level: number])[];
const MB = 1024 * 1024;
const GZIP_KEPT = 9;
/**
 * Brotli 11 takes 1 ms a KB, 10 a third of that for 3 % more, 9 an eighth for 7 % more; zstd 19
 * takes 0.35 ms, 12 0.1 ms for 5 % more.
 */
// biome-ignore format: a table
const BROTLI_KEPT: Levels = [[64 * 1024, 11], [MB, 10], [Number.POSITIVE_INFINITY, 9]];
// biome-ignore format: a table
const ZSTD_KEPT: Levels = [[MB, 19], [Number.POSITIVE_INFINITY, 12]];
/** A decoder need not take more than 8 MB (RFC 9659 section 3). */
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

/** Without a window its level takes its own, which is less than what a decoder must take. */
function zstdParams(level: number, window?: number): Record<number, number> {
  const params: Record<number, number> = { [constants.ZSTD_c_compressionLevel]: level };
  if (window !== undefined) params[constants.ZSTD_c_windowLog] = window;
  return params;
}

/** A whole body, moderately. Blocks: for short ones. */
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
 * A whole body, as small as it gets. Blocks, for a second when it is as long as may be: for a
 * thread that nobody waits for.
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

/** For a body that comes in parts. */
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
 * The flush after which all that was written can be read. Of gzip the one that keeps the window:
 * node's own default forgets it.
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
