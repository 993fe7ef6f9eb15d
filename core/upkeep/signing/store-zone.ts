/** Reads and writes the state of a signed zone, and the DS records of a parent of ours. */

import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { equalNames, isWithin, joinNames, MAX_NAME, type Name, parentName, parseName } from '../../dns/wire/name.ts';
import { type RRset, TYPE } from '../../dns/wire/types.ts';
import type { Draft } from '../../journal/draft/draft.ts';
import { inPieces } from '../../journal/signing/progress.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, type Id, recordsOfZone } from '../../store/keys.ts';
import type { Reader } from '../../store/reader.ts';
import {
  type DnssecRow,
  type Domain,
  dnssec,
  dnssecStates,
  newRecord,
  records,
  signingKeys,
} from '../../store/rows.ts';
import { requestSets } from '../../zone/compile/apex.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { findType } from '../../zone/compile/view.ts';
import { findParentProblem } from './advice.ts';
import { findOwnParent, lookAtOwnParent, updateOwnParent } from './own-parent.ts';
import { isFailed, type LookResult } from './parent.ts';
import { dueAt, noteLook, noteTrouble, type SignedZone } from './zone-lifecycle.ts';

/** Records that are read per turn of the event loop: a few milliseconds. */
const RECORDS_READ = 5000;

/** Only the service creates records of these types. */
const SIGNAL_TYPES: ReadonlySet<number> = new Set([TYPE.CDS, TYPE.CDNSKEY]);

const DSBOOT = label('_dsboot');

const SIGNAL = label('_signal');

/** The zone after the result of a look, in a commit at `now`. `look` null: no change. */
export function noteResult(zone: SignedZone, apex: Name, look: LookResult | null, now: number): SignedZone {
  if (look === null) return zone;
  // The time of the commit, since the safety of a step depends on it.
  return isFailed(look) ? noteTrouble(zone, look.trouble, now) : noteLook(zone, apex, { ...look, checkedAt: now });
}

/** Null: the zone is not signed. */
export function readSignedZone(reader: Reader, { id }: Domain): SignedZone | null {
  const row = reader.dnssec(id);
  const stored = reader.dnssecState(id);
  if (row === undefined || stored === undefined) return null;
  const { dueAt: _dueAt, hasProblem: _hasProblem, ...state } = stored;
  return { row, state };
}

/**
 * Stores the state of a zone. `zone` null: it is no longer signed; `isBusy` must be false.
 * `nameservers`: of the settings. `now`: seconds since 1970.
 */
export function storeSignedZone(
  draft: Draft,
  domain: Domain,
  zone: SignedZone | null,
  nameservers: readonly string[],
  now: number,
): void {
  const before = readSignedZone(draft, domain);
  const row = nextRow(draft.dnssec(domain.id) ?? null, zone?.row ?? null);
  if (row !== null) draft.put(dnssec, row);
  if (zone === null) {
    const state = draft.dnssecState(domain.id);
    if (state !== undefined) draft.delete(dnssecStates, state);
  } else {
    const hasProblem = findParentProblem(zone, domain.apex) !== null;
    draft.put(dnssecStates, { ...zone.state, dueAt: dueAt(zone), hasProblem });
  }
  updateOwnParent(draft, domain, zone, before, now);
  updateSignals(draft, domain, zone, nameservers, now);
}

/**
 * The row to store; null: unchanged. A change of the signing keys is applied in pieces. It must not
 * start before an earlier one has ended: see `isBusy`.
 */
function nextRow(before: DnssecRow | null, after: DnssecRow | null): DnssecRow | null {
  if (JSON.stringify(before) === JSON.stringify(after)) return null;
  if (before?.progress !== undefined && after !== null && !hasSameSigners(before, after))
    throw new Error('The keys of a zone cannot change while it is being signed.');
  return before?.progress === undefined ? inPieces(before, after) : after;
}

const hasSameSigners = (a: DnssecRow, b: DnssecRow): boolean => {
  const [before, after] = [a, b].map((row) => signingKeys(row).map(({ id }) => id));
  return before.join() === after.join();
};

/** Whether a zone is being signed or unsigned in pieces, so its signing keys must not change. */
export function isBusy(reader: Reader, { id }: Domain): boolean {
  return reader.dnssec(id)?.progress !== undefined;
}

/** Deletes the signing state of a domain that is deleted. */
export function deleteSignedZone(draft: Draft, domain: Domain, nameservers: readonly string[], now: number): void {
  const before = readSignedZone(draft, domain);
  const row = draft.dnssec(domain.id);
  const state = draft.dnssecState(domain.id);
  if (row !== undefined) draft.delete(dnssec, row);
  if (state !== undefined) draft.delete(dnssecStates, state);
  updateOwnParent(draft, domain, null, before, now);
  updateSignals(draft, domain, null, nameservers, now);
}

/** Queries the public nameservers of the parent. */
export interface PublicLook {
  look(domain: Pick<Domain, 'apex' | 'accountId'>): Promise<LookResult>;
}

/** The DS records at the parent, from the store if the parent is ours. Never rejects. */
export async function lookAtParent(
  reader: Reader,
  publicParent: PublicLook,
  domain: Domain,
  now: number,
): Promise<LookResult> {
  const parent = findOwnParent(reader, domain);
  return parent === null ? publicParent.look(domain) : lookAtOwnParent(reader, parent, domain.apex, now);
}

function label(text: string): Uint8Array {
  return Uint8Array.from([text.length, ...Buffer.from(text)]);
}

/**
 * Signals that authenticate the CDS and CDNSKEY records of a zone without a DS (RFC 9615): copies
 * of them at `_dsboot.<zone>._signal.<nameserver>`, in our signed zones that contain the names of
 * the nameservers. They are normal records of these zones, so they are transferred and signed. They
 * exist only while the zone awaits its DS, which keeps them few. Only zones of administrators get
 * signals: a customer's zone with the name of a nameserver does not belong to the service.
 *
 * Null: the nameserver is inside the zone, which RFC 9615 excludes, or the name is too long.
 */
export function signalName(apex: Name, nameserver: Name): Name | null {
  if (isWithin(nameserver, apex)) return null;
  if (DSBOOT.length + apex.length - 1 + SIGNAL.length + nameserver.length > MAX_NAME) return null;
  return joinNames(Buffer.concat([DSBOOT, apex.subarray(0, -1), SIGNAL]), nameserver);
}

/**
 * Writes or deletes the signals of a zone, in the commit of the draft. `zone` null: it is not
 * signed. `nameservers`: of the settings. `now`: seconds since 1970.
 */
function updateSignals(
  draft: Draft,
  domain: Domain,
  zone: SignedZone | null,
  nameservers: readonly string[],
  now: number,
): void {
  const { apex, id } = domain;
  const isWanted = zone?.state.phase === 'awaiting_ds' && findOwnParent(draft, domain) === null;
  const sets = isWanted ? requestSets(apex, zone.row) : [];
  for (const nameserver of nameservers) {
    const name = signalName(apex, parseName(nameserver));
    if (name === null) continue;
    const holders = findHolders(draft, name).filter((holder) => holder.id !== id);
    // A zone of ours hides the records of the zones above. Records of secondary zones are not
    // changed here, since they are those of their primaries.
    for (const [i, holder] of holders.entries())
      if (holder.kind === 'primary')
        replaceSets(draft, holder.id, name, i === 0 && maySignal(draft, holder, name) ? sets : [], now);
  }
}

/** Our zones that contain a name, innermost first. */
function findHolders(reader: Reader, name: Name): Domain[] {
  const holders: Domain[] = [];
  for (let apex = parentName(name); apex.length > 1; apex = parentName(apex)) {
    const domain = reader.domainByApex(apex);
    if (domain !== undefined) holders.push(domain);
  }
  return holders;
}

/** Whether the zone belongs to an administrator, is signed, and serves records at the name. */
function maySignal(reader: Reader, { id, apex, accountId }: Domain, name: Name): boolean {
  if (reader.account(accountId)?.role !== 'admin' || reader.dnssec(id) === undefined) return false;
  const hides = (type: number): boolean => type === TYPE.CNAME || type === TYPE.NS || type === TYPE.DNAME;
  for (let above = name; !equalNames(above, apex); above = parentName(above))
    if (reader.recordsAt(id, above).some(({ type }) => hides(type))) return false;
  return true;
}

function replaceSets(draft: Draft, domainId: Id, name: Name, sets: readonly RRset[], now: number): void {
  const rows = draft.recordsAt(domainId, name).filter(({ type }) => SIGNAL_TYPES.has(type));
  for (const row of rows) {
    const isWanted = findType(sets, row.type)?.rdatas.some((rdata) => equalNames(rdata, row.rdata)) === true;
    if (!isWanted) draft.delete(records, row);
  }
  for (const { type, ttl, rdatas } of sets)
    for (const rdata of rdatas)
      if (!rows.some((row) => row.type === type && equalNames(row.rdata, rdata)))
        draft.put(records, newRecord(draft.newId(records), domainId, { name, type, ttl, rdata }, now));
}

/** The longest TTL of the records of a zone, in seconds. A stored record starts with its TTL. */
export async function findLargestTtl(
  { records: table }: Environment,
  { nsTtl, soaTtl }: Pick<ZoneSettings, 'nsTtl' | 'soaTtl'>,
  { id, kept }: Domain,
): Promise<number> {
  let largest = Math.max(nsTtl, kept?.ttl ?? soaTtl);
  let start: Buffer | undefined = recordsOfZone(id);
  const end = afterPrefix(start);
  while (start !== undefined) {
    let next: Buffer | undefined;
    let count = 0;
    for (const { key, value } of table.getRange({ start, end, limit: RECORDS_READ })) {
      largest = Math.max(largest, value.readUInt32BE(0));
      if (++count === RECORDS_READ) next = Buffer.concat([key as Buffer, Uint8Array.of(0)]);
    }
    start = next;
    if (next !== undefined) await yieldToOthers();
  }
  return largest;
}
