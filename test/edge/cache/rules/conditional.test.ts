/**
 * Visitors' conditions: the steps of RFC 9110 section 13.2.2 for all combinations of a few values.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isNotModified, notModifiedFields } from '../../../../edge/cache/rules/conditional.ts';
import { factsOf } from '../../../../edge/cache/rules/facts.ts';
import { formatHttpDate } from '../../../../edge/cache/rules/http-date.ts';
import { planRange } from '../../../../edge/cache/rules/range.ts';
import { readRequest } from '../../../../edge/cache/rules/request.ts';
import { judgeReuse } from '../../../../edge/cache/rules/reuse.ts';
import { isEntityTag, listMatches, matchStrongly, matchWeakly } from '../../../../edge/cache/rules/validators.ts';
import fc from '../../../support/fc.ts';

const NOW = Date.UTC(2026, 2, 1);
const at = (seconds: number): string => formatHttpDate(NOW + seconds * 1000);
const TAGS = ['"a"', 'W/"a"', '"b"', 'W/"b"'];

/** The table of section 8.8.3.2. */
const weaklySame = (left: string, right: string): boolean => left.replace('W/', '') === right.replace('W/', '');

/** The steps without those that the cache leaves to the origin. */
function slowAnswer(c: {
  etag: string | null;
  modified: number | null;
  tags: string[] | '*' | null;
  since: number | null;
  range: boolean;
  ifRange: string | null;
  method: string;
  status: number;
}): 200 | 206 | 304 {
  if (c.status !== 200) return 200;
  if (c.tags !== null) {
    // Step 3.
    const holds = c.tags === '*' || (c.etag !== null && c.tags.some((tag) => weaklySame(tag, c.etag as string)));
    if (holds) return 304;
    // Step 4. Without Last-Modified the Date counts, which is 0.
  } else if (c.since !== null && (c.modified ?? 0) <= c.since) return 304;
  if (c.method !== 'GET' || !c.range) return 200;
  if (c.ifRange === null) return 206;
  // Step 5.
  if (c.ifRange.includes('"')) return c.ifRange === c.etag && !c.ifRange.startsWith('W/') ? 206 : 200;
  return c.modified !== null && c.ifRange === at(c.modified) && c.modified <= -1 ? 206 : 200;
}

test('the precedence of conditions', () => {
  const c = fc.record({
    etag: fc.option(fc.constantFrom(...TAGS)),
    modified: fc.option(fc.constantFrom(-20, -10, -1, 0)),
    tags: fc.option(
      fc.oneof(fc.constant('*' as const), fc.array(fc.constantFrom(...TAGS, '"c"'), { minLength: 1, maxLength: 3 })),
    ),
    since: fc.option(fc.constantFrom(-20, -15, -10, 0, 5)),
    range: fc.boolean(),
    ifRange: fc.option(fc.oneof(fc.constantFrom(...TAGS), fc.constantFrom(-20, -10, -1, 0).map(at))),
    method: fc.constantFrom('GET', 'GET', 'HEAD'),
    status: fc.constantFrom(200, 200, 200, 404),
  });
  const seen = new Set<number>();
  fc.assert(
    fc.property(c, (values) => {
      const stored = ['date', at(0)];
      if (values.etag !== null) stored.push('etag', values.etag);
      if (values.modified !== null) stored.push('last-modified', at(values.modified));
      const headers: string[] = [];
      if (values.tags !== null) headers.push('if-none-match', values.tags === '*' ? '*' : values.tags.join(', '));
      if (values.since !== null) headers.push('if-modified-since', at(values.since));
      if (values.range) headers.push('range', 'bytes=0-0');
      if (values.ifRange !== null) headers.push('if-range', values.ifRange);
      const request = readRequest(values.method, headers, true);
      const facts = factsOf({ key: '', status: values.status, headers: stored, requestTime: NOW, responseTime: NOW });
      const isPart = planRange(request, values.status, facts, 10).kind === 'partial';
      const answer = isNotModified(request, values.status, facts) ? 304 : isPart ? 206 : 200;
      seen.add(answer);
      assert.is(answer, slowAnswer(values));
    }),
    { numRuns: 10_000 },
  );
  assert.is(seen.size, 3);
});

test('only the origin evaluates If-Match and If-Unmodified-Since, even for a fresh response', () => {
  const facts = factsOf({
    key: '',
    status: 200,
    headers: ['cache-control', 'max-age=60', 'etag', '"a"'],
    requestTime: NOW,
    responseTime: NOW,
  });
  for (const [name, value] of [
    ['if-match', '"a"'],
    ['if-unmodified-since', at(0)],
  ])
    assert.is(judgeReuse(facts, readRequest('GET', [name, value], true), NOW), 'fetch', name);
});

test('the table of RFC 9110 section 8.8.3.2', () => {
  const table = [
    ['W/"1"', 'W/"1"', false, true],
    ['W/"1"', 'W/"2"', false, false],
    ['W/"1"', '"1"', false, true],
    ['"1"', '"1"', true, true],
  ] as const;
  for (const [left, right, strongly, weakly] of table) {
    assert.is(matchStrongly(left, right), strongly);
    assert.is(matchWeakly(left, right), weakly);
  }
});

test('valid and invalid entity tags', () => {
  for (const tag of ['"a"', 'W/"a"', '""', '"!#~"', '"\x80\xff"', '"a,b"', '"a\'b"']) assert.ok(isEntityTag(tag), tag);
  for (const text of ['', 'a', '"a', 'a"', 'w/"a"', 'W/a', '"a"b"', '"a b"', '"\t"', '"\x7f"', ' "a"', '*'])
    assert.not(isEntityTag(text), text);
  assert.ok(listMatches(' * ', ''));
  assert.not(listMatches('*, "a"', '"b"'));
});

test('a 304 has no field that describes the content', () => {
  const kept = ['date', at(0), 'etag', '"a"', 'vary', 'x', 'set-cookie', 'a=b', 'content-location', '/a'];
  const described = ['type', 'encoding', 'language', 'length', 'md5', 'range', 'digest'].map(
    (what) => `content-${what}`,
  );
  const left = [...described, 'accept-ranges', 'digest', 'repr-digest', 'last-modified'].flatMap((name) => [
    name,
    at(-5),
  ]);
  const headers = [...left, ...kept];
  const facts = factsOf({ key: '', status: 200, headers, requestTime: NOW, responseTime: NOW });
  assert.equal(notModifiedFields(headers, facts), kept);
});

test.run();
