/** Reads and writes files in chunks. */
import type { FileHandle } from 'node:fs/promises';
import { withDescriptorPath } from './write-file.ts';

/** Maximum bytes of one read. */
const CHUNK = 256 << 10;

/**
 * Reads from `from` to the end, or up to `to` (exclusive). Unlike a stream, this does not close the
 * file when the reader stops. `chunk`: maximum bytes of one read.
 */
export async function* readChunks(
  file: FileHandle,
  from: number,
  to = Number.POSITIVE_INFINITY,
  chunk = CHUNK,
): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    const length = Math.min(chunk, to - at);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Writes the whole chunk at an offset. An error names the file. */
export async function writeAt(file: FileHandle, chunk: Uint8Array, offset: number): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, at, chunk.length - at, offset + at).catch((error: unknown) => {
      throw withDescriptorPath(error, file.fd);
    });
    at += bytesWritten;
  }
}

/**
 * The start of a range "from here to the end" (RFC 9110 section 14.1.2), the only form that peers
 * send. 0: the whole file.
 */
export function parseRangeStart(range: string | undefined, size: number): number {
  const from = Number(/^bytes=(\d{1,15})-$/.exec(range ?? '')?.[1] ?? 0);
  return from < size ? from : 0;
}
