/** Reads response bodies: decodes them as a stream and checks the size limit of each chunk. */
import { isUtf8 } from 'node:buffer';
import { type Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';

/** The body from undici or from a test. */
type Chunks = AsyncIterable<Uint8Array>;

/** The body exceeds the limit, or its content coding was not in Accept-Encoding. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
}

/** Available since Node 22.15. */
interface Zstd {
  createZstdDecompress?(options: object): Duplex;
  constants: { ZSTD_d_windowLogMax?: number };
}

/** RFC 9659: the maximum window is 8 MB. */
const ZSTD_WINDOW_LOG = 23;
const zstd = zlib as unknown as Zstd;

/** Decoders by content coding (RFC 9110 8.4.1). `first`: the first byte of the body. */
const DECODERS: ReadonlyMap<string, (first: number) => Duplex> = new Map<string, (first: number) => Duplex>([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  // Some servers omit the zlib header (RFC 1950), whose first byte ends in 8.
  ['deflate', (first) => ((first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw())],
  ['br', () => zlib.createBrotliDecompress()],
  ...(zstd.createZstdDecompress === undefined ? [] : ([['zstd', openZstd]] as const)),
]);

function openZstd(): Duplex {
  const { ZSTD_d_windowLogMax } = zstd.constants;
  const params = ZSTD_d_windowLogMax === undefined ? {} : { [ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG };
  return zstd.createZstdDecompress!({ params });
}

/** Value of Accept-Encoding. */
export const ACCEPT_ENCODING = [...DECODERS.keys()].filter((coding) => coding !== 'x-gzip').join(', ');

interface BodyOptions {
  /** Value of Content-Encoding. */
  readonly coding: string;
  /** Maximum bytes of the body, both encoded and decoded. */
  readonly limit: number;
  /** Called with the size of each encoded chunk. The next chunk is read once it resolves. */
  readonly onChunk: (bytes: number) => Promise<void>;
}

/** Throws BodyError, and errors of the decoder or the connection. */
export async function readBody(chunks: Chunks, { coding, limit, onChunk }: BodyOptions): Promise<Buffer> {
  const name = coding.trim().toLowerCase();
  const isPlain = name === '' || name === 'identity';
  const open = DECODERS.get(name);
  if (!isPlain && open === undefined) throw new BodyError('The coding of the body is not one that was asked for.');
  const parts = countChunks(chunks, limit, onChunk)[Symbol.asyncIterator]();
  if (open === undefined) return collect({ [Symbol.asyncIterator]: () => parts }, limit);
  const first = await parts.next();
  // Some servers set Content-Encoding on responses without a body, too.
  if (first.done === true) return Buffer.alloc(0);
  const source = Readable.from(startingWith(first.value, parts), { objectMode: false });
  let body: Buffer | undefined;
  await pipeline(source, open(first.value[0]), async (decoded: Chunks) => {
    body = await collect(decoded, limit);
  });
  return body ?? Buffer.alloc(0);
}

async function* countChunks(chunks: Chunks, limit: number, onChunk: BodyOptions['onChunk']): Chunks {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > limit) throw tooLarge(limit);
    if (chunk.length === 0) continue;
    await onChunk(chunk.length);
    yield chunk;
  }
}

async function* startingWith(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    for (;;) {
      const next = await rest.next();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await rest.return?.();
  }
}

async function collect(chunks: Chunks, limit: number): Promise<Buffer> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > limit) throw tooLarge(limit);
    kept.push(chunk);
  }
  return Buffer.concat(kept, bytes);
}

const tooLarge = (limit: number): BodyError => new BodyError(`The response is larger than ${limit} bytes.`);

/** The body for the app. Strips a byte order mark, as `Response.text()` does. */
export function bodyText(body: Buffer): { readonly body: string; readonly encoding: 'utf-8' | 'base64' } {
  if (!isUtf8(body)) return { body: body.toString('base64'), encoding: 'base64' };
  const text = body.toString('utf8');
  return { body: text.startsWith('\ufeff') ? text.slice(1) : text, encoding: 'utf-8' };
}
