/** Computes the freshness lifetime of a DNS response in HTTP caches (RFC 8484 5.1). */
import { HEADER_LENGTH } from '../../../core/dns/wire/header.ts';
import { RCODE, TYPE } from '../../../core/dns/wire/types.ts';

/** Bytes of TYPE, CLASS, TTL and RDLENGTH. */
const RECORD = 10;
/** RFC 2181 section 8: 31 bits. */
const MAX_TTL = 2 ** 31 - 1;
/** Codes that depend on the zone only, not on a faulty query or server. */
const CACHEABLE_CODES: readonly number[] = [RCODE.NOERROR, RCODE.NXDOMAIN, RCODE.YXDOMAIN];

/**
 * The lifetime in seconds: the smallest TTL in the answer section. A negative response is also
 * limited by TTL and MINIMUM of the SOA in the authority section (RFC 2308 section 5), and a
 * referral by the TTL of its NS records. Null: a failure, or a response without a TTL, which must
 * not be cached. `response` is a complete message.
 */
export function freshness(response: Uint8Array): number | null {
  if (!CACHEABLE_CODES.includes(response[3] & 15)) return null;
  const view = new DataView(response.buffer, response.byteOffset, response.byteLength);
  const answers = view.getUint16(6);
  const records = answers + view.getUint16(8);
  let p = HEADER_LENGTH;
  for (let i = view.getUint16(4); i > 0; i--) p = skipName(response, p) + 4;
  let least: number | null = null;
  for (let i = 0; i < records; i++) {
    p = skipName(response, p);
    const type = view.getUint16(p);
    const end = p + RECORD + view.getUint16(p + 8);
    const isSoa = type === TYPE.SOA && i >= answers;
    if (i < answers || isSoa || answers === 0) {
      const ttl = view.getUint32(p + 4);
      // MINIMUM is the last of the five numbers in the rdata (RFC 1035 3.3.13).
      const lifetime = isSoa ? Math.min(ttl, view.getUint32(end - 4)) : ttl;
      least = Math.min(least ?? MAX_TTL, lifetime > MAX_TTL ? 0 : lifetime);
    }
    p = end;
  }
  return least;
}

/** The offset after the name at `p`, which may end in a pointer (RFC 1035 4.1.4). */
function skipName(bytes: Uint8Array, p: number): number {
  for (;;) {
    const n = bytes[p];
    if (n >= 0xc0) return p + 2;
    if (n === 0) return p + 1;
    p += n + 1;
  }
}
