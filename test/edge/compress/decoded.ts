/** What a visitor makes of a coded body. */
import * as zlib from 'node:zlib';
import type { Coding } from '../../../edge/compress/coding.ts';

/** Node's types of version 20 know nothing of it. */
interface Zstd {
  zstdDecompressSync?(bytes: Uint8Array): Buffer;
  createZstdDecompress?(): Decoder;
}
const zstd: Zstd = zlib as object;

type Decoder = zlib.Gunzip | zlib.BrotliDecompress;

export function decoded(bytes: Uint8Array, coding: Coding): Buffer {
  switch (coding) {
    case 'gzip':
      return zlib.gunzipSync(bytes);
    case 'br':
      return zlib.brotliDecompressSync(bytes);
    case 'zstd':
      return zstd.zstdDecompressSync!(bytes);
  }
}

/** For a body that comes in parts. */
export function openDecoder(coding: Coding): Decoder {
  switch (coding) {
    case 'gzip':
      return zlib.createGunzip();
    case 'br':
      return zlib.createBrotliDecompress();
    case 'zstd':
      return zstd.createZstdDecompress!();
  }
}
