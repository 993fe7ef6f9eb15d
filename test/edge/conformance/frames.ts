/**
 * Frames of HTTP/2 (RFC 9113 section 6) as a client writes them, right or wrong: nothing is
 * checked.
 */

export const TYPE = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
  PRIORITY_UPDATE: 16,
} as const;

export const ACK = 0x1;
export const END_STREAM = 0x1;
export const END_HEADERS = 0x4;
export const PADDED = 0x8;
export const PRIORITY = 0x20;

/** Section 7, by number. */
export const ERROR_NAMES = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
] as const;
export type ErrorName = (typeof ERROR_NAMES)[number];

/** Section 6.5.2, RFC 8441 section 3, RFC 9218 section 2.1. */
export const SETTING = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
  ENABLE_CONNECT_PROTOCOL: 8,
  NO_RFC7540_PRIORITIES: 9,
} as const;

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const EMPTY = Buffer.alloc(0);

export const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};

/** `length`: what the header says, if not the truth. */
export function frame(
  type: number,
  flags: number,
  streamId: number,
  payload: Buffer = EMPTY,
  length = payload.length,
): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(streamId, 5);
  return Buffer.concat([header, payload]);
}

export const data = (streamId: number, payload: Buffer | string, flags = 0): Buffer =>
  frame(TYPE.DATA, flags, streamId, Buffer.from(payload));

/** The payload with so many bytes of padding (section 6.1). */
export const padded = (payload: Buffer | string, bytes: number): Buffer =>
  Buffer.concat([Buffer.of(bytes), Buffer.from(payload), Buffer.alloc(bytes)]);

export const headers = (streamId: number, block: Buffer, flags = END_HEADERS | END_STREAM): Buffer =>
  frame(TYPE.HEADERS, flags, streamId, block);

export const continuation = (streamId: number, block: Buffer, flags = END_HEADERS): Buffer =>
  frame(TYPE.CONTINUATION, flags, streamId, block);

/** Section 5.3.2 of RFC 7540: five bytes. `weight`: 1 to 256. */
export const dependency = (on: number, weight = 16, isExclusive = false): Buffer =>
  Buffer.concat([uint32(on + (isExclusive ? 0x8000_0000 : 0)), Buffer.of(weight - 1)]);

export const priority = (streamId: number, on: number, weight?: number, isExclusive?: boolean): Buffer =>
  frame(TYPE.PRIORITY, 0, streamId, dependency(on, weight, isExclusive));

export const resetStream = (streamId: number, code: ErrorName | number = 'CANCEL'): Buffer =>
  frame(TYPE.RST_STREAM, 0, streamId, uint32(typeof code === 'number' ? code : ERROR_NAMES.indexOf(code)));

/** Pairs of identifier and value. */
export const settings = (...pairs: readonly (readonly [id: number, value: number])[]): Buffer =>
  frame(
    TYPE.SETTINGS,
    0,
    0,
    Buffer.concat(pairs.flatMap(([id, value]) => [Buffer.of(id >>> 8, id & 255), uint32(value)])),
  );

export const settingsAck = (): Buffer => frame(TYPE.SETTINGS, ACK, 0);

/** `payload`: eight bytes. */
export const ping = (payload: Buffer | string, flags = 0): Buffer => frame(TYPE.PING, flags, 0, Buffer.from(payload));

export const goaway = (lastStreamId: number, code = 0, debug = ''): Buffer =>
  frame(TYPE.GOAWAY, 0, 0, Buffer.concat([uint32(lastStreamId), uint32(code), Buffer.from(debug)]));

export const windowUpdate = (streamId: number, increment: number): Buffer =>
  frame(TYPE.WINDOW_UPDATE, 0, streamId, uint32(increment));
