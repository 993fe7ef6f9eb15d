/**
 * Applies changes of RRsets to a draft, through the batches of the record API: all of them or none.
 * Later changes of one RRset build on earlier ones. Between RRsets the order does not matter.
 */

import { latin1 } from '../../../core/dns/wire/latin1.ts';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatName, type Name, nameId } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import { recordsOfType } from '../../../core/store/keys.ts';
import {
  type Comment,
  comments,
  type DisabledRecords,
  type Domain,
  disabledRecords,
  type RecordRow,
  records,
} from '../../../core/store/rows.ts';
import { soaRRset } from '../../../core/zone/compile/apex.ts';
import { BatchErrors } from '../../change/batch-errors.ts';
import type { Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { apexNs, isApexRRset, setApexNs, withSoa } from '../nameservers/apex.ts';
import { applyBatch, type Batch, declareZoneRead, MAX_SINGLE_READS } from '../records/batch.ts';
import { checkTtl, DEFAULT_TTL } from '../records/content.ts';
import { MAX_BATCH } from '../records/schema.ts';
import { unprocessable } from './errors.ts';
import { datedComments, describeRRset, type NewComment, type RRsetChange } from './rrset-body.ts';

/** An RRset before and after the changes. */
interface RRsetState {
  readonly name: Name;
  readonly type: number;
  /** Stored rows. */
  readonly rows: readonly RecordRow[];
  /** The TTL before; null: there are no records. */
  readonly oldTtl: number | null;
  ttl: number | null;
  /** By rdata in Latin-1. */
  wanted: Map<string, Uint8Array>;
  /** Disabled records before, and as wanted. */
  readonly disabledBefore: DisabledRecords | undefined;
  disabled: Map<string, Uint8Array>;
  /** Whether the records were changed at all. */
  isChanged: boolean;
  /** Null: unchanged. */
  comments: readonly NewComment[] | null;
}

interface Patched {
  /** The domain, which is another object if it must be stored. */
  readonly domain: Domain;
  /** For the audit log. */
  readonly detail: { readonly deleted: number; readonly updated: number; readonly created: number };
  readonly unchanged: boolean;
}

/** Throws WaypostError of the rules of records. */
export async function patchRRsets(
  services: Services,
  draft: Draft,
  domain: Domain,
  changes: readonly RRsetChange[],
  caller: Caller,
): Promise<Patched> {
  const size = changes.reduce(
    (sum, change) => sum + Math.max(1, (change.records?.length ?? 1) + (change.disabled?.length ?? 0)),
    0,
  );
  if (size > MAX_BATCH) throw unprocessable(`The request has ${size} records; the maximum is ${MAX_BATCH}. Split it.`);
  if (size > MAX_SINGLE_READS) declareZoneRead(draft, domain);
  const states = new Map<string, RRsetState>();
  for (const change of changes) {
    const id = `${change.type} ${nameId(change.name)}`;
    let state = states.get(id);
    if (state === undefined) {
      state = readState(services, draft, domain, change);
      states.set(id, state);
    }
    applyChange(state, change);
  }
  const all = [...states.values()];
  const batch = batchOf(all.filter((state) => state.isChanged && !isApexRRset(domain, state)));
  const { delete: deleted = [], put = [], post = [] } = batch;
  if (deleted.length + put.length + post.length > 0) {
    const errors = new BatchErrors(1);
    const firstId = post.length > 0 ? draft.newId(records, post.length) : 0;
    await applyBatch(draft, domain, batch, firstId, errors, caller);
    errors.throwPlain();
  }
  const counts = { deleted: deleted.length, updated: put.length, created: post.length };
  const after = patchApex(services, draft, domain, all, counts);
  const disabled = all.filter((state) => state.isChanged && writeDisabled(draft, domain, state)).length;
  const commented = all.filter((state) => writeComments(draft, domain, state)).length;
  const isApexChanged = after !== domain;
  const changed = counts.deleted + counts.updated + counts.created + commented + disabled;
  return {
    domain: after,
    detail: {
      ...counts,
      ...(commented > 0 && { comments: commented }),
      ...(disabled > 0 && { disabled }),
      ...(isApexChanged && { apex: true }),
    },
    unchanged: changed === 0 && !isApexChanged,
  };
}

function readState({ reader, zoneSettings }: Services, draft: Draft, domain: Domain, change: RRsetChange): RRsetState {
  const { name, type } = change;
  const rows = draft.recordsOfType(domain.id, name, type);
  const disabledBefore = draft.row(disabledRecords, recordsOfType(domain.id, name, type));
  let ttl = rows.length > 0 ? rows[0].ttl : (disabledBefore?.ttl ?? null);
  let rdatas: readonly Uint8Array[] = rows.map(({ rdata }) => rdata);
  if (isApexRRset(domain, change)) {
    const set =
      type === TYPE.NS
        ? apexNs(domain, zoneSettings, rows)
        : soaRRset(domain, zoneSettings, reader.zoneState(domain.id).serial);
    ttl = set.ttl;
    rdatas = set.rdatas;
  }
  const disabled = mapOf(disabledBefore?.rdatas ?? []);
  const wanted = mapOf(rdatas);
  return { name, type, rows, oldTtl: ttl, ttl, wanted, disabledBefore, disabled, isChanged: false, comments: null };
}

const mapOf = (rdatas: readonly Uint8Array[]): Map<string, Uint8Array> =>
  new Map(rdatas.map((rdata) => [latin1(rdata), rdata]));

function applyChange(state: RRsetState, change: RRsetChange): void {
  const { changeType, ttl, records: given, disabled = [], comments: newComments } = change;
  if (newComments !== null) state.comments = newComments;
  if (given === null) return;
  state.isChanged = true;
  if (ttl !== null) state.ttl = ttl;
  if (changeType === 'REPLACE' || changeType === 'DELETE') {
    state.wanted = mapOf(given);
    if (change.disabled !== undefined || changeType === 'DELETE') state.disabled = mapOf(disabled);
  } else
    for (const [rdatas, set] of [
      [given, state.wanted],
      [disabled, state.disabled],
    ] as const)
      for (const rdata of rdatas) {
        const key = latin1(rdata);
        const isPresent = state.wanted.has(key) || state.disabled.has(key);
        if (changeType === 'EXTEND' && !isPresent) set.set(key, rdata);
        if (changeType === 'PRUNE') for (const each of [state.wanted, state.disabled]) each.delete(key);
      }
  const size = state.wanted.size + state.disabled.size;
  if (size > 0 && state.ttl === null) throw unprocessable("Key 'ttl' not an Integer or not present");
  if (size > 1 && state.type === TYPE.CNAME)
    throw unprocessable(`${describeRRset(state.name, state.type)} has more than one record`);
}

/**
 * Builds the batch that produces the wanted records. A replaced record is updated, so that it keeps
 * its id and the fields that PowerDNS does not have, such as `proxied`.
 */
function batchOf(states: readonly RRsetState[]): Batch {
  const deletions: number[] = [];
  const put: NonNullable<Batch['put']>[number][] = [];
  const post: NonNullable<Batch['post']>[number][] = [];
  for (const { name, type, rows, oldTtl, ttl, wanted } of states) {
    const bodyOf = (rdata: Uint8Array) => ({
      name: formatName(name),
      type: typeName(type),
      content: formatRdata(type, rdata),
      ttl: ttl ?? undefined,
    });
    const present = new Set(rows.map(({ rdata }) => latin1(rdata)));
    const missing = [...wanted].filter(([key]) => !present.has(key)).map(([, rdata]) => rdata);
    const leaving = rows.filter(({ rdata }) => !wanted.has(latin1(rdata)));
    for (const row of leaving) {
      const rdata = missing.shift();
      if (rdata === undefined) deletions.push(row.id);
      else put.push({ id: row.id, ...bodyOf(rdata) });
    }
    for (const rdata of missing) post.push(bodyOf(rdata));
    if (ttl === oldTtl || wanted.size === 0) continue;
    // One record sets the TTL of its RRset.
    const first = rows.find(({ rdata }) => wanted.has(latin1(rdata)));
    if (first !== undefined) put.push({ id: first.id, ...bodyOf(first.rdata) });
  }
  return { delete: deletions, put, post };
}

/** Writes SOA and NS of the apex, and the domain if these change it. Adds to `counts`. */
function patchApex(
  { reader, zoneSettings }: Services,
  draft: Draft,
  before: Domain,
  states: readonly RRsetState[],
  counts: { deleted: number; created: number },
): Domain {
  let domain = before;
  for (const state of states) {
    if (!state.isChanged || !isApexRRset(domain, state)) continue;
    const { type, ttl, oldTtl, rows } = state;
    const rdatas = [...state.wanted.values()];
    if (type === TYPE.SOA) {
      const { serial } = reader.zoneState(domain.id);
      domain = withSoa(domain, zoneSettings, requireSoa(rdatas), ttl ?? oldTtl ?? 0, serial);
      continue;
    }
    domain = setApexNs(draft, domain, zoneSettings, rdatas, ttl ?? zoneSettings.nsTtl);
    const now = new Set(draft.recordsOfType(domain.id, domain.apex, TYPE.NS).map(({ id }) => id));
    const kept = rows.filter(({ id }) => now.has(id)).length;
    counts.deleted += rows.length - kept;
    counts.created += now.size - kept;
  }
  return domain;
}

/**
 * Whether comments have changed. Comments of an RRset without records are deleted when the changes
 * are applied.
 */
function writeComments(draft: Draft, domain: Domain, state: RRsetState): boolean {
  if (state.comments === null) return false;
  const { name, type } = state;
  const before = draft.comments(domain.id, name, type);
  const isEmpty = state.wanted.size + state.disabled.size === 0 && !isApexRRset(domain, state);
  if (isEmpty && state.comments.length > 0)
    throw unprocessable(`${describeRRset(name, type)} has no records, so it cannot have comments`);
  const after = datedComments(state.comments, before);
  if (JSON.stringify(after.map(sorted)) === JSON.stringify(before.map(sorted))) return false;
  const row = { domainId: domain.id, name, type, comments: after };
  if (after.length > 0) draft.put(comments, row);
  else draft.delete(comments, row);
  return true;
}

/** Whether the disabled records changed. */
function writeDisabled(
  draft: Draft,
  domain: Domain,
  { name, type, ttl, disabled, disabledBefore }: RRsetState,
): boolean {
  const before = mapOf(disabledBefore?.rdatas ?? []);
  const isSame = before.size === disabled.size && [...disabled.keys()].every((key) => before.has(key));
  if (isSame && (disabled.size === 0 || disabledBefore?.ttl === ttl)) return false;
  const row = { domainId: domain.id, name, type, ttl: checkTtl(ttl ?? DEFAULT_TTL), rdatas: [...disabled.values()] };
  if (disabled.size > 0) draft.put(disabledRecords, row);
  else draft.delete(disabledRecords, row);
  return true;
}

const sorted = ({ content, account, modifiedAt }: Comment) => [content, account, modifiedAt];

/** Checks that the SOA has exactly one record and is not deleted. */
function requireSoa(rdatas: readonly Uint8Array[] | null): Uint8Array {
  if (rdatas?.length === 1) return rdatas[0];
  throw unprocessable('The SOA record of a zone can be replaced by another one, and not deleted or extended.');
}
