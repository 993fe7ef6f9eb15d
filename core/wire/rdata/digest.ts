/** Types that hold a digest: DS (RFC 4034 section 5), SSHFP (RFC 4255, 6594), TLSA (RFC 6698). */
import { TYPE } from '../types.ts';
import type { FieldKind, RdataRow } from './kind.ts';
import { formatHex, parseHex, u8, u16 } from './kinds.ts';
import type { WireReader } from './wire-reader.ts';

/**
 * A number that names the algorithm of the digest, and the digest, to the end of the rdata. `lengths`: bytes of the
 * digests whose length is known, by that number. `key`: the digest's in the structured form.
 */
function algorithmAndDigest(
  what: string,
  digest: string,
  key: string,
  lengths: ReadonlyMap<number, number>,
): FieldKind {
  const read = (input: WireReader): [algorithm: number, hex: string] => {
    const algorithm = input.u8();
    const bytes = input.rest();
    if (bytes.length === 0 || bytes.length !== (lengths.get(algorithm) ?? bytes.length))
      input.fail(`the ${digest} has the wrong length for ${what} ${algorithm}`);
    return [algorithm, formatHex(bytes)];
  };
  return {
    parse(input, out) {
      const algorithm = input.integer(what, 0xff);
      const text = input.joinedWords(digest);
      const bytes = parseHex(text);
      if (bytes === undefined || bytes.length === 0)
        return input.fail(digest, 'must be pairs of hexadecimal digits', text);
      const length = lengths.get(algorithm);
      if (length !== undefined && bytes.length !== length)
        input.fail(digest, `must have ${length * 2} hexadecimal digits for ${what} ${algorithm}`);
      out.u8(algorithm);
      out.bytes(bytes);
    },
    format: (input) => read(input).join(' '),
    take(input, into) {
      [into[what.replaceAll(' ', '_')], into[key]] = read(input);
    },
  };
}

/** IANA "DNS Security Algorithm Numbers": the mnemonics that may stand for a number (RFC 4034 5.3, appendix A.1). */
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

const algorithm: FieldKind = {
  ...u8('algorithm'),
  parse(input, out) {
    const number = ALGORITHMS.get(input.peek()?.text.toUpperCase() ?? '');
    if (number !== undefined) input.word('algorithm');
    out.u8(number ?? input.integer('algorithm', 0xff));
  },
};

/** IANA "Digest Algorithms" of DS: SHA-1, SHA-256, GOST R 34.11-94, SHA-384, GOST R 34.11-2012 (RFC 9558), SM3 (RFC 9563). */
const DS_LENGTHS = new Map([
  [1, 20],
  [2, 32],
  [3, 32],
  [4, 48],
  [5, 32],
  [6, 32],
]);

/** SHA-1 (RFC 4255 3.1.2), SHA-256 (RFC 6594 3.2). */
const SSHFP_LENGTHS = new Map([
  [1, 20],
  [2, 32],
]);

/** SHA-256, SHA-512 (RFC 6698 2.1.3); 0 is the whole certificate or key. */
const TLSA_LENGTHS = new Map([
  [1, 32],
  [2, 64],
]);

export const DIGEST_ROWS: readonly RdataRow[] = [
  {
    type: TYPE.DS,
    example: '12345 13 2 and 64 hexadecimal digits',
    fields: [u16('key tag'), algorithm, algorithmAndDigest('digest type', 'digest', 'digest', DS_LENGTHS)],
  },
  {
    type: TYPE.SSHFP,
    example: '4 2 and 64 hexadecimal digits',
    fields: [u8('algorithm'), algorithmAndDigest('fingerprint type', 'fingerprint', 'fingerprint', SSHFP_LENGTHS)],
  },
  {
    type: TYPE.TLSA,
    example: '3 1 1 and 64 hexadecimal digits',
    fields: [
      u8('certificate usage', 'usage'),
      u8('selector'),
      algorithmAndDigest('matching type', 'certificate association data', 'certificate', TLSA_LENGTHS),
    ],
  },
];
