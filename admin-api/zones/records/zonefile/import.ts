/** Imports a zone file: replaces all records of a domain in one commit. Also previews an import. */
import type { StateError } from '../../../../core/base/errors.ts';
import { planQuota } from '../../../../core/config/index.ts';
import { latin1 } from '../../../../core/dns/wire/latin1.ts';
import type { MasterWarning } from '../../../../core/dns/wire/master/index.ts';
import { formatHost, parentName } from '../../../../core/dns/wire/name.ts';
import { planLimitError } from '../../../../core/journal/commit/quotas.ts';
import { assignIds } from '../../../../core/journal/draft/assign-ids.ts';
import { Draft } from '../../../../core/journal/draft/draft.ts';
import { IdTaker } from '../../../../core/journal/draft/id-taker.ts';
import { ChangeWriter, readChanges } from '../../../../core/journal/entry-codec.ts';
import { afterPrefix, type Id, recordKeyParts, recordsOfType } from '../../../../core/store/keys.ts';
import {
  type Domain,
  domains,
  type KeptPtrs,
  keptPtrs,
  RECORD_RDATA,
  type RecordRow,
  records,
  setProxied,
} from '../../../../core/store/rows.ts';
import { deleteRecords, deleteSpellings } from '../../../../core/upkeep/domains/delete-records.ts';
import { WEB_TYPES } from '../../../../core/zone/compile/proxied.ts';
import { type ActingContext, accountOf } from '../../../change/acting.ts';
import { editableDomain, requireMatch } from '../../../change/owned-domain.ts';
import type { RunningImport } from '../../../change/running-import.ts';
import { parseId, type Services } from '../../../change/services.ts';
import type { Caller } from '../../../http/caller.ts';
import { HttpError } from '../../../http/errors.ts';
import type { Context } from '../../../http/route.ts';
import { nowSeconds } from '../../../http/time.ts';
import { checkDomain, insertDomain } from '../../domains/create.ts';
import { describeDomain } from '../../domains/service.ts';
import { changesOfDomain, changeZone, type PtrChange } from '../ptrs.ts';
import { DNSSEC_TYPES } from '../rules/dnssec.ts';
import { steeredSet } from '../rules/faults.ts';
import type { PreparePool } from './pool.ts';
import type { PreparedZone, PrepareInput } from './prepare.ts';
import { encodeStored } from './stored.ts';

/** Maximum number of errors in one response. */
const MAX_ERRORS = 1000;

/** Maximum number of warnings in one response. */
const MAX_WARNINGS = 1000;

interface ImportOptions {
  /** Whether to use the SOA timers and apex NS of the file. */
  readonly keepApex: boolean;
  /** Whether warnings are errors. */
  readonly strict: boolean;
  /** Whether faults are warnings, and what has them is left out. Not with `strict`. */
  readonly skipsFaults: boolean;
}

/**
 * Resolves with the response, and with whether the zone may have warnings of targets. `running`:
 * gets the progress. Throws HttpError 422 `invalid_zonefile` with a detail for each bad line, 404
 * and 412, StateError `plan_limit`.
 */
export async function importZone(
  services: Services,
  pool: PreparePool,
  context: Context<Caller>,
  bytes: Uint8Array,
  options: ImportOptions,
  running?: RunningImport,
) {
  const { reader, locks } = services;
  const domainId = parseId(context.params.domain_id);
  const { accountId, apex } = editableDomain(reader, context.caller, domainId);
  const room = generateRoom(services, accountId, domainId);
  const prepared = await prepareFile(services, pool, room, { bytes, apex, domainId, ...options });
  noteRead(running, prepared);
  const { count, warnings } = prepared;
  let rows: Buffer = Buffer.alloc(0);
  const ptrChanges = (draft: Draft): PtrChange[] => {
    const imported = addressesOf(rows, draft.keptPtrs(domainId));
    return changesOfDomain(services, draft, domainId, (rrset) => imported.get(keyOf(rrset)) ?? []);
  };
  const commit = () =>
    changeZone(
      services,
      context,
      async (draft) => {
        const old = editableDomain(draft, context.caller, domainId);
        requireMatch(services, draft, old, context.header('if-match'));
        const changes = new ChangeWriter();
        // Signals of RFC 9615, which a file cannot contain.
        const { flags, kept } = await deleteRecords(services, draft, old, changes, DNSSEC_TYPES);
        const deletions = changes.content;
        const others = new ChangeWriter();
        deleteSpellings(services, draft, domainId, others);
        const domain: Domain = { ...old, kept: prepared.kept };
        if (old.kept !== null || prepared.kept !== null)
          others.put(domains.number, domains.key(domain), domains.encode(domain));
        const zoneRows = await rowsOf(prepared, draft, domainId);
        rows = zoneRows.changes;
        keepProxied(rows, flags);
        requireSameSteered(services, draft, domain, rows);
        // The nodes were compiled for a zone without other records, without other domains above or
        // below, and without the proxy.
        if (kept === 0 && !hasRelatedDomain(draft, domain) && draft.proxy(domainId)?.enabled !== true) {
          draft.compiled = { ...compiledOf(prepared, zoneRows, domain), progress: running, deletions };
          draft.append(others.content);
          draft.append(rows.subarray(prepared.recordsEnd));
        } else for (const part of [deletions, others.content, rows]) draft.append(part);
        return {
          action: 'zone.import',
          domain,
          target: domainId,
          detail: { records: count, apex: options.keepApex ? 'keep' : 'service' },
          createResponse: () => ({
            domain: describeDomain(services, domain),
            records: count,
            ...viewWarnings(warnings),
          }),
        };
      },
      ptrChanges,
    );
  // With frequent writers to the domain, a commit without exclusive access would always conflict.
  return { reply: await locks.exclusive(String(domainId), commit), leads: prepared.leads };
}

/**
 * Creates a domain with the records of a zone file in one commit: no client sees it empty. Resolves
 * and throws like `importZone`, and throws the errors of `createDomain`.
 */
export async function createFromZoneFile(
  services: Services,
  pool: PreparePool,
  context: ActingContext<Buffer>,
  name: string,
  options: ImportOptions,
  running?: RunningImport,
) {
  const apex = checkDomain(services, context, name);
  const room = generateRoom(services, accountOf(services.reader, context).id, null);
  const prepared = await prepareFile(services, pool, room, { bytes: context.body, apex, domainId: NO_ID, ...options });
  noteRead(running, prepared);
  const { count, kept, nameservers, warnings } = prepared;
  const reply = await insertDomain(services, context, { domain: name }, async (draft, empty) => {
    const rows = await rowsOf(prepared, draft, empty.id);
    const isPlain = !hasRelatedDomain(draft, empty);
    if (isPlain) draft.compiled = { ...compiledOf(prepared, rows, empty), progress: running };
    draft.append(isPlain ? rows.changes.subarray(prepared.recordsEnd) : rows.changes);
    const domain = kept === null ? empty : { ...empty, kept };
    const own = nameservers.length > 0 ? { nameservers: nameservers.map(formatHost) } : {};
    return { domain, records: count, ...own, more: { records: count, ...viewWarnings(warnings) } };
  });
  return { reply, leads: prepared.leads };
}

function noteRead(running: RunningImport | undefined, { count }: PreparedZone): void {
  if (running === undefined) return;
  running.recordCount = count;
  running.begin('committing');
}

/** The id of a domain that does not exist yet. */
const NO_ID = 0;

type ZoneFile = Pick<PrepareInput, 'bytes' | 'apex' | 'domainId' | 'keepApex' | 'strict' | 'skipsFaults'>;

/** Throws the errors of a bad file: see `importZone`. */
async function prepareFile(
  { zoneSettings }: Services,
  pool: PreparePool,
  { maxGenerated, refusal }: GenerateRoom,
  file: ZoneFile,
): Promise<PreparedZone> {
  const prepared = await pool.prepare({ ...file, maxGenerated, zoneSettings, now: nowSeconds() });
  if (prepared.ok) return prepared;
  const { errors, excess } = prepared;
  if (excess !== null && refusal !== null) throw refusal(excess);
  const others = errors.length > 1 ? ` The file has ${errors.length} errors in total.` : '';
  throw new HttpError(
    422,
    'invalid_zonefile',
    `Line ${errors[0].line}: ${errors[0].message}${others} Nothing was changed.`,
    { details: errors },
  );
}

/** The changes of a prepared file, with the ids of the draft. */
async function rowsOf({ changes, count }: PreparedZone, draft: Draft, domainId: Id): Promise<ZoneRows> {
  const rows = Buffer.from(changes.buffer, changes.byteOffset, changes.length);
  const firstId = count > 0 ? draft.newId(records, count) : 0;
  if (count > 0) await assignIds(rows, domainId, firstId);
  return { changes: rows, firstId };
}

interface ZoneRows {
  readonly changes: Buffer;
  /** Of the first record; 0: there is none. */
  readonly firstId: Id;
}

/** The compiled zone with its records. */
function compiledOf({ nodes, count, recordsEnd }: PreparedZone, rows: ZoneRows, { id, apex }: Domain) {
  const { changes, firstId } = rows;
  return { domainId: id, nodes, rows: { changes: changes.subarray(0, recordsEnd), apex, firstId, count } };
}

const viewWarnings = (warnings: readonly MasterWarning[]) => ({
  ...(warnings.length > 0 && { warnings: warnings.slice(0, MAX_WARNINGS) }),
  ...(warnings.length > MAX_WARNINGS && { warnings_omitted: warnings.length - MAX_WARNINGS }),
});

const keyOf = (rrset: KeptPtrs): string => latin1(keptPtrs.key(rrset));

/** The imported addresses of RRsets that keep their PTR records, by the key of the RRset. */
function addressesOf(rows: Buffer, kept: readonly KeptPtrs[]): Map<string, Pick<RecordRow, 'rdata' | 'ttl'>[]> {
  const found = new Map<string, Pick<RecordRow, 'rdata' | 'ttl'>[]>(kept.map((rrset) => [keyOf(rrset), []]));
  if (kept.length === 0) return found;
  for (const { table, key, value } of readChanges(rows)) {
    if (table !== records.number || value === null) continue;
    const address = { ttl: value.readUInt32BE(0), rdata: value.subarray(RECORD_RDATA) };
    found.get(key.toString('latin1', 0, key.length - RECORD_ID))?.push(address);
  }
  return found;
}

/** Bytes of the id at the end of the key of a record. */
const RECORD_ID = 8;

/** A zone file does not contain `proxied`: names that existed before keep their value. */
function keepProxied(rows: Buffer, flags: ReadonlyMap<string, boolean>): void {
  if (flags.size === 0) return;
  for (const { table, key, value } of readChanges(rows)) {
    if (table !== records.number) continue;
    const { nameEnd, type } = recordKeyParts(key);
    const proxied = WEB_TYPES.has(type) ? flags.get(key.toString('latin1', 8, nameEnd)) : undefined;
    if (proxied !== undefined && value !== null) setProxied(value, proxied);
  }
}

/**
 * Throws StateError if a file changes a steered record set, which only its steering does. An
 * exported file has the plain choice, so it can be imported again.
 */
function requireSameSteered({ environment }: Services, draft: Draft, domain: Domain, rows: Buffer): void {
  const steered = draft.steeringsOf(domain.id);
  if (steered.length === 0) return;
  const sets = new Map(
    steered.map(({ name, type }) => [
      latin1(recordsOfType(domain.id, name, type)),
      { name, type, file: [] as string[] },
    ]),
  );
  for (const { table, key, value } of readChanges(rows))
    if (table === records.number && value !== null)
      sets.get(latin1(key.subarray(0, key.length - 8)))?.file.push(latin1(value.subarray(RECORD_RDATA)));
  for (const [prefix, { name, type, file }] of sets) {
    const start = Buffer.from(prefix, 'latin1');
    const stored: string[] = [];
    for (const { value } of environment.records.getRange({ start, end: afterPrefix(start) }))
      stored.push(latin1(value.subarray(RECORD_RDATA)));
    if (stored.sort().join() !== file.sort().join()) throw steeredSet(name, type);
  }
}

/** Whether the service has a domain above or below, which changes the answers of some names. */
function hasRelatedDomain(draft: Draft, { apex }: Domain): boolean {
  for (let above = parentName(apex); above.length > 1; above = parentName(above))
    if (draft.domainByApex(above) !== undefined) return true;
  return draft.domainsBelow(apex, 1).length > 0;
}

export interface GenerateRoom {
  readonly maxGenerated: number;
  /** The error for this number of records. Null: the plan has no limit. */
  readonly refusal: ((count: number) => StateError) | null;
}

/**
 * How many records the `$GENERATE` of a file may make, so that no memory is used for more.
 * `domainId`: the domain whose records the file replaces; null: a new one.
 */
export function generateRoom({ reader, config }: Services, accountId: Id, domainId: Id | null): GenerateRoom {
  const quota = planQuota(config, reader.account(accountId)?.plan ?? 'free');
  const replaced = domainId === null ? 0 : reader.zoneState(domainId).recordCount;
  const others = reader.usage(accountId).records - replaced;
  const ofZone = quota.zoneRecords === 0 ? Number.POSITIVE_INFINITY : quota.zoneRecords;
  const ofAccount = quota.records === 0 ? Number.POSITIVE_INFINITY : Math.max(0, quota.records - others);
  const maxGenerated = Math.min(ofZone, ofAccount);
  if (maxGenerated === Number.POSITIVE_INFINITY) return { maxGenerated, refusal: null };
  return {
    maxGenerated,
    refusal: (count) =>
      ofZone <= ofAccount
        ? planLimitError(quota, 'zoneRecords', count)
        : planLimitError(quota, 'records', others + count),
  };
}

interface PreviewOptions extends ImportOptions {
  /** Maximum number of listed records of each kind. */
  readonly limit: number;
}

/**
 * Previews an import: compares a zone file with the zone, and changes nothing. Bad lines are a part
 * of the preview. Throws HttpError 404 and 412.
 */
export async function previewImport(
  services: Services,
  pool: PreparePool,
  context: Context<Caller>,
  bytes: Uint8Array,
  { keepApex, strict, skipsFaults, limit }: PreviewOptions,
) {
  const { environment, journal } = services;
  const draft = new Draft(environment, journal.head, new IdTaker(journal.ids));
  const domain = editableDomain(draft, context.caller, parseId(context.params.domain_id));
  requireMatch(services, draft, domain, context.header('if-match'));
  const stored = await encodeStored(services, domain);
  const { apex } = domain;
  const { maxGenerated } = generateRoom(services, domain.accountId, domain.id);
  const file = { bytes, apex, keepApex, strict, skipsFaults, maxGenerated };
  const compared = await pool.compare({ ...file, stored, limit });
  const { count, created, changed, deleted, unchanged, errors, warnings } = compared;
  const listed = errors.slice(0, MAX_ERRORS).map(({ line, message }) => ({ line, message }));
  return {
    domain: describeDomain(services, domain),
    records: count,
    ...viewWarnings(warnings),
    preview: {
      created: { count: created.count, records: created.records },
      changed: { count: changed.count, records: changed.records },
      deleted: { count: deleted.count, records: deleted.records },
      unchanged,
      errors: listed,
      ...(errors.length > MAX_ERRORS && { errors_omitted: errors.length - MAX_ERRORS }),
    },
  };
}
