/** Types that hold a digest: DS (RFC 4034 section 5), SSHFP (RFC 4255, 6594), TLSA (RFC 6698). */
import { TYPE } from '../types.ts';
import type { FieldKind, RdataRow } from './kind.ts';
import { formatHex, parseHex, u8, u16 } from './kinds.ts';

/**
 * A number that names the algorithm of the digest, and the digest, to the end of the rdata. `lengths`: bytes of the
 * digests whose length is known, by that number.
 */
const algorithmAndDigest = (what: string, digest: string, lengths: ReadonlyMap<number, number>): FieldKind => ({
  what: digest,
  parse(input, out) {
    const algorithm = input.integer(what, 0xff);
    const text = input.joinedWords(digest);
    const bytes = parseHex(text);
    if (bytes === undefined || bytes.length === 0)
      return input.fail(digest, 'must be hexadecimal digits in pairs', text);
    const length = lengths.get(algorithm);
    if (length !== undefined && bytes.length !== length)
      input.fail(digest, `must have ${length * 2} hexadecimal digits for ${what} ${algorithm}`);
    out.u8(algorithm);
    out.bytes(bytes);
  },
  format(input) {
    const algorithm = input.u8();
    const bytes = input.rest();
    if (bytes.length === 0 || bytes.length !== (lengths.get(algorithm) ?? bytes.length))
      input.fail(`the ${digest} has a wrong length for ${what} ${algorithm}`);
    return `${algorithm} ${formatHex(bytes)}`;
  },
});

/** IANA "Digest Algorithms" of DS: SHA-1, SHA-256, GOST R 34.11-94, SHA-384. */
const DS_LENGTHS = new Map([
  [1, 20],
  [2, 32],
  [3, 32],
  [4, 48],
]);

/** SHA-1, SHA-256. */
const SSHFP_LENGTHS = new Map([
  [1, 20],
  [2, 32],
]);

/** SHA-256, SHA-512; 0 is the whole certificate or key. */
const TLSA_LENGTHS = new Map([
  [1, 32],
  [2, 64],
]);

export const DIGEST_ROWS: readonly RdataRow[] = [
  {
    type: TYPE.DS,
    example: '12345 13 2 and 64 hexadecimal digits',
    fields: [u16('key tag'), u8('algorithm'), algorithmAndDigest('digest type', 'digest', DS_LENGTHS)],
  },
  {
    type: TYPE.SSHFP,
    example: '4 2 and 64 hexadecimal digits',
    fields: [u8('algorithm'), algorithmAndDigest('fingerprint type', 'fingerprint', SSHFP_LENGTHS)],
  },
  {
    type: TYPE.TLSA,
    example: '3 1 1 and 64 hexadecimal digits',
    fields: [
      u8('certificate usage'),
      u8('selector'),
      algorithmAndDigest('matching type', 'certificate association data', TLSA_LENGTHS),
    ],
  },
];
