/** Changes of a record that hide the origin and need no decision of the customer. */
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';

export const FIXES = ['set_proxied', 'remove_hints', 'set_address'] as const;

export type Fix = (typeof FIXES)[number];

/** SvcParamKeys (RFC 9460 14.3.2). */
const MANDATORY = 0;
const IPV4_HINT = 4;
const IPV6_HINT = 6;

/**
 * The content of an SVCB or HTTPS record without its address hints. Null: the hints are mandatory
 * keys (RFC 9460 section 8), so that list would have to change too.
 */
export function contentWithoutHints(type: number, rdata: Uint8Array): string | null {
  const bytes = Buffer.from(rdata);
  let at = 2;
  while (at < bytes.length && bytes[at] !== 0) at += bytes[at] + 1;
  const parts = [bytes.subarray(0, ++at)];
  while (at + 4 <= bytes.length) {
    const key = bytes.readUInt16BE(at);
    const end = at + 4 + bytes.readUInt16BE(at + 2);
    if (key === MANDATORY && namesHint(bytes.subarray(at + 4, end))) return null;
    if (key !== IPV4_HINT && key !== IPV6_HINT) parts.push(bytes.subarray(at, end));
    at = end;
  }
  return formatRdata(type, Buffer.concat(parts));
}

function namesHint(keys: Buffer): boolean {
  for (let i = 0; i + 2 <= keys.length; i += 2) {
    const key = keys.readUInt16BE(i);
    if (key === IPV4_HINT || key === IPV6_HINT) return true;
  }
  return false;
}
