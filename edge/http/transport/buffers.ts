/**
 * Memory for bytes on their way to clients, used again: a buffer for each would keep the garbage
 * collector busy, which counts what is outside of its heap.
 */

/** Four records of TLS, or as many DATA frames. */
export const BUFFER = 65_536;

/** Buffers of the thread that nobody needs now: 16 MB at most. */
const POOLED = 256;
const pool: Buffer[] = [];
/** Those that came from here, so that nobody else's memory is ever taken in. */
const own = new WeakSet<ArrayBufferLike>();

/** BUFFER bytes, whatever they say. */
export function takeBuffer(): Buffer {
  const pooled = pool.pop();
  if (pooled !== undefined) return pooled;
  const buffer = Buffer.allocUnsafeSlow(BUFFER);
  own.add(buffer.buffer);
  return buffer;
}

/** Bytes of memory that a part keeps from being used again. */
export const weightOf = (part: Uint8Array): number =>
  part.buffer.byteLength === BUFFER && own.has(part.buffer) ? BUFFER : part.length;

/**
 * Takes back the memory in which `part` is, if it came from here; nobody may look at it any more.
 * One that is never given back is garbage.
 */
export function giveBuffer({ buffer }: Uint8Array): void {
  if (buffer.byteLength === BUFFER && pool.length < POOLED && own.has(buffer)) pool.push(Buffer.from(buffer));
}
