/**
 * Plans when the signing clocks of zones advance, and how far (core/dns/dnssec/lifetime.ts).
 * Signatures are renewed long before they expire, a few at a time. A clock that is ahead of the
 * time is set back immediately: validators reject signatures with an inception in the future (RFC
 * 4035 section 5.3.1).
 */
import { clockBefore, dueHashes, GRID, type HashRange, latestInception } from '../../dns/dnssec/lifetime.ts';
import type { Id } from '../../store/keys.ts';

/** Minimum seconds that a signing clock is behind the time, since the clocks of nodes differ. */
const MARGIN = 3600;
/** Seconds of one step of a signing clock. 1.2 % of a zone's names are due in a step. */
const STEP = 2 * 3600;
/** Seconds after which a clock advances even if no name is due, since it signs new names. */
export const IDLE = 12 * 3600;
/** Minimum age of an inception in seconds, since the clocks of validators differ. */
const MIN_AGE = 86_400;
/** Maximum names and zones of one entry, which takes 10 to 25 ms of the main thread. */
export const ENTRY_SIZE = 200;

export interface ZoneClock {
  readonly id: Id;
  /** Seconds since 1970. */
  readonly clock: number;
}

export interface ClockStep extends ZoneClock {
  /** The new clock. */
  readonly to: number;
  /** Names that are due. */
  readonly names: number;
  /**
   * `whole`: the entry signs all due names. `cut`: more names are due, and another step follows.
   * `pieces`: too many names are due for one entry, so Pieces signs all names of the zone.
   */
  readonly kind: 'whole' | 'cut' | 'pieces';
}

/**
 * Counts the names of a zone with hashes in `ranges`, in order, up to `limit`. `next`: first 32
 * bits of the hash of the first name past the limit; null: there is none.
 */
export type CountNames = (
  id: Id,
  ranges: readonly HashRange[],
  limit: number,
) => { readonly count: number; readonly next: number | null };

/**
 * Whether signatures made with a clock have an inception that validators may reject. `now`: seconds
 * since 1970.
 */
export const isAhead = (clock: number, now: number): boolean => latestInception(clock) > now - MIN_AGE;

/**
 * Returns the next step of a zone's clock in an entry with room for `room` names; null: no step
 * now. `now`: seconds since 1970.
 */
function nextStep({ id, clock }: ZoneClock, now: number, room: number, countNames: CountNames): ClockStep | null {
  // Each zone has its own offset, so that the clocks do not advance at the same time.
  const offset = Math.floor(((id * GOLDEN) % 1) * STEP);
  const to = Math.floor((now - MARGIN + offset) / STEP) * STEP - offset;
  if (isAhead(clock, now)) {
    const { count, next } = countNames(id, dueHashes(clock, to), room);
    return next === null ? { id, clock, to, names: count, kind: 'whole' } : { id, clock, to, names: 0, kind: 'pieces' };
  }
  if (to <= clock) return null;
  const { count: names, next } = countNames(id, dueHashes(clock, to), room);
  if (names === 0 && next === null && to - clock < IDLE) return null;
  if (next === null) return { id, clock, to, names, kind: 'whole' };
  const cut = clockBefore(clock, next);
  const isStuck = cut <= clock && room === ENTRY_SIZE;
  if (to - clock >= GRID || isStuck) return { id, clock, to, names: 0, kind: 'pieces' };
  return { id, clock, to: cut, names, kind: 'cut' };
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Plans entries that advance each due clock of `zones` by one step. Clocks that are ahead come
 * first, since validators reject their zones; then the clocks that are furthest behind.
 */
export function* planEntries(
  zones: readonly ZoneClock[],
  now: number,
  countNames: CountNames,
): Generator<readonly ClockStep[]> {
  let entry: ClockStep[] = [];
  let room = ENTRY_SIZE;
  const orderOf = ({ clock }: ZoneClock): number => (isAhead(clock, now) ? -clock : clock);
  for (const zone of [...zones].sort((a, b) => orderOf(a) - orderOf(b))) {
    let step = nextStep(zone, now, room, countNames);
    if (step !== null && step.kind !== 'whole' && entry.length > 0) {
      // The next entry has more room.
      yield entry;
      entry = [];
      room = ENTRY_SIZE;
      step = nextStep(zone, now, room, countNames);
    }
    if (step === null) continue;
    entry.push(step);
    room -= step.names + 1;
    if (room > 0) continue;
    yield entry;
    entry = [];
    room = ENTRY_SIZE;
  }
  if (entry.length > 0) yield entry;
}
