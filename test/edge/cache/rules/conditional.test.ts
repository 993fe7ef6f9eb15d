/** Conditions of visitors against the steps of RFC 9110 section 13.2.2, for all combinations of a few values. */
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

/** Section 8.8.3.2, its table. */
const weaklySame = (one: string, other: string): boolean => one.replace('W/', '') === other.replace('W/', '');

/** The steps; what a cache passes on to the origin is not among them. */
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
  } else if (c.since !== null && (c.modified ?? 0) <= c.since) return 304; // step 4; without Last-Modified by Date, which is 0
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
    fc.property(c, (one) => {
      const stored = ['date', at(0)];
      if (one.etag !== null) stored.push('etag', one.etag);
      if (one.modified !== null) stored.push('last-modified', at(one.modified));
      const headers: string[] = [];
      if (one.tags !== null) headers.push('if-none-match', one.tags === '*' ? '*' : one.tags.join(', '));
      if (one.since !== null) headers.push('if-modified-since', at(one.since));
      if (one.range) headers.push('range', 'bytes=0-0');
      if (one.ifRange !== null) headers.push('if-range', one.ifRange);
      const request = readRequest(one.method, headers, true);
      const facts = factsOf({ key: '', status: one.status, headers: stored, requestTime: NOW, responseTime: NOW });
      const isPart = planRange(request, one.status, facts, 10).kind === 'partial';
      const answer = isNotModified(request, one.status, facts) ? 304 : isPart ? 206 : 200;
      seen.add(answer);
      assert.is(answer, slowAnswer(one));
    }),
    { numRuns: 10_000 },
  );
  assert.is(seen.size, 3);
});

test('what only the origin may judge goes there, fresh or not', () => {
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
  for (const [one, other, strongly, weakly] of table) {
    assert.is(matchStrongly(one, other), strongly);
    assert.is(matchWeakly(one, other), weakly);
  }
});

test('what is an entity tag', () => {
  for (const tag of ['"a"', 'W/"a"', '""', '"!#~"', '"\x80\xff"', '"a,b"', '"a\'b"']) assert.ok(isEntityTag(tag), tag);
  for (const text of ['', 'a', '"a', 'a"', 'w/"a"', 'W/a', '"a"b"', '"a b"', '"\t"', '"\x7f"', ' "a"', '*'])
    assert.not(isEntityTag(text), text);
  assert.ok(listMatches(' * ', ''));
  assert.not(listMatches('*, "a"', '"b"'));
});

test('a 304 has no field that describes content', () => {
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
