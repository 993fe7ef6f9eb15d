/** Reads and writes the state of a signed zone, and the DS records of a parent of ours. */

import type { Name } from '../../dns/wire/name.ts';
import type { Draft } from '../../journal/draft/draft.ts';
import { inPieces } from '../../journal/signing/progress.ts';
import type { Reader } from '../../store/reader.ts';
import { type DnssecRow, type Domain, dnssec, dnssecStates } from '../../store/rows.ts';
import { findParentProblem } from './advice.ts';
import { updateSignals } from './bootstrap-signals.ts';
import { findOwnParent, lookAtOwnParent, updateOwnParent } from './own-parent.ts';
import { isFailed, type LookResult } from './parent-look.ts';
import { dueAt, noteLook, noteTrouble, type SignedZone, signingKey } from './zone-lifecycle.ts';

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

const hasSameSigners = (a: DnssecRow, b: DnssecRow): boolean => signingKey(a).id === signingKey(b).id;

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
