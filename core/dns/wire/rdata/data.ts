/** Types that hold certificates, keys or other data in Base64 or hexadecimal, as it is. */
import { TYPE } from '../types.ts';
import type { FieldReader } from './field-reader.ts';
import { shown } from './fields.ts';
import type { FieldKind, RdataRow } from './kind.ts';
import {
  base64Data,
  characterString,
  formatBase64,
  formatHex,
  hexData,
  namedU8,
  namedU16,
  parseBase64,
  parseHex,
  u8,
  u16,
  u32,
} from './kinds.ts';
import { MAX_RDATA } from './rdata-writer.ts';

export const GENERIC_MARK = '\\#';

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

/** The algorithm of a key or signature (IANA "DNS Security Algorithm Numbers"). */
export const algorithm = namedU8('algorithm', ALGORITHMS);

/** RFC 4398 2.1. */
const CERTIFICATE_TYPES: ReadonlyMap<string, number> = new Map([
  ['PKIX', 1],
  ['SPKI', 2],
  ['PGP', 3],
  ['IPKIX', 4],
  ['ISPKI', 5],
  ['IPGP', 6],
  ['ACPKIX', 7],
  ['IACPKIX', 8],
  ['URI', 253],
  ['OID', 254],
]);

const EMPTY = '-';

/** Base64 to the end of the rdata; `-` is none. */
const base64OrDash = (what: string): FieldKind => {
  const data = base64Data(what);
  return {
    parse(input, out) {
      if (input.peek()?.text === EMPTY) input.word(what);
      else data.parse(input, out);
    },
    format: (input) => (input.left === 0 ? EMPTY : data.format(input)),
    take: data.take,
  };
};

/** Base64 to the end of the rdata, or nothing. */
const optionalBase64 = (what: string): FieldKind => ({
  parse(input, out) {
    const text = input.left > 0 ? input.joinedWords(what) : '';
    out.bytes(parseBase64(text) ?? input.fail(what, 'must be Base64', text));
  },
  format: (input) => formatBase64(input.rest()),
  take(input, into) {
    into[what] = formatBase64(input.rest());
  },
});

export const DATA_ROWS: readonly RdataRow[] = [
  // RFC 4398 section 2.
  {
    type: TYPE.CERT,
    example: 'PGP 0 0 mQENBFRVStcBCADVC6F0',
    fields: [namedU16('type', CERTIFICATE_TYPES), u16('key tag'), algorithm, base64Data('certificate')],
  },
  // RFC 7929 2.3.
  { type: TYPE.OPENPGPKEY, example: 'mQENBFRVStcBCADVC6F0', fields: [base64Data('public key')] },
  // RFC 4701 3.2.
  { type: TYPE.DHCID, example: 'AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=', fields: [base64Data('digest')] },
  // RFC 9886 5.1 and 5.2.
  { type: TYPE.HHIT, example: 'gwppSEhJVCBWQUxJREFUSU9O', fields: [base64Data('data')] },
  { type: TYPE.BRID, example: 'owAAAYIEdAEAUQEgBQ==', fields: [base64Data('data')] },
  // draft-ietf-nimrod-dns-01 section 3, as BIND and ldns write them.
  { type: TYPE.EID, example: 'e32c6f78163a9348', fields: [hexData('endpoint identifier', 'data')] },
  { type: TYPE.NIMLOC, example: '3251a0300672', fields: [hexData('locator', 'data')] },
  // draft-eastlake-kitchen-sink-02 section 3, as BIND writes it.
  {
    type: TYPE.SINK,
    example: '1 0 0 AQIDBA==',
    fields: [u8('meaning'), u8('coding'), u8('subcoding'), optionalBase64('data')],
  },
  // draft-durand-doa-over-dns-03 section 3.
  {
    type: TYPE.DOA,
    example: '0 1 2 "" aHR0cHM6Ly93d3cuaXNjLm9yZy8=',
    fields: [u32('enterprise'), u32('type'), u8('location'), characterString('media type'), base64OrDash('data')],
  },
];

/**
 * RFC 3597 section 5: rdata of any type as `\# length hexadecimal`. The caller has taken the mark.
 */
export function parseGeneric(input: FieldReader): Uint8Array {
  const length = input.integer('length after \\#', MAX_RDATA);
  const text = input.left > 0 ? input.joinedWords('hexadecimal data') : '';
  const bytes = parseHex(text);
  if (bytes === undefined)
    return input.fail('hexadecimal data', `must be pairs of digits 0-9 and a-f, not ${shown(text)}`);
  if (bytes.length !== length) input.fail('length after \\#', `says ${length} bytes, but ${bytes.length} follow`);
  return Uint8Array.from(bytes);
}

export function formatGeneric(rdata: Uint8Array): string {
  return rdata.length === 0 ? '\\# 0' : `\\# ${rdata.length} ${formatHex(rdata)}`;
}
