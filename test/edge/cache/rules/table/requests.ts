/** Directives of requests: RFC 9111 section 5.2.1; and Cache-Status. */
import { insisting, type Lines, later, type Row, row, stores } from './row.ts';

const FRESH: Lines = { 'cache-control': 'max-age=3600' };
const cacheControl = (value: string | readonly string[]): Lines => ({ 'cache-control': value });

/** A fresh response is stored; a visitor sends these fields after `at` seconds. */
const insists = (
  section: string,
  name: string,
  request: Lines,
  from: 'cache' | 'origin',
  at = 10,
  stored: Lines = FRESH,
): Row => insisting(section, name, stores(stored), later(at, from, { headers: request }));

/** Stored with a lifetime of 5 seconds; a visitor accepts stale responses after `at` seconds. */
const takes = (name: string, value: string, from: 'cache' | 'origin', at = 10, stored = 'max-age=5'): Row =>
  row('9111 5.2.1.2', name, stores(cacheControl(stored)), later(at, from, { headers: cacheControl(value) }));

/** Fields that may override the method, host or path in an application. */
const OTHER_TARGETS = [
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
  'x-host',
  'x-forwarded-uri',
  'x_http_method_override',
];
/** Those that proxies set: the rules accept them, but edge/proxy drops a visitor's. */
const CLAIMS: ReadonlySet<string> = new Set(['x-original-url', 'x-rewrite-url', 'x-host', 'x-forwarded-uri']);

export const REQUESTS: readonly Row[] = [
  ...OTHER_TARGETS.flatMap((name) => [
    row(
      '9111 2',
      `what ${name} brings answers no other request`,
      stores(FRESH, {
        headers: { [name]: '/admin' },
        expect: { from: 'origin', ...(CLAIMS.has(name) ? {} : { originRequest: { [name]: '/admin' } }) },
      }),
      later(1, 'origin'),
    ),
    row(
      '9111 4',
      `a request with ${name} goes to the origin`,
      stores(FRESH),
      later(1, 'origin', { headers: { [name]: '/admin' } }),
    ),
  ]),
  insists('9111 5.2.1.4', 'no-cache', cacheControl('no-cache'), 'origin'),
  insists('9111 5.2.1.4', 'no-cache in any case', cacheControl('No-Cache'), 'origin'),
  insists('9111 5.2.1.1', 'max-age=0', cacheControl('max-age=0'), 'origin'),
  insists('9111 5.2.1.1', 'max-age of more than its age', cacheControl('max-age=11'), 'cache'),
  insists('9111 5.2.1.1', 'max-age of its age', cacheControl('max-age=10'), 'cache'),
  insists('9111 5.2.1.1', 'max-age of less than its age', cacheControl('max-age=9'), 'origin'),
  insists('9111 5.2.1.1', 'max-age and the Age that it came with', cacheControl('max-age=600'), 'origin', 1, {
    ...FRESH,
    age: '1800',
  }),
  insists('9111 5.2.1.1', 'max-age that is no number', cacheControl('max-age=x'), 'cache'),
  insists('9111 5.2.1.3', 'min-fresh of less than is left', cacheControl('min-fresh=3000'), 'cache'),
  insists('9111 5.2.1.3', 'min-fresh of what is left', cacheControl('min-fresh=3590'), 'cache'),
  insists('9111 5.2.1.3', 'min-fresh of more than is left', cacheControl('min-fresh=3591'), 'origin'),
  insists('9111 5.2.1', 'in two lines', cacheControl(['foo', 'no-cache']), 'origin'),
  insists('9111 5.2.1', 'an unknown directive', cacheControl('foo=bar'), 'cache'),
  insists('9111 5.2.1', 'no-cache in a string is none', cacheControl('foo="no-cache"'), 'cache'),
  insists('9111 5.4', 'Pragma: no-cache', { pragma: 'no-cache' }, 'origin'),
  insists(
    '9111 5.4',
    'Pragma: no-cache next to Cache-Control',
    { pragma: 'no-cache', ...cacheControl('max-age=60') },
    'cache',
  ),
  insists('9111 5.4', 'Pragma of something else', { pragma: 'foo' }, 'cache'),
  insists(
    '8246 2',
    'max-age=0 and immutable',
    cacheControl('max-age=0'),
    'cache',
    10,
    cacheControl('max-age=3600, immutable'),
  ),
  insists(
    '8246 2',
    'no-cache and immutable',
    cacheControl('no-cache'),
    'origin',
    10,
    cacheControl('max-age=3600, immutable'),
  ),
  insisting(
    '9111 5.2.1.4',
    'no-cache is answered by a validation',
    stores({ ...FRESH, etag: '"a"' }),
    later(10, 'validated', {
      headers: cacheControl('no-cache'),
      origin: { status: 304, headers: { etag: '"a"' } },
      is: { originRequest: { 'cache-control': 'no-cache' } },
    }),
  ),
  insisting(
    '9111 5.2.1.4',
    'the response to no-cache is stored',
    stores(FRESH),
    later(1, 'origin', { headers: cacheControl('no-cache'), origin: { headers: FRESH } }),
    later(2, 'cache', { is: { body: 'answer 1' } }),
  ),
  insisting(
    '9111 5.2.1.1',
    'max-age=0 and stale-while-revalidate',
    stores(cacheControl('max-age=5, stale-while-revalidate=60')),
    later(10, 'origin', { headers: cacheControl('max-age=0') }),
  ),
  insisting(
    '5861 4',
    'no-cache and stale-if-error',
    stores(cacheControl('max-age=5, stale-if-error=60')),
    later(10, 'origin', { headers: cacheControl('no-cache'), origin: { status: 503 }, is: { status: 503 } }),
  ),
  insisting(
    '9211 2.2',
    'Cache-Status of a forced revalidation',
    stores({ ...FRESH, etag: '"a"' }),
    later(10, 'origin', { headers: cacheControl('no-cache'), is: { cacheStatus: 'fwd=request' } }),
  ),

  takes('max-stale', 'max-stale', 'cache'),
  takes('max-stale of enough', 'max-stale=10', 'cache'),
  takes('max-stale of just enough', 'max-stale=5', 'cache'),
  takes('max-stale of too little', 'max-stale=4', 'origin'),
  takes('max-stale that is no number', 'max-stale=x', 'origin'),
  takes('max-stale and must-revalidate', 'max-stale', 'origin', 10, 'max-age=5, must-revalidate'),
  takes('max-stale and proxy-revalidate', 'max-stale', 'origin', 10, 'max-age=5, proxy-revalidate'),
  takes('max-stale and s-maxage', 'max-stale', 'origin', 10, 's-maxage=5'),
  takes('max-stale while fresh', 'max-stale=1', 'cache', 4),

  row('9111 5.2.1.7', 'only-if-cached and there is none', {
    headers: cacheControl('only-if-cached'),
    expect: { from: 'edge', status: 504 },
  }),
  row(
    '9111 5.2.1.7',
    'only-if-cached and there is one',
    stores(FRESH),
    later(1, 'cache', { headers: cacheControl('only-if-cached') }),
  ),
  row(
    '9111 5.2.1.7',
    'only-if-cached and it is stale',
    stores(cacheControl('max-age=5')),
    later(10, 'edge', { headers: cacheControl('only-if-cached'), is: { status: 504 } }),
  ),
  row(
    '9111 5.2.1.7',
    'only-if-cached and max-stale',
    stores(cacheControl('max-age=5')),
    later(10, 'cache', { headers: cacheControl('only-if-cached, max-stale') }),
  ),
  row(
    '9111 5.2.1.7',
    'only-if-cached and another variant',
    stores({ ...FRESH, vary: 'x-a' }),
    later(1, 'edge', { headers: { 'x-a': '1', ...cacheControl('only-if-cached') }, is: { status: 504 } }),
  ),
  row(
    '9111 5.2.1.5',
    'no-store of a request: the answer is not stored',
    stores(FRESH, { headers: cacheControl('no-store') }),
    later(1, 'origin'),
  ),
  row(
    '9111 5.2.1.5',
    'no-store of a request: a stored response may be used',
    stores(FRESH),
    later(1, 'cache', { headers: cacheControl('no-store') }),
  ),
  row(
    '9111 5.2',
    'directives of a request go on to the origin',
    stores(FRESH, {
      headers: cacheControl('foo, no-transform'),
      expect: { from: 'origin', originRequest: { 'cache-control': 'foo, no-transform' } },
    }),
  ),

  row(
    '9211 2.1',
    'Cache-Status of a hit',
    stores(FRESH),
    later(10, 'cache', { is: { cacheStatus: '; hit; ttl=3590' } }),
  ),
  row(
    '9211 2.2',
    'Cache-Status of a miss',
    stores(FRESH, { expect: { from: 'origin', cacheStatus: 'fwd=uri-miss; stored' } }),
  ),
  row(
    '9211 2.2',
    'Cache-Status of a stale response',
    stores(cacheControl('max-age=5')),
    later(10, 'origin', { is: { cacheStatus: 'fwd=stale' } }),
  ),
  row(
    '9211 2.2',
    'Cache-Status of a method',
    stores({}, { method: 'POST', expect: { from: 'origin', cacheStatus: 'fwd=method' } }),
  ),
];
