/** Domains and their records, with the spelling, comments and labels that come with them. */
import type { Name } from '../../dns/wire/name.ts';
import {
  type Id,
  idAt,
  idKey,
  LOOKUP,
  lookupKey,
  nameKey,
  nameOfKey,
  recordKey,
  recordKeyParts,
  recordsOfType,
} from '../keys.ts';
import { json, jsonTable, type Table, table, unjson } from './table.ts';

/** Metadata kind: addresses that may transfer the zone without a key. */
export const ALLOW_AXFR_FROM = 'ALLOW-AXFR-FROM';

/** Metadata kind: addresses that receive NOTIFY for the zone. */
export const ALSO_NOTIFY = 'ALSO-NOTIFY';

/** Metadata kind: addresses of nodes, from which they send NOTIFY and requests to primaries. */
export const AXFR_SOURCE = 'AXFR-SOURCE';

/**
 * `primary`: records are edited here. `secondary`: records are transferred from primaries.
 * `catalog`: lists other domains (RFC 9432).
 */
export type DomainKind = 'primary' | 'secondary' | 'catalog';

export interface Domain {
  readonly id: Id;
  readonly accountId: Id;
  /** The apex, wire form in lower case. */
  readonly apex: Name;
  readonly createdAt: number;
  /** SOA fields and apex NS settings from a master file; null: the service's defaults. */
  readonly kept: ApexSettings | null;
  readonly kind: DomainKind;
  /** The primaries of a secondary zone, in order of preference. */
  readonly primaries: readonly Primary[];
  /** For catalogs: lists the domains of its account, or of all accounts. */
  readonly members: 'account' | 'all';
  /** The zone is a secondary zone and a catalog. Its member zones become secondary zones here. */
  readonly consumes: boolean;
  /** The catalog that created this secondary zone; null: it was created in another way. */
  readonly listedBy: CatalogListing | null;
}

export interface CatalogListing {
  readonly catalogId: Id;
  /** See Member in core/upkeep/catalog/members.ts. */
  readonly label: string;
  /** Apex of the catalog that may take over the zone, in hexadecimal; null: none. */
  readonly successor: string | null;
}

/** Fields of a domain that is neither secondary nor catalog. */
export const PRIMARY: Pick<Domain, 'kind' | 'primaries' | 'members' | 'consumes' | 'listedBy'> = {
  kind: 'primary',
  primaries: [],
  members: 'account',
  consumes: false,
  listedBy: null,
};

export interface Primary {
  /** IPv4 or IPv6, as text. */
  readonly address: string;
  readonly port: number;
  /** Key for requests to the primary and for its NOTIFY; null: messages are not signed. */
  readonly tsigKeyId: Id | null;
  /** Transfers use TLS (RFC 9103); null: plain TCP. */
  readonly tls: PrimaryTls | null;
}

/** Verification of the primary's certificate: by name, or by the hash of its public key. */
export interface PrimaryTls {
  readonly name: string | null;
  /** SHA-256 of the SubjectPublicKeyInfo, in Base64 (RFC 7858 section 4.2). */
  readonly pin: string | null;
}

/** SOA fields; names in presentation form, times in seconds. */
export interface ApexSettings {
  /** The serial in the file. Serials of the zone do not go below it. */
  readonly serial: number;
  readonly mname: string;
  readonly rname: string;
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly minimum: number;
  readonly ttl: number;
}

export interface RecordRow {
  readonly id: Id;
  readonly domainId: Id;
  /** Owner name, absolute wire form in lower case. */
  readonly name: Name;
  readonly type: number;
  readonly ttl: number;
  readonly rdata: Uint8Array;
  /** Whether the name goes through the proxy; null: the customer did not choose. */
  readonly proxied: boolean | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A new record, created at `now`, without a choice about the proxy. */
export const newRecord = (
  id: Id,
  domainId: Id,
  { name, type, ttl, rdata }: Pick<RecordRow, 'name' | 'type' | 'ttl' | 'rdata'>,
  now: number,
): RecordRow => ({
  id,
  domainId,
  name,
  type,
  ttl,
  rdata,
  proxied: null,
  createdAt: now,
  updatedAt: now,
});

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

/** Primary zones are stored without these fields, as in earlier versions. */
function withoutDefaults(row: Domain) {
  if (row.kind !== 'primary') return row;
  const {
    kind: _kind,
    primaries: _primaries,
    members: _members,
    consumes: _consumes,
    listedBy: _listed,
    ...rest
  } = row;
  return rest;
}

/** Stands for all accounts in lookups; no account has this id. */
const ALL_ACCOUNTS = 0;
const catalogKey = (accountId: Id, ...more: Buffer[]): Buffer => lookupKey(LOOKUP.catalog, idKey(accountId), ...more);

/** Prefixes of the lookups of the catalogs that may list a domain of the account. */
export function catalogPrefixes(accountId: Id): Buffer[] {
  return [catalogKey(accountId), catalogKey(ALL_ACCOUNTS)];
}

/** Decodes a domain without caching it, for scans that read each row once. */
export function decodeDomain(value: Uint8Array): Domain {
  const { apex, ...rest } = unjson<Omit<Domain, 'apex'> & { apex: string }>(value);
  // Rows of older versions have no kind.
  return { ...PRIMARY, ...rest, apex: Uint8Array.from(Buffer.from(apex, 'hex')) };
}

/**
 * Cache of decoded domains by key, since every request reads its domain. The encoded bytes show
 * whether the row has changed.
 */
const decoded = new Map<string, { readonly value: Buffer; readonly row: Domain }>();
const MAX_DECODED = 10_000;

export const domains: Table<Domain> = {
  number: 3,
  name: 'domains',
  quota: 'zone',
  concerns: 'edge',
  key: (row) => idKey(row.id),
  encode: (row) => json({ ...withoutDefaults(row), apex: Buffer.from(row.apex).toString('hex') }),
  decode(key, value) {
    const id = asBuffer(key).toString('latin1');
    const cached = decoded.get(id);
    if (cached?.value.equals(value)) return cached.row;
    const row = decodeDomain(value);
    if (decoded.size >= MAX_DECODED) decoded.clear();
    decoded.set(id, { value: Buffer.from(value), row });
    return row;
  },
  lookups(key, value) {
    const row = domains.decode(key, value);
    const name = nameKey(row.apex);
    const found = [lookupKey(LOOKUP.domainName, name), lookupKey(LOOKUP.accountDomain, idKey(row.accountId), name)];
    if (row.kind === 'catalog') found.push(catalogKey(row.members === 'all' ? ALL_ACCOUNTS : row.accountId, name));
    if (row.consumes) found.push(lookupKey(LOOKUP.consumer, name));
    if (row.listedBy !== null) found.push(lookupKey(LOOKUP.listed, idKey(row.listedBy.catalogId), name));
    return found;
  },
};

const PROXIED = { null: 0, false: 1, true: 2 } as const;

/** ttl (4) · created (5) · updated (5) · proxied (1) · rdata */
export const records: Table<RecordRow> = {
  number: 4,
  name: 'records',
  quota: 'zone',
  key: (row) => recordKey(row.domainId, row.name, row.type, row.id),
  encode(row) {
    const value = Buffer.allocUnsafe(15 + row.rdata.length);
    value.writeUInt32BE(row.ttl, 0);
    value.writeUIntBE(row.createdAt, 4, 5);
    value.writeUIntBE(row.updatedAt, 9, 5);
    setProxied(value, row.proxied);
    value.set(row.rdata, 15);
    return value;
  },
  decode(key, value) {
    const { nameEnd, type } = recordKeyParts(key);
    const k = asBuffer(key);
    const v = asBuffer(value);
    return {
      id: idAt(k, k.length - 8),
      domainId: idAt(k),
      name: nameOfKey(key, 8, nameEnd),
      type,
      ttl: v.readUInt32BE(0),
      rdata: Uint8Array.prototype.slice.call(value, RECORD_RDATA),
      proxied: proxiedOf(value),
      createdAt: v.readUIntBE(4, 5),
      updatedAt: v.readUIntBE(9, 5),
    };
  },
  lookups: (key) => [lookupKey(LOOKUP.record, key.subarray(key.length - 8))],
  lookupsFromKey: true,
};

/** Offset of the rdata in a record's encoded value. */
export const RECORD_RDATA = 15;

const PROXIED_AT = 14;

/** `proxied` of a record's encoded value, without decoding the rest. */
export function proxiedOf(value: Uint8Array): boolean | null {
  const byte = value[PROXIED_AT];
  return byte === PROXIED.null ? null : byte === PROXIED.true;
}

/** Sets `proxied` in a record's encoded value. */
export function setProxied(value: Uint8Array, proxied: boolean | null): void {
  value[PROXIED_AT] = PROXIED[`${proxied}`];
}

export interface Spelling {
  readonly domainId: Id;
  /** Wire form in lower case. */
  readonly name: Name;
  /** The name with its capitals. Its apex part is in lower case. */
  readonly spelled: Name;
}

/**
 * Original spelling of owner names with capitals in a master file. Names are compared, stored and
 * answered in lower case (RFC 4343); an exported zone has the imported spelling.
 */
export const spellings = table<Spelling>({
  number: 21,
  name: 'spellings',
  quota: 'zone',
  key: ({ domainId, name }) => Buffer.concat([idKey(domainId), nameKey(name)]),
  encode: ({ spelled }) => Buffer.from(spelled),
  decode: (key, value) => ({
    domainId: idAt(key),
    name: nameOfKey(key, 8, key.length),
    spelled: Uint8Array.from(value),
  }),
  lookupsFromKey: true,
});

export interface Comment {
  readonly content: string;
  /** The author, as free text. */
  readonly account: string;
  /** Seconds since 1970. */
  readonly modifiedAt: number;
}

export interface RRsetComments {
  readonly domainId: Id;
  /** Wire form in lower case. */
  readonly name: Name;
  readonly type: number;
  /** At least one. */
  readonly comments: readonly Comment[];
}

/**
 * Comments of RRsets. They are deleted with the last record of the RRset, enabled or disabled: see
 * OrphanedRows in core/journal/apply/apply-entries.ts.
 */
export const comments = table<RRsetComments>({
  number: 40,
  name: 'comments',
  quota: 'zone',
  key: ({ domainId, name, type }) => recordsOfType(domainId, name, type),
  encode: ({ comments: all }) => json(all),
  decode(key, value) {
    const typeAt = key.length - 2;
    return {
      domainId: idAt(key),
      name: nameOfKey(key, 8, typeAt - 1),
      type: (key[typeAt] << 8) | key[typeAt + 1],
      comments: unjson<Comment[]>(value),
    };
  },
  lookupsFromKey: true,
});

/** An RRset of A or AAAA whose PTR records follow it: see admin-api/zones/records/ptrs.ts. */
export interface KeptPtrs {
  readonly domainId: Id;
  readonly name: Name;
  readonly type: number;
}

/** RRsets whose PTR records follow. They are deleted with the last record of the RRset. */
export const keptPtrs = table<KeptPtrs>({
  number: 55,
  name: 'kept_ptrs',
  quota: 'zone',
  level: 6,
  key: ({ domainId, name, type }) => recordsOfType(domainId, name, type),
  encode: () => Buffer.alloc(0),
  decode(key) {
    const typeAt = key.length - 2;
    return {
      domainId: idAt(key),
      name: nameOfKey(key, 8, typeAt - 1),
      type: (key[typeAt] << 8) | key[typeAt + 1],
    };
  },
  lookupsFromKey: true,
});

export interface DisabledRecords {
  readonly domainId: Id;
  /** Wire form in lower case. */
  readonly name: Name;
  readonly type: number;
  readonly ttl: number;
  /** At least one. */
  readonly rdatas: readonly Uint8Array[];
}

/**
 * Records that clients of the PowerDNS API have disabled. Only that API reads them: they are not
 * records of the zone, so nothing serves, transfers or checks them.
 */
export const disabledRecords = table<DisabledRecords>({
  number: 56,
  name: 'disabled_records',
  quota: 'zone',
  level: 6,
  key: ({ domainId, name, type }) => recordsOfType(domainId, name, type),
  encode: ({ ttl, rdatas }) => json({ ttl, rdatas: rdatas.map((rdata) => Buffer.from(rdata).toString('base64')) }),
  decode(key, value) {
    const typeAt = key.length - 2;
    const { ttl, rdatas } = unjson<{ ttl: number; rdatas: string[] }>(value);
    return {
      domainId: idAt(key),
      name: nameOfKey(key, 8, typeAt - 1),
      type: (key[typeAt] << 8) | key[typeAt + 1],
      ttl,
      rdatas: rdatas.map((rdata) => Uint8Array.from(Buffer.from(rdata, 'base64'))),
    };
  },
  lookupsFromKey: true,
});

/**
 * Zone settings of the PowerDNS API. They are stored and returned, and most have no effect on
 * responses.
 */
export interface ZoneLabels {
  readonly domainId: Id;
  /** For primary zones: `Native` or `Master`. */
  readonly kind: string;
  readonly account: string;
  readonly soaEdit: string;
  readonly soaEditApi: string;
  readonly apiRectify: boolean;
  /** Other metadata, by kind. */
  readonly metadata: Readonly<Record<string, readonly string[]>>;
}

/** Defaults of a zone without a row. */
export const NO_LABELS: Omit<ZoneLabels, 'domainId'> = {
  kind: 'Native',
  account: '',
  soaEdit: '',
  soaEditApi: 'DEFAULT',
  apiRectify: false,
  metadata: {},
};

export const zoneLabels = jsonTable<ZoneLabels>({
  number: 41,
  name: 'zone_labels',
  quota: 'zone',
  key: ({ domainId }) => idKey(domainId),
  lookupsFromKey: true,
});
