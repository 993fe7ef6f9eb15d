/**
 * Converts between the endpoints of external-dns and records of the API. An endpoint is a whole
 * record set. Both directions give the same form of a target, because external-dns compares text.
 */
import { InvalidError } from '../../../core/base/errors.ts';
import { parseType } from '../../../core/dns/wire/mnemonics.ts';
import { formatRdata, parseRdata } from '../../../core/dns/wire/rdata/index.ts';
import { asObject, asText, type Json } from '../base/client.ts';
import type { RecordRow } from '../domain/records.ts';

/** Maximum bytes of a string in a TXT record. */
const MAX_STRING = 255;

const QUOTED = /^"(?:[^"\\]|\\.)*"(?:\s+"(?:[^"\\]|\\.)*")*$/s;

const STRING = /"((?:[^"\\]|\\.)*)"/gs;

const ESCAPE = /\\(\d{3}|.)/gs;

interface Property {
  readonly name: string;
  readonly value: string;
}

/** `endpoint.Endpoint` of external-dns, with the fields that are read here. */
export interface Endpoint {
  readonly dnsName: string;
  readonly recordType: string;
  readonly targets: readonly string[];
  /** In seconds; 0: not configured. */
  readonly recordTTL: number;
  readonly setIdentifier: string;
  readonly providerSpecific: readonly Property[];
  /** As received, for fields that are passed on. */
  readonly json: Json;
}

/** The limits of the API. */
const MIN_TTL = 30;
const MAX_TTL = 604_800;
/** Types that external-dns manages. An ALIAS is its CNAME with the property `alias`. */
export const TYPES: ReadonlySet<string> = new Set(['A', 'AAAA', 'CNAME', 'TXT', 'MX', 'SRV', 'NS', 'PTR', 'NAPTR']);
/** Types whose targets end in a host name, which external-dns writes without the last dot. */
const WITHOUT_DOT: ReadonlySet<string> = new Set(['CNAME', 'ALIAS', 'MX', 'NS', 'PTR']);
const ALIAS: Property = { name: 'alias', value: 'true' };

/** Throws InvalidError. */
export function readEndpoint(value: unknown): Endpoint {
  const json = asObject(value);
  const { targets = [], recordTTL = 0, providerSpecific = [] } = json ?? {};
  const dnsName = asText(json?.dnsName);
  if (json === undefined || dnsName === undefined || !isTexts(targets))
    throw new InvalidError('invalid_endpoint', 'An endpoint needs a "dnsName" and a list of "targets".');
  return {
    dnsName: dnsName.replace(/\.$/, '').toLowerCase(),
    recordType: asText(json.recordType) ?? '',
    targets,
    recordTTL: Number(recordTTL) || 0,
    setIdentifier: asText(json.setIdentifier) ?? '',
    providerSpecific: (Array.isArray(providerSpecific) ? providerSpecific : []).map((property: unknown) => ({
      name: asText(asObject(property)?.name) ?? '',
      value: asText(asObject(property)?.value) ?? '',
    })),
    json,
  };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Whether a CNAME is stored as an ALIAS: at an apex (RFC 1034 section 3.6.2), or as annotated. */
export function isAlias({ dnsName, recordType, providerSpecific }: Endpoint, zone: string | undefined): boolean {
  return (
    recordType === 'CNAME' &&
    (dnsName === zone || providerSpecific.some(({ name, value }) => name === ALIAS.name && value === ALIAS.value))
  );
}

/** The content of a record in the API. Throws InvalidError. */
export function contentOf(type: string, target: string): string {
  const number = parseType(type);
  if (number === undefined) throw new InvalidError('invalid_type', `There is no record type "${type.slice(0, 40)}".`);
  return formatRdata(number, parseRdata(number, type === 'TXT' ? contentOfText(target) : target));
}

function targetOf(type: string, content: string): string {
  if (type === 'TXT') return textTarget(content);
  return WITHOUT_DOT.has(type) ? content.replace(/(?<=[^ ])\.$/, '') : content;
}

/** Formats a target like `endpointsOf`; returns an invalid target unchanged. */
function canonicalTarget(type: string, target: string): string {
  try {
    return targetOf(type, contentOf(type, target));
  } catch (error) {
    if (error instanceof InvalidError) return target;
    throw error;
  }
}

/**
 * The endpoint as `endpointsOf` returns it after it was stored, so that external-dns finds no
 * difference. `zone`: the domain that has the name.
 */
export function adjust(endpoint: Endpoint, zone: string | undefined): object {
  const { recordType, targets, recordTTL, json } = endpoint;
  return {
    ...json,
    targets: [...new Set(targets.map((target) => canonicalTarget(recordType, target)))],
    ...(recordTTL > 0 && { recordTTL: clampTtl(recordTTL) }),
    providerSpecific: isAlias(endpoint, zone) ? [ALIAS] : [],
  };
}

export const clampTtl = (ttl: number): number => Math.min(Math.max(ttl, MIN_TTL), MAX_TTL);

/** A stored record set, for external-dns. */
export interface StoredEndpoint {
  readonly dnsName: string;
  readonly recordType: string;
  readonly targets: string[];
  readonly recordTTL: number;
  readonly labels: object;
  readonly providerSpecific?: readonly Property[];
}

/** The record sets of a domain as endpoints. */
export function endpointsOf(zone: string, records: readonly RecordRow[]): StoredEndpoint[] {
  const sets = new Map<string, StoredEndpoint>();
  for (const { name, type, content, ttl } of records) {
    const recordType = type === 'ALIAS' ? 'CNAME' : type;
    if (!TYPES.has(recordType)) continue;
    const dnsName = absoluteName(name, zone);
    const key = `${dnsName} ${type}`;
    const target = targetOf(type, content);
    const set = sets.get(key);
    if (set !== undefined) {
      set.targets.push(target);
      continue;
    }
    const properties = type === 'ALIAS' ? { providerSpecific: [ALIAS] } : {};
    sets.set(key, { dnsName, recordType, targets: [target], recordTTL: ttl, labels: {}, ...properties });
  }
  return [...sets.values()];
}

const absoluteName = (name: string, zone: string): string => (name === '@' ? zone : `${name}.${zone}`);

/**
 * TXT targets of external-dns. It writes a text with or without quotes, and does not split it at
 * 255 bytes, the limit of a string (RFC 1035 section 3.3). Both sides of its comparison use
 * one form.
 *
 * The content of a record for a target: quoted strings of up to 255 bytes. Throws InvalidError.
 */
function contentOfText(target: string): string {
  return stringsOf(target).map(quote).join(' ');
}

/**
 * Converts a content of the API to a target. Rejoins strings that were only split at the limit of
 * 255 bytes.
 */
function textTarget(content: string): string {
  const strings = stringsOf(content);
  const isSplit = strings.slice(0, -1).every(({ length }) => length === MAX_STRING);
  return isSplit ? quote(Buffer.concat(strings)) : strings.map(quote).join(' ');
}

function stringsOf(target: string): Buffer[] {
  const text = target.trim();
  if (!QUOTED.test(text)) return split(Buffer.from(target));
  const strings = [...text.matchAll(STRING)].map(([, inner]) => bytesOf(inner));
  if (strings.length === 1) return split(strings[0]);
  if (strings.some(({ length }) => length > MAX_STRING))
    throw new InvalidError('invalid_content', `A string of the text is longer than ${MAX_STRING} bytes; split it.`);
  return strings;
}

function split(bytes: Buffer): Buffer[] {
  const strings = [bytes.subarray(0, MAX_STRING)];
  for (let at = MAX_STRING; at < bytes.length; at += MAX_STRING) strings.push(bytes.subarray(at, at + MAX_STRING));
  return strings;
}

/** The bytes of a string in presentation format (RFC 1035 section 5.1). */
function bytesOf(text: string): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const match of text.matchAll(ESCAPE)) {
    parts.push(Buffer.from(text.slice(from, match.index)), unescaped(match[1]));
    from = match.index + match[0].length;
  }
  parts.push(Buffer.from(text.slice(from)));
  return Buffer.concat(parts);
}

function unescaped(code: string): Buffer {
  if (code.length !== 3) return Buffer.from(code);
  if (Number(code) > 255) throw new InvalidError('invalid_content', `The escape "\\${code}" is not a byte.`);
  return Buffer.of(Number(code));
}

function quote(bytes: Buffer): string {
  let text = '"';
  for (const byte of bytes) {
    const char = String.fromCharCode(byte);
    if (char === '"' || char === '\\') text += `\\${char}`;
    else text += byte < 0x20 || byte > 0x7e ? `\\${`${byte}`.padStart(3, '0')}` : char;
  }
  return `${text}"`;
}
