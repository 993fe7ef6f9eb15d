/**
 * A pool of output buffers. Allocating a buffer for each write would keep the garbage collector
 * busy, since it counts memory outside of its heap.
 */

/** Bytes of a buffer: four TLS records, or four DATA frames. */
export const BUFFER = 65_536;

/** Maximum number of unused buffers in the pool of the thread: 16 MB. */
const POOLED = 256;
const pool: Buffer[] = [];
/** Memory allocated here. No other memory may enter the pool. */
const own = new WeakSet<ArrayBufferLike>();

/** A buffer of BUFFER bytes with arbitrary content. */
export function takeBuffer(): Buffer {
  const pooled = pool.pop();
  if (pooled !== undefined) return pooled;
  const buffer = Buffer.allocUnsafeSlow(BUFFER);
  own.add(buffer.buffer);
  return buffer;
}

/** Bytes of memory that a part keeps allocated. */
export const weightOf = (part: Uint8Array): number =>
  part.buffer.byteLength === BUFFER && own.has(part.buffer) ? BUFFER : part.length;

/**
 * Returns the memory of `part` to the pool, if it came from there. It must not be used afterwards.
 * Without this call, the memory is garbage-collected.
 */
export function giveBuffer({ buffer }: Uint8Array): void {
  if (buffer.byteLength === BUFFER && pool.length < POOLED && own.has(buffer)) pool.push(Buffer.from(buffer));
}
