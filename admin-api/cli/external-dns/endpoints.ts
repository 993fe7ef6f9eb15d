/**
 * Converts between the endpoints of external-dns and records of the API. An endpoint is a whole
 * record set. Both directions give the same form of a target, because external-dns compares text.
 */
import { InvalidError } from '../../../core/base/errors.ts';
import { parseType } from '../../../core/dns/wire/mnemonics.ts';
import { formatRdata, parseRdata } from '../../../core/dns/wire/rdata/index.ts';
import { asObject, asText, type Json } from '../base/client.ts';
import { contentOfText, textTarget } from './text.ts';

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
export function adjust(endpoint: Endpoint, zone: string | undefined): Json {
  const { recordType, targets, recordTTL, json } = endpoint;
  return {
    ...json,
    targets: [...new Set(targets.map((target) => canonicalTarget(recordType, target)))],
    ...(recordTTL > 0 && { recordTTL: clampTtl(recordTTL) }),
    providerSpecific: isAlias(endpoint, zone) ? [ALIAS] : [],
  };
}

export const clampTtl = (ttl: number): number => Math.min(Math.max(ttl, MIN_TTL), MAX_TTL);

/** The record sets of a domain as endpoints. `rows`: records of the API. */
export function endpointsOf(zone: string, rows: readonly Json[]): Json[] {
  const sets = new Map<string, { targets: string[]; endpoint: Json }>();
  for (const row of rows) {
    const type = String(row.type);
    const recordType = type === 'ALIAS' ? 'CNAME' : type;
    if (!TYPES.has(recordType)) continue;
    const dnsName = absoluteName(String(row.name), zone);
    const key = `${dnsName} ${type}`;
    const target = targetOf(type, String(row.content));
    const set = sets.get(key);
    if (set !== undefined) {
      set.targets.push(target);
      continue;
    }
    const targets = [target];
    const properties = type === 'ALIAS' ? { providerSpecific: [ALIAS] } : {};
    const endpoint = { dnsName, recordType, targets, recordTTL: row.ttl, labels: {}, ...properties };
    sets.set(key, { targets, endpoint });
  }
  return [...sets.values()].map(({ endpoint }) => endpoint);
}

const absoluteName = (name: string, zone: string): string => (name === '@' ? zone : `${name}.${zone}`);
