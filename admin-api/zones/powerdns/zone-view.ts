/** Zones and RRsets as PowerDNS shows them, as JSON text: zones may have many RRsets. */
import { setImmediate } from 'node:timers/promises';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { equalNames, type Name } from '../../../core/dns/wire/name.ts';
import { type RRset, TYPE } from '../../../core/dns/wire/types.ts';
import { afterPrefix, idKey, nameOfKey, recordKeyParts, recordsAt, recordsOfType } from '../../../core/store/keys.ts';
import type { Reader } from '../../../core/store/reader.ts';
import { permits } from '../../../core/store/record-policies.ts';
import {
  comments,
  type DisabledRecords,
  type Domain,
  disabledRecords,
  RECORD_RDATA,
  type RecordPolicy,
  records,
} from '../../../core/store/rows.ts';
import { apexSets } from '../../../core/zone/compile/apex.ts';
import type { ZoneSettings } from '../../../core/zone/compile/settings.ts';
import { readRRsets } from '../../../core/zone/compile/stored.ts';
import type { Services } from '../../change/services.ts';
import { viewPrimary } from '../domains/primaries.ts';
import { ChunkedText } from './chunked-text.ts';
import { formatContent } from './rrset-body.ts';
import { dotted, zoneIdOf, zoneUrl } from './zone-id.ts';

/** Maps the kind of a domain to PowerDNS; a primary zone has the kind that its client set. */
function kindOf({ kind, consumes }: Domain, label: string): string {
  if (kind === 'secondary') return consumes ? 'Consumer' : 'Slave';
  return kind === 'catalog' ? 'Producer' : label;
}

/** The fields of a zone in lists. `withDnssec`: also `dnssec` and `edited_serial`. */
export function describeZone({ reader, secondaries, zoneSettings }: Services, domain: Domain, withDnssec = true) {
  const id = zoneIdOf(domain.apex);
  const { serial } = reader.zoneState(domain.id);
  const { account, kind } = reader.zoneLabels(domain.id);
  return {
    account,
    catalog: catalogOf(reader, domain),
    ...(withDnssec && { dnssec: isSigned(reader, domain), edited_serial: serial }),
    id,
    kind: kindOf(domain, kind),
    last_check: domain.kind === 'secondary' ? (secondaries.row(domain.id)?.refreshedAt ?? 0) : 0,
    masters: domain.primaries.map((primary) => viewPrimary(primary).address),
    name: dotted(domain.apex),
    notified_serial: 0,
    record_count: countRecords(reader, domain, zoneSettings),
    serial,
    url: zoneUrl(id),
  };
}

/** A zone that is becoming unsigned has no keys for clients. */
export const isSigned = (reader: Reader, { id }: Domain): boolean => {
  const row = reader.dnssec(id);
  return row !== undefined && row.progress?.toward !== 'unsigned';
};

/** The number of records of a zone, with SOA and NS, which may be the service's and not stored. */
function countRecords(
  reader: Services['reader'],
  { id, apex, kind, kept }: Domain,
  { nameservers }: ZoneSettings,
): number {
  const { recordCount } = reader.zoneState(id);
  if (kind === 'secondary') return recordCount;
  const hasOwnNs = kept !== null && reader.hasType(id, apex, TYPE.NS);
  return recordCount + 1 + (hasOwnNs ? 0 : nameservers.length);
}

/** The catalog zone of the account that lists a zone; empty: none does. */
export function catalogOf(reader: Reader, { accountId, kind, id }: Domain): string {
  if (kind === 'catalog') return '';
  const own = reader.catalogsFor(accountId).find((catalog) => catalog.accountId === accountId && catalog.id !== id);
  return own === undefined ? '' : dotted(own.apex);
}

/** Metadata kind: the TSIG keys that a client named for transfers of a zone. */
export const TSIG_ALLOW_AXFR = 'TSIG-ALLOW-AXFR';

/** The fields of a single zone, without its RRsets. */
export function describeWholeZone(services: Services, domain: Domain) {
  const { reader } = services;
  const { soaEdit, soaEditApi, apiRectify, metadata } = reader.zoneLabels(domain.id);
  const listed = describeZone(services, domain);
  return {
    ...listed,
    api_rectify: apiRectify,
    master_tsig_key_ids: metadata[TSIG_ALLOW_AXFR] ?? [],
    nsec3narrow: false,
    nsec3param: listed.dnssec === true ? NSEC3PARAM : '',
    slave_tsig_key_ids: [...new Set(domain.primaries.flatMap(({ tsigKeyId }) => keyName(reader, tsigKeyId)))],
    soa_edit: soaEdit,
    soa_edit_api: soaEditApi,
  };
}

function keyName(reader: Reader, id: number | null): string[] {
  const key = id === null ? undefined : reader.tsigKey(id);
  return key === undefined ? [] : [`${key.name}.`];
}

/** The NSEC3 parameters of every signed zone (RFC 9276 3.1). */
export const NSEC3PARAM = '1 0 0 -';

export interface RRsetFilter {
  /** Null: all names. */
  readonly name: Name | null;
  /** Null: all types. */
  readonly type: number | null;
  readonly withDisabled: boolean;
  /** Policies of the caller's token; undefined: it has none. */
  readonly policies: readonly RecordPolicy[] | undefined;
}

export const ALL_RRSETS: RRsetFilter = { name: null, type: null, withDisabled: true, policies: undefined };

interface RRsetRecord {
  readonly name: Name;
  readonly type: number;
  readonly ttl: number;
  readonly rdata: Uint8Array;
  /** The key of the comments of its RRset. */
  readonly commentsKey: Buffer;
}

/** Records read between two checks of the clock. */
const BATCH = 64;
/** Milliseconds between two yields to the event loop. */
const TURN = 5;

/**
 * The records of one state of the zone, with SOA and NS first. Yields to the event loop between the
 * batches.
 */
export async function* readRecords(
  services: Services,
  domain: Domain,
  { name, type, policies }: RRsetFilter,
): AsyncGenerator<readonly RRsetRecord[]> {
  const { environment, reader, zoneSettings } = services;
  const { id, apex } = domain;
  const mayRead = (owner: Name, of: number): boolean =>
    policies === undefined || permits(policies, apex, owner, of, 'read');
  const transaction = environment.root.useReadTransaction();
  try {
    let batch: RRsetRecord[] = [];
    const { serial } = reader.zoneState(id);
    // A secondary zone has no SOA before its first transfer.
    const isEmpty = domain.kind === 'secondary' && serial === 0;
    if (!isEmpty && (name === null || equalNames(name, apex)))
      for (const set of ownSets(apexSets(readRRsets(environment, id, apex), domain, zoneSettings, serial), type))
        for (const rdata of mayRead(apex, set.type) ? set.rdatas : [])
          batch.push({
            name: apex,
            type: set.type,
            ttl: set.ttl,
            rdata,
            commentsKey: recordsOfType(id, apex, set.type),
          });
    const start = name === null ? idKey(id) : recordsAt(id, name);
    let at: Name = apex;
    let nameBytes: Uint8Array = new Uint8Array(0);
    let since = performance.now();
    const rows = environment.rows.get(records.number)!;
    for (const { key, value } of rows.getRange({ start, end: afterPrefix(start), transaction })) {
      const k = key as Buffer;
      const { nameEnd, type: rowType } = recordKeyParts(k);
      const bytes = k.subarray(0, nameEnd);
      if (!equalNames(bytes, nameBytes)) {
        at = nameOfKey(k, 8, nameEnd);
        nameBytes = Uint8Array.from(bytes);
      }
      if (type !== null && rowType !== type) continue;
      if (rowType === TYPE.NS && at.length === apex.length) continue;
      if (!mayRead(at, rowType)) continue;
      batch.push({
        name: at,
        type: rowType,
        ttl: value.readUInt32BE(0),
        rdata: Uint8Array.from(value.subarray(RECORD_RDATA)),
        commentsKey: Buffer.from(k.subarray(0, k.length - 8)),
      });
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
      if (performance.now() - since < TURN) continue;
      await setImmediate();
      since = performance.now();
    }
    if (batch.length > 0) yield batch;
  } finally {
    transaction.done();
  }
}

/** The SOA and NS RRsets with the type `wanted`; null: both. */
const ownSets = (sets: readonly RRset[], wanted: number | null): RRset[] =>
  [TYPE.SOA, TYPE.NS].flatMap((type) =>
    wanted === null || wanted === type ? sets.filter((set) => set.type === type) : [],
  );

const serializeRecord = (type: number, rdata: Uint8Array, isDisabled: boolean): string =>
  `{"content":${JSON.stringify(formatContent(type, rdata))},"disabled":${isDisabled}}`;

/** The disabled records that the filter selects, by their keys in Latin-1. */
function readDisabled(
  { environment }: Services,
  { id, apex }: Domain,
  { name, type, policies, withDisabled }: RRsetFilter,
): Map<string, DisabledRecords> {
  const start = name === null ? idKey(id) : recordsAt(id, name);
  const found = new Map<string, DisabledRecords>();
  if (!withDisabled) return found;
  for (const { key, value } of environment.rows
    .get(disabledRecords.number)!
    .getRange({ start, end: afterPrefix(start) })) {
    const row = disabledRecords.decode(key, value);
    const isReadable = policies === undefined || permits(policies, apex, row.name, row.type, 'read');
    if (isReadable && (type === null || row.type === type)) found.set(Buffer.from(key).toString('latin1'), row);
  }
  return found;
}

/** The RRsets as a JSON array. */
export async function serializeRRsets(services: Services, domain: Domain, filter: RRsetFilter): Promise<Buffer> {
  const table = services.environment.rows.get(comments.number)!;
  const hasComments = services.reader.hasComments(domain.id);
  const serializeComments = (key: Buffer): string => {
    const value = hasComments ? table.get(key) : undefined;
    if (value === undefined) return '[]';
    return JSON.stringify(
      comments
        .decode(key, value)
        .comments.map(({ content, account, modifiedAt }) => ({ account, content, modified_at: modifiedAt })),
    );
  };
  const disabled = readDisabled(services, domain, filter);
  /** The text of disabled records of an RRset, each with a comma before it. */
  const takeDisabled = (key: Buffer): string => {
    const id = key.toString('latin1');
    const row = disabled.get(id);
    disabled.delete(id);
    return (row?.rdatas ?? []).map((rdata) => `,${serializeRecord(row!.type, rdata, true)}`).join('');
  };
  const sets = new ChunkedText(',');
  let current: RRsetRecord | undefined;
  let contents: string[] = [];
  let nameText = '';
  const finish = (): void => {
    if (current === undefined) return;
    const { type, ttl, commentsKey } = current;
    sets.add(
      `{"comments":${serializeComments(commentsKey)},"name":${nameText},"records":[${contents.join()}${takeDisabled(commentsKey)}],"ttl":${ttl},"type":"${typeName(type)}"}`,
    );
    contents = [];
  };
  for await (const batch of readRecords(services, domain, filter))
    for (const record of batch) {
      if (current === undefined || record.type !== current.type || record.name !== current.name) {
        finish();
        if (record.name !== current?.name) nameText = JSON.stringify(dotted(record.name));
        current = record;
      }
      contents.push(serializeRecord(record.type, record.rdata, false));
    }
  finish();
  for (const { name, type, ttl, rdatas } of [...disabled.values()]) {
    const key = recordsOfType(domain.id, name, type);
    const texts = rdatas.map((rdata) => serializeRecord(type, rdata, true));
    sets.add(
      `{"comments":${serializeComments(key)},"name":${JSON.stringify(dotted(name))},"records":[${texts.join()}],"ttl":${ttl},"type":"${typeName(type)}"}`,
    );
  }
  return sets.toBuffer('[', ']');
}

/** The records as lines, in the format of PowerDNS's export. `encode` converts each line. */
export async function exportLines(
  services: Services,
  domain: Domain,
  encode: (line: string) => string = (line) => line,
): Promise<ChunkedText> {
  const lines = new ChunkedText('');
  for await (const batch of readRecords(services, domain, ALL_RRSETS))
    for (const { name, type, ttl, rdata } of batch)
      lines.add(encode(`${dotted(name)}\t${ttl}\tIN\t${typeName(type)}\t${formatContent(type, rdata)}\n`));
  return lines;
}
