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

/** `code`: the parser's. `packet`: what it was reading. */
export function parserRefusal(code: string, packet: unknown): Refusal {
  if (code === 'HPE_INVALID_VERSION' && !(packet instanceof Uint8Array && hasVersion(packet))) return MALFORMED;
  if (code === 'HPE_INVALID_METHOD' && packet instanceof Uint8Array && UNKNOWN_METHOD.test(beginning(packet)))
    return { status: 501, reason: 'method' };
  return BY_CODE[code] ?? MALFORMED;
}

const beginning = (packet: Uint8Array): string => Buffer.from(packet.subarray(0, 512)).toString('latin1');

/** A whole start line, with a version that is only not ours. */
const hasVersion = (packet: Uint8Array): boolean => / HTTP\/\d\.\d\r\n/.test(beginning(packet));
