/**
 * Writes frames into an output (RFC 9113 section 6): small control frames, and header blocks.
 */

import { FLAG, FRAME, FRAME_HEADER } from './protocol.ts';

/** The output of frames. Call `reserve`, then write to bytes[at …]. */
export interface FrameTarget {
  readonly bytes: Buffer;
  at: number;
  /** Makes room for this many contiguous bytes. */
  reserve(bytes: number): void;
}

/** Writes a frame's header at bytes[at …]. Returns the offset of its payload. */
export function frameHeader(
  bytes: Buffer,
  at: number,
  length: number,
  type: number,
  flags: number,
  streamId: number,
): number {
  bytes[at] = length >>> 16;
  bytes[at + 1] = length >>> 8;
  bytes[at + 2] = length;
  bytes[at + 3] = type;
  bytes[at + 4] = flags;
  return writeUint32(bytes, at + 5, streamId);
}

function writeUint32(bytes: Buffer, at: number, value: number): number {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
  return at + 4;
}

export function writeSettingsAck(output: FrameTarget): void {
  output.reserve(FRAME_HEADER);
  output.at = frameHeader(output.bytes, output.at, 0, FRAME.SETTINGS, FLAG.ACK, 0);
}

/** The opaque data is payload[start, start + 8). */
export function writePing(output: FrameTarget, flags: number, payload: Uint8Array, start: number): void {
  output.reserve(FRAME_HEADER + 8);
  const at = frameHeader(output.bytes, output.at, 8, FRAME.PING, flags, 0);
  for (let i = 0; i < 8; i++) output.bytes[at + i] = payload[start + i];
  output.at = at + 8;
}

export function writeReset(output: FrameTarget, streamId: number, code: number): void {
  output.reserve(FRAME_HEADER + 4);
  const at = frameHeader(output.bytes, output.at, 4, FRAME.RST_STREAM, 0, streamId);
  output.at = writeUint32(output.bytes, at, code);
}

export function writeWindowUpdate(output: FrameTarget, streamId: number, increment: number): void {
  output.reserve(FRAME_HEADER + 4);
  const at = frameHeader(output.bytes, output.at, 4, FRAME.WINDOW_UPDATE, 0, streamId);
  output.at = writeUint32(output.bytes, at, increment);
}

/** `text`: additional debug data (section 6.8), in ASCII; may be empty. */
export function writeGoaway(output: FrameTarget, lastStreamId: number, code: number, text: string): void {
  output.reserve(FRAME_HEADER + 8 + text.length);
  const at = frameHeader(output.bytes, output.at, 8 + text.length, FRAME.GOAWAY, 0, 0);
  const end = writeUint32(output.bytes, writeUint32(output.bytes, at, lastStreamId), code);
  output.at = end + output.bytes.write(text, end, 'latin1');
}

/**
 * Writes a header block of any length as HEADERS and CONTINUATION frames (section 6.10).
 * `maxPayload`: the peer's SETTINGS_MAX_FRAME_SIZE.
 */
export function writeBlock(
  output: FrameTarget,
  streamId: number,
  block: Uint8Array,
  isEnd: boolean,
  maxPayload: number,
): void {
  let from = 0;
  do {
    const length = Math.min(block.length - from, maxPayload);
    const isLast = from + length === block.length;
    const flags = (isLast ? FLAG.END_HEADERS : 0) | (from === 0 && isEnd ? FLAG.END_STREAM : 0);
    output.reserve(FRAME_HEADER + length);
    const type = from === 0 ? FRAME.HEADERS : FRAME.CONTINUATION;
    const at = frameHeader(output.bytes, output.at, length, type, flags, streamId);
    output.bytes.set(block.subarray(from, from + length), at);
    output.at = at + length;
    from += length;
  } while (from < block.length);
}
