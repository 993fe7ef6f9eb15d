/**
 * Header blocks of HTTP/2 requests to an origin (RFC 9113 section 8.3.1). They do not use the
 * dynamic table, so blocks are independent of each other. A repeated line is copied as bytes, which
 * takes less CPU than a search of the table.
 *
 * As `request-head.ts` does for HTTP/1.1, it validates every name and value again.
 */
import { isPath } from '../../http/exchange/authority.ts';
import type { FieldList } from '../../http/exchange/field-list.ts';
import {
  CONNECTION_SPECIFIC,
  isFieldValue,
  isToken,
  MALFORMED,
  nameFlags,
  PSEUDO_HEADER,
} from '../../http/exchange/fields.ts';
import { derivedOf } from '../../http/exchange/recurring-fields.ts';
import { type FrameTarget, frameHeader, writeBlock } from '../../http/http2/frame-writer.ts';
import { HEAD_BOUND, type HpackEncoder } from '../../http/http2/hpack/encoder.ts';
import { NEVER_INDEX, NO_INDEX, planOf, staticLine } from '../../http/http2/hpack/indexing.ts';
import { lineBound, writeInteger, writeName, writeRaw } from '../../http/http2/hpack/write.ts';
import { FLAG, FRAME, FRAME_HEADER } from '../../http/http2/protocol.ts';
import type { OriginRequest } from '../origin.ts';

/** Maximum bytes of the pseudo-headers and content-length, without their values. */
const FIXED_BOUND = 128 + HEAD_BOUND;
/** Methods that expect a body (RFC 9110 section 8.6). */
const EXPECTS_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** The last value of a name, with its encoded line. */
class Line {
  value = '';
  bytes: Uint8Array = new Uint8Array(0);
}

const lines = new Map<string, Line>();
const MAX_LINES = 1024;
const MAX_LINE_LENGTH = 256;

/** Writes HEADERS. Throws TypeError for an invalid request, without writing anything. */
export function writeRequest(
  target: FrameTarget,
  encoder: HpackEncoder,
  request: OriginRequest,
  streamId: number,
  isEnd: boolean,
  maxFrameSize: number,
): void {
  const { method, path, headers, origin, id = '' } = request;
  const authority = origin.hostHeader ?? request.authority;
  if (method !== 'POST' && method !== 'GET' && (!isToken(method) || method === 'CONNECT'))
    throw new TypeError(`No method of a request to an origin: ${method}`);
  if (!isPath(path, method)) throw new TypeError('No path of a request to an origin.');
  if (!isAuthority(authority)) throw new TypeError(`No authority: ${authority}`);
  if (headers.length % 2 !== 0) throw new TypeError('A name without a value.');
  let bound = FIXED_BOUND + method.length + path.length + authority.length + id.length;
  const derived = derivedOf(headers);
  if (derived !== undefined) {
    derived.block ??= blockOf(headers);
    bound += derived.block.length;
  } else for (let i = 0; i < headers.length; i += 2) bound += lineBound(headers[i], headers[i + 1]);
  if (bound <= maxFrameSize) {
    target.reserve(FRAME_HEADER + bound);
    const start = target.at + FRAME_HEADER;
    const end = writeFields(target.bytes, encoder.begin(target.bytes, start), request, authority);
    const flags = isEnd ? FLAG.END_HEADERS | FLAG.END_STREAM : FLAG.END_HEADERS;
    frameHeader(target.bytes, target.at, end - start, FRAME.HEADERS, flags, streamId);
    target.at = end;
    return;
  }
  const block = Buffer.allocUnsafe(bound);
  const length = writeFields(block, encoder.begin(block, 0), request, authority);
  writeBlock(target, streamId, block.subarray(0, length), isEnd, maxFrameSize);
}

/** Writes trailers, which end the stream. Throws TypeError for invalid fields. */
export function writeTrailers(
  target: FrameTarget,
  encoder: HpackEncoder,
  fields: FieldList,
  streamId: number,
  maxFrameSize: number,
): void {
  if (fields.length % 2 !== 0) throw new TypeError('A name without a value.');
  let bound = HEAD_BOUND;
  for (let i = 0; i < fields.length; i += 2) bound += lineBound(fields[i], fields[i + 1]);
  const block = Buffer.allocUnsafe(bound);
  const at = writeAll(block, encoder.begin(block, 0), fields);
  writeBlock(target, streamId, block.subarray(0, at), true, maxFrameSize);
}

/** Encodes a recurring list of fields, which is then copied as a whole. */
function blockOf(fields: FieldList): Uint8Array {
  let bound = 0;
  for (let i = 0; i < fields.length; i += 2) bound += lineBound(fields[i], fields[i + 1]);
  const block = new Uint8Array(bound);
  return block.slice(0, writeAll(block, 0, fields));
}

function writeAll(bytes: Uint8Array, start: number, fields: FieldList): number {
  let at = start;
  for (let i = 0; i < fields.length; i += 2) at = writeField(bytes, at, fields[i], fields[i + 1]);
  return at;
}

function writeFields(bytes: Uint8Array, start: number, request: OriginRequest, authority: string): number {
  const { method, path, headers, body, origin, id = '' } = request;
  let at = writeLine(bytes, start, ':method', method);
  at = writeLine(bytes, at, ':scheme', origin.protocol);
  at = writeLine(bytes, at, ':authority', authority);
  at = writeLine(bytes, at, ':path', path);
  const block = derivedOf(headers)?.block;
  if (block === undefined) at = writeAll(bytes, at, headers);
  else {
    bytes.set(block, at);
    at += block.length;
  }
  if (id !== '') at = writeLine(bytes, at, 'x-request-id', id);
  const { length } = body;
  if (length === undefined) return at;
  if (!Number.isSafeInteger(length) || length < 0) throw new TypeError(`No length of a body: ${length}`);
  return length > 0 || EXPECTS_BODY.has(method) ? writeLine(bytes, at, 'content-length', `${length}`) : at;
}

function writeField(bytes: Uint8Array, at: number, name: string, value: string): number {
  const line = lines.get(name);
  if (line !== undefined && line.value === value) {
    bytes.set(line.bytes, at);
    return at + line.bytes.length;
  }
  const flags = nameFlags(name);
  // RFC 9113 section 8.2.2.
  if (flags === CONNECTION_SPECIFIC) return at;
  if ((flags & (MALFORMED | PSEUDO_HEADER)) !== 0 || !isFieldValue(value))
    throw new TypeError(`No header field can be this: ${name}`);
  if (name === 'te' && value.toLowerCase() !== 'trailers') return at;
  const end = writeLine(bytes, at, name, value);
  if (end - at <= MAX_LINE_LENGTH && planOf(name).mode !== NO_INDEX)
    remember(name, value, Uint8Array.from(bytes.subarray(at, end)));
  return end;
}

function remember(name: string, value: string, bytes: Uint8Array): void {
  let line = lines.get(name);
  if (line === undefined) {
    if (lines.size >= MAX_LINES) lines.clear();
    line = new Line();
    lines.set(name, line);
  }
  line.value = value;
  line.bytes = bytes;
}

/** Writes a literal without indexing (RFC 7541 section 6.2.2), or an entry of the static table. */
function writeLine(bytes: Uint8Array, at: number, name: string, value: string): number {
  const plan = planOf(name);
  const index = staticLine(plan, value);
  if (index > 0) return writeInteger(bytes, at, 0x80, 0x7f, index);
  const mode = plan.mode === NEVER_INDEX ? NEVER_INDEX : NO_INDEX;
  return writeRaw(bytes, writeName(bytes, at, mode, plan.firstStatic, name), value);
}

let lastAuthority = '';

/** Whether the text is safe as `:authority`. */
function isAuthority(text: string): boolean {
  if (text === lastAuthority) return true;
  if (!/^[A-Za-z0-9\-._~%!$&'()*+,;=:[\]]+$/.test(text)) return false;
  lastAuthority = text;
  return true;
}
