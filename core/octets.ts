/** Files on their way to a peer. */
import type { FileHandle } from 'node:fs/promises';

/** Octets read at once. */
const PIECE = 256 << 10;

/** From there to the end. Not a stream of the file's own, which closes it when its reader goes. */
export async function* octets(file: FileHandle, from: number): AsyncGenerator<Buffer> {
  for (let at = from; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(PIECE), 0, PIECE, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Of a range to the end (RFC 9110 section 14.1.2), which is all that a peer asks for; 0: the whole. */
export function rangeStart(range: string | undefined, size: number): number {
  const from = Number(/^bytes=(\d{1,15})-$/.exec(range ?? '')?.[1] ?? 0);
  return from < size ? from : 0;
}
