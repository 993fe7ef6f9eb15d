/** The algorithm of a key or signature (IANA "DNS Security Algorithm Numbers"). */
import { namedU8 } from './kinds.ts';

/** The mnemonics that may stand for a number (RFC 4034 5.3, appendix A.1). */
const ALGORITHMS: ReadonlyMap<string, number> = new Map([
  ['RSAMD5', 1],
  ['DH', 2],
  ['DSA', 3],
  ['RSASHA1', 5],
  ['DSA-NSEC3-SHA1', 6],
  ['RSASHA1-NSEC3-SHA1', 7],
  ['RSASHA256', 8],
  ['RSASHA512', 10],
  ['ECC-GOST', 12],
  ['ECDSAP256SHA256', 13],
  ['ECDSAP384SHA384', 14],
  ['ED25519', 15],
  ['ED448', 16],
  ['INDIRECT', 252],
  ['PRIVATEDNS', 253],
  ['PRIVATEOID', 254],
]);

export const algorithm = namedU8('algorithm', ALGORITHMS);
