/** The compiled rules agree with the reference interpreter on generated documents and requests. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  checkRules,
  type NamedMatch,
  type Rule,
  type RuleAction,
  type RuleMatch,
  RuleSet,
  type TextMatch,
} from '../../../../core/site/rules/index.ts';
import { interpret, type ReferenceRequest } from '../../../reference/rules.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { outcomeOf } from './request.ts';

const test = suite('generated rules');

const someOf = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.array(arbitrary, { minLength: 1, maxLength: 6 });
const PATHS = ['/', '/a', '/a/', '/a/b', '/ab', '/b.js', '/a/b.JS', '/A', '/a/b/c', '/.x', '/a b'];
const VALUES = ['', '1', 'a', 'ab', 'Ab', 'a=b', 'a b', '12'];
const NAMES = ['a', 'b', 'ab', 'x-a'];
const VALUE_NAMES = [...NAMES, 'a*', '*'];
const HEADERS = [...NAMES, 'cookie', 'authorization'];

const textMatch = (texts: readonly string[]): fc.Arbitrary<TextMatch> => {
  const text = fc.constantFrom(...texts.filter((value) => value !== ''));
  return fc.record(
    {
      exact: someOf(fc.constantFrom(...texts)),
      prefix: someOf(text),
      suffix: someOf(text),
      contains: someOf(text),
      glob: someOf(fc.tuple(text, fc.constantFrom('*', '**', '?', '', '*b')).map(([a, b]) => a + b)),
      regex: someOf(fc.constantFrom('^/a', 'b$', '[a-b]+', 'a.b', '\\.js$', '^$', '(a|b)c?', '\\bab?\\b', '^.{2}$')),
      ignore_case: fc.boolean(),
    },
    { requiredKeys: [] },
  );
};
const pathMatch = textMatch(PATHS).filter(({ ignore_case, ...lists }) => Object.keys(lists).length > 0);
const namedMatch = (names: readonly string[]): fc.Arbitrary<NamedMatch> =>
  fc
    .tuple(
      fc.constantFrom(...names),
      fc.option(textMatch(VALUES), { nil: {} }),
      fc.option(fc.boolean(), { nil: undefined }),
    )
    .map(([label, text, absent]) => ({ name: label, ...text, ...(absent === undefined ? {} : { absent }) }));

const ADDRESSES = ['192.0.2.1', '192.0.2.200', '198.51.100.7', '2001:db8::1', '2001:db8:1::1', '::1'];
const NETWORKS = ['192.0.2.0/24', '192.0.2.1', '192.0.2.128/25', '0.0.0.0/0', '2001:db8::/32', '::/0', '2001:db8::1'];
const HOSTS = ['example.com', 'www.example.com', 'a.www.example.com', 'other.test'];

const match: fc.Arbitrary<RuleMatch> = fc.record(
  {
    host: someOf(fc.constantFrom(...HOSTS, '*.example.com', 'WWW.example.com')),
    path: pathMatch,
    method: someOf(fc.constantFrom('GET', 'POST', 'HEAD')),
    client: someOf(fc.constantFrom(...NETWORKS)),
    country: someOf(fc.constantFrom('DE', 'FR')),
    header: someOf(namedMatch(HEADERS)),
    cookie: someOf(namedMatch(VALUE_NAMES)),
    query: someOf(namedMatch(VALUE_NAMES)),
  },
  { requiredKeys: [] },
);
/** Few members, so that rules match. */
const smallMatch = match.chain((whole) =>
  fc
    .subarray(Object.keys(whole) as (keyof RuleMatch)[], {
      maxLength: Math.min(2, Object.keys(whole).length),
    })
    .map((members) => Object.fromEntries(members.map((member) => [member, whole[member]])) as RuleMatch),
);

const name = fc.constantFrom('X-A', 'x-a', 'X-B');
const action: fc.Arbitrary<RuleAction> = fc.oneof(
  fc.constantFrom<RuleAction>(
    ...([{ type: 'allow' }, { type: 'deny' }, { type: 'challenge' }, { type: 'maintenance' }] as const),
    ...([
      { type: 'limit', requests: 1, period: 1 },
      { type: 'error_page', status: 404 },
      { type: 'respond', body: 'a' },
      { type: 'authenticate', forward: { url: 'https://auth.example/' } },
    ] as const),
    ...([{ type: 'redirect', location: '/x' }, { type: 'bypass_cache' }, { type: 'no_compression' }] as const),
    ...([
      { type: 'cache', ttl: 9 },
      { type: 'cache', ttl: 5, override: true },
      { type: 'cache', max_ttl: 7 },
    ] as const),
    ...([
      { type: 'origin', name: 'p' },
      { type: 'origin', name: 'q' },
    ] as const),
    ...([
      { type: 'limit_upload', size: 1 },
      { type: 'limit_upload', size: 2 },
      { type: 'buffer_upload', size: 0 },
    ] as const),
  ),
  fc
    .tuple(name, fc.constantFrom('1', '2'))
    .map(([label, value]): RuleAction => ({ type: 'set_request_header', name: label, value })),
  fc
    .tuple(name, fc.constantFrom('1', '2'))
    .map(([label, value]): RuleAction => ({ type: 'set_response_header', name: label, value })),
  name.map((label): RuleAction => ({ type: 'remove_request_header', name: label })),
  name.map((label): RuleAction => ({ type: 'remove_response_header', name: label })),
  fc
    .constantFrom('/n{path}', '/n/{rest}', '{path}', '/{host}/{scheme}{uri}', '/n?{rest}', '/n{query}')
    .map((path): RuleAction => ({ type: 'rewrite', path })),
);
const rule: fc.Arbitrary<Rule> = fc
  .record(
    { match: smallMatch, except: smallMatch, enabled: fc.boolean(), dry_run: fc.boolean(), action },
    { requiredKeys: ['action'] },
  )
  // A rewriting rule with prefixes in another case is tested by hand.
  .filter(({ action: step, match: when }) => step.type !== 'rewrite' || when?.path?.ignore_case !== true)
  .map(({ except, ...rest }) => (except !== undefined && Object.keys(except).length > 0 ? { ...rest, except } : rest));

const QUERIES = ['', '?', '?a', '?a=1', '?a=1&b=a+b', '?ab=Ab&a=', '?a=%61&%61b=12', '?x-a=a=b'];
const RAW_PATHS = [
  ...PATHS.filter((path) => !path.includes(' ')),
  '/%61',
  '//a',
  '/x/../a/b',
  '/a%20b',
  '/a/./b',
  '/%2Fa',
  '/a%2fb%3B%2B',
  '/a//b%5Cc',
  '/a\\b%20%C3%A4',
  '/%61/x%2F..%2f/b//',
  '/a/b%2F..',
];
const header = fc.oneof(
  fc.tuple(fc.constantFrom('a', 'b', 'x-a', 'authorization'), fc.constantFrom(...VALUES)),
  fc
    .array(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...VALUES)), { minLength: 1, maxLength: 3 })
    .map((pairs): [string, string] => ['cookie', pairs.map(([a, b]) => `${a}=${b}`).join('; ')]),
);
const request: fc.Arbitrary<ReferenceRequest> = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  scheme: fc.constantFrom('http', 'https'),
  host: fc.constantFrom(...HOSTS),
  target: fc.tuple(fc.constantFrom(...RAW_PATHS), fc.constantFrom(...QUERIES)).map(([path, query]) => path + query),
  headers: fc.array(header, { maxLength: 3 }),
  address: fc.constantFrom(...ADDRESSES),
  country: fc.constantFrom('DE', 'US', ''),
});

test('compiled rules and the reference agree', () => {
  fc.assert(
    fc.property(
      fc.array(rule, { minLength: 1, maxLength: 12 }),
      fc.array(request, { minLength: 1, maxLength: 12 }),
      fc.boolean(),
      (rules, requests, isPassed) => {
        const document = { rules };
        assert.equal(checkRules(document), []);
        const set = new RuleSet(document);
        for (const sample of requests)
          assert.equal(
            outcomeOf(set, sample, () => isPassed),
            interpret(document, sample, () => isPassed),
          );
      },
    ),
    { numRuns: depth({ quick: 20, moderate: 60, full: 100_000 }) },
  );
});

/** The index has its bits in words of 32, and remembers results by the values of requests. */
test('many rules and recurring requests agree with the reference', () => {
  const light = rule.filter(({ action: step }) => ['limit', 'set_response_header', 'bypass_cache'].includes(step.type));
  fc.assert(
    fc.property(
      fc.array(light, { minLength: 30, maxLength: 70 }),
      fc.array(request, { minLength: 2, maxLength: 6 }),
      fc.array(fc.nat(), { minLength: 8, maxLength: 24 }),
      (rules, requests, order) => {
        const document = { rules };
        const set = new RuleSet(document);
        const expected = requests.map((sample) => interpret(document, sample));
        for (const number of order) {
          const next = number % requests.length;
          assert.equal(outcomeOf(set, requests[next]), expected[next]);
        }
      },
    ),
    { numRuns: depth({ quick: 4, moderate: 10, full: 10_000 }) },
  );
});

test.run();
