/**
 * Facts derived from a stored response once, so that each use only compares two times. All times in
 * milliseconds since 1970.
 *
 *     bornAt ──── lifetime ────► freshUntil ──► staleWhileRevalidateUntil
 *                                          └──► staleIfErrorUntil
 */
import type { Heuristics } from '../../../core/store/rows.ts';
import type { FieldList } from '../../http/exchange/field-list.ts';
import { deltaSeconds } from './directives.ts';
import { trimmed } from './fields.ts';
import { explicitLifetime, heuristicLifetime } from './freshness.ts';
import { parseHttpDate } from './http-date.ts';
import { type ResponseFields, readResponseFields } from './response-fields.ts';
import { isEntityTag } from './validators.ts';

export interface Facts {
  readonly bornAt: number;
  /** The response is fresh before this time. */
  readonly freshUntil: number;
  /** The lifetime is heuristic, and does not apply to a request with Cookie or Authorization. */
  readonly isHeuristic: boolean;
  /** Equal to `freshUntil` where a stale response must not be used (RFC 5861). */
  readonly staleWhileRevalidateUntil: number;
  readonly staleIfErrorUntil: number;
  /** no-cache: every use needs a validation by the origin (RFC 9111 section 5.2.2.4). */
  readonly alwaysValidates: boolean;
  /**
   * must-revalidate, proxy-revalidate or s-maxage: a stale response is never used, not even with
   * max-stale (section 4.2.4).
   */
  readonly neverStale: boolean;
  readonly isImmutable: boolean;
  /** Empty without a valid entity tag. */
  readonly etag: string;
  /** NaN without a valid date. */
  readonly lastModified: number;
  /** Of the Date field, else the time of the response. */
  readonly date: number;
}

/** The parts of a response that the rules need, whether it is stored already or not. */
export interface Received {
  readonly key: string;
  readonly status: number;
  readonly headers: FieldList;
  readonly requestTime: number;
  readonly responseTime: number;
}

/**
 * `heuristics`: Site.heuristics.
 */
export function factsOf(
  received: Received,
  heuristics: Heuristics = 'static',
  fields: ResponseFields = readResponseFields(received.headers),
): Facts {
  const { status, requestTime, responseTime } = received;
  const { directives } = fields;
  const date = timeOf(fields.date, responseTime, responseTime);
  const born = bornAt(fields.age, date, requestTime, responseTime);
  const explicit = explicitLifetime(fields, date);
  const lifetime = explicit >= 0 ? explicit : heuristicLifetime(status, fields, date, received.key, heuristics);
  const freshUntil = born + lifetime;
  const { noCache, mustRevalidate, proxyRevalidate, sMaxage } = directives;
  const neverStale = noCache || mustRevalidate || proxyRevalidate || sMaxage >= 0;
  const until = (seconds: number): number => (neverStale || seconds < 0 ? freshUntil : freshUntil + seconds * 1000);
  return {
    bornAt: born,
    freshUntil,
    isHeuristic: heuristics !== 'all' && explicit < 0 && lifetime > 0,
    staleWhileRevalidateUntil: until(directives.staleWhileRevalidate),
    staleIfErrorUntil: until(directives.staleIfError),
    alwaysValidates: noCache,
    neverStale,
    isImmutable: directives.immutable,
    etag: fields.etag !== undefined && isEntityTag(fields.etag) ? fields.etag : '',
    lastModified: timeOf(fields.lastModified, responseTime, Number.NaN),
    date,
  };
}

function timeOf(text: string | undefined, now: number, fallback: number): number {
  const time = text === undefined ? Number.NaN : parseHttpDate(text, now);
  return Number.isNaN(time) ? fallback : time;
}

/** Whether a conditional request to the origin is possible. */
export const hasValidator = (facts: Facts): boolean => facts.etag !== '' || !Number.isNaN(facts.lastModified);

/** Whole seconds, as the Age field gives them (RFC 9111 section 5.1). */
export function ageInSeconds(facts: Facts, now: number): number {
  return Math.max(0, Math.floor((now - facts.bornAt) / 1000));
}

/**
 * The age of a response (RFC 9111 section 4.2.3). All times in milliseconds.
 *
 * When the response was generated or last validated: `now - bornAt` is current_age. `date`: of the
 * Date field, else the time of the response. `age`: the Age field.
 *
 * Date has no fractions of a second, so the apparent age is counted in whole seconds. Otherwise
 * every response would be about half a second old at once.
 */
function bornAt(age: string | undefined, date: number, requestTime: number, responseTime: number): number {
  const apparentAge = Math.max(0, Math.floor(responseTime / 1000) * 1000 - date);
  const responseDelay = Math.max(0, responseTime - requestTime);
  const correctedAge = ageValue(age) * 1000 + responseDelay;
  return responseTime - Math.max(apparentAge, correctedAge);
}

/** Seconds. A list counts by its first member; an invalid value is ignored (section 5.1). */
function ageValue(age: string | undefined): number {
  if (age === undefined) return 0;
  const comma = age.indexOf(',');
  return Math.max(0, deltaSeconds(comma < 0 ? age : trimmed(age.slice(0, comma))));
}
