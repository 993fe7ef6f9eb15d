/** Directives of requests: RFC 9111 section 5.2.1; and what Cache-Status says. */
import { insisting, type Lines, later, type Row, row, stores } from './row.ts';

const FRESH: Lines = { 'cache-control': 'max-age=3600' };
const said = (value: string | readonly string[]): Lines => ({ 'cache-control': value });

/** Stored as fresh; a visitor asks so much later with these fields. */
const insists = (
  section: string,
  name: string,
  request: Lines,
  from: 'cache' | 'origin',
  at = 10,
  stored: Lines = FRESH,
): Row => insisting(section, name, stores(stored), later(at, from, { headers: request }));

/** Stored with a life of 5 seconds; a visitor who takes stale ones asks so much later. */
const takes = (name: string, value: string, from: 'cache' | 'origin', at = 10, stored = 'max-age=5'): Row =>
  row('9111 5.2.1.2', name, stores(said(stored)), later(at, from, { headers: said(value) }));

/** By them an application may answer another method, host or path than the request has. */
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
/** Of them those that a proxy sets: the rules let them pass, edge/proxy drops those of a visitor. */
const CLAIMS: ReadonlySet<string> = new Set(['x-original-url', 'x-rewrite-url', 'x-host', 'x-forwarded-uri']);

export const REQUESTS: readonly Row[] = [
  ...OTHER_TARGETS.flatMap((name) => [
    row(
      '9111 2',
      `what ${name} brings answers no other request`,
      stores(FRESH, {
        headers: { [name]: '/admin' },
        expect: { from: 'origin', ...(CLAIMS.has(name) ? {} : { asked: { [name]: '/admin' } }) },
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
  insists('9111 5.2.1.4', 'no-cache', said('no-cache'), 'origin'),
  insists('9111 5.2.1.4', 'no-cache in any case', said('No-Cache'), 'origin'),
  insists('9111 5.2.1.1', 'max-age=0', said('max-age=0'), 'origin'),
  insists('9111 5.2.1.1', 'max-age of more than its age', said('max-age=11'), 'cache'),
  insists('9111 5.2.1.1', 'max-age of its age', said('max-age=10'), 'cache'),
  insists('9111 5.2.1.1', 'max-age of less than its age', said('max-age=9'), 'origin'),
  insists('9111 5.2.1.1', 'max-age and the Age that it came with', said('max-age=600'), 'origin', 1, {
    ...FRESH,
    age: '1800',
  }),
  insists('9111 5.2.1.1', 'max-age that is no number', said('max-age=x'), 'cache'),
  insists('9111 5.2.1.3', 'min-fresh of less than is left', said('min-fresh=3000'), 'cache'),
  insists('9111 5.2.1.3', 'min-fresh of what is left', said('min-fresh=3590'), 'cache'),
  insists('9111 5.2.1.3', 'min-fresh of more than is left', said('min-fresh=3591'), 'origin'),
  insists('9111 5.2.1', 'in two lines', said(['foo', 'no-cache']), 'origin'),
  insists('9111 5.2.1', 'what nobody knows', said('foo=bar'), 'cache'),
  insists('9111 5.2.1', 'no-cache in a string is none', said('foo="no-cache"'), 'cache'),
  insists('9111 5.4', 'Pragma: no-cache', { pragma: 'no-cache' }, 'origin'),
  insists('9111 5.4', 'Pragma: no-cache beside Cache-Control', { pragma: 'no-cache', ...said('max-age=60') }, 'cache'),
  insists('9111 5.4', 'Pragma of something else', { pragma: 'foo' }, 'cache'),
  insists('8246 2', 'max-age=0 and immutable', said('max-age=0'), 'cache', 10, said('max-age=3600, immutable')),
  insists('8246 2', 'no-cache and immutable', said('no-cache'), 'origin', 10, said('max-age=3600, immutable')),
  insisting(
    '9111 5.2.1.4',
    'no-cache is answered by a validation',
    stores({ ...FRESH, etag: '"a"' }),
    later(10, 'validated', {
      headers: said('no-cache'),
      origin: { status: 304, headers: { etag: '"a"' } },
      is: { asked: { 'cache-control': 'no-cache' } },
    }),
  ),
  insisting(
    '9111 5.2.1.4',
    'what no-cache brings is stored',
    stores(FRESH),
    later(1, 'origin', { headers: said('no-cache'), origin: { headers: FRESH } }),
    later(2, 'cache', { is: { body: 'answer 1' } }),
  ),
  insisting(
    '9111 5.2.1.1',
    'max-age=0 and stale-while-revalidate',
    stores(said('max-age=5, stale-while-revalidate=60')),
    later(10, 'origin', { headers: said('max-age=0') }),
  ),
  insisting(
    '5861 4',
    'no-cache and stale-if-error',
    stores(said('max-age=5, stale-if-error=60')),
    later(10, 'origin', { headers: said('no-cache'), origin: { status: 503 }, is: { status: 503 } }),
  ),
  insisting(
    '9211 2.2',
    'Cache-Status of who insists',
    stores({ ...FRESH, etag: '"a"' }),
    later(10, 'origin', { headers: said('no-cache'), is: { cacheStatus: 'fwd=request' } }),
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
    headers: said('only-if-cached'),
    expect: { from: 'edge', status: 504 },
  }),
  row(
    '9111 5.2.1.7',
    'only-if-cached and there is one',
    stores(FRESH),
    later(1, 'cache', { headers: said('only-if-cached') }),
  ),
  row(
    '9111 5.2.1.7',
    'only-if-cached and it is stale',
    stores(said('max-age=5')),
    later(10, 'edge', { headers: said('only-if-cached'), is: { status: 504 } }),
  ),
  row(
    '9111 5.2.1.7',
    'only-if-cached and max-stale',
    stores(said('max-age=5')),
    later(10, 'cache', { headers: said('only-if-cached, max-stale') }),
  ),
  row(
    '9111 5.2.1.7',
    'only-if-cached and another variant',
    stores({ ...FRESH, vary: 'x-a' }),
    later(1, 'edge', { headers: { 'x-a': '1', ...said('only-if-cached') }, is: { status: 504 } }),
  ),
  row(
    '9111 5.2.1.5',
    'no-store of a request: the answer is not stored',
    stores(FRESH, { headers: said('no-store') }),
    later(1, 'origin'),
  ),
  row(
    '9111 5.2.1.5',
    'no-store of a request: what is stored may be used',
    stores(FRESH),
    later(1, 'cache', { headers: said('no-store') }),
  ),
  row(
    '9111 5.2',
    'directives of a request go on to the origin',
    stores(FRESH, {
      headers: said('foo, no-transform'),
      expect: { from: 'origin', asked: { 'cache-control': 'foo, no-transform' } },
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
    'Cache-Status of what is stale',
    stores(said('max-age=5')),
    later(10, 'origin', { is: { cacheStatus: 'fwd=stale' } }),
  ),
  row(
    '9211 2.2',
    'Cache-Status of a method',
    stores({}, { method: 'POST', expect: { from: 'origin', cacheStatus: 'fwd=method' } }),
  ),
];
