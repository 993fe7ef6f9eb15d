/** The fields and trailers of responses to visitors. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { responseFields, responseTrailers } from '../../../edge/proxy/response-fields.ts';
import type { Site } from '../../../edge/sites/site.ts';

const site: Site = {
  domainId: 'd1',
  domain: 'site.test',
  origin: { host: 'origin.internal.test', port: 8080, protocol: 'http' },
  hasCertificate: true,
  hsts: '',
  documents: null,
};
const HTTPS = { scheme: 'https', authority: 'www.site.test' };

const valuesOf = (fields: readonly string[], name: string): string[] =>
  fields.filter((_, i) => i % 2 === 1 && fields[i - 1] === name);

/**
 * The field, the origin's value, the visitor's value (null: none), and where needed a different
 * site or visitor.
 */
type Row = readonly [string, string, string | null, Partial<Site>?, typeof HTTPS?];

const ADDRESS: Partial<Site> = { origin: { host: '203.0.113.9', port: 80, protocol: 'http' } };
const SIX: Partial<Site> = { origin: { host: '2001:db8::9', port: 8443, protocol: 'https' } };
const HTTP = { scheme: 'http', authority: 'www.site.test' };
const PORT = { scheme: 'https', authority: 'www.site.test:8443' };

const ROWS: readonly Row[] = [
  ['connection', 'close', null],
  ['keep-alive', 'timeout=5', null],
  ['proxy-connection', 'x', null],
  ['proxy-authenticate', 'Basic', null],
  ['transfer-encoding', 'chunked', null],
  ['upgrade', 'h2c', null],
  ['server', 'Apache/2.2 (origin)', 'waypost'],
  ['x-powered-by', 'PHP/5', null],
  ['x-aspnet-version', '4', null],
  ['alt-svc', 'h3=":443"', null],
  ['cache-tag', 'a, b', null],
  ['x-request-id', 'theirs', null],
  ['x-backend', 'origin.internal.test', null],
  ['x-backend', 'ORIGIN.internal.test:8080', null],
  ['x-backend', 'http://origin.internal.test/', null],
  ['x-backend', 'notorigin.internal.test', 'notorigin.internal.test'],
  ['x-backend', 'origin.internal.testing', 'origin.internal.testing'],
  ['x-backend', 'a machine', 'a machine'],
  ['x-served-by', 'node at 203.0.113.9', null, ADDRESS],
  ['x-served-by', 'cache-203.0.113.9:8080', null, ADDRESS],
  ['x-served-by', '203.0.113.95', '203.0.113.95', ADDRESS],
  ['x-served-by', 'ip-203.0.113.9-a', null, ADDRESS],
  ['x-served-by', '203.0.113.90', '203.0.113.90', ADDRESS],
  ['content-security-policy', 'img-src origin.internal.test', 'img-src www.site.test'],
  ['via', '1.1 origin.internal.test', '1.1 waypost'],
  ['via', '1.1 varnish', '1.1 varnish, 1.1 waypost'],
  ['content-type', 'text/html', 'text/html'],
  ['content-length', '5', '5'],
  ['etag', '"a"', '"a"'],
  ['date', 'Sun, 06 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:37 GMT'],
  ['retry-after', '5', '5'],
  ['www-authenticate', 'Basic', 'Basic'],
  ['cdn-cache-control', 'max-age=5', 'max-age=5'],
  // References.
  ['location', '/a', '/a'],
  ['location', 'a?b=http://origin.internal.test/', 'a?b=https://www.site.test/'],
  ['location', '', ''],
  ['location', 'http://origin.internal.test:8080/a?b#c', 'https://www.site.test/a?b#c'],
  ['location', 'http://origin.internal.test/a', 'https://www.site.test/a'],
  ['location', 'https://origin.internal.test', 'https://www.site.test'],
  ['location', 'https://origin.internal.test:9999/a', 'https://www.site.test/a'],
  ['location', 'HTTP://Origin.Internal.Test.:8080/a', 'https://www.site.test/a'],
  ['location', '//origin.internal.test:8080/a', '//www.site.test/a'],
  ['location', '\\\\origin.internal.test\\a', '//www.site.test\\a'],
  ['location', 'http:/\\origin.internal.test/a', 'https://www.site.test/a'],
  ['location', 'http://user:pw@origin.internal.test:8080/a', 'https://www.site.test/a'],
  ['location', 'http://orig%69n.internal.test/a', 'https://www.site.test/a'],
  ['location', 'http://origin.internal.test:8080/a', 'http://www.site.test/a', {}, HTTP],
  ['location', 'http://origin.internal.test:8080/a', 'https://www.site.test:8443/a', {}, PORT],
  ['location', 'ws://origin.internal.test:8080/a', 'wss://www.site.test/a'],
  ['location', 'http://203.0.113.9/a', 'https://www.site.test/a', ADDRESS],
  ['location', 'http://203.0.113.9:8080/a', 'https://www.site.test/a', ADDRESS],
  ['location', 'http://0xCB.0.113.9/a', 'https://www.site.test/a', ADDRESS],
  ['location', 'https://[2001:db8::9]:8443/a', 'https://www.site.test/a', SIX],
  ['location', 'https://[2001:DB8:0::9]/a', 'https://www.site.test/a', SIX],
  ['location', 'http://www.site.test:8080/a', 'https://www.site.test/a'],
  ['location', 'http://www.site.test/a', 'http://www.site.test/a'],
  ['location', 'http://www.site.test:9090/a', 'http://www.site.test:9090/a'],
  ['location', 'https://www.site.test:8443/a', 'https://www.site.test:8443/a', SIX, PORT],
  ['location', 'https://other.test/http://origin.internal.test', 'https://other.test/https://www.site.test'],
  ['location', 'https://origin.internal.test.other.test/', 'https://origin.internal.test.other.test/'],
  ['location', 'http://[bad/', 'http://[bad/'],
  ['location', 'mailto:a@origin.internal.test', 'mailto:a@www.site.test'],
  ['content-location', 'http://origin.internal.test:8080/a', 'https://www.site.test/a'],
  [
    'link',
    '<http://origin.internal.test:8080/a>; rel=preload, </b>; rel=next',
    '<https://www.site.test/a>; rel=preload, </b>; rel=next',
  ],
  ['link', '<<<<', '<<<<'],
  ['refresh', '5; url=http://origin.internal.test/a', '5; url=https://www.site.test/a'],
  ['refresh', '5;URL="http://origin.internal.test/a"', '5;URL="https://www.site.test/a"'],
  ['refresh', '5', '5'],
  ['set-cookie', 'a=b; Domain=origin.internal.test; Path=/', 'a=b; Path=/'],
  ['set-cookie', 'a=b; domain=.Origin.internal.test', 'a=b'],
  ['set-cookie', 'a=b; Domain=site.test', 'a=b; Domain=site.test'],
  ['set-cookie', 'a=b; Secure', 'a=b; Secure'],
  // RFC 6797.
  ['strict-transport-security', 'max-age=1', 'max-age=1'],
  ['strict-transport-security', 'max-age=1', null, {}, HTTP],
  ['strict-transport-security', 'max-age=1', 'max-age=600', { hsts: 'max-age=600', documents: null }],
  ['strict-transport-security', 'max-age=1', 'max-age=0', { hsts: 'max-age=0', documents: null }],
];

for (const [name, sent, received, more = {}, visited = HTTPS] of ROWS) {
  test(`${name}: ${sent}${more === ADDRESS || more === SIX ? ' (an address)' : ''} to ${visited.scheme}://${visited.authority}`, () => {
    const fields = responseFields([name, sent], { ...site, ...more }, visited, 'waypost');
    assert.equal(valuesOf(fields, name), received === null ? [] : [received]);
    assert.is(fields.length % 2, 0);
  });
}

test('HSTS is sent for a site that enables it, even if its origin does not', () => {
  const fields = responseFields([], { ...site, hsts: 'max-age=31536000', documents: null }, HTTPS, 'waypost');
  assert.equal(valuesOf(fields, 'strict-transport-security'), ['max-age=31536000']);
  assert.equal(
    valuesOf(
      responseFields([], { ...site, hsts: 'max-age=5', documents: null }, HTTP, 'waypost'),
      'strict-transport-security',
    ),
    [],
  );
});

test('each cookie has its own field', () => {
  const fields = responseFields(['set-cookie', 'a=1', 'set-cookie', 'b=2'], site, HTTPS, 'waypost');
  assert.equal(valuesOf(fields, 'set-cookie'), ['a=1', 'b=2']);
});

test('malicious fields take linear time', () => {
  for (const value of [
    '<'.repeat(60_000),
    ';'.repeat(60_000),
    '; '.repeat(30_000),
    'http://'.repeat(8000),
    ' '.repeat(60_000),
  ])
    for (const name of ['link', 'refresh', 'set-cookie', 'location', 'via', 'x-a'])
      assert.ok(responseFields([name, value], site, HTTPS, 'waypost').length > 0);
});

test('trailers: no field that a head may not have, and nothing that reveals the origin', () => {
  const kept = ['x-sum', '7', 'grpc-status', '0', 'server-timing', 'a;dur=1', 'etag', '"a"'];
  const dropped = [
    ...[
      'server',
      'Apache',
      'x-powered-by',
      'PHP',
      'location',
      '/a',
      'set-cookie',
      'a=b',
      'via',
      '1.1 x',
      'cache-tag',
      'a',
    ],
    ...[
      'strict-transport-security',
      'max-age=0',
      'alt-svc',
      'h3',
      'x-backend',
      'origin.internal.test',
      'x-request-id',
      'b',
    ],
    ...['server-timing', 'origin.internal.test:8080;dur=1'],
  ];
  assert.equal(responseTrailers([...dropped, ...kept], site, HTTPS), kept);
  assert.equal(responseTrailers([], site, HTTPS), []);
});

test.run();
