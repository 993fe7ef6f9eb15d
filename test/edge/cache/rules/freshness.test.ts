/** Lifetime, age and reuse, compared with the sentences of RFC 9111, in seconds. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ageInSeconds, factsOf } from '../../../../edge/cache/rules/facts.ts';
import { formatHttpDate } from '../../../../edge/cache/rules/http-date.ts';
import { readRequest } from '../../../../edge/cache/rules/request.ts';
import { judgeReuse, mayShareFetch, mayUseOnError, type Reuse } from '../../../../edge/cache/rules/reuse.ts';
import fc from '../../../support/fc.ts';

/** Whole seconds since the response arrived. */
interface Case {
  readonly date: number | null;
  readonly age: number | null;
  readonly delay: number;
  readonly expires: number | 'invalid' | null;
  readonly lastModified: number | null;
  readonly etag: boolean;
  readonly maxAge: number | 'invalid' | null;
  readonly sMaxage: number | null;
  readonly swr: number | null;
  readonly sie: number | null;
  readonly flags: readonly string[];
  readonly hasQuery: boolean;
  readonly status: number;
  readonly now: number;
  readonly request: {
    readonly maxAge: number | null;
    readonly minFresh: number | null;
    readonly maxStale: number | 'any' | null;
    readonly sie: number | null;
    readonly flags: readonly string[];
  };
}

const small = fc.integer({ min: 0, max: 40 });
const around = fc.integer({ min: -40, max: 40 });
const maybe = <T>(of: fc.Arbitrary<T>) => fc.oneof(fc.constant(null), of);
const cases: fc.Arbitrary<Case> = fc.record({
  date: maybe(around),
  age: maybe(small),
  delay: fc.constantFrom(0, 0, 1, 5),
  expires: maybe(fc.oneof(around, fc.constant('invalid' as const))),
  lastModified: maybe(fc.integer({ min: -1000, max: 10 })),
  etag: fc.boolean(),
  maxAge: maybe(fc.oneof(small, small, fc.constant('invalid' as const))),
  sMaxage: maybe(small),
  swr: maybe(small),
  sie: maybe(small),
  flags: fc.subarray(['no-cache', 'must-revalidate', 'proxy-revalidate', 'immutable', 'public'], { maxLength: 2 }),
  hasQuery: fc.boolean(),
  status: fc.constantFrom(200, 200, 302, 404),
  now: small,
  request: fc.record({
    maxAge: maybe(small),
    minFresh: maybe(small),
    maxStale: maybe(fc.oneof(small, fc.constant('any' as const))),
    sie: maybe(small),
    flags: fc.subarray(['no-cache', 'only-if-cached'], { maxLength: 1 }),
  }),
});

const CAME = Date.UTC(2026, 2, 1);
const at = (seconds: number): string => formatHttpDate(CAME + seconds * 1000);

function headersOf(c: Case): string[] {
  const directives = [...c.flags];
  if (c.maxAge !== null) directives.push(`max-age=${c.maxAge}`);
  if (c.sMaxage !== null) directives.push(`s-maxage=${c.sMaxage}`);
  if (c.swr !== null) directives.push(`stale-while-revalidate=${c.swr}`);
  if (c.sie !== null) directives.push(`stale-if-error=${c.sie}`);
  const headers: string[] = [];
  if (directives.length > 0) headers.push('cache-control', directives.join(', '));
  if (c.date !== null) headers.push('date', at(c.date));
  if (c.age !== null) headers.push('age', String(c.age));
  if (c.expires !== null) headers.push('expires', c.expires === 'invalid' ? '0' : at(c.expires));
  if (c.lastModified !== null) headers.push('last-modified', at(c.lastModified));
  if (c.etag) headers.push('etag', '"a"');
  return headers;
}

function requestOf({ request }: Case): string {
  const directives = [...request.flags];
  if (request.maxAge !== null) directives.push(`max-age=${request.maxAge}`);
  if (request.minFresh !== null) directives.push(`min-fresh=${request.minFresh}`);
  if (request.maxStale !== null)
    directives.push(request.maxStale === 'any' ? 'max-stale' : `max-stale=${request.maxStale}`);
  if (request.sie !== null) directives.push(`stale-if-error=${request.sie}`);
  return directives.join(', ');
}

/** Section 4.2.1 and 4.2.2. */
function slowLifetime(c: Case): number {
  if (c.sMaxage !== null) return c.sMaxage;
  if (c.maxAge === 'invalid') return 0;
  if (c.maxAge !== null) return c.maxAge;
  const date = c.date ?? 0;
  if (c.expires === 'invalid') return 0;
  if (c.expires !== null) return Math.max(0, c.expires - date);
  const mayGuess = [200, 404].includes(c.status) || c.flags.includes('public');
  if (!mayGuess || c.hasQuery || c.lastModified === null || c.lastModified >= date) return 0;
  return (date - c.lastModified) / 10;
}

/** Section 4.2.3, with its names. */
function slowAge(c: Case): number {
  const apparentAge = Math.max(0, 0 - (c.date ?? 0));
  const correctedAgeValue = (c.age ?? 0) + c.delay;
  const correctedInitialAge = Math.max(apparentAge, correctedAgeValue);
  const residentTime = c.now;
  return correctedInitialAge + residentTime;
}

/** Sections 4, 4.2.4, 5.2.1, 5.2.2; RFC 5861; RFC 8246. */
function slowReuse(c: Case): Reuse {
  const age = slowAge(c);
  const lifetime = slowLifetime(c);
  const isFresh = lifetime > age;
  const staleFor = age - lifetime;
  const { request } = c;
  const refusals = [
    c.flags.includes('no-cache'),
    request.flags.includes('no-cache'),
    !(isFresh && c.flags.includes('immutable')) && request.maxAge !== null && age > request.maxAge,
    !(isFresh && c.flags.includes('immutable')) && request.minFresh !== null && lifetime - age < request.minFresh,
  ];
  if (!refusals.includes(true)) {
    if (isFresh) return 'fresh';
    const forbidden = c.sMaxage !== null || c.flags.includes('must-revalidate') || c.flags.includes('proxy-revalidate');
    if (!forbidden && c.swr !== null && staleFor < c.swr) return 'stale-while-revalidate';
    const { maxStale } = request;
    if (!forbidden && maxStale !== null && (maxStale === 'any' || staleFor <= maxStale)) return 'stale';
  }
  if (request.flags.includes('only-if-cached')) return 'gateway-timeout';
  return c.etag || c.lastModified !== null ? 'validate' : 'fetch';
}

/** RFC 5861 section 4. */
function slowOnError(c: Case): boolean {
  if (c.flags.includes('no-cache') || c.request.flags.includes('no-cache')) return false;
  const staleFor = slowAge(c) - slowLifetime(c);
  if (staleFor < 0) return true;
  if (c.sMaxage !== null || c.flags.includes('must-revalidate') || c.flags.includes('proxy-revalidate')) return false;
  return staleFor < Math.max(c.sie ?? 0, c.request.sie ?? 0);
}

test('reuse follows the RFC', () => {
  const seen = new Set<Reuse>();
  fc.assert(
    fc.property(cases, (c) => {
      const key = `https://a.example/a.css${c.hasQuery ? '?a' : ''}`;
      const facts = factsOf({
        key,
        status: c.status,
        headers: headersOf(c),
        requestTime: CAME - c.delay * 1000,
        responseTime: CAME,
      });
      const cacheControl = requestOf(c);
      const request = readRequest('GET', cacheControl === '' ? [] : ['cache-control', cacheControl], true);
      const now = CAME + c.now * 1000;
      assert.is(ageInSeconds(facts, now), slowAge(c), 'age');
      assert.is((facts.freshUntil - facts.bornAt) / 1000, slowLifetime(c), 'lifetime');
      const reuse = judgeReuse(facts, request, now);
      seen.add(reuse);
      assert.is(reuse, slowReuse(c), 'reuse');
      assert.is(mayUseOnError(facts, request, now), slowOnError(c), 'on error');
    }),
    { numRuns: 20_000 },
  );
  assert.is(seen.size, 6, [...seen].join());
});

test('a site may want heuristic lifetimes for all responses, or for none', () => {
  const headers = ['date', at(0), 'last-modified', at(-100_000), 'pragma', 'x', 'vary', 'cookie'];
  const received = { key: 'https://a.example/?a', status: 200, headers, requestTime: CAME, responseTime: CAME };
  const request = readRequest('GET', ['cookie', 'a=b'], true);
  const [careful, bold] = [factsOf(received), factsOf(received, 'all')];
  assert.equal([careful.freshUntil - careful.bornAt, bold.freshUntil - bold.bornAt], [0, 10_000_000]);
  assert.equal([judgeReuse(careful, request, CAME), judgeReuse(bold, request, CAME)], ['validate', 'fresh']);
  const file = { ...received, key: 'https://a.example/a.css', headers: headers.slice(0, 4) };
  const lifetimes = (['off', 'static', 'all'] as const).map((heuristics) => {
    const { freshUntil, bornAt } = factsOf(file, heuristics);
    return freshUntil - bornAt;
  });
  assert.equal(lifetimes, [0, 10_000_000, 10_000_000]);
  const page = { ...file, key: 'https://a.example/', headers: [...file.headers, 'content-type', 'text/html'] };
  assert.is(factsOf(page, 'all').freshUntil - factsOf(page, 'static').freshUntil, 10_000_000);
});

test('a fetch is shared unless each request needs its own', () => {
  const withLifetime = ['date', at(0), 'cache-control', 'max-age=60'];
  for (const [headers, cookie, seconds, expected] of [
    [withLifetime, false, 60, true],
    // The visitor insists on a validation of what is fresh.
    [withLifetime, false, 59, false],
    [['date', at(0), 'cache-control', 'max-age=60, no-cache'], false, 60, false],
    [['date', at(0), 'cache-control', 'max-age=0'], false, 60, false],
    [['date', at(0), 'last-modified', at(-100)], false, 60, true],
    [['date', at(0), 'last-modified', at(-100)], true, 60, false],
  ] as const) {
    const facts = factsOf({
      key: 'https://a.example/a.css',
      status: 200,
      headers,
      requestTime: CAME,
      responseTime: CAME,
    });
    const request = readRequest('GET', cookie ? ['cookie', 'a=b'] : [], true);
    assert.is(mayShareFetch(facts, request, CAME + seconds * 1000), expected, `${headers} ${cookie} ${seconds}`);
  }
  assert.ok(mayShareFetch(undefined, readRequest('GET', [], true), CAME));
});

test('a response that arrives late in a second has age 0', () => {
  const responseTime = CAME + 900;
  const facts = factsOf({
    key: '',
    status: 200,
    headers: ['date', at(0), 'cache-control', 'max-age=1'],
    requestTime: responseTime,
    responseTime,
  });
  assert.is(facts.bornAt, responseTime);
  assert.is(facts.freshUntil, responseTime + 1000);
});

test('the age is not negative when the clock goes back', () => {
  const facts = factsOf({ key: '', status: 200, headers: [], requestTime: CAME, responseTime: CAME });
  assert.is(ageInSeconds(facts, CAME - 5000), 0);
});

test.run();
