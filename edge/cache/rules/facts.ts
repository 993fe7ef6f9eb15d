/**
 * What follows from a stored response once, so that each use is a comparison of two times. All times in milliseconds since 1970.
 *
 *     bornAt ──── lifetime ────► freshUntil ──► staleWhileRevalidateUntil
 *                                          └──► staleIfErrorUntil
 */
import type { FieldList } from '../../http/exchange/field-list.ts';
import { bornAt } from './age.ts';
import { explicitLifetime, heuristicLifetime } from './freshness.ts';
import { parseHttpDate } from './http-date.ts';
import { type ResponseFields, readResponseFields } from './response-fields.ts';
import { isEntityTag } from './validators.ts';

export interface Facts {
  readonly bornAt: number;
  /** Fresh before it. */
  readonly freshUntil: number;
  /** The lifetime is a guess: no reason to use it for a request with Cookie or Authorization. */
  readonly isGuessed: boolean;
  /** The same as `freshUntil` where it may not be used stale (RFC 5861). */
  readonly staleWhileRevalidateUntil: number;
  readonly staleIfErrorUntil: number;
  /** no-cache: never used without asking the origin (RFC 9111 section 5.2.2.4). */
  readonly alwaysValidates: boolean;
  /** must-revalidate, proxy-revalidate, s-maxage: not even a visitor who takes stale responses gets it stale (section 4.2.4). */
  readonly neverStale: boolean;
  readonly isImmutable: boolean;
  /** Empty without one that is well-formed. */
  readonly etag: string;
  /** NaN without one. */
  readonly lastModified: number;
  /** Of Date, or of the response. */
  readonly date: number;
}

/** What is needed of a stored response, or of one that is about to be. */
export interface Received {
  readonly key: string;
  readonly status: number;
  readonly headers: FieldList;
  readonly requestTime: number;
  readonly responseTime: number;
}

/** `guessesAll`: the site wants a guess wherever the RFC allows one, for all requests (Site.heuristicFreshness). */
export function factsOf(
  received: Received,
  guessesAll = false,
  fields: ResponseFields = readResponseFields(received.headers),
): Facts {
  const { status, requestTime, responseTime } = received;
  const { directives } = fields;
  const date = timeOf(fields.date, responseTime, responseTime);
  const born = bornAt(fields.age, date, requestTime, responseTime);
  const explicit = explicitLifetime(fields, date);
  const lifetime =
    explicit >= 0 ? explicit : heuristicLifetime(status, fields, date, received.key.includes('?'), guessesAll);
  const freshUntil = born + lifetime;
  const { noCache, mustRevalidate, proxyRevalidate, sMaxage } = directives;
  const neverStale = noCache || mustRevalidate || proxyRevalidate || sMaxage >= 0;
  const until = (seconds: number): number => (neverStale || seconds < 0 ? freshUntil : freshUntil + seconds * 1000);
  return {
    bornAt: born,
    freshUntil,
    isGuessed: !guessesAll && explicit < 0 && lifetime > 0,
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

function timeOf(text: string | undefined, now: number, otherwise: number): number {
  const time = text === undefined ? Number.NaN : parseHttpDate(text, now);
  return Number.isNaN(time) ? otherwise : time;
}

/** Whether the origin can be asked for it with a condition. */
export const hasValidator = (facts: Facts): boolean => facts.etag !== '' || !Number.isNaN(facts.lastModified);

/** Whole seconds, as the Age field gives them (RFC 9111 section 5.1). */
export function ageInSeconds(facts: Facts, now: number): number {
  return Math.max(0, Math.floor((now - facts.bornAt) / 1000));
}
