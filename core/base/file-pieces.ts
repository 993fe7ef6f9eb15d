/** Files piece by piece. */
import type { FileHandle } from 'node:fs/promises';

/** Bytes read at once. */
const PIECE = 256 << 10;

/** From there to the end, or to before `to`. Not a stream of the file's own, which closes it when its reader goes. */
export async function* bytes(file: FileHandle, from: number, to = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    const length = Math.min(PIECE, to - at);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** All of a piece, at a place in a file. */
export async function writeAt(file: FileHandle, piece: Uint8Array, place: number): Promise<void> {
  for (let at = 0; at < piece.length; ) {
    const { bytesWritten } = await file.write(piece, at, piece.length - at, place + at);
    at += bytesWritten;
  }
}

/** Of a range to the end (RFC 9110 section 14.1.2), which is all that a peer asks for; 0: the whole. */
export function rangeStart(range: string | undefined, size: number): number {
  const from = Number(/^bytes=(\d{1,15})-$/.exec(range ?? '')?.[1] ?? 0);
  return from < size ? from : 0;
}
