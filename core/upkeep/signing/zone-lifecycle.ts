/**
 * The states of a signed zone, as pure functions: what is signed with which keys, what the parent
 * zone is asked for, and when the next step is safe.
 *
 *   signing ─► awaiting_ds ◄─► secure ─► rolling_publish ─► rolling_ds ─► rolling_resign ─► retire
 *                                ▲                              │                             │
 *                                └──────────────────────────────┴─────────────────────────────┘
 *   every phase ─► removing_ds ─► not signed
 *
 * A step that takes something away waits until no cache can need it: a key stays while a DS, a
 * DNSKEY RRset or a signature that was served with it may be cached (RFC 7583 section 3).
 */
import { keyTag } from '../../dns/dnssec/dnskey.ts';
import type { Name } from '../../dns/wire/name.ts';
import type { DnssecKey, DnssecRow, DnssecState, NotedFault, ParentLook } from '../../store/rows.ts';
import { DNSKEY_TTL } from '../../zone/compile/signed-apex.ts';
import { dsMatches } from './delegation-signer.ts';

/** A zone that is signed. */
export interface SignedZone {
  readonly row: DnssecRow;
  readonly state: DnssecState;
}

const HOUR = 3600;
const DAY = 86_400;
/** Seconds beyond a TTL, for secondaries and for clocks that differ. */
const MARGIN = HOUR;
/** The same while a key is replaced in an emergency. */
const EMERGENCY_MARGIN = 600;
/** Seconds after which servers of the parent that do not answer have what the others have. */
const SILENT_MARGIN = DAY;
/** Longest TTL that counts: resolvers keep nothing for longer (RFC 8767 section 4). */
const MAX_COUNTED_TTL = 7 * DAY;
/** Assumed TTL of a DS that no look has seen. */
const DEFAULT_DS_TTL = DAY;
/** Seconds between looks at the parent while something is awaited. */
const AWAITING_INTERVAL = HOUR;
/** The same otherwise, and after a week of waiting. */
const SETTLED_INTERVAL = DAY;
const PATIENCE = 7 * DAY;
/** Former keys whose DS is recognized. */
const MAX_RETIRED = 8;

/** The lifecycle of a zone that begins to be signed. `largestTtl`: of its records, in seconds. */
export function beginSigning(row: Omit<DnssecRow, 'parent'>, largestTtl: number, now: number): SignedZone {
  return {
    // Registries that follow CDS would set the DS while caches have records without signatures.
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
  phase === 'rolling_publish' || phase === 'rolling_ds' || phase === 'rolling_resign' || phase === 'retire';

/** The rollover was cancelled, and the new key waits until it can be removed. */
export const isBackingOut = (zone: SignedZone): boolean =>
  zone.state.phase === 'rolling_ds' && signingKey(zone.row).isTrusted;

/** Whether a rollover can be cancelled: the old key still signs. */
export const mayCancel = ({ state: { phase } }: SignedZone): boolean =>
  phase === 'rolling_publish' || phase === 'rolling_ds';

export function signingKey({ keys }: DnssecRow): DnssecKey {
  return keys.find(({ use }) => use === 'sign')!;
}

/** Begins to replace the key of a zone that is not rolling. `key`: the new one. */
export function beginRollover(
  { row, state }: SignedZone,
  key: Omit<DnssecKey, 'use' | 'isTrusted'>,
  { isEmergency, largestTtl }: { readonly isEmergency: boolean; readonly largestTtl: number },
  now: number,
): SignedZone {
  // In an emergency the parent may have both DS at once; else the new one only once it is safe.
  const added: DnssecKey = { ...key, use: 'publish', isTrusted: isEmergency };
  return {
    row: { ...row, keys: [...row.keys, added] },
    state: { ...enter(state, 'rolling_publish', now), isEmergency, largestTtl: countedTtl(largestTtl) },
  };
}

/**
 * Cancels a rollover. The new key goes at once if the parent certainly has no DS of it; otherwise
 * the parent is asked for the old DS, and then the new key goes.
 */
export function cancelRollover(zone: SignedZone, apex: Name, now: number): SignedZone {
  const { row, state } = zone;
  const added = row.keys.find(({ use }) => use === 'publish')!;
  const { parent } = state;
  const isUnseen =
    state.phase === 'rolling_publish' &&
    !added.isTrusted &&
    parent !== null &&
    parent.checkedAt >= now &&
    parent.answered === parent.servers &&
    !parent.sets.some((set) => hasDs(set, apex, added));
  if (isUnseen) return removeKeys(zone, [added], now);
  return { row: withRoles(row, signingKey(row)), state: enter(state, 'rolling_ds', now) };
}

/** Begins to stop signing; null: the zone can be unsigned at once, since no DS was asked for. */
export function beginRemoval({ row, state }: SignedZone, now: number): SignedZone | null {
  const { parent } = state;
  // Later the owner may have ordered a DS that the parent does not have yet.
  const isUnseen =
    !state.hasRequestedDs &&
    state.dsTtl === 0 &&
    parent !== null &&
    parent.checkedAt >= now &&
    parent.answered === parent.servers;
  return isUnseen ? null : beginUnsigning({ row, state }, now);
}

/** The same, without a shortcut. */
export function beginUnsigning({ row, state }: SignedZone, now: number): SignedZone {
  return { row: { ...row, parent: 'delete' }, state: enter(state, 'removing_ds', now) };
}

/** Keeps signing a zone that was to be unsigned. */
export function cancelRemoval({ row, state }: SignedZone, largestTtl: number, now: number): SignedZone {
  // Any second key is removed as after a cancelled rollover.
  const phase = row.keys.length > 1 ? 'rolling_ds' : state.hasRequestedDs ? 'awaiting_ds' : 'signing';
  const kept = { ...withRoles(row, signingKey(row)), parent: phase === 'signing' ? 'none' : 'publish' } as const;
  return { row: kept, state: { ...enter(state, phase, now), largestTtl: countedTtl(largestTtl) } };
}

/** A node could not sign the zone. */
export function noteFault({ row, state }: SignedZone, fault: NotedFault): SignedZone {
  return { row, state: { ...state, fault } };
}

/** Forgets a fault that did not occur again for a day. */
function forgetFault(state: DnssecState, now: number): DnssecState {
  const { fault, ...others } = state;
  return fault !== undefined && now >= fault.at + DAY ? others : state;
}

/** Every node serves what the phase signs. */
export function noteServed({ row, state }: SignedZone, now: number): SignedZone {
  return { row, state: { ...state, servedSince: state.servedSince ?? now } };
}

/** Why a look at the parent gave nothing. */
export function noteTrouble({ row, state }: SignedZone, trouble: string, now: number): SignedZone {
  const scheduled = scheduleLook({ ...forgetFault(state, now), trouble, lookedAt: now }, now);
  return { row, state: { ...scheduled, lookAt: Math.min(scheduled.lookAt, now + AWAITING_INTERVAL) } };
}

/** Notes what the parent has. `look`: at least one server answered. */
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

/** Whether the parent has what the phase waits for. */
function isSettled({ row, state }: SignedZone, apex: Name, { sets }: ParentLook): boolean {
  if (state.phase === 'removing_ds') return sets.every((set) => set.length === 0);
  const trusted = row.keys.filter(({ isTrusted }) => isTrusted);
  return sets.every((set) => trusted.every((key) => hasDs(set, apex, key)));
}

export function hasDs(set: readonly string[], apex: Name, { dnskey }: { readonly dnskey: string }): boolean {
  const rdata = Buffer.from(dnskey, 'base64');
  return set.some((ds) => dsMatches(Buffer.from(ds, 'hex'), apex, rdata));
}

/** Takes every step that is due; null: the zone is not signed any more. */
export function advance(zone: SignedZone, apex: Name, now: number): SignedZone | null {
  for (let current = withoutFuture(zone, now); ; ) {
    const next = step(current, apex, now);
    if (next === null || next === current) return next;
    current = next;
  }
}

/** Whether a zone is due later than a clock that was right can have decided. */
export const isDueTooLate = (time: number, now: number): boolean => time > now + SETTLED_INTERVAL + MARGIN;

/**
 * Times in the future, which a clock that was ahead has noted, become the present: what depends on
 * them would wait for it. Waiting times begin again, which is safe.
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
  // The keys that sign stay until all names are signed by them.
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
    case 'rolling_publish': {
      if (!isDue) return zone;
      const added = row.keys.find(({ use }) => use === 'publish')!;
      return { row: withRoles(row, added), state: enter(state, 'rolling_ds', now) };
    }
    case 'rolling_ds':
      return isDue && !isBusy && isSettledAt(zone, now) ? afterDs(zone, now) : zone;
    case 'rolling_resign':
      return state.servedSince === null ? zone : to(zone, 'retire', now);
    case 'retire':
      // The old key stays while the parent has only its DS again.
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

/** The parent asks for the new key alone: it signs from now on, unless it was given up. */
function afterDs(zone: SignedZone, now: number): SignedZone {
  const { row, state } = zone;
  const others = row.keys.filter(({ isTrusted }) => !isTrusted);
  if (isBackingOut(zone)) return removeKeys(zone, others, now);
  const keys = row.keys.map((key): DnssecKey => ({ ...key, use: key.isTrusted ? 'sign' : 'publish' }));
  return { row: { ...row, keys }, state: enter(state, 'rolling_resign', now) };
}

/** When the phase may be left at the earliest, as far as time decides; null: it does not. */
function timedStepAt(zone: SignedZone): number | null {
  const { phase, servedSince, isEmergency, largestTtl } = zone.state;
  if (servedSince === null) return null;
  const margin = isEmergency ? EMERGENCY_MARGIN : MARGIN;
  switch (phase) {
    // Records without signatures are cached until then.
    case 'signing':
      return servedSince + largestTtl;
    case 'rolling_publish':
      return servedSince + DNSKEY_TTL + margin;
    // A key that is given up may have signed, and the signatures are cached.
    case 'rolling_ds':
      return isBackingOut(zone) ? servedSince + largestTtl + margin : servedSince;
    case 'retire':
      return servedSince + largestTtl + margin;
    default:
      return null;
  }
}

/** When no cache has another DS set than the one that the parent has now; null: not foreseeable. */
function settledAt(zone: SignedZone): number | null {
  const { phase, settledSince, dsTtl, parent, isEmergency } = zone.state;
  if (settledSince === null || parent === null) return null;
  const margin = isEmergency ? EMERGENCY_MARGIN : MARGIN;
  // A DS that was ordered before may still arrive.
  const isReturn = phase === 'removing_ds' || isBackingOut(zone);
  const ttl = isReturn ? Math.max(dsTtl, DEFAULT_DS_TTL) : dsTtl || DEFAULT_DS_TTL;
  return settledSince + ttl + (parent.answered < parent.servers ? SILENT_MARGIN : margin);
}

/** A look has confirmed it since. */
function isSettledAt(zone: SignedZone, now: number): boolean {
  const at = settledAt(zone);
  return at !== null && now >= at && zone.state.parent!.checkedAt >= at;
}

function isTrustedAnywhere({ row, state: { parent } }: SignedZone, apex: Name): boolean {
  return parent?.sets.some((set) => row.keys.some((key) => hasDs(set, apex, key))) ?? false;
}

/** A server of the parent has DS records, and none of a key that the parent is to trust. */
function isUntrustedAnywhere({ row, state: { parent } }: SignedZone, apex: Name): boolean {
  const trusted = row.keys.filter(({ isTrusted }) => isTrusted);
  return parent?.sets.some((set) => set.length > 0 && !trusted.some((key) => hasDs(set, apex, key))) ?? false;
}

/** Enters a phase that signs as the one before did. */
function to({ row, state }: SignedZone, phase: DnssecState['phase'], now: number): SignedZone {
  const { servedSince, settledSince, lookAt } = state;
  const isLook = phase === 'awaiting_ds' || phase === 'secure';
  const hasRequestedDs = state.hasRequestedDs || phase === 'awaiting_ds';
  const entered = { ...enter(state, phase, now), servedSince, hasRequestedDs };
  if (!isLook) return { row, state: entered };
  const nextLook = state.phase === 'signing' ? now : Math.min(lookAt, now + AWAITING_INTERVAL);
  return { row: requestDs(row), state: { ...entered, settledSince, lookAt: phase === 'secure' ? lookAt : nextLook } };
}

/** The parent may have a DS from now on. */
const requestDs = (row: DnssecRow): DnssecRow => (row.parent === 'publish' ? row : { ...row, parent: 'publish' });

/** Enters a phase that changes what is signed. */
function enter(state: DnssecState, phase: DnssecState['phase'], now: number): DnssecState {
  return { ...state, phase, since: now, servedSince: null, settledSince: null, lookAt: now };
}

/** The parent is asked to trust one key, and no other of ours. */
function withRoles(row: DnssecRow, trusted: DnssecKey): DnssecRow {
  return { ...row, keys: row.keys.map((key) => ({ ...key, isTrusted: key.id === trusted.id })) };
}

/** The zone is left with its other key. */
function removeKeys({ row, state }: SignedZone, removed: readonly DnssecKey[], now: number): SignedZone {
  const keys = row.keys.filter((key) => !removed.includes(key));
  const retired = [...removed.map(({ dnskey }) => dnskey), ...state.retired].slice(0, MAX_RETIRED);
  return { row: { ...row, keys }, state: { ...enter(state, 'secure', now), isEmergency: false, retired } };
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

/** Up to a tenth of the interval, from the domain and the time, so that zones are not in step. */
function jitter(domainId: number, now: number, interval: number): number {
  const mixed = Math.imul(domainId ^ Math.imul(Math.floor(now), 0x9e3779b1), 0x85ebca6b) >>> 0;
  return Math.floor((mixed / 2 ** 32) * (interval / 10));
}

/** When the zone must be looked after: at once while some node may not serve it. */
export function dueAt(zone: SignedZone): number {
  const { servedSince, lookAt, phase } = zone.state;
  if (servedSince === null) return 0;
  const confirmation = confirmationAt(zone) ?? lookAt;
  // A look decides what depends on the parent, not the time alone.
  const timed = phase === 'rolling_ds' ? null : timedStepAt(zone);
  return Math.min(lookAt, confirmation, timed ?? lookAt);
}

/** Whether the parent is to be looked at. */
export function isLookDue(zone: SignedZone, now: number): boolean {
  return now >= Math.min(zone.state.lookAt, confirmationAt(zone) ?? Number.POSITIVE_INFINITY);
}

/** When a look confirms that the parent has had the DS for long enough; null: it has been made. */
function confirmationAt(zone: SignedZone): number | null {
  const at = settledStepAt(zone);
  return at === null || (zone.state.lookedAt ?? 0) >= at ? null : at;
}

/** When a phase that waits for the parent may end; null: not foreseeable. */
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
