/**
 * When the signing clocks of zones advance, and how far: so that signatures are renewed long before
 * they expire, a few at a time. A clock that is ahead of the time is set back at once: validators
 * reject signatures that begin in the future (RFC 4035 section 5.3.1). See
 * core/dns/dnssec/lifetime.ts for what a clock does.
 */
import { clockBefore, dueHashes, GRID, type HashRange, latestInception } from '../../dns/dnssec/lifetime.ts';
import type { Id } from '../../store/keys.ts';

/** Seconds that a clock is behind the time at least: clocks of nodes differ. */
const MARGIN = 3600;
/** Seconds of a step of a clock. 1.2 % of a zone's names are due in it. */
const STEP = 2 * 3600;
/** A clock advances after so many seconds although no name is due: new names are signed by it. */
export const IDLE = 12 * 3600;
/** Seconds since a signature has begun, at least: clocks of validators differ. */
const MIN_AGE = 86_400;
/** Names and zones of one entry, which takes the main thread 10 to 25 ms. */
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
   * `cut`: more names are due, for which another step follows. `pieces`: all names are due, too
   * many for an entry; Pieces signs them.
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

/** Whether signatures by a clock begin too late for validators. `now`: seconds since 1970. */
export const isAhead = (clock: number, now: number): boolean => latestInception(clock) > now - MIN_AGE;

/**
 * Returns how the clock of a zone advances in an entry with room for `room` names; null: not now.
 * `now`: seconds since 1970.
 */
function nextStep({ id, clock }: ZoneClock, now: number, room: number, countNames: CountNames): ClockStep | null {
  // Each zone has its own moments, so that not all advance together.
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
 * Entries that advance the clocks of `zones` by one step each, where it is time: first those that
 * are ahead, since validators reject these zones, then the one that is furthest behind.
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
