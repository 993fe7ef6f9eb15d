/**
 * Which lists of fields are requests (RFC 9113 sections 8.2 and 8.3, 8.5, RFC 8441), and what a
 * handler sees of them.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lineFlags, nameFlags } from '../../../../edge/http/exchange/fields.ts';
import { RequestHead, VERDICT } from '../../../../edge/http/http2/request-head.ts';
import fc from '../../../support/fc.ts';

function head(fields: readonly string[], isTrailers = false): RequestHead {
  const made = new RequestHead();
  made.reset(isTrailers);
  for (let i = 0; i < fields.length; i += 2)
    made.field(fields[i], fields[i + 1], lineFlags(nameFlags(fields[i]), fields[i + 1]));
  return made;
}

const REQUEST = [':method', 'GET', ':scheme', 'https', ':path', '/x?y', ':authority', 'A.Test:443'];
const CONNECT = [':method', 'CONNECT', ':authority', 'a.test:443'];
const without = (name: string, fields: readonly string[] = REQUEST): string[] =>
  fields.filter((_, i) => fields[i & ~1] !== name);

const ROWS: readonly [string, readonly string[], keyof typeof VERDICT][] = [
  ['ordinary', REQUEST, 'wellFormed'],
  ['without :method', without(':method'), 'malformed'],
  ['without :scheme', without(':scheme'), 'malformed'],
  ['without :path', without(':path'), 'malformed'],
  ['without :authority and host', without(':authority'), 'withoutAuthority'],
  ['host in place of :authority', [...without(':authority'), 'host', 'a.test'], 'wellFormed'],
  ['host that says the same', [...REQUEST, 'host', 'a.test:443'], 'wellFormed'],
  ['host with another value', [...REQUEST, 'host', 'b.test'], 'malformed'],
  ['host twice', [...REQUEST, 'host', 'a.test:443', 'host', 'a.test:443'], 'malformed'],
  [':authority with user information', [...without(':authority'), ':authority', 'u@a.test'], 'malformed'],
  [':authority that is empty', [...without(':authority'), ':authority', ''], 'malformed'],
  [':path twice', [...REQUEST, ':path', '/'], 'malformed'],
  [':path that is empty', [...without(':path'), ':path', ''], 'malformed'],
  [':path without a slash', [...without(':path'), ':path', 'x'], 'malformed'],
  [':path * of a GET', [...without(':path'), ':path', '*'], 'malformed'],
  [':path * of OPTIONS', [':method', 'OPTIONS', ':scheme', 'https', ':path', '*', ':authority', 'a'], 'wellFormed'],
  [':path with a blank', [...without(':path'), ':path', '/a b'], 'malformed'],
  ['a pseudo-header behind a field', ['accept', '*/*', ...REQUEST], 'malformed'],
  ['an unknown pseudo-header', [...REQUEST, ':x', 'y'], 'malformed'],
  [':status', [...REQUEST, ':status', '200'], 'malformed'],
  ['a name in upper case', [...REQUEST, 'Accept', '*/*'], 'malformed'],
  ['a name with a blank', [...REQUEST, 'a b', 'c'], 'malformed'],
  ['an empty name', [...REQUEST, '', 'c'], 'malformed'],
  ['a value with NUL', [...REQUEST, 'a', 'b\0'], 'malformed'],
  ['a value with LF', [...REQUEST, 'a', 'b\nc: d'], 'malformed'],
  ['a value with a blank in front', [...REQUEST, 'a', ' b'], 'malformed'],
  ['connection', [...REQUEST, 'connection', 'close'], 'malformed'],
  ['keep-alive', [...REQUEST, 'keep-alive', '1'], 'malformed'],
  ['proxy-connection', [...REQUEST, 'proxy-connection', 'close'], 'malformed'],
  ['transfer-encoding', [...REQUEST, 'transfer-encoding', 'chunked'], 'malformed'],
  ['upgrade', [...REQUEST, 'upgrade', 'websocket'], 'malformed'],
  ['te: trailers', [...REQUEST, 'te', 'trailers'], 'wellFormed'],
  ['te: gzip', [...REQUEST, 'te', 'gzip'], 'malformed'],
  ['content-length', [...REQUEST, 'content-length', '5'], 'wellFormed'],
  ['content-length twice, the same', [...REQUEST, 'content-length', '5', 'content-length', '5'], 'wellFormed'],
  ['content-length twice, another', [...REQUEST, 'content-length', '5', 'content-length', '6'], 'malformed'],
  ['content-length negative', [...REQUEST, 'content-length', '-5'], 'malformed'],
  ['content-length beyond all numbers', [...REQUEST, 'content-length', '9'.repeat(20)], 'malformed'],
  ['CONNECT', CONNECT, 'wellFormed'],
  ['CONNECT with :path', [...CONNECT, ':path', '/'], 'malformed'],
  ['CONNECT with :scheme', [...CONNECT, ':scheme', 'https'], 'malformed'],
  ['CONNECT without :authority', [':method', 'CONNECT', 'host', 'a.test'], 'malformed'],
  ['extended CONNECT', [...without(':method'), ':method', 'CONNECT', ':protocol', 'websocket'], 'wellFormed'],
  ['extended CONNECT without :path', [...CONNECT, ':scheme', 'https', ':protocol', 'websocket'], 'malformed'],
  [':protocol of a GET', [...REQUEST, ':protocol', 'websocket'], 'malformed'],
  [':method in lower case', [...without(':method'), ':method', 'get'], 'unknownMethod'],
  ['an unknown :method', [...without(':method'), ':method', 'BREW'], 'unknownMethod'],
  [':method of 5,000 letters', [...without(':method'), ':method', 'A'.repeat(5000)], 'unknownMethod'],
  [':method SOURCE', [...without(':method'), ':method', 'SOURCE'], 'unknownMethod'],
  [':method PROPFIND', [...without(':method'), ':method', 'PROPFIND'], 'wellFormed'],
  [':scheme http over TLS', [...without(':scheme'), ':scheme', 'http'], 'otherScheme'],
  [':scheme ftp', [...without(':scheme'), ':scheme', 'ftp'], 'otherScheme'],
  [':scheme javascript', [...without(':scheme'), ':scheme', 'javascript'], 'otherScheme'],
  [':scheme in upper case', [...without(':scheme'), ':scheme', 'HTTPS'], 'wellFormed'],
  [':scheme that is none', [...without(':scheme'), ':scheme', 'ht tps'], 'malformed'],
  ['authorization', [...REQUEST, 'authorization', 'a'], 'wellFormed'],
  ['authorization twice', [...REQUEST, 'authorization', 'a', 'authorization', 'a'], 'ambiguous'],
  ['content-type twice', [...REQUEST, 'content-type', 'a/b', 'content-type', 'c/d'], 'ambiguous'],
];

for (const [name, fields, verdict] of ROWS) {
  test(`${name}: ${verdict}`, () => {
    assert.is(head(fields).finish(true), VERDICT[verdict]);
  });
}

test('without TLS a target may be of http, or of https if a proxy in front has ended TLS', () => {
  for (const [scheme, verdict, target] of [
    ['http', VERDICT.wellFormed, 'http'],
    ['https', VERDICT.wellFormed, 'https'],
    ['ftp', VERDICT.otherScheme, undefined],
  ] as const) {
    const made = head([...without(':scheme'), ':scheme', scheme]);
    assert.is(made.finish(false), verdict);
    if (target !== undefined) assert.is(made.targetScheme, target);
  }
});

test('a handler sees the request without pseudo-headers, host and expect, and its cookies as one', () => {
  const made = head([
    ...REQUEST,
    'cookie',
    'a=1',
    'host',
    'a.TEST:443',
    'accept',
    '*/*',
    'cookie',
    'b=2',
    'expect',
    '100-continue',
    'priority',
    'u=1',
    'cookie',
    'c=3',
    'content-length',
    '7',
  ]);
  assert.is(made.finish(true), VERDICT.wellFormed);
  assert.equal(made.headers, ['cookie', 'a=1; b=2; c=3', 'accept', '*/*', 'priority', 'u=1', 'content-length', '7']);
  assert.is(made.authority, 'a.test:443');
  assert.is(made.expectsContinue, true);
  assert.is(made.contentLength, 7);
  assert.is(made.priority, 'u=1');
});

const CRUMBS: readonly [crumbs: readonly string[], cookie: string][] = [
  [[''], ''],
  [['', ''], ''],
  [['a=b', ''], 'a=b'],
  [['', 'a=b'], 'a=b'],
  [['a=b', '', 'c=d'], 'a=b; c=d'],
  [['', '', 'a=b', '', '', 'c=d', ''], 'a=b; c=d'],
  [['a=b;', ''], 'a=b;'],
  [['a=b', ';'], 'a=b; ;'],
];

for (const [crumbs, cookie] of CRUMBS) {
  test(`the cookie of the crumbs ${JSON.stringify(crumbs)} is ${JSON.stringify(cookie)}`, () => {
    const made = head([...REQUEST, ...crumbs.flatMap((crumb) => ['cookie', crumb])]);
    assert.is(made.finish(true), VERDICT.wellFormed);
    assert.equal(made.headers, ['cookie', cookie]);
  });
}

test('a crumb with a blank or a tab at an end is malformed (section 8.2.1)', () => {
  for (const crumb of [' ', '\t', ' a=b', 'a=b ', '\ta=b', 'a=b\t'])
    for (const crumbs of [[crumb], ['a=b', crumb], [crumb, 'a=b'], ['', crumb]])
      assert.is(
        head([...REQUEST, ...crumbs.flatMap((text) => ['cookie', text])]).finish(true),
        VERDICT.malformed,
        JSON.stringify(crumbs),
      );
});

test('crumbs among other fields join as the plain reference joins them, into a value that a field may have', () => {
  const crumb = fc.constantFrom('', '', 'a=b', 'c', '=', ';', 'a b', 'd=e;');
  const line = fc.oneof(
    crumb.map((value) => ['cookie', value]),
    fc.constantFrom(['accept', '*/*'], ['x-a', '']),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      const made = head([...REQUEST, ...lines.flat()]);
      assert.is(made.finish(true), VERDICT.wellFormed);
      const first = lines.findIndex(([name]) => name === 'cookie');
      const all = lines.filter(([name, value]) => name === 'cookie' && value !== '').map(([, value]) => value);
      const expected = lines
        .filter(([name], i) => name !== 'cookie' || i === first)
        .flatMap(([name, value]) => [name, name === 'cookie' ? all.join('; ') : value]);
      assert.equal(made.headers, expected);
      for (let i = 0; i < made.headers.length; i += 2)
        assert.is(made.headers[i + 1], made.headers[i + 1].trim(), made.headers[i]);
    }),
    { numRuns: 500 },
  );
});

test('trailers have no pseudo-headers', () => {
  assert.is(head(['x-sum', '1'], true).isMalformed, false);
  assert.is(head([':path', '/'], true).isMalformed, true);
  assert.is(head(['connection', 'close'], true).isMalformed, true);
});

test('a block leaves no state for the next', () => {
  const made = head([...REQUEST, 'host', 'a.test:443', 'content-length', '4', 'cookie', 'a=1', 'Bad', '']);
  made.finish(true);
  made.reset(false);
  assert.is(made.finish(true), VERDICT.malformed);
  made.reset(false);
  for (const [name, value] of [
    [':method', 'GET'],
    [':scheme', 'https'],
    [':path', '/'],
    ['host', 'b'],
  ])
    made.field(name, value, lineFlags(nameFlags(name), value));
  assert.is(made.finish(true), VERDICT.wellFormed);
  assert.equal([made.contentLength, made.expectsContinue, made.headers.length], [-1, false, 0]);
});

test.run();
