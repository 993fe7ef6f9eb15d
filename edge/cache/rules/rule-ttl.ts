/**
 * The lifetime that a rule of the site gives to responses. It takes the form of CDN-Cache-Control
 * (RFC 9213), which replaces Cache-Control and Expires for the edge only: visitors still receive
 * what the origin says.
 */
import type { FieldList } from '../../http/exchange/field-list.ts';

/** Errors keep the lifetime that the origin gives them. */
const STATUSES: ReadonlySet<number> = new Set([200, 203, 204, 300, 301, 308]);
/** The origin says itself for how long a response may be stored, or that it must not be. */
const SAYS_LIFETIME = /(?:^|[,\s])(?:max-age|s-maxage|no-store|no-cache|private)(?:[,=\s]|$)/i;

interface RuleLifetime {
  /** Seconds; -1: as the origin says. */
  readonly ttl: number;
  readonly overrides: boolean;
}

export function withRuleTtl(status: number, headers: FieldList, { ttl, overrides }: RuleLifetime): FieldList {
  if (ttl < 0 || !STATUSES.has(status)) return headers;
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i];
    // A cookie is for one visitor, whatever a rule says.
    if (name === 'set-cookie') return headers;
    const saysLifetime =
      name === 'expires' ||
      name === 'cdn-cache-control' ||
      (name === 'cache-control' && SAYS_LIFETIME.test(headers[i + 1]));
    if (saysLifetime && !overrides) return headers;
    if (name !== 'cdn-cache-control') kept.push(name, headers[i + 1]);
  }
  kept.push('cdn-cache-control', `max-age=${ttl}`);
  return kept;
}
