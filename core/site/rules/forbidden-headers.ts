/** Headers that rules may not change: the edge or the protocol depends on them. */

/** A field name (RFC 9110 section 5.1). */
export const FIELD_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** A field value (RFC 9110 section 5.5), without obs-text. */
export const FIELD_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

const CONNECTION = [
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Request headers that the edge sets, or that the cache and the connection rely on. */
const REQUEST: ReadonlySet<string> = new Set([
  ...CONNECTION,
  ...['host', 'expect', 'forwarded', 'via', 'cdn-loop', 'x-request-id', 'accept-encoding', 'max-forwards'],
  ...['range', 'if-range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'],
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'],
]);

/** Response headers that describe the body or the caching, and would be wrong after a change. */
const RESPONSE: ReadonlySet<string> = new Set([
  ...CONNECTION,
  ...['age', 'cache-status', 'content-encoding', 'content-range', 'date', 'vary', 'via', 'etag', 'last-modified'],
  ...['strict-transport-security'],
]);

/** The feature to use instead of a header rule. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['strict-transport-security', 'set hsts_max_age of the proxy'],
  ['host', 'set the host of an origin'],
  ['accept-encoding', 'use the action no_compression'],
]);

/** The reason why a rule cannot change the header. Undefined: it can. */
export function forbiddenHeader(side: 'request' | 'response', name: string): string | undefined {
  const lower = name.toLowerCase();
  const isForbidden = (side === 'request' ? REQUEST : RESPONSE).has(lower) || lower.startsWith('sec-websocket-');
  if (!isForbidden) return undefined;
  const instead = INSTEAD.get(lower);
  return `"${name}" is set by the edge itself${instead === undefined ? '' : `; ${instead}`}`;
}
