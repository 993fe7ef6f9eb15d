/** Delays of retries and renewals. All times are in seconds. */
import type { AcmeOrder } from '../../../core/store/rows.ts';

const DAY = 86_400;
const FIRST = 60;
const LONGEST = 6 * 3600;
const ASKED = 10;

/** Lifetime of a claim on an order that is not extended, because its node has stopped. */
export const CLAIM = 180;
/**
 * Maximum difference between the clocks of nodes. A time further ahead was written by a wrong
 * clock, and is ignored.
 */
const SKEW = 600;

/** Whether a node is working on the order. */
export const isLive = (claim: AcmeOrder['claim'], now: number): boolean =>
  claim !== null && claim.until > now && claim.until <= now + CLAIM + SKEW;

export const isAhead = (time: number, now: number): boolean => time > now + SKEW;

/**
 * Delay until a failed order is retried: a minute, doubled with each failure, six hours at most. Up
 * to a tenth is added at random, so that orders that failed together are not retried together.
 * `random`: 0 ≤ r < 1.
 */
export function backoff(failures: number, random: number): number {
  const seconds = Math.min(FIRST * 2 ** Math.min(failures - 1, 20), LONGEST);
  return Math.min(seconds * (1 + random / 10), LONGEST);
}

/**
 * Minimum delay between two orders when a customer requests one: seconds at first. It doubles with
 * each failure, or is six times as long with each further certificate of the day; the longer delay
 * applies. Authorities limit certificates with the same names per week, and certificates of one
 * account per hour.
 */
export function askedDelay(failures: number, issued: number): number {
  return Math.min(ASKED * Math.max(2 ** Math.min(failures, 20), 6 ** Math.min(Math.max(issued - 1, 0), 10)), LONGEST);
}

/** Certificates issued in the current day, which starts with the first of them. */
export const issuedToday = ({ issued, issuedSince }: Pick<AcmeOrder, 'issued' | 'issuedSince'>, now: number): number =>
  now - issuedSince < DAY ? issued : 0;

/**
 * Renewal is due after two thirds of the validity, less up to three hundredths at random, so that
 * certificates issued together are not renewed together.
 */
export function renewalTime(notBefore: number, notAfter: number, random: number): number {
  return Math.floor(notBefore + (notAfter - notBefore) * (2 / 3 - 0.03 * random));
}

/**
 * The latest renewal time that a directory may choose. It leaves a tenth of the validity for
 * retries.
 */
export const latestRenewal = (notBefore: number, notAfter: number): number =>
  Math.floor(notAfter - (notAfter - notBefore) / 10);

/** Node formats times as `Nov 21 03:37:23 2026 GMT`. */
export const secondsOf = (text: string): number => Math.floor(Date.parse(text) / 1000);

/** The time format of the API, in UTC. */
export const formatSeconds = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');

/** Maximum accepted Retry-After of a directory. */
export const LONGEST_BLOCK = 7 * DAY;
