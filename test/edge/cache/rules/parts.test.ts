/** The small rules: keys, tags, Cache-Status, request fields for the origin, invalidation. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cacheKey, invalidatedKeys, keyOfUrl } from '../../../../edge/cache/rules/cache-key.ts';
import { cacheStatus } from '../../../../edge/cache/rules/cache-status.ts';
import { noDirectives } from '../../../../edge/cache/rules/directives.ts';
import { factsOf } from '../../../../edge/cache/rules/facts.ts';
import { readRequest } from '../../../../edge/cache/rules/request.ts';
import { fillRequestFields, freshenResponse } from '../../../../edge/cache/rules/revalidation.ts';
import {
  judgeStorable,
  namesEssential,
  parseCacheTags,
  storableFields,
} from '../../../../edge/cache/rules/storable.ts';

test('a key is the URI, byte by byte, without the default port', () => {
  assert.is(cacheKey('https', 'www.example.com', '/a?b'), 'https://www.example.com/a?b');
  assert.is(cacheKey('https', 'www.example.com:443', '/'), 'https://www.example.com/');
  assert.is(cacheKey('http', 'www.example.com:80', '/'), 'http://www.example.com/');
  assert.is(cacheKey('http', 'www.example.com:443', '/'), 'http://www.example.com:443/');
  assert.is(cacheKey('https', '[2001:db8::80]', '/'), 'https://[2001:db8::80]/');
  assert.is(cacheKey('https', 'a', '/%61/../b//c'), 'https://a/%61/../b//c');
});

test('the key of a URL as people write it', () => {
  const keys: readonly (readonly [string, string | undefined])[] = [
    ['https://www.example.com/a?b', 'https://www.example.com/a?b'],
    ['HTTPS://WWW.Example.com', 'https://www.example.com/'],
    ['http://www.example.com:80/A#b', 'http://www.example.com/A'],
    ['https://www.example.com?a=/b', 'https://www.example.com/?a=/b'],
    ['https://www.example.com/%61/../b', 'https://www.example.com/%61/../b'],
    ['/a', undefined],
    ['ftp://www.example.com/', undefined],
    ['https://', undefined],
    ['https://user@www.example.com/', undefined],
    ['https://a\\b/', undefined],
  ];
  for (const [url, key] of keys) assert.is(keyOfUrl(url), key, url);
});

test('tags are split, counted without repetitions, and bounded', () => {
  assert.equal(parseCacheTags(''), []);
  assert.equal(parseCacheTags(' a, b ,,a,B'), ['a', 'b', 'B']);
  assert.is(parseCacheTags(Array.from({ length: 256 }, (_, i) => i).join())?.length, 256);
  assert.equal(parseCacheTags('x'.repeat(1024)), ['x'.repeat(1024)]);
  assert.equal(parseCacheTags(Array.from({ length: 257 }, (_, i) => i).join()), undefined);
  assert.equal(parseCacheTags('x'.repeat(1025)), undefined);
  assert.equal(parseCacheTags('a,b c, "d"'), ['a', 'b c', '"d"']);
  assert.equal(parseCacheTags('a,\xe9'), undefined, 'no purge could name it');
  const many = ['cache-control', 'max-age=9', 'cache-tag', 'x'.repeat(1025)];
  const received = { key: '', status: 200, headers: many, requestTime: 0, responseTime: 0 };
  assert.equal(judgeStorable(readRequest('GET', [], true), [], received, 100), { store: false, reason: 'tags' });
  const two = { ...received, headers: ['cache-control', 'max-age=9', 'cache-tag', 'a', 'cache-tag', 'b'] };
  const verdict = judgeStorable(readRequest('GET', [], true), [], two, 100);
  assert.equal(verdict.store && verdict.tags, ['a', 'b']);
});

test('Cache-Status names what the cache did', () => {
  assert.is(cacheStatus({ name: 'waypost', ttl: 376 }), 'waypost; hit; ttl=376');
  assert.is(
    cacheStatus({ name: 'waypost', fwd: 'uri-miss', stored: true, collapsed: true }),
    'waypost; fwd=uri-miss; stored; collapsed',
  );
  assert.is(
    cacheStatus({ name: 'waypost', fwd: 'stale', fwdStatus: 304, ttl: 0, stored: false }),
    'waypost; fwd=stale; fwd-status=304; ttl=0',
  );
  assert.is(
    cacheStatus({ name: 'waypost', fwd: 'bypass', detail: 'no-store' }),
    'waypost; fwd=bypass; detail=no-store',
  );
  assert.is(
    cacheStatus({ name: 'waypost', ttl: -5, key: 'https://a/"\\\xe4' }),
    'waypost; hit; ttl=-5; key="https://a/\\"\\\\?"',
  );
});

test('a request to the origin is for the whole, uncoded representation', () => {
  const headers = [
    'accept',
    '*/*',
    'accept-encoding',
    'br',
    'range',
    'bytes=0-1',
    'if-none-match',
    '"v"',
    'if-range',
    '"v"',
    'cookie',
    'a=b',
  ];
  assert.equal(fillRequestFields(headers), ['accept', '*/*', 'cookie', 'a=b', 'accept-encoding', 'identity']);
  const stored = factsOf({
    key: '',
    status: 200,
    headers: ['etag', '"s"', 'last-modified', 'Sun Nov  6 08:49:37 1994'],
    requestTime: 0,
    responseTime: 0,
  });
  const conditional = fillRequestFields(headers, stored);
  assert.equal(conditional.slice(6), ['if-none-match', '"s"', 'if-modified-since', 'Sun, 06 Nov 1994 08:49:37 GMT']);
});

test("the visitor's conditions and ranges are not sent to the origin", () => {
  const own = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range', 'range'];
  const headers = own.flatMap((name) => [name, '"v"']);
  assert.equal(fillRequestFields(headers), ['accept-encoding', 'identity']);
});

test('a 304 does not change the fields that describe the stored body', () => {
  const body = { length: 1, whole: undefined, slice: () => new Uint8Array(1) };
  const stored = {
    domainId: '',
    key: 'k',
    status: 200,
    requestTime: 1,
    responseTime: 1,
    selecting: [],
    tags: [],
    body,
  };
  const headers = ['age', '5', 'content-encoding', 'a', 'x-a', '1', 'x-b', '1'];
  const update = ['content-encoding', 'b', 'content-length', '0', 'content-range', 'c', 'x-a', '2', 'x-a', '3'];
  assert.equal(freshenResponse({ ...stored, headers }, update, 7, 8), {
    ...{ key: 'k', status: 200, requestTime: 7, responseTime: 8 },
    headers: ['content-encoding', 'a', 'x-b', '1', 'x-a', '2', 'x-a', '3'],
  });
});

test('invalidation stays on the same origin', () => {
  const key = 'https://www.example.com/a/b';
  const cases: readonly (readonly [string, string[]])[] = [
    ['c', [key, 'https://www.example.com/a/c']],
    ['../c?d#e', [key, 'https://www.example.com/c?d']],
    ['https://www.example.com:443/c', [key, 'https://www.example.com/c']],
    ['http://www.example.com/c', [key]],
    ['https://www.example.com:8443/c', [key]],
    ['//example.com/c', [key]],
    ['javascript:alert(1)', [key]],
    ['https://[', [key]],
    ['', [key]],
  ];
  for (const [reference, keys] of cases)
    assert.equal(invalidatedKeys('POST', key, 201, ['location', reference]), keys, reference);
  assert.equal(invalidatedKeys('DELETE', key, 204, ['location', '/x', 'content-location', '/y']), [
    key,
    'https://www.example.com/x',
    'https://www.example.com/y',
  ]);
  assert.equal(invalidatedKeys('GET', key, 200, ['location', '/x']), []);
  assert.equal(invalidatedKeys('POST', key, 400, ['location', '/x']), []);
});

test('fields of a connection or a proxy are not stored', () => {
  const hop = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];
  const proxy = ['proxy-authenticate', 'proxy-authentication-info', 'proxy-authorization'];
  const left = [...hop, ...proxy, 'content-length', 'cache-status'].flatMap((name) => [name, '1']);
  const date = ['date', 'Thu, 01 Jan 1970 00:00:09 GMT'];
  assert.equal(storableFields([...left, 'x-a', '1', ...date], noDirectives(), 5000), ['x-a', '1', ...date]);
  assert.equal(storableFields([...date, 'date', 'Thu, 01 Jan 1970 00:00:01 GMT'], noDirectives(), 5000), date);
  assert.equal(storableFields(['date', 'x'], noDirectives(), 5000), ['date', 'Thu, 01 Jan 1970 00:00:05 GMT']);
});

test('private="…" with an essential field makes the whole response private', () => {
  const ofContent = ['encoding', 'length', 'range', 'type'].map((what) => `content-${what}`);
  const ofCaching = ['age', 'cache-control', 'cdn-cache-control', 'date', 'etag', 'expires', 'last-modified', 'vary'];
  for (const name of [...ofContent, ...ofCaching, 'location']) assert.ok(namesEssential(['x-a', name]), name);
  assert.not(namesEssential(['x-a', 'set-cookie']));
});

test('the reason why a response is not stored', () => {
  const judge = (method: string, request: string[], status: number, headers: string[]) => {
    const verdict = judgeStorable(
      readRequest(method, request, true),
      request,
      { key: '', status, headers, requestTime: 0, responseTime: 0 },
      10,
    );
    return verdict.store ? 'stored' : verdict.reason;
  };
  const fresh = ['cache-control', 'max-age=9'];
  assert.is(judge('GET', [], 200, fresh), 'stored');
  assert.is(judge('POST', [], 200, fresh), 'method');
  assert.is(judge('GET', ['cache-control', 'no-store'], 200, fresh), 'request-no-store');
  assert.is(judge('GET', ['if-match', '*'], 200, fresh), 'precondition');
  assert.is(judge('GET', [], 206, fresh), 'one-request');
  assert.is(judge('GET', [], 103, fresh), 'status');
  assert.is(judge('GET', [], 200, ['cache-control', 'no-store']), 'no-store');
  assert.is(judge('GET', [], 200, ['cache-control', 'private']), 'private');
  assert.is(judge('GET', ['authorization', 'a'], 200, fresh), 'authorization');
  assert.is(judge('GET', [], 200, [...fresh, 'set-cookie', 'a=b']), 'set-cookie');
  assert.is(judge('GET', [], 200, ['cache-control', 'public, max-age=9', 'set-cookie', 'a=b']), 'set-cookie');
  assert.is(judge('GET', [], 200, [...fresh, 'vary', '*']), 'vary');
  assert.is(judge('GET', [], 200, [...fresh, 'content-length', '11']), 'too-large');
  assert.is(judge('GET', [], 200, [...fresh, 'content-length', '10']), 'stored');
  assert.is(judge('GET', [], 200, []), 'no-use');
  assert.is(judge('GET', [], 302, ['last-modified', 'Sun, 06 Nov 1994 08:49:37 GMT']), 'status');
  assert.is(judge('GET', [], 299, ['cache-control', 'must-understand, max-age=9']), 'status');
  const tag = ['etag', '"a"'];
  assert.is(judge('GET', [], 200, tag), 'no-use');
  for (const value of ['max-age=0', 'no-cache', 'must-revalidate', 'public', 'no-cache, max-age=9', 's-maxage=0']) {
    assert.is(judge('GET', [], 200, ['cache-control', value]), 'no-use', value);
    assert.is(judge('GET', [], 200, ['cache-control', value, ...tag]), 'stored', value);
  }
  assert.is(judge('GET', ['authorization', 'a'], 200, ['cache-control', 's-maxage=0', ...tag]), 'stored');
  assert.is(judge('GET', [], 200, ['cache-control', 's-maxage=0', 'set-cookie', 'a=b', ...tag]), 'stored');
  assert.is(judge('GET', [], 200, ['cdn-cache-control', 'max-age=0', 'set-cookie', 'a=b', ...tag]), 'stored');
});

test.run();
