/**
 * The state machine of a signed zone, as pure functions: the signing keys, the DS records that are
 * requested from the parent, and the time from which the next step is safe.
 *
 *   signing ─► awaiting_ds ◄─► secure ─► rolling_publish ─► rolling_ds ─► rolling_resign ─► retire
 *                                ▲                              │                             │
 *                                └──────────────────────────────┴─────────────────────────────┘
 *   every phase ─► removing_ds ─► not signed
 *
 * The algorithm is replaced by the conservative approach of RFC 6781 section 4.1.4: signatures of
 * each algorithm in the DNSKEY RRset are on all records that any cache may have (RFC 4035 section
 * 2.2).
 *
 *   secure ─► rolling_sign ─► rolling_publish ─► rolling_ds ─► rolling_withdraw ─► rolling_resign
 *     ▲                                                                                 │
 *     └─────────────────────────────────────────────────────────────────────────────────┘
 *
 * A key or DS is removed only when no cache needs it. A key stays while a DS, a DNSKEY RRset or a
 * signature that was served with it may be cached (RFC 7583 section 3).
 */
import { algorithmOf, keyTag } from '../../dns/dnssec/dnskey.ts';
import type { Name } from '../../dns/wire/name.ts';
import type { DnssecKey, DnssecRow, DnssecState, KeyUse, NotedFault, ParentLook } from '../../store/rows.ts';
import { DNSKEY_TTL } from '../../zone/compile/apex.ts';
import { dsMatches } from './parent.ts';

export interface SignedZone {
  readonly row: DnssecRow;
  readonly state: DnssecState;
}

const HOUR = 3600;
const DAY = 86_400;
/** Seconds added to a TTL, for delayed secondaries and clock differences. */
const MARGIN = HOUR;
/** The same for an emergency rollover. */
const EMERGENCY_MARGIN = 600;
/** Seconds after which unresponsive servers of the parent are assumed to be in sync. */
const SILENT_MARGIN = DAY;
/** Maximum of a TTL: resolvers cache no record for longer (RFC 8767 section 4). */
const MAX_COUNTED_TTL = 7 * DAY;
/** Assumed TTL of a DS that was never seen at the parent. */
const DEFAULT_DS_TTL = DAY;
/** Seconds between queries of the parent while a change is expected there. */
const AWAITING_INTERVAL = HOUR;
/** The same otherwise, and after a week of waiting. */
const SETTLED_INTERVAL = DAY;
const PATIENCE = 7 * DAY;
/** Maximum of former keys whose DS is recognized. */
const MAX_RETIRED = 8;

/** The first state of a signed zone. `largestTtl`: of its records, in seconds. */
export function beginSigning(row: Omit<DnssecRow, 'parent'>, largestTtl: number, now: number): SignedZone {
  return {
    // No CDS yet: registries would publish the DS while caches have unsigned records.
    row: { ...row, parent: 'none' },
    state: {
      domainId: row.domainId,
      phase: 'signing',
      since: now,
      servedSince: null,
      isEmergency: false,
      largestTtl: countedTtl(largestTtl),
      hasRequestedDs: false,
      dsTtl: 0,
      settledSince: null,
      parent: null,
      trouble: null,
      lookedAt: null,
      lookAt: now,
      retired: [],
    },
  };
}

const countedTtl = (ttl: number): number => Math.min(Math.max(ttl, DNSKEY_TTL), MAX_COUNTED_TTL);

export const isRolling = ({ state: { phase } }: SignedZone): boolean =>
  phase === 'retire' || phase.startsWith('rolling_');

/** The rollover was cancelled, but the new key cannot be removed yet. */
export function isBackingOut({ row, state: { phase } }: SignedZone): boolean {
  if (phase === 'rolling_ds') return signingKey(row).isTrusted;
  return (phase === 'rolling_withdraw' || phase === 'rolling_resign') && row.keys[0].use === 'sign';
}

/** Whether a rollover can be cancelled: no cache depends on the new key alone. */
export const mayCancel = ({ state: { phase } }: SignedZone): boolean =>
  phase === 'rolling_sign' || phase === 'rolling_publish' || phase === 'rolling_ds';

/** The key that the zone depends on. Next to it, a key of another algorithm may sign as well. */
export function signingKey({ keys }: DnssecRow): DnssecKey {
  return keys.find(({ use }) => use === 'sign')!;
}

export const algorithmOfKey = ({ dnskey }: { readonly dnskey: string }): number =>
  algorithmOf(Buffer.from(dnskey, 'base64'));

/** Whether the algorithm of the zone is being replaced. */
export const changesAlgorithm = ({ keys, algorithm }: DnssecRow): boolean =>
  keys.some((key) => algorithmOfKey(key) !== algorithm);

/** The newest key is the last one. */
const newestKey = ({ keys }: DnssecRow): DnssecKey => keys[keys.length - 1];

/**
 * Starts a rollover in a zone without one. `key`: the new key, which has the algorithm of the zone
 * in an emergency: a DS must not be requested before the zone is signed with its algorithm.
 */
export function beginRollover(
  { row, state }: SignedZone,
  key: Omit<DnssecKey, 'use' | 'isTrusted'>,
  { isEmergency, largestTtl }: { readonly isEmergency: boolean; readonly largestTtl: number },
  now: number,
): SignedZone {
  const isNewAlgorithm = algorithmOfKey(key) !== row.algorithm;
  // In an emergency the DS is requested immediately, otherwise after the key is in caches.
  const added: DnssecKey = isNewAlgorithm
    ? { ...key, use: 'sign_unpublished', isTrusted: false }
    : { ...key, use: 'publish', isTrusted: isEmergency };
  const entered = enter(state, isNewAlgorithm ? 'rolling_sign' : 'rolling_publish', now);
  return {
    row: { ...row, keys: [...row.keys, added] },
    state: { ...entered, isEmergency, largestTtl: countedTtl(largestTtl) },
  };
}

/**
 * Cancels a rollover. The new key is removed immediately if the parent certainly has no DS of it.
 * Otherwise the old DS is requested from the parent first.
 */
export function cancelRollover(zone: SignedZone, apex: Name, now: number): SignedZone {
  const { row, state } = zone;
  const added = newestKey(row);
  const { parent } = state;
  if (state.phase === 'rolling_sign') return withdraw(zone, [added], now);
  const isUnseen =
    state.phase === 'rolling_publish' &&
    !added.isTrusted &&
    parent !== null &&
    parent.checkedAt >= now &&
    parent.answered === parent.servers &&
    !parent.sets.some((set) => hasDs(set, apex, added));
  if (isUnseen) return changesAlgorithm(row) ? withdraw(zone, [added], now) : removeKeys(zone, [added], now);
  return { row: withRoles(row, signingKey(row)), state: enter(state, 'rolling_ds', now) };
}

/** Starts the removal of the DS; null: no DS was requested, so signing can stop immediately. */
export function beginRemoval({ row, state }: SignedZone, now: number): SignedZone | null {
  const { parent } = state;
  // After a request, the owner may have ordered a DS that the parent does not have yet.
  const isUnseen =
    !state.hasRequestedDs &&
    state.dsTtl === 0 &&
    parent !== null &&
    parent.checkedAt >= now &&
    parent.answered === parent.servers;
  return isUnseen ? null : beginUnsigning({ row, state }, now);
}

/** Starts the removal of the DS in any case. */
export function beginUnsigning({ row, state }: SignedZone, now: number): SignedZone {
  return { row: { ...row, parent: 'delete' }, state: enter(state, 'removing_ds', now) };
}

/** Cancels the removal of the DS: the zone stays signed. */
export function cancelRemoval({ row, state }: SignedZone, largestTtl: number, now: number): SignedZone {
  const phase = phaseToContinue(row) ?? (state.hasRequestedDs ? 'awaiting_ds' : 'signing');
  const kept = { ...withRoles(row, signingKey(row)), parent: phase === 'signing' ? 'none' : 'publish' } as const;
  return { row: kept, state: { ...enter(state, phase, now), largestTtl: countedTtl(largestTtl) } };
}

/** The phase that removes any second key, as after a cancelled rollover; null: there is none. */
function phaseToContinue({ keys }: DnssecRow): DnssecState['phase'] | null {
  if (keys.some(({ use }) => use === 'sign_unpublished')) return 'rolling_withdraw';
  if (keys.some(({ use }) => use === 'none')) return 'rolling_resign';
  return keys.length > 1 ? 'rolling_ds' : null;
}

/** Stores that a node could not sign the zone. */
export function noteFault({ row, state }: SignedZone, fault: NotedFault): SignedZone {
  return { row, state: { ...state, fault } };
}

/** Removes a fault after a day without another occurrence. */
function forgetFault(state: DnssecState, now: number): DnssecState {
  const { fault, ...others } = state;
  return fault !== undefined && now >= fault.at + DAY ? others : state;
}

/** Stores that every node serves the signatures of the phase. */
export function noteServed({ row, state }: SignedZone, now: number): SignedZone {
  return { row, state: { ...state, servedSince: state.servedSince ?? now } };
}

/** Stores why a query of the parent failed. */
export function noteTrouble({ row, state }: SignedZone, trouble: string, now: number): SignedZone {
  const scheduled = scheduleLook({ ...forgetFault(state, now), trouble, lookedAt: now }, now);
  return { row, state: { ...scheduled, lookAt: Math.min(scheduled.lookAt, now + AWAITING_INTERVAL) } };
}

/** Stores the DS set of the parent. `look`: at least one server responded. */
export function noteLook({ row, state }: SignedZone, apex: Name, look: ParentLook): SignedZone {
  const now = look.checkedAt;
  const seen = look.sets.some((set) => set.length > 0) ? Math.min(Math.max(look.ttl, 1), MAX_COUNTED_TTL) : 0;
  const noted: DnssecState = {
    ...forgetFault(state, now),
    parent: look,
    trouble: null,
    lookedAt: now,
    dsTtl: Math.max(state.dsTtl, seen),
  };
  const settledSince = isSettled({ row, state: noted }, apex, look) ? (state.settledSince ?? now) : null;
  return { row, state: scheduleLook({ ...noted, settledSince }, now) };
}

/** Whether the parent has the DS set that the phase waits for. */
function isSettled({ row, state }: SignedZone, apex: Name, { sets }: ParentLook): boolean {
  if (state.phase === 'removing_ds') return sets.every((set) => set.length === 0);
  const trusted = row.keys.filter(({ isTrusted }) => isTrusted);
  // Validators may require signatures of each algorithm in the DS set, so any other DS of the
  // algorithm that is to be removed must be gone.
  const removed = changesAlgorithm(row) ? row.keys.filter(({ isTrusted }) => !isTrusted).map(algorithmOfKey) : [];
  return sets.every(
    (set) =>
      trusted.every((key) => hasDs(set, apex, key)) &&
      !set.some((ds) => removed.includes(Buffer.from(ds, 'hex')[DS_ALGORITHM_AT])),
  );
}

/** The offset of the algorithm in the rdata of a DS (RFC 4034 section 5.1). */
const DS_ALGORITHM_AT = 2;

export function hasDs(set: readonly string[], apex: Name, { dnskey }: { readonly dnskey: string }): boolean {
  const rdata = Buffer.from(dnskey, 'base64');
  return set.some((ds) => dsMatches(Buffer.from(ds, 'hex'), apex, rdata));
}

/** Takes all due steps; null: the zone is no longer signed. */
export function advance(zone: SignedZone, apex: Name, now: number): SignedZone | null {
  for (let current = withoutFuture(zone, now); ; ) {
    const next = step(current, apex, now);
    if (next === null || next === current) return next;
    current = next;
  }
}

/** Whether the due time is so late that it was set with a clock that was ahead. */
export const isDueTooLate = (time: number, now: number): boolean => time > now + SETTLED_INTERVAL + MARGIN;

/**
 * Replaces times in the future by `now`, since steps would wait for them. Such times were stored
 * while the clock was ahead. Waiting times restart, which is safe.
 */
function withoutFuture(zone: SignedZone, now: number): SignedZone {
  const { state } = zone;
  const latest = now + MARGIN;
  const past = <T extends number | null>(time: T): T | number => (time !== null && time > latest ? now : time);
  const { parent, fault } = state;
  const mended: DnssecState = {
    ...state,
    since: past(state.since),
    servedSince: past(state.servedSince),
    settledSince: past(state.settledSince),
    lookedAt: past(state.lookedAt),
    lookAt: isDueTooLate(state.lookAt, now) ? now : state.lookAt,
    parent: parent && { ...parent, checkedAt: past(parent.checkedAt) },
    ...(fault === undefined ? {} : { fault: { ...fault, at: past(fault.at) } }),
  };
  return JSON.stringify(mended) === JSON.stringify(state) ? zone : { ...zone, state: mended };
}

function step(zone: SignedZone, apex: Name, now: number): SignedZone | null {
  const { row, state } = zone;
  const timed = timedStepAt(zone);
  const isDue = timed !== null && now >= timed;
  // The signing keys stay until all names are signed with them.
  const isBusy = row.progress !== undefined;
  switch (state.phase) {
    case 'signing':
      return isDue || (state.servedSince !== null && isTrustedAnywhere(zone, apex))
        ? to(zone, 'awaiting_ds', now)
        : zone;
    case 'awaiting_ds':
      return state.settledSince !== null ? to(zone, 'secure', now) : zone;
    case 'secure':
      return state.parent !== null && state.servedSince !== null && !isTrustedAnywhere(zone, apex)
        ? to(zone, 'awaiting_ds', now)
        : zone;
    case 'rolling_sign':
      return isDue
        ? { row: replaceUse(row, 'sign_unpublished', 'sign'), state: enter(state, 'rolling_publish', now) }
        : zone;
    case 'rolling_publish':
      return isDue ? { row: withRoles(row, newestKey(row)), state: enter(state, 'rolling_ds', now) } : zone;
    case 'rolling_ds':
      return isDue && !isBusy && isSettledAt(zone, now) ? afterDs(zone, now) : zone;
    case 'rolling_withdraw':
      return isDue && !isBusy
        ? { row: replaceUse(row, 'sign_unpublished', 'none'), state: enter(state, 'rolling_resign', now) }
        : zone;
    case 'rolling_resign': {
      if (state.servedSince === null) return zone;
      const unused = row.keys.filter(({ use }) => use === 'none');
      return unused.length > 0 ? removeKeys(zone, unused, now) : to(zone, 'retire', now);
    }
    case 'retire':
      // The old key stays if the parent has only the old DS again.
      return isDue && !isUntrustedAnywhere(zone, apex)
        ? removeKeys(
            zone,
            row.keys.filter(({ use }) => use === 'publish'),
            now,
          )
        : zone;
    case 'removing_ds':
      return !isBusy && isSettledAt(zone, now) ? null : zone;
    default:
      return state.phase satisfies never;
  }
}

/** The parent has the trusted DS: its key signs now. A cancelled rollover ends. */
function afterDs(zone: SignedZone, now: number): SignedZone {
  const { row, state } = zone;
  const others = row.keys.filter(({ isTrusted }) => !isTrusted);
  if (changesAlgorithm(row)) return withdraw(zone, others, now);
  if (isBackingOut(zone)) return removeKeys(zone, others, now);
  const keys = row.keys.map((key): DnssecKey => ({ ...key, use: key.isTrusted ? 'sign' : 'publish' }));
  return { row: { ...row, keys }, state: enter(state, 'rolling_resign', now) };
}

/** Unpublishes keys. They sign until no cache has the DNSKEY records of before. */
function withdraw({ row, state }: SignedZone, withdrawn: readonly DnssecKey[], now: number): SignedZone {
  const keys = row.keys.map((key) => (withdrawn.includes(key) ? { ...key, use: 'sign_unpublished' as const } : key));
  return { row: { ...row, keys }, state: enter(state, 'rolling_withdraw', now) };
}

const replaceUse = (row: DnssecRow, before: KeyUse, after: KeyUse): DnssecRow => ({
  ...row,
  keys: row.keys.map((key) => (key.use === before ? { ...key, use: after } : key)),
});

/** The earliest end of a phase by TTLs alone; null: it does not depend on time. */
function timedStepAt(zone: SignedZone): number | null {
  const { phase, servedSince, isEmergency, largestTtl } = zone.state;
  if (servedSince === null) return null;
  const margin = isEmergency ? EMERGENCY_MARGIN : MARGIN;
  switch (phase) {
    // Unsigned records may be cached until then.
    case 'signing':
      return servedSince + largestTtl;
    case 'rolling_publish':
    case 'rolling_withdraw':
      return servedSince + DNSKEY_TTL + margin;
    // After a cancellation, signatures of the new key may be cached.
    case 'rolling_ds':
      return isBackingOut(zone) ? servedSince + largestTtl + margin : servedSince;
    // Until then, records may be cached without signatures of the new algorithm.
    case 'rolling_sign':
    case 'retire':
      return servedSince + largestTtl + margin;
    default:
      return null;
  }
}

/** When no cache can have an older DS set than the parent; null: not foreseeable. */
function settledAt(zone: SignedZone): number | null {
  const { phase, servedSince, settledSince, dsTtl, parent, isEmergency } = zone.state;
  if (settledSince === null || parent === null) return null;
  const isSilent = parent.answered < parent.servers;
  const margin = isSilent ? SILENT_MARGIN : isEmergency ? EMERGENCY_MARGIN : MARGIN;
  const removesKey = phase === 'removing_ds' || isBackingOut(zone) || changesAlgorithm(zone.row);
  if (!removesKey) return settledSince + (dsTtl || DEFAULT_DS_TTL) + margin;
  // A DS that was ordered before may still be published. A registry may also have read the CDS
  // records of before (RFC 8078), and replace that DS before the next query of the parent.
  if (servedSince === null) return null;
  return Math.max(settledSince, servedSince + DNSKEY_TTL + MARGIN) + Math.max(dsTtl, DEFAULT_DS_TTL) + margin;
}

/** Whether a later query of the parent has confirmed the DS set. */
function isSettledAt(zone: SignedZone, now: number): boolean {
  const at = settledAt(zone);
  return at !== null && now >= at && zone.state.parent!.checkedAt >= at;
}

function isTrustedAnywhere({ row, state: { parent } }: SignedZone, apex: Name): boolean {
  return parent?.sets.some((set) => row.keys.some((key) => hasDs(set, apex, key))) ?? false;
}

/** Whether a server of the parent has DS records, but none of a trusted key. */
function isUntrustedAnywhere({ row, state: { parent } }: SignedZone, apex: Name): boolean {
  const trusted = row.keys.filter(({ isTrusted }) => isTrusted);
  return parent?.sets.some((set) => set.length > 0 && !trusted.some((key) => hasDs(set, apex, key))) ?? false;
}

/** Enters a phase without a change of the signatures. */
function to({ row, state }: SignedZone, phase: DnssecState['phase'], now: number): SignedZone {
  const { servedSince, settledSince, lookAt } = state;
  const isLook = phase === 'awaiting_ds' || phase === 'secure';
  const hasRequestedDs = state.hasRequestedDs || phase === 'awaiting_ds';
  const entered = { ...enter(state, phase, now), servedSince, hasRequestedDs };
  if (!isLook) return { row, state: entered };
  const nextLook = state.phase === 'signing' ? now : Math.min(lookAt, now + AWAITING_INTERVAL);
  return { row: requestDs(row), state: { ...entered, settledSince, lookAt: phase === 'secure' ? lookAt : nextLook } };
}

/** Publishes CDS records: the parent may have a DS from now on. */
const requestDs = (row: DnssecRow): DnssecRow => (row.parent === 'publish' ? row : { ...row, parent: 'publish' });

/** Enters a phase that changes the signatures. */
function enter(state: DnssecState, phase: DnssecState['phase'], now: number): DnssecState {
  return { ...state, phase, since: now, servedSince: null, settledSince: null, lookAt: now };
}

/** Requests the DS of one key from the parent, and of no other key of ours. */
function withRoles(row: DnssecRow, trusted: DnssecKey): DnssecRow {
  return { ...row, keys: row.keys.map((key) => ({ ...key, isTrusted: key.id === trusted.id })) };
}

/** Removes keys; the other key stays, and its algorithm is that of the zone. */
function removeKeys({ row, state }: SignedZone, removed: readonly DnssecKey[], now: number): SignedZone {
  const keys = row.keys.filter((key) => !removed.includes(key));
  const retired = [...removed.map(({ dnskey }) => dnskey), ...state.retired].slice(0, MAX_RETIRED);
  return {
    row: { ...row, algorithm: algorithmOfKey(keys[0]), keys },
    state: { ...enter(state, 'secure', now), isEmergency: false, retired },
  };
}

function scheduleLook(state: DnssecState, now: number): DnssecState {
  const { phase, since, settledSince } = state;
  const isAwaiting =
    phase === 'awaiting_ds' ||
    phase === 'rolling_ds' ||
    phase === 'removing_ds' ||
    (phase === 'secure' && settledSince === null);
  const interval = isAwaiting && now < since + PATIENCE ? AWAITING_INTERVAL : SETTLED_INTERVAL;
  return { ...state, lookAt: now + interval - jitter(state.domainId, now, interval) };
}

/** Up to 10 % of the interval, derived from the domain and the time, to spread the zones. */
function jitter(domainId: number, now: number, interval: number): number {
  const mixed = Math.imul(domainId ^ Math.imul(Math.floor(now), 0x9e3779b1), 0x85ebca6b) >>> 0;
  return Math.floor((mixed / 2 ** 32) * (interval / 10));
}

/** When the keeper must handle the zone; 0: immediately, since not all nodes serve it yet. */
export function dueAt(zone: SignedZone): number {
  const { servedSince, lookAt, phase } = zone.state;
  if (servedSince === null) return 0;
  const confirmation = confirmationAt(zone) ?? lookAt;
  // This phase ends by a query of the parent, not by time alone.
  const timed = phase === 'rolling_ds' ? null : timedStepAt(zone);
  return Math.min(lookAt, confirmation, timed ?? lookAt);
}

/** Whether a query of the parent is due. */
export function isLookDue(zone: SignedZone, now: number): boolean {
  return now >= Math.min(zone.state.lookAt, confirmationAt(zone) ?? Number.POSITIVE_INFINITY);
}

/** When to query the parent to confirm the DS set; null: this was done, or is not foreseeable. */
function confirmationAt(zone: SignedZone): number | null {
  const at = settledStepAt(zone);
  return at === null || (zone.state.lookedAt ?? 0) >= at ? null : at;
}

/** The earliest end of a phase that waits for the parent; null: not foreseeable. */
function settledStepAt(zone: SignedZone): number | null {
  const { phase } = zone.state;
  const settled = phase === 'rolling_ds' || phase === 'removing_ds' ? settledAt(zone) : null;
  return settled === null ? null : Math.max(settled, timedStepAt(zone) ?? 0);
}

/** When the next step is expected; null: it depends on the parent. */
export function nextStepAt(zone: SignedZone): number | null {
  const { phase } = zone.state;
  return phase === 'rolling_ds' || phase === 'removing_ds' ? settledStepAt(zone) : timedStepAt(zone);
}

/** The key tags of all DNSKEY records. */
export const takenTags = ({ keys, foreign }: DnssecRow): ReadonlySet<number> =>
  new Set([...keys, ...foreign].map(({ dnskey }) => keyTag(Buffer.from(dnskey, 'base64'))));
