/**
 * Inception and expiration of signatures: a pure function of a zone's signing clock and of the hash
 * of the name, so that every node makes the same signatures.
 *
 *     inception        clock                       clock + 21 d      expiration    clock + 28 d
 *         |------ 2 to 9 d ------|------------------------|---- up to 7 d ----|----------|
 *
 * A name has a grid point every 7 days, at a phase that is its hash scaled to 7 days. A signature
 * expires at the first grid point from clock + 21 days on; its inception is 30 days before that.
 * When the clock advances, the names with a grid point in between are due. Phases have the order of
 * the hashes, so the due names are a range of hashes.
 *
 * All times are whole seconds since 1970.
 */

const DAY = 86_400;
/** Seconds between grid points. */
export const GRID = 7 * DAY;
/** Minimum remaining validity at the clock. Covers SOA EXPIRE and the largest TTL together. */
const MIN_REMAINING = 21 * DAY;
/** From inception to expiration. */
const TOTAL = 30 * DAY;

const HASHES = 2 ** 32;

/** Seconds since 1970. In the rdata they are modulo 2^32 (RFC 4034 3.1.5). */
export interface Validity {
  readonly inception: number;
  readonly expiration: number;
}

/** Hashes whose first 32 bits are from `first` to `last`, both included. */
export interface HashRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The validity of the signatures at a name. They expire 21 to 28 days after the clock. `hash32`:
 * the first 32 bits of the name's NSEC3 hash, unsigned.
 */
export function validityOf(clock: number, hash32: number): Validity {
  const earliest = clock + MIN_REMAINING;
  const expiration = earliest + modulo(phaseOf(hash32) - earliest, GRID);
  return { inception: expiration - TOTAL, expiration };
}

/** Earliest expiration of the signatures of a zone with this clock. */
export function earliestExpiry(clock: number): number {
  return clock + MIN_REMAINING;
}

/** Upper bound of the inceptions of a zone with this clock. */
export function latestInception(clock: number): number {
  return clock + MIN_REMAINING + GRID - TOTAL;
}

/**
 * The hashes whose validity may differ between two clocks, in ascending order: none, a range, or
 * two where the phases wrap around. All, if the clock was set back.
 */
export function dueHashes(from: number, to: number): HashRange[] {
  if (to < from || to - from >= GRID) return [{ first: 0, last: HASHES - 1 }];
  // A name is due if it has a grid point from `from` + 21 days to before `to` + 21 days.
  const first = firstHashOf(modulo(from + MIN_REMAINING, GRID));
  const end = firstHashOf(modulo(to + MIN_REMAINING, GRID));
  if (first === end) return [];
  const ranges =
    first < end
      ? [{ first, last: end - 1 }]
      : [
          { first: 0, last: end - 1 },
          { first, last: HASHES - 1 },
        ];
  return ranges.filter((range) => range.first <= range.last);
}

/**
 * The latest clock from `from` on for which names with this hash are not due since `from`.
 * `hash32`: the first 32 bits, of a name that is due later.
 */
export function clockBefore(from: number, hash32: number): number {
  return from + modulo(phaseOf(hash32) - from - MIN_REMAINING, GRID);
}

/** Seconds from 0 to before GRID. Exact: the product has 52 bits. */
function phaseOf(hash32: number): number {
  return Math.floor((hash32 * GRID) / HASHES);
}

/**
 * The first hash of a phase. A quotient that is not an integer is 1 / GRID = 1.6e-6 away from the
 * next, and the error of a double is below 2.4e-7 here.
 */
function firstHashOf(phase: number): number {
  return Math.ceil((phase * HASHES) / GRID);
}

/** The non-negative remainder. */
function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
