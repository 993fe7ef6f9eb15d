/** Creates, changes and deletes zones. */

import { type MasterRecord, parseMaster } from '../../../core/dns/wire/master/index.ts';
import { equalNames, formatHost, type Name, nameId } from '../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import type { Reader } from '../../../core/store/reader.ts';
import { type Domain, NO_LABELS, type ZoneLabels } from '../../../core/store/rows.ts';
import { serviceNs } from '../../../core/zone/compile/apex.ts';
import { accountOf } from '../../change/acting.ts';
import { change } from '../../change/change.ts';
import { SMALL_IMPORT } from '../../change/import-slots.ts';
import { requireEditable } from '../../change/owned-domain.ts';
import type { ImportTarget } from '../../change/running-import.ts';
import type { Services } from '../../change/services.ts';
import { setDnssec } from '../dnssec/service.ts';
import { type DomainBody, insertDomain } from '../domains/create.ts';
import { type PrimaryBody, viewPrimary } from '../domains/primaries.ts';
import { deleteDomain, replacePrimaries } from '../domains/service.ts';
import { storeDomain } from '../nameservers/apex.ts';
import { writeLabels } from '../nameservers/labels.ts';
import { DEFAULT_TTL } from '../records/content.ts';
import { changeZone } from '../records/ptrs.ts';
import { MAX_BATCH } from '../records/schema.ts';
import { type GenerateRoom, generateRoom } from '../records/zonefile/import.ts';
import { conflict, unprocessable, unsupported } from './errors.ts';
import { has, type JsonObject, readName, readObjects, readString, readStrings } from './fields.ts';
import type { PowerDnsContext } from './route.ts';
import { type RRsetChange, readChanges, readReplacement, readRRsets } from './rrset-body.ts';
import { patchRRsets } from './rrset-patch.ts';
import { CONSUMER, PRODUCER, readZoneBody, SLAVE, type ZoneBody } from './zone-body.ts';
import { dotted, findZone, requireWholeAccount, tryParseName } from './zone-id.ts';
import { catalogOf, isSigned, TSIG_ALLOW_AXFR } from './zone-view.ts';

/** Runs a large change when it is its turn. */
async function inTurn<T>(
  { imports }: Services,
  context: PowerDnsContext,
  target: () => ImportTarget,
  work: () => Promise<T>,
): Promise<T> {
  const { body } = context;
  if (body.length <= SMALL_IMPORT) return work();
  return imports.runImport(context, { file: body, ...target() }, (running) => {
    // Read and committed in one step.
    running.begin('committing');
    return work();
  });
}

const targetOf = ({ accountId, apex, id }: Domain): ImportTarget => ({
  accountId,
  domain: formatHost(apex),
  domainId: id,
});

/** Returns the new zone. Throws WaypostError. */
export function createZone(services: Services, context: PowerDnsContext, body: JsonObject): Promise<Domain> {
  const target = (): ImportTarget => ({
    accountId: accountOf(services.reader, context).id,
    domain: formatHost(readName(readString(body, 'name'))),
    domainId: null,
  });
  return inTurn(services, context, target, () => fillZone(services, context, body));
}

async function fillZone(services: Services, context: PowerDnsContext, body: JsonObject): Promise<Domain> {
  requireWholeAccount(context.caller);
  const name = readString(body, 'name');
  const apex = readName(name);
  // PowerDNS reports an existing zone before any other fault of the body.
  if (services.reader.domainByApex(apex) !== undefined) throw conflict('The zone exists already.');
  const kind = readString(body, 'kind');
  const zone = readZoneBody({ ...body, kind });
  const { labels, dnssec } = zone;
  const rrsets = readInitialRRsets(services, context, apex, body);
  const { id: accountId } = accountOf(services.reader, context);
  // PowerDNS needs no escape for this character.
  const wanted = { domain: name.replaceAll('/', '\\047'), ...readDomainKind(services, accountId, zone) };
  if (wanted.kind !== 'primary' && rrsets.length > 0)
    throw unsupported('Only zones of the kinds Native and Master have own records.');
  const { domain: created } = await insertDomain(services, context, wanted, async (draft, domain) => {
    writeLabels(draft, domain, { ...labels, ...keyLabels(draft, domain, zone) });
    requireCatalog(draft, domain, zone);
    const { domain: filled } = await patchRRsets(services, draft, domain, rrsets, context.caller);
    return { domain: filled };
  });
  if (dnssec === true) await setSigned(services, context, created.id, true);
  return findZone(services.reader, context.caller, name);
}

/** Throws InvalidError. */
function readDomainKind(
  services: Services,
  accountId: Id,
  zone: ZoneBody,
): Pick<DomainBody, 'primaries' | 'catalog'> & { kind: Domain['kind'] } {
  const { kind } = zone.labels;
  if (kind === SLAVE || kind === CONSUMER)
    return { kind: 'secondary', primaries: readMasters(services, accountId, zone, []), catalog: kind === CONSUMER };
  if (zone.masters !== null && zone.masters.length > 0)
    throw unsupported('Only zones of the kind "Slave" have masters.');
  if (zone.masterKey !== null && zone.masterKey !== '')
    throw unsupported('Only zones of the kind "Slave" sign requests to masters with a TSIG key.');
  return { kind: zone.labels.kind === PRODUCER ? 'catalog' : 'primary' };
}

/** `before`: the current primaries. Omitted fields keep their values. Throws InvalidError. */
function readMasters(
  { reader }: Services,
  accountId: Id,
  { masters, masterKey }: ZoneBody,
  before: Domain['primaries'],
): PrimaryBody[] {
  const addresses = masters ?? before.map((primary) => viewPrimary(primary).address);
  if (addresses.length === 0) throw unprocessable('A zone of the kind "Slave" needs masters');
  return addresses.map((address) => {
    const old = before.find((primary) => viewPrimary(primary).address === address);
    return {
      address,
      tsig_key_id: masterKey === null ? (old?.tsigKeyId ?? null) : findKey(reader, accountId, masterKey),
      tls: old === undefined ? null : viewPrimary(old).tls,
    };
  });
}

/** The id of a TSIG key; null for an empty name. */
function findKey(reader: Reader, accountId: Id, text: string): number | null {
  if (text === '') return null;
  const name = tryParseName(text);
  const keys = name === undefined ? [] : reader.tsigKeysOf(accountId).filter((row) => row.name === formatHost(name));
  const key = keys.find(({ lookup }) => lookup === 'none') ?? keys.at(0);
  if (key === undefined) throw unprocessable(`A TSIG key with the name '${text.slice(0, 100)}' does not exist`);
  return key.id;
}

/** As `default-ttl` of PowerDNS. */
const NS_TTL = 3600;

/** Reads the RRsets of a new zone: `rrsets` or the text `zone`, and `nameservers`. */
function readInitialRRsets(services: Services, context: PowerDnsContext, apex: Name, body: JsonObject): RRsetChange[] {
  const { nsTtl } = services.zoneSettings;
  if (has(body, 'rrsets') && has(body, 'zone') && readString(body, 'zone') !== '')
    throw unprocessable('You cannot give rrsets AND zone data as text');
  const zone = has(body, 'zone') ? readString(body, 'zone') : '';
  const rrsets =
    zone === ''
      ? readRRsets(apex, body)
      : parseZone(generateRoom(services, accountOf(services.reader, context).id, null), apex, zone);
  const nameservers = readStrings(body, 'nameservers');
  if (nameservers.length === 0) return rrsets;
  if (rrsets.some(({ name, type }) => type === TYPE.NS && equalNames(name, apex)))
    throw unprocessable('Nameservers list MUST NOT be mixed with zone-level NS in rrsets');
  const records = nameservers.map((text) => {
    if (!text.endsWith('.')) throw unprocessable(`Nameserver is not canonical: '${text.slice(0, 300)}'`);
    return parseRdata(TYPE.NS, text, apex);
  });
  const unique = [...new Map(records.map((rdata) => [nameId(rdata), rdata])).values()];
  const own = new Set(serviceNs(services.zoneSettings).rdatas.map(nameId));
  // The NS of the service stay those of the service.
  const isServices = unique.length === own.size && unique.every((rdata) => own.has(nameId(rdata)));
  return [
    ...rrsets,
    {
      name: apex,
      type: TYPE.NS,
      changeType: 'REPLACE',
      ttl: isServices ? nsTtl : NS_TTL,
      records: unique,
      comments: null,
    },
  ];
}

const MAX_ZONE_ERRORS = 20;

/** RRsets of a master file. Records of one RRset get its lowest TTL (RFC 2181 5.2). */
function parseZone({ maxGenerated, refusal }: GenerateRoom, apex: Name, text: string): RRsetChange[] {
  const { records, errors, excess, warnings } = parseMaster(Buffer.from(text), {
    origin: apex,
    defaultTtl: DEFAULT_TTL,
    maxErrors: MAX_ZONE_ERRORS,
    drops: new Set<number>(),
    maxGenerated,
  });
  if (excess !== null && refusal !== null) throw refusal(excess);
  if (errors.length > 0) throw unprocessable(`Line ${errors[0].line} of the zone: ${errors[0].message}`);
  const lost = warnings.find(({ code }) => code === 'name_outside');
  // A response has no place for a warning.
  if (lost !== undefined) throw unprocessable(`Line ${lost.line} of the zone: Name is out of zone`);
  const sets = new Map<string, { first: MasterRecord; ttl: number; records: Map<string, Uint8Array> }>();
  for (const record of records) {
    const id = `${record.type} ${nameId(record.name)}`;
    const set = sets.get(id) ?? { first: record, ttl: record.ttl, records: new Map() };
    set.ttl = Math.min(set.ttl, record.ttl);
    // The SOA may be repeated at the end.
    set.records.set(nameId(record.rdata), record.rdata);
    sets.set(id, set);
  }
  return [...sets.values()].map(({ first: { name, type }, ttl, records: rdatas }) => ({
    name,
    type,
    changeType: 'REPLACE',
    ttl,
    records: [...rdatas.values()],
    comments: null,
  }));
}

/**
 * The metadata with the TSIG keys that a client names for transfers. Keys are limited by their own
 * settings, so they are only kept. Throws InvalidError for a key that may not transfer the zone.
 */
function keyLabels(draft: Draft, domain: Domain, { transferKeys }: ZoneBody): Pick<ZoneLabels, 'metadata'> | null {
  if (transferKeys === null) return null;
  const names = transferKeys.map((text) => {
    const name = tryParseName(text);
    const keys = draft
      .tsigKeysOf(domain.accountId)
      .filter((key) => name !== undefined && key.name === formatHost(name));
    if (keys.length === 0) throw unprocessable(`A TSIG key with the name '${text.slice(0, 100)}' does not exist`);
    if (!keys.some((key) => key.lookup !== 'none' && (key.domains === null || key.domains.includes(domain.id))))
      throw unsupported(`The TSIG key '${text.slice(0, 100)}' is not for this zone; change it in /api/v1/tsig-keys.`);
    return `${keys[0].name}.`;
  });
  const { [TSIG_ALLOW_AXFR]: _, ...others } = draft.zoneLabels(domain.id).metadata;
  return { metadata: names.length === 0 ? others : { ...others, [TSIG_ALLOW_AXFR]: names } };
}

/** A catalog lists all zones of its account, so no other can be chosen. Throws InvalidError. */
function requireCatalog(reader: Reader, domain: Domain, { catalog }: ZoneBody): void {
  if (catalog === null) return;
  const present = catalogOf(reader, domain);
  if (catalog.toLowerCase().replace(/\.?$/, '.') === present || catalog === present) return;
  throw unsupported(
    present === ''
      ? 'The account has no catalog zone that lists this zone; create one of the kind "Producer" first.'
      : `The catalog zone ${present} lists all zones of the account; "catalog" cannot be another one.`,
  );
}

/** Sets the fields of the body. Throws WaypostError. */
export async function updateZone(services: Services, context: PowerDnsContext, body: JsonObject): Promise<void> {
  const { caller, params } = context;
  const before = findZone(services.reader, caller, params.zone_id);
  const { id, accountId, kind, primaries, consumes } = before;
  const zone = readZoneBody(body);
  const { labels, dnssec } = zone;
  if (kind === 'secondary') {
    if (labels.kind !== undefined && labels.kind !== (consumes ? CONSUMER : SLAVE)) throw fixedKind();
    if (zone.masters !== null || zone.masterKey !== null)
      await replacePrimaries(services, context, id, readMasters(services, accountId, zone, primaries));
  } else if (
    readDomainKind(services, accountId, { ...zone, labels: { kind: NO_LABELS.kind, ...labels } }).kind !== kind
  )
    if (labels.kind !== undefined || kind === 'primary') throw fixedKind();
  if (has(body, 'rrsets')) await replaceRecords(services, context, before, body);
  if (dnssec !== null && dnssec !== isSigned(services.reader, before)) await setSigned(services, context, id, dnssec);
  const commit = () =>
    change(services, context, (draft) => {
      const domain = findZone(draft, caller, params.zone_id);
      requireCatalog(draft, domain, zone);
      const unchanged = !writeLabels(draft, domain, { ...labels, ...keyLabels(draft, domain, zone) });
      return {
        action: 'domain.update',
        domain,
        target: domain.id,
        detail: labels,
        unchanged,
        createResponse: () => ({}),
      };
    });
  await services.locks.shared(String(id), () => services.locks.exclusive(`${id} /labels`, commit));
}

const fixedKind = () =>
  unsupported('The kind of a zone can only change between Native and Master; create another zone.');

async function setSigned(services: Services, context: PowerDnsContext, id: number, enabled: boolean): Promise<void> {
  await setDnssec(services, { ...context, params: { domain_id: String(id) } }, { enabled });
}

/** Replaces all RRsets of a zone. Throws WaypostError. */
async function replaceRecords(
  services: Services,
  context: PowerDnsContext,
  zone: Domain,
  body: JsonObject,
): Promise<void> {
  const { kind, consumes } = zone;
  if (kind !== 'primary') {
    if (readObjects(body, 'rrsets')?.length === 0) return;
    if (consumes) throw unprocessable('Modifying RRsets in Consumer zones is unsupported');
    throw unsupported('Only zones of the kinds Native and Master have own records.');
  }
  const replace = () =>
    commitChanges(services, context, (draft, { id, apex }) => {
      const stored = draft.recordsOf(id, null, MAX_BATCH + 1);
      if (stored.length > MAX_BATCH) throw unprocessable(TOO_LARGE);
      return readReplacement(apex, body, [...stored, ...draft.disabledRecords(id, MAX_BATCH)]);
    });
  await inTurn(services, context, () => targetOf(zone), replace);
}

const TOO_LARGE = `The zone has more than ${MAX_BATCH} records; change it by PATCH.`;

/** Throws WaypostError. */
export function patchZone(services: Services, context: PowerDnsContext, body: JsonObject): Promise<void> {
  const target = (): ImportTarget => targetOf(findZone(services.reader, context.caller, context.params.zone_id));
  return inTurn(services, context, target, () => patchRecords(services, context, body));
}

async function patchRecords(services: Services, context: PowerDnsContext, body: JsonObject): Promise<void> {
  const { apex } = requireEditable(findZone(services.reader, context.caller, context.params.zone_id));
  const changes = readChanges(apex, body);
  await commitChanges(services, context, () => changes, changes.length > 1 ? undefined : (changes[0]?.name ?? apex));
}

/** `name`: the only one that changes; omitted: several do. */
async function commitChanges(
  services: Services,
  context: PowerDnsContext,
  changesOf: (draft: Draft, domain: Domain) => readonly RRsetChange[],
  name?: Name,
): Promise<void> {
  const { caller, params } = context;
  const { id } = requireEditable(findZone(services.reader, caller, params.zone_id));
  const commit = () =>
    changeZone(services, context, async (draft) => {
      const domain = requireEditable(findZone(draft, caller, params.zone_id));
      const changes = changesOf(draft, domain);
      const { domain: after, detail, unchanged } = await patchRRsets(services, draft, domain, changes, caller);
      storeDomain(draft, domain, after);
      return { action: 'record.batch', domain, target: domain.id, detail, unchanged, createResponse: () => ({}) };
    });
  const { locks } = services;
  // As in the record API: with frequent writers, a large batch would always conflict.
  await (name === undefined
    ? locks.exclusive(String(id), commit)
    : locks.shared(String(id), () => locks.exclusive(`${id} ${dotted(name)}`, commit)));
}

/** Throws WaypostError. */
export async function deleteZone(services: Services, context: PowerDnsContext, force?: boolean): Promise<void> {
  const { id } = findZone(services.reader, context.caller, context.params.zone_id);
  await deleteDomain(services, context, id, { force });
}
