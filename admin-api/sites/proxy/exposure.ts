/**
 * Checks whether a stored record reveals an origin. Used for whole zones, so a record is decoded
 * only if its bytes may match.
 */

import { latin1 } from '../../../core/dns/wire/latin1.ts';
import type { Name } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { parseAddress } from '../../../core/net/address/index.ts';
import { RECORD_RDATA } from '../../../core/store/rows.ts';

/** The addresses and the host name of origins, which records may reveal. */
export interface OriginIdentity {
  /** 4 or 16 bytes each, as Latin-1. */
  readonly addresses: ReadonlySet<string>;
  /** Host name of the origin; null if the origin is an address. */
  readonly host: Name | null;
  /** `host` in presentation format, without a trailing dot. */
  readonly hostText: string | null;
}

/**
 * How a record reveals the origin. `address` and `host` are served only if the name is not proxied;
 * the others always.
 */
export type Exposure = 'address' | 'host' | 'target' | 'hint' | 'text';

/** Offset of the target name in the rdata, by type. */
const TARGETS: ReadonlyMap<number, number> = new Map([
  [TYPE.MX, 2],
  [TYPE.SRV, 6],
  [TYPE.NS, 0],
  [TYPE.SVCB, 2],
  [TYPE.HTTPS, 2],
]);

/** `value`: the encoded value of a record. Null: it does not reveal the origin. */
export function findExposure(type: number, value: Buffer, origin: OriginIdentity): Exposure | null {
  switch (type) {
    case TYPE.A:
    case TYPE.AAAA:
      return origin.addresses.has(value.toString('latin1', RECORD_RDATA)) ? 'address' : null;
    case TYPE.CNAME:
    case TYPE.ALIAS:
      return origin.host !== null && hasBytesAt(value, RECORD_RDATA, origin.host) ? 'host' : null;
    case TYPE.TXT:
      return textReveals(value, origin) ? 'text' : null;
    case TYPE.SVCB:
    case TYPE.HTTPS:
      if (hintReveals(value, origin)) return 'hint';
      break;
    default:
  }
  const target = TARGETS.get(type);
  if (target === undefined || origin.host === null) return null;
  return hasBytesAt(value, RECORD_RDATA + target, origin.host) ? 'target' : null;
}

/** Compares the start of the bytes. This is exact for a name, which ends with its root label. */
function hasBytesAt(value: Buffer, at: number, bytes: Uint8Array): boolean {
  if (value.length < at + bytes.length) return false;
  for (let i = 0; i < bytes.length; i++) if (value[at + i] !== bytes[i]) return false;
  return true;
}

/** SvcParamKeys with addresses (RFC 9460 7.3), and the length of one address. */
const HINTS: ReadonlyMap<number, number> = new Map([
  [4, 4],
  [6, 16],
]);

function hintReveals(value: Buffer, { addresses }: OriginIdentity): boolean {
  let at = RECORD_RDATA + 2;
  while (at < value.length && value[at] !== 0) at += value[at] + 1;
  for (at++; at + 4 <= value.length; ) {
    const size = HINTS.get(value.readUInt16BE(at));
    const end = at + 4 + value.readUInt16BE(at + 2);
    if (size !== undefined)
      for (let p = at + 4; p + size <= end; p += size)
        if (addresses.has(value.toString('latin1', p, p + size))) return true;
    at = end;
  }
  return false;
}

/** Separators of words in SPF (RFC 7208 4.6.1), URLs, mailboxes and ordinary text. */
const SEPARATORS = /[\s,;="'()<>[\]|@/]+/;
const COLON = 0x3a;
/** Every address and every absolute host name contains one of these. */
const DOT_OR_COLON = /[.:]/;
const ADDRESS = /^[0-9a-f:.]{3,45}$/;
/** Maximum addresses to search for as substrings before a text is split into words. */
const MAX_SEARCHED = 8;

function textReveals(value: Buffer, { addresses, hostText }: OriginIdentity): boolean {
  const hasColon = value.indexOf(COLON, RECORD_RDATA) >= 0;
  // A match may be split between two strings.
  const isSplit = RECORD_RDATA + 1 + value[RECORD_RDATA] < value.length;
  const mayHold =
    (addresses.size > 0 && (isSplit || addresses.size > MAX_SEARCHED)) ||
    [...addresses].some((id) => (id.length === 4 ? value.indexOf(dotted(id), RECORD_RDATA) >= 0 : hasColon));
  if (!mayHold && hostText === null) return false;
  const text = concatStrings(value).toLowerCase();
  if (!mayHold && hostText !== null && !text.includes(hostText)) return false;
  return text.split(SEPARATORS).some((word) => wordReveals(word, addresses, hostText));
}

const dotted = (id: string): string => Buffer.from(id, 'latin1').join('.');

/** Concatenates the strings of a TXT record (RFC 7208 3.3). */
function concatStrings(value: Buffer): string {
  let text = '';
  for (let at = RECORD_RDATA; at < value.length; at += value[at] + 1)
    text += value.toString('latin1', at + 1, at + 1 + value[at]);
  return text;
}

/** Matches `203.0.113.7`, `-ip4:203.0.113.7`, `a:origin.example.net` and `203.0.113.7:443`. */
function wordReveals(word: string, addresses: ReadonlySet<string>, hostText: string | null): boolean {
  if (word.length > 300 || !DOT_OR_COLON.test(word)) return word === hostText;
  const bare = word.replace(/^[+?~-]/, '').replace(/\.$/, '');
  const mechanism = bare.replace(/^(ip4|ip6|a|mx|ptr|include|exists|redirect):/, '');
  for (const candidate of [bare, mechanism, mechanism.replace(/:\d{1,5}$/, '')]) {
    if (candidate === hostText) return true;
    const bytes = ADDRESS.test(candidate) ? parseAddress(candidate) : undefined;
    if (bytes !== undefined && addresses.has(latin1(bytes))) return true;
  }
  return false;
}
