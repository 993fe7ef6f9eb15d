/**
 * Keys, signatures and denial of DNSSEC (RFC 4034, RFC 5155, RFC 7344), and the types that have
 * their formats.
 */
import { TYPE } from '../types.ts';
import { formatBase32, parseBase32 } from './base32.ts';
import { algorithm } from './data.ts';
import type { FieldKind, RdataRow } from './kind.ts';
import { base64Data, domainName, formatBase64, formatHex, parseHex, u8, u16, u32 } from './kinds.ts';
import { nxtTypes, recordType, typeList } from './type-list.ts';
import type { WireReader } from './wire-reader.ts';

const KEY_EXAMPLE = '257 3 13 mdsswUyr3DPW132mOi8V9xESWE8jTo0dxCjjnopKl+GqJxpVXckHAeF+KkxLbxILfDLUT0rAK9iUzy1L53eKGQ==';

const publicKey = base64Data('public key');

const KEY_FIELDS: readonly FieldKind[] = [u16('flags'), u8('protocol'), algorithm, publicKey];

/** Both bits: there is no key (RFC 2535 3.1.2). */
const NO_KEY = 0xc000;

/** The fields of a KEY, which can be without a key. */
const keyOrNone: FieldKind = {
  parse(input, out) {
    const flags = input.integer('flags', 0xffff);
    out.u16(flags);
    for (const field of KEY_FIELDS.slice(1, 3)) field.parse(input, out);
    if (!lacksKey(flags) || input.left > 0) publicKey.parse(input, out);
  },
  format(input) {
    const flags = input.u16();
    const numbers = `${flags} ${input.u8()} ${input.u8()}`;
    return lacksKey(flags) && input.left === 0 ? numbers : `${numbers} ${publicKey.format(input)}`;
  },
  take(input, into) {
    into.flags = input.u16();
    into.protocol = input.u8();
    into.algorithm = input.u8();
    into.public_key = formatBase64(input.rest());
  },
};

const lacksKey = (flags: number): boolean => (flags & NO_KEY) === NO_KEY;

const TIME_RULE = 'must be a time as YYYYMMDDHHmmSS, or seconds since 1970';

/** RFC 4034 3.2: seconds since 1970, with 32 bits. */
function parseTime(text: string): number | undefined {
  if (/^\d{1,10}$/.test(text)) return Number(text) <= 0xffffffff ? Number(text) : undefined;
  const digits = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text);
  if (digits === null) return undefined;
  const [year, month, day, hour, minute, second] = digits.slice(1).map(Number);
  const value = Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
  // Date takes the 31st of April for the 1st of May.
  return value >= 0 && value <= 0xffffffff && formatTime(value) === text ? value : undefined;
}

function formatTime(value: number): string {
  return new Date(value * 1000).toISOString().slice(0, 19).replace(/[-:T]/g, '');
}

const time = (what: string): FieldKind => ({
  parse(input, out) {
    const text = input.word(what);
    out.u32(parseTime(text) ?? input.fail(what, TIME_RULE, text));
  },
  format: (input) => formatTime(input.u32()),
  take(input, into) {
    into[what] = formatTime(input.u32());
  },
});

const SIGNATURE_EXAMPLE = 'A 13 2 300 20261201000000 20261101000000 12345 example.net. MTIzNDU2Nzg=';

const SIGNATURE_FIELDS: readonly FieldKind[] = [
  recordType('type covered', 'type_covered'),
  algorithm,
  u8('labels'),
  u32('original TTL', 'original_ttl'),
  time('expiration'),
  time('inception'),
  u16('key tag'),
  domainName('signer name', 'signer'),
  base64Data('signature'),
];

/** Hexadecimal with its length before it; `-` is none (RFC 5155 3.3). */
const salt: FieldKind = {
  parse(input, out) {
    const text = input.word('salt');
    const bytes = text === '-' ? new Uint8Array(0) : parseHex(text);
    if (bytes === undefined || bytes.length > 255)
      return input.fail('salt', 'must be up to 255 pairs of hexadecimal digits, or - for none', text);
    out.u8(bytes.length);
    out.bytes(bytes);
  },
  format: (input) => formatHex(input.take(input.u8())) || '-',
  take(input, into) {
    into.salt = formatHex(input.take(input.u8()));
  },
};

function readHash(input: WireReader): string {
  const length = input.u8();
  if (length === 0) input.fail('the next hashed owner is empty');
  return formatBase32(input.take(length));
}

/** RFC 5155 3.3. */
const nextHash: FieldKind = {
  parse(input, out) {
    const text = input.word('next hashed owner');
    const bytes = parseBase32(text);
    if (bytes === undefined || bytes.length === 0 || bytes.length > 255)
      return input.fail('next hashed owner', 'must be Base32 with the extended hex alphabet, without padding', text);
    out.u8(bytes.length);
    out.bytes(bytes);
  },
  format: readHash,
  take(input, into) {
    into.next_hashed_owner = readHash(input);
  },
};

const NSEC3_PARAMETERS: readonly FieldKind[] = [u8('hash algorithm'), u8('flags'), u16('iterations'), salt];

export const DNSSEC_ROWS: readonly RdataRow[] = [
  // RFC 4034 section 2.
  { type: TYPE.DNSKEY, example: KEY_EXAMPLE, fields: KEY_FIELDS },
  // RFC 7344 3.2; `0 3 0 AA==` asks the parent to delete its DS records (RFC 8078 section 4).
  { type: TYPE.CDNSKEY, example: KEY_EXAMPLE, fields: KEY_FIELDS },
  // RFC 2535 section 3, for SIG(0) alone since RFC 3445.
  { type: TYPE.KEY, example: `512 ${KEY_EXAMPLE.slice(4)}`, fields: [keyOrNone] },
  // draft-reid-dnsext-rkey-00, which is the registry's reference.
  { type: TYPE.RKEY, example: `0 ${KEY_EXAMPLE.slice(4)}`, fields: KEY_FIELDS },
  // RFC 4034 section 3; its signer is lowered by RFC 6840 5.1.
  { type: TYPE.RRSIG, names: 'lowered', example: SIGNATURE_EXAMPLE, fields: SIGNATURE_FIELDS },
  // RFC 2535 section 4, replaced by RRSIG (RFC 3755).
  { type: TYPE.SIG, names: 'lowered', example: SIGNATURE_EXAMPLE, fields: SIGNATURE_FIELDS },
  // RFC 4034 section 4; RFC 6840 5.1 keeps the case of its name.
  {
    type: TYPE.NSEC,
    names: 'kept',
    example: 'next.example.net. A RRSIG NSEC',
    fields: [domainName('next name'), typeList(false)],
  },
  // RFC 2535 section 5, replaced by NSEC (RFC 3755).
  { type: TYPE.NXT, names: 'lowered', example: 'next.example.net. A NXT', fields: [domainName('next name'), nxtTypes] },
  // RFC 5155 section 3.
  {
    type: TYPE.NSEC3,
    example: '1 0 0 - 2T7B4G4VSA5SMI47K61MV5BV1A22BOJR A RRSIG',
    fields: [...NSEC3_PARAMETERS, nextHash, typeList(true)],
  },
  // RFC 5155 section 4.
  { type: TYPE.NSEC3PARAM, example: '1 0 0 -', fields: NSEC3_PARAMETERS },
  // RFC 7477 section 2.
  { type: TYPE.CSYNC, example: '2026010100 3 A NS AAAA', fields: [u32('serial'), u16('flags'), typeList(true)] },
];
