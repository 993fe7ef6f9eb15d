/**
 * Unpacks an entry with Node's zlib, from the bytes that this reader and yauzl agree on
 * (agreement.ts). yauzl's stream checks no CRC and ignores bytes after the end of deflated data,
 * which could hide a second content.
 */
import { crc32, inflateRawSync } from 'node:zlib';
import type { Placed } from './layout.ts';
import { DEFLATE } from './packing.ts';

const LARGEST_CHUNK = 1 << 20;
const SMALLEST_CHUNK = 64;

interface Damage {
  readonly code: 'archive_crc' | 'archive_damaged';
  readonly message: string;
}

/** Returns at most the declared size, which was checked against the limits. */
export function unpack(bytes: Buffer, { entry, dataStart, dataEnd }: Placed): Buffer | Damage {
  const data = bytes.subarray(dataStart, dataEnd);
  const content = entry.method === DEFLATE ? inflate(data, entry.size) : data;
  if (typeof content === 'string') return { code: 'archive_damaged', message: content };
  if (crc32(content) !== entry.crc)
    return { code: 'archive_crc', message: 'Its content has another CRC than declared.' };
  return content;
}

/** A string: the fault of the data. */
function inflate(data: Buffer, size: number): Buffer | string {
  const chunkSize = Math.min(Math.max(size, SMALLEST_CHUNK), LARGEST_CHUNK);
  try {
    // With `info` the result has the engine, whose `bytesWritten` is the number of bytes consumed.
    const { buffer, engine } = inflateRawSync(data, {
      info: true,
      maxOutputLength: Math.max(size, 1),
      chunkSize,
    }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    if (buffer.length !== size) return `It unpacks to ${buffer.length} bytes, but declares ${size}.`;
    const left = data.length - engine.bytesWritten;
    return left === 0 ? buffer : `${left} bytes follow the end of its deflated data.`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      return `It unpacks to more than the ${size} bytes that it declares.`;
    return `Its deflated data cannot be unpacked (${(error as Error).message}).`;
  }
}
