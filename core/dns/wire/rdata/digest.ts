/**
 * Types that hold a digest: DS (RFC 4034 section 5), SSHFP (RFC 4255, 6594), TLSA (RFC 6698), and
 * those that took their formats.
 */
import { TYPE } from '../types.ts';
import { algorithm } from './data.ts';
import type { FieldKind, RdataRow } from './kind.ts';
import { formatHex, parseHex, u8, u16, u32 } from './kinds.ts';
import type { WireReader } from './wire-reader.ts';

/**
 * A number that names the algorithm of the digest, and the digest, to the end of the rdata.
 * `lengths`: bytes of the digests whose length is known, by that number. `key`: the digest's in the
 * structured form. `least`: bytes of any digest. `names`: words that may stand for the number.
 */
function algorithmAndDigest(
  what: string,
  digest: string,
  key: string,
  lengths: ReadonlyMap<number, number>,
  { least = 1, names }: { least?: number; names?: ReadonlyMap<string, number> } = {},
): FieldKind {
  const read = (input: WireReader): [algorithm: number, hex: string] => {
    const number = input.u8();
    const bytes = input.rest();
    if (bytes.length < least || bytes.length !== (lengths.get(number) ?? bytes.length))
      input.fail(`the ${digest} has the wrong length for ${what} ${number}`);
    return [number, formatHex(bytes)];
  };
  return {
    parse(input, out) {
      const named = names?.get(input.peek()?.text.toUpperCase() ?? '');
      if (named !== undefined) input.word(what);
      const number = named ?? input.integer(what, 0xff);
      const text = input.joinedWords(digest);
      const bytes = parseHex(text);
      if (bytes === undefined || bytes.length === 0)
        return input.fail(digest, 'must be pairs of hexadecimal digits', text);
      const length = lengths.get(number);
      if (length !== undefined && bytes.length !== length)
        input.fail(digest, `must have ${length * 2} hexadecimal digits for ${what} ${number}`);
      if (bytes.length < least) input.fail(digest, `must have at least ${least * 2} hexadecimal digits`);
      out.u8(number);
      out.bytes(bytes);
    },
    format: (input) => read(input).join(' '),
    take(input, into) {
      [into[what.replaceAll(' ', '_')], into[key]] = read(input);
    },
  };
}

/**
 * IANA "Digest Algorithms" of DS: SHA-1, SHA-256, GOST R 34.11-94, SHA-384, GOST R 34.11-2012 (RFC
 * 9558), SM3 (RFC 9563).
 */
const DS_LENGTHS = new Map([
  [1, 20],
  [2, 32],
  [3, 32],
  [4, 48],
  [5, 32],
  [6, 32],
]);

/** The mnemonics of BIND, and the other names of the registry. */
const DS_NAMES: ReadonlyMap<string, number> = new Map([
  ['SHA1', 1],
  ['SHA-1', 1],
  ['SHA256', 2],
  ['SHA-256', 2],
  ['GOST', 3],
  ['SHA384', 4],
  ['SHA-384', 4],
  ['GOST12', 5],
  ['SM3', 6],
]);

/** Those that BIND checks. */
const CHECKED_DS_LENGTHS = new Map([...DS_LENGTHS].filter(([type]) => [1, 2, 4].includes(type)));

/**
 * A digest of the wrong length, which others load. `at`: offset of the number of its algorithm.
 */
function lengthDoubt(
  at: number,
  what: string,
  digest: string,
  lengths: ReadonlyMap<number, number>,
): RdataRow['doubt'] {
  return (rdata) => {
    const length = lengths.get(rdata[at]);
    return length === undefined || rdata.length === at + 1 + length
      ? undefined
      : `the ${digest} must have ${length * 2} hexadecimal digits for ${what} ${rdata[at]}`;
  };
}

/** Any length: what it must be is a doubt. */
const ANY_LENGTH: ReadonlyMap<number, number> = new Map();

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

/** The zero that asks the parent to delete its DS records (RFC 8078 section 4). */
const CDS_LENGTHS = new Map([...DS_LENGTHS, [0, 1]]);

/** SHA-384, SHA-512 (RFC 8976 2.2.3). */
const ZONEMD_LENGTHS = new Map([
  [1, 48],
  [2, 64],
]);
/** RFC 8976 2.2.4. */
const LEAST_ZONEMD = 12;

const dsFields = (lengths: ReadonlyMap<number, number>): readonly FieldKind[] => [
  u16('key tag'),
  algorithm,
  algorithmAndDigest('digest type', 'digest', 'digest', lengths, { names: DS_NAMES }),
];
const DS_EXAMPLE = '12345 13 2 and 64 hexadecimal digits';
const DS_LIKE = {
  example: DS_EXAMPLE,
  fields: dsFields(CHECKED_DS_LENGTHS),
  doubt: lengthDoubt(3, 'digest type', 'digest', DS_LENGTHS),
};

const TLSA_FIELDS: readonly FieldKind[] = [
  u8('certificate usage', 'usage'),
  u8('selector'),
  algorithmAndDigest('matching type', 'certificate association data', 'certificate', ANY_LENGTH),
];
const tlsaDoubt = lengthDoubt(2, 'matching type', 'certificate association data', TLSA_LENGTHS);
const TLSA_EXAMPLE = '3 1 1 and 64 hexadecimal digits';

export const DIGEST_ROWS: readonly RdataRow[] = [
  { type: TYPE.DS, ...DS_LIKE },
  // RFC 7344 3.1.
  { type: TYPE.CDS, example: DS_EXAMPLE, fields: dsFields(CDS_LENGTHS) },
  // RFC 4431 section 2.
  { type: TYPE.DLV, ...DS_LIKE },
  // Weiler, "Deploying DNSSEC Without a Signed Root", which is the registry's reference.
  { type: TYPE.TA, ...DS_LIKE },
  {
    type: TYPE.SSHFP,
    example: '4 2 and 64 hexadecimal digits',
    fields: [u8('algorithm'), algorithmAndDigest('fingerprint type', 'fingerprint', 'fingerprint', ANY_LENGTH)],
    doubt: lengthDoubt(1, 'fingerprint type', 'fingerprint', SSHFP_LENGTHS),
  },
  { type: TYPE.TLSA, example: TLSA_EXAMPLE, fields: TLSA_FIELDS, doubt: tlsaDoubt },
  // RFC 8162 section 2.
  { type: TYPE.SMIMEA, example: TLSA_EXAMPLE, fields: TLSA_FIELDS, doubt: tlsaDoubt },
  // RFC 8976 2.2, 2.3.
  {
    type: TYPE.ZONEMD,
    example: '2026010100 1 1 and 96 hexadecimal digits',
    fields: [
      u32('serial'),
      u8('scheme'),
      algorithmAndDigest('hash algorithm', 'digest', 'digest', ZONEMD_LENGTHS, { least: LEAST_ZONEMD }),
    ],
  },
];
