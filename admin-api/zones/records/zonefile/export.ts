/** Exports a domain as a zone file. A slow client still receives one consistent state. */
import { setImmediate } from 'node:timers/promises';
import { formatMaster } from '../../../../core/dns/wire/master/index.ts';
import { typeName } from '../../../../core/dns/wire/mnemonics.ts';
import { equalNames, formatRelative, isWithin, LOWER, type Name } from '../../../../core/dns/wire/name.ts';
import { hasAutoHint } from '../../../../core/dns/wire/rdata/auto-hints.ts';
import { formatRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { isServiceBinding, type ResourceRecord, type RRset, TYPE } from '../../../../core/dns/wire/types.ts';
import { aliasSets } from '../../../../core/journal/apply/zone-facts.ts';
import { afterPrefix, idKey, nameKey, nameOfKey, recordKeyParts } from '../../../../core/store/keys.ts';
import { aliasTargets, type Domain, entryFor, RECORD_RDATA, records } from '../../../../core/store/rows.ts';
import { spelledOwners } from '../../../../core/store/spelled-owners.ts';
import { AliasedZone, PLACEHOLDER, PLACEHOLDER_TYPE } from '../../../../core/zone/compile/aliased.ts';
import { apexSets } from '../../../../core/zone/compile/apex.ts';
import { HintedZone } from '../../../../core/zone/compile/hinted.ts';
import { readRRsets, StoredZone } from '../../../../core/zone/compile/stored.ts';
import { findType } from '../../../../core/zone/compile/view.ts';
import type { Services } from '../../../change/services.ts';
import type { StreamSource } from '../../../http/stream-slots.ts';
import { DNSSEC_TYPES } from '../rules/dnssec.ts';

/** Chunks of 16 KB before a yield to the event loop, which a large zone must not block for long. */
const CHUNKS_PER_TURN = 8;

/** Servers without ALIAS. */
export type Server = 'bind' | 'knot' | 'nsd';

/** What stands in the place of records that the server does not know. */
interface Substitutes {
  /** The addresses of an ALIAS that are served now. */
  addressesOf(target: Name): readonly RRset[];
  /** The SVCB or HTTPS records of a name, with addresses in the place of automatic hints. */
  servicesAt(name: Name, type: number): readonly Uint8Array[];
}

interface Export extends StreamSource {
  readonly revision: number;
}

/**
 * Opens an export: SOA and NS first, then the records in canonical order. Owners have the case
 * of their zone file. `server`: another server that will load the file (null: none), for which
 * addresses are in the place of ALIAS records and automatic hints, and what it does not load is a
 * comment at the end.
 */
export function openExport(
  { environment, reader, zoneSettings }: Services,
  domain: Domain,
  server: Server | null,
): Export {
  // Kept open until the end, so that LMDB does not reuse the pages of this state.
  const transaction = environment.root.useReadTransaction();
  const { serial, revision } = reader.zoneState(domain.id);
  const atApex = apexSets(readRRsets(environment, domain.id, domain.apex), domain, zoneSettings, serial);
  const start = idKey(domain.id);
  const rows = environment.rows.get(records.number)!.getRange({ start, end: afterPrefix(start), transaction });
  const spelled = spelledOwners(environment, domain.id, transaction);
  const addressesOf = (target: Name): readonly RRset[] => {
    const at = nameKey(target);
    const row = environment.rows.get(aliasTargets.number)!.get(at, { transaction });
    const entry = row === undefined ? null : entryFor(aliasTargets.decode(at, row), domain.accountId);
    return aliasSets(entry);
  };
  const nested = reader.domainsBelow(domain.apex).map(({ apex }) => apex);
  const servicesAt = (name: Name, type: number): readonly Uint8Array[] => {
    const apex = { sets: atApex, proxied: null };
    const zone = new StoredZone(environment, domain.id, domain.apex, apex, nested, null, transaction);
    const hinted = new HintedZone(new AliasedZone(zone, addressesOf));
    return findType(hinted.rrsets(name), type)?.rdatas ?? [];
  };
  const stored = orderRecords(domain, atApex, rows, spelled);
  const texts =
    server === null
      ? formatMaster(domain.apex, stored)
      : formatFor(server, domain, stored, { addressesOf, servicesAt });
  return { revision, chunks: inPieces(texts), close: () => transaction.done() };
}

/** A record that a server does not get, and why. */
type LeftOut = readonly [record: ResourceRecord, reason: string];

function* formatFor(
  server: Server,
  { apex }: Domain,
  stored: Iterable<ResourceRecord>,
  substitutes: Substitutes,
): Generator<string, void, undefined> {
  const left: LeftOut[] = [];
  yield* formatMaster(apex, recordsFor(server, apex, stored, substitutes, left));
  for (const [{ name, type, rdata }, reason] of left)
    yield `; ${formatRelative(name, apex)} ${typeName(type)} ${formatRdata(type, rdata)}: ${reason}\n`;
}

/**
 * Records that a server loads, with addresses in place of ALIAS and of automatic hints. `left`:
 * gets the others. The name of an ALIAS without an address gets the placeholder of transfers if it
 * has no other record.
 */
function* recordsFor(
  server: Server,
  apex: Name,
  stored: Iterable<ResourceRecord>,
  { addressesOf, servicesAt }: Substitutes,
  left: LeftOut[],
): Generator<ResourceRecord> {
  let dname: Name | undefined;
  for (const owned of byOwner(stored)) {
    const types = new Set(owned.map(({ type }) => type));
    const lower = owned[0].name.map((byte) => LOWER[byte]);
    const isBelow = dname !== undefined && isWithin(lower, dname);
    if (types.has(TYPE.DNAME) && !isBelow) dname = lower;
    const hinted = new Set(owned.filter(hasAutomaticHint).map(({ type }) => type));
    for (const record of owned) {
      const { name, type, ttl, rdata } = record;
      const isApex = name.length === apex.length;
      const reason = isBelow ? BELOW_DNAME[server] : refusalOf(server, type, isApex, types);
      if (reason !== undefined) left.push([record, reason]);
      else if (hinted.has(type)) {
        // All of the type at once, since some may be equal with their addresses.
        if (owned.find((other) => other.type === type) === record)
          for (const service of servicesAt(lower, type)) yield { name, type, ttl, rdata: service };
      } else if (type !== TYPE.ALIAS) yield record;
      else {
        const sets = addressesOf(rdata);
        for (const set of sets)
          for (const address of set.rdatas) yield { name, type: set.type, ttl: Math.min(ttl, set.ttl), rdata: address };
        if (sets.some(({ rdatas }) => rdatas.length > 0)) continue;
        left.push([record, 'it has no address now']);
        if (types.size === 1 && !isApex) yield { name, type: PLACEHOLDER_TYPE, ttl, rdata: PLACEHOLDER[0] };
      }
    }
  }
}

const hasAutomaticHint = ({ type, rdata }: ResourceRecord): boolean => isServiceBinding(type) && hasAutoHint(rdata);

/** The records of each owner. */
function* byOwner(stored: Iterable<ResourceRecord>): Generator<ResourceRecord[]> {
  let owned: ResourceRecord[] = [];
  for (const record of stored) {
    if (owned.length > 0 && !equalNames(record.name, owned[0].name)) {
      yield owned;
      owned = [];
    }
    owned.push(record);
  }
  if (owned.length > 0) yield owned;
}

const BELOW_DNAME: Readonly<Record<Server, string | undefined>> = {
  bind: undefined,
  knot: 'Knot DNS loads no record below a DNAME',
  nsd: 'NSD loads no record below a DNAME',
};

/** Why a server would not load a zone with the record; undefined: it does. */
function refusalOf(server: Server, type: number, isApex: boolean, types: ReadonlySet<number>): string | undefined {
  if (server === 'bind' && (type === TYPE.MD || type === TYPE.MF)) return 'the type is obsolete for BIND';
  if (server === 'bind' && type === TYPE.DS && isApex) return 'BIND loads no DS at the apex';
  if (server === 'knot' && type === TYPE.NS && !isApex && types.has(TYPE.DNAME))
    return 'Knot DNS loads no delegation at a DNAME';
  return undefined;
}

/** Yields to the event loop. */
async function* inPieces(texts: Iterable<string>): AsyncGenerator<string, void, undefined> {
  let chunks = 0;
  for (const text of texts) {
    yield text;
    if (++chunks % CHUNKS_PER_TURN === 0) await setImmediate();
  }
}

function* orderRecords(
  domain: Domain,
  atApex: readonly RRset[],
  rows: Iterable<{ key: Uint8Array; value: Buffer }>,
  spelled: (name: Name) => Name,
): Generator<ResourceRecord> {
  const { apex } = domain;
  for (const type of [TYPE.SOA, TYPE.NS]) {
    const set = findType(atApex, type);
    if (set !== undefined) for (const rdata of set.rdatas) yield { name: apex, type, ttl: set.ttl, rdata };
  }
  // Reuses the object of a repeated name: formatMaster compares the objects to omit the owner.
  let name = apex;
  let nameBytes: Uint8Array = new Uint8Array(0);
  for (const { key, value } of rows) {
    const { nameEnd, type } = recordKeyParts(key);
    const bytes = key.subarray(0, nameEnd);
    if (!equalNames(bytes, nameBytes)) {
      name = spelled(nameOfKey(key, 8, nameEnd));
      nameBytes = bytes;
    }
    const isService = DNSSEC_TYPES.has(type) || (type === TYPE.NS && name.length === apex.length);
    if (!isService) yield { name, type, ttl: value.readUInt32BE(0), rdata: value.subarray(RECORD_RDATA) };
  }
}
