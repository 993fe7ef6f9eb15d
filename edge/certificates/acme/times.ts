/** When things are done again. All times in seconds. */
import type { AcmeOrder } from '../../../core/store/rows.ts';

const DAY = 86_400;
const FIRST = 60;
const LONGEST = 6 * 3600;
const ASKED = 10;

/** For which a claim on an order holds that nobody moves on: its node has gone. */
export const CLAIM = 180;
/**
 * By which clocks of nodes may differ. What was written further ahead was written by one that was
 * wrong, and does not hold.
 */
const SKEW = 600;

/** Whether somebody works on the order. */
export const isLive = (claim: AcmeOrder['claim'], now: number): boolean =>
  claim !== null && claim.until > now && claim.until <= now + CLAIM + SKEW;

export const isAhead = (time: number, now: number): boolean => time > now + SKEW;

/**
 * Until a failed order is tried again: a minute, twice as long each time, six hours at most; a
 * tenth more at random, so that what failed together is not tried together. `random`: 0 ≤ r < 1.
 */
export function backoff(failures: number, random: number): number {
  const seconds = Math.min(FIRST * 2 ** Math.min(failures - 1, 20), LONGEST);
  return Math.min(seconds * (1 + random / 10), LONGEST);
}

/**
 * Until an order may follow the one before because a customer asks for it: seconds at first; more
 * with each failure, and six times as much with each certificate of the day, since authorities
 * issue few of the same names in a week, and few to one account in an hour.
 */
export function askedDelay(failures: number, issued: number): number {
  return Math.min(ASKED * Math.max(2 ** Math.min(failures, 20), 6 ** Math.min(Math.max(issued - 1, 0), 10)), LONGEST);
}

/** Certificates of the day that counts, which begins with the first of them. */
export const issuedToday = ({ issued, issuedSince }: Pick<AcmeOrder, 'issued' | 'issuedSince'>, now: number): number =>
  now - issuedSince < DAY ? issued : 0;

/**
 * Of the time for which a certificate is valid: two thirds, less up to three hundredths at random,
 * so that what was issued together is not renewed together.
 */
export function renewalTime(notBefore: number, notAfter: number, random: number): number {
  return Math.floor(notBefore + (notAfter - notBefore) * (2 / 3 - 0.03 * random));
}

/**
 * The latest that a directory may put a renewal off to: a tenth of the time is left, for what
 * fails.
 */
export const latestRenewal = (notBefore: number, notAfter: number): number =>
  Math.floor(notAfter - (notAfter - notBefore) / 10);

/** Node writes `Nov 21 03:37:23 2026 GMT`. */
export const secondsOf = (text: string): number => Math.floor(Date.parse(text) / 1000);

/** As the API writes times, UTC. */
export const formatSeconds = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');

/** The longest for which a directory's Retry-After is believed. */
export const LONGEST_BLOCK = 7 * DAY;
