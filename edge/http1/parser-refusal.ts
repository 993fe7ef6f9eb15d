/** What a client is told when node's parser gives up. */
import type { Refusal } from './request-head.ts';

const BY_CODE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, reason: 'header_too_large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, reason: 'chunk_extensions' },
  HPE_INVALID_VERSION: { status: 505, reason: 'version' },
  HPE_PAUSED_H2_UPGRADE: { status: 505, reason: 'version' },
};
const MALFORMED: Refusal = { status: 400, reason: 'malformed' };

/** A start line whose method alone is at fault: the parser knows a list of them, and any token may be one (RFC 9110 section 16.1). */
const UNKNOWN_METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ \S+ HTTP\/1\.[01]\r\n/;
/** A whole one, with a version that is only not ours. */
const OTHER_VERSION = /^\S+ \S+ HTTP\/\d\.\d\r\n/;

/** An error of the parser, with what it was reading and how far it came. */
export interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
  readonly bytesParsed?: unknown;
}

export function parserRefusal(error: ParserError): Refusal {
  const { code = '' } = error;
  if (code === 'HPE_INVALID_VERSION') return OTHER_VERSION.test(startLine(error)) ? BY_CODE[code] : MALFORMED;
  if (code === 'HPE_INVALID_METHOD' && UNKNOWN_METHOD.test(startLine(error))) return { status: 501, reason: 'method' };
  return BY_CODE[code] ?? MALFORMED;
}

/** The line in which the parser stopped, as far as it came with this packet; the beginning of a long one. */
function startLine({ rawPacket, bytesParsed }: ParserError): string {
  if (!(rawPacket instanceof Uint8Array) || typeof bytesParsed !== 'number') return '';
  const packet = Buffer.from(rawPacket.buffer, rawPacket.byteOffset, rawPacket.length);
  const start = bytesParsed < 1 ? 0 : packet.lastIndexOf(0x0a, bytesParsed - 1) + 1;
  return packet.toString('latin1', start, start + 512);
}
