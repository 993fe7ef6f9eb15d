/** The fields of requests to origins. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasNoForwardsLeft, requestFields } from '../../../edge/proxy/request-fields.ts';
import { networkOf, visitedSiteOf, visitorAddress } from '../../../edge/proxy/visitor.ts';
import { FakeExchange, type FakeRequest } from './fake-exchange.ts';

const TRUSTED = '192.0.2.80';
const rules = { name: 'waypost', trusts: (address: string) => address === TRUSTED };

const sent = (request: FakeRequest, acceptEncoding = '') =>
  requestFields(new FakeExchange(request), rules, acceptEncoding);

/** All values of a field. */
function valuesOf(fields: readonly string[], name: string): string[] {
  return fields.filter((_, i) => i % 2 === 1 && fields[i - 1] === name);
}

interface Row {
  readonly name: string;
  readonly request: FakeRequest;
  /** The values that the origin gets for each name. An empty list: none. */
  readonly gets: Readonly<Record<string, readonly string[]>>;
}

const dropped = (name: string, value = 'x'): Row => ({
  name: `${name} does not reach the origin`,
  request: { headers: [name, value] },
  gets: { [name]: [] },
});
const passed = (name: string, value = 'x'): Row => ({
  name: `${name} is passed on unchanged`,
  request: { headers: [name, value] },
  gets: { [name]: [value] },
});

const ROWS: readonly Row[] = [
  // RFC 9110 section 7.6.1: fields that the server has not already removed.
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'http2-settings'].map((name) =>
    dropped(name),
  ),
  dropped('content-length', '5'),
  dropped('host', 'evil.test'),
  dropped('proxy-authorization', 'Basic eDp5'),
  dropped('proxy-authenticate'),
  dropped('proxy', 'http://evil.test/'),
  // Claims about the visitor.
  ...['x-real-ip', 'true-client-ip', 'cf-connecting-ip', 'fastly-client-ip', 'x-client-ip', 'client-ip'].map((name) =>
    dropped(name, '127.0.0.1'),
  ),
  ...['x-forwarded-server', 'x-forwarded-ssl', 'x-forwarded-scheme', 'x-forwarded-prefix'].map((name) => dropped(name)),
  // Claims of trusted proxies only: address, target and identity of the visitor, and internal
  // fields of frameworks.
  ...[
    ...['fly-client-ip', 'wl-proxy-client-ip', 'proxy-client-ip', 'x-azure-clientip', 'x-appengine-user-ip'],
    ...['front-end-https', 'x-script-name', 'x-override-url', 'x-original-url', 'x-rewrite-url', 'x-original-uri'],
    ...['x-forwarded-uri', 'x-forwarded-method', 'x-forwarded-user', 'x-forwarded-whatever', 'x-arr-ssl'],
    ...['x-envoy-original-path', 'x-envoy-external-address', 'x_envoy_internal', 'x_middleware_subrequest'],
    ...['x-middleware-subrequest', 'x-middleware-rewrite', 'x-middleware-next', 'x-invoke-path', 'x-matched-path'],
    ...['client-cert', 'client-cert-chain', 'ssl-client-verify', 'x-ssl-client-dn', 'remote-user', 'x-remote-user'],
    ...['x-auth-request-email', 'x-amzn-oidc-data', 'x-ms-client-principal-name', 'x-sendfile-type', 'x-accel-mapping'],
  ].map((name) => dropped(name)),
  ...['x-middleware-prefetch', 'x-http-method-override', 'x-amz-date', 'x-ms-version', 'x-envoyed'].map((name) =>
    passed(name),
  ),
  ...['x-envoy-internal', 'x-original-url', 'ssl-client-verify'].map((name) => ({
    name: `a trusted proxy may set ${name}`,
    request: { address: TRUSTED, headers: [name, 'x'] },
    gets: { [name]: ['x'] },
  })),
  ...['x_forwarded_for', 'x_real_ip', 'x.forwarded.for', 'content_length', 'transfer_encoding', 'x-forwarded_for'].map(
    (name) => dropped(name, '1'),
  ),
  ...['authorization', 'cookie', 'range', 'if-none-match', 'if-range', 'cache-control', 'content-type', 'trailer'].map(
    (name) => passed(name),
  ),
  ...(
    [
      ['if-match', 'W/"a-waypost", W/"b"', '"a", W/"b"'],
      ['if-none-match', 'W/"a-waypost"', 'W/"a"'],
      ['if-range', 'W/"a-waypost"', 'W/"a"'],
    ] as const
  ).map(
    ([name, value, sentValue]): Row => ({
      name: `${name} ${value} has the tags of the origin`,
      request: { headers: [name, value] },
      gets: { [name]: [sentValue] },
    }),
  ),
  passed('te', 'trailers'),
  passed('x_custom'),
  passed('x-custom', 'é'),
  passed('priority', 'u=1'),
  {
    name: 'repeated fields are kept in order',
    request: { headers: ['x-a', '1', 'x-b', '2', 'x-a', '3'] },
    gets: { 'x-a': ['1', '3'], 'x-b': ['2'] },
  },
  {
    name: 'X-Forwarded-For has the address of the visitor',
    request: {},
    gets: { 'x-forwarded-for': ['198.51.100.7'] },
  },
  {
    name: 'X-Forwarded-For of an untrusted client is dropped',
    request: { headers: ['x-forwarded-for', '127.0.0.1', 'x-forwarded-for', '::1'] },
    gets: { 'x-forwarded-for': ['198.51.100.7'] },
  },
  {
    name: 'of X-Forwarded-For, what trusted proxies have written is kept, and their address is appended',
    request: {
      address: TRUSTED,
      headers: ['x-forwarded-for', '127.0.0.1', 'x-forwarded-for', '203.0.113.4, "[2001:db8::5]:443", 192.0.2.80:81'],
    },
    gets: {
      'x-forwarded-for': ['2001:db8::5, 192.0.2.80, 192.0.2.80'],
      forwarded: ['for="[2001:db8::5]";host=www.site.test;proto=https, for=192.0.2.80, for=192.0.2.80'],
    },
  },
  {
    name: 'next to X-Forwarded-For, other fields for the address have its visitor',
    request: {
      address: TRUSTED,
      headers: [
        ...['x-real-ip', '127.0.0.1', 'true-client-ip', '127.0.0.1', 'forwarded', 'for=127.0.0.1'],
        ...['x-forwarded-for', '203.0.113.5'],
      ],
    },
    gets: {
      'x-real-ip': ['203.0.113.5'],
      'true-client-ip': ['203.0.113.5'],
      forwarded: ['for=203.0.113.5;host=www.site.test;proto=https, for=192.0.2.80'],
    },
  },
  {
    name: 'a proxy that states no address is the visitor',
    request: { address: TRUSTED, headers: ['x-real-ip', '127.0.0.1', 'x-forwarded-for', '127.0.0.1, unknown'] },
    gets: { 'x-real-ip': [TRUSTED], 'x-forwarded-for': [TRUSTED] },
  },
  {
    name: 'X-Real-IP of a trusted proxy that sends no X-Forwarded-For is passed on',
    request: { address: TRUSTED, headers: ['x-real-ip', '203.0.113.5'] },
    gets: { 'x-real-ip': ['203.0.113.5'], 'x-forwarded-for': [TRUSTED] },
  },
  {
    name: 'X-Forwarded-Proto of a trusted proxy: the last line is its own',
    request: { address: TRUSTED, headers: ['x-forwarded-proto', 'https', 'x-forwarded-proto', 'http, https'] },
    gets: { 'x-forwarded-proto': ['http'], forwarded: ['for=192.0.2.80;host=www.site.test;proto=http'] },
  },
  ...['wss', 'https,https', 'https, http', 'HTTPS'].map((scheme) => ({
    name: `X-Forwarded-Proto ${scheme} of a trusted proxy is https`,
    request: { address: TRUSTED, scheme: 'http' as const, headers: ['x-forwarded-proto', scheme] },
    gets: { 'x-forwarded-proto': ['https'], forwarded: ['for=192.0.2.80;host=www.site.test;proto=https'] },
  })),
  {
    name: 'an unknown X-Forwarded-Proto does not reach the origin',
    request: { address: TRUSTED, headers: ['x-forwarded-proto', 'ftp'] },
    gets: { 'x-forwarded-proto': ['https'] },
  },
  {
    name: 'a trusted proxy may set scheme and host: all fields have them',
    request: {
      address: TRUSTED,
      scheme: 'http',
      headers: [
        ...['x-forwarded-proto', 'https', 'x-forwarded-host', 'A.test:81, b.test', 'x-forwarded-for', '203.0.113.5'],
        ...['x-real-ip', TRUSTED, 'forwarded', 'for=127.0.0.1;proto=http;host=evil.test'],
      ],
    },
    gets: {
      'x-forwarded-proto': ['https'],
      'x-forwarded-host': ['a.test:81'],
      'x-forwarded-for': ['203.0.113.5, 192.0.2.80'],
      'x-real-ip': ['203.0.113.5'],
      forwarded: ['for=203.0.113.5;host="a.test:81";proto=https, for=192.0.2.80'],
    },
  },
  {
    name: 'a host that is none does not reach the origin',
    request: { address: TRUSTED, headers: ['x-forwarded-host', 'a.test/x"'] },
    gets: { 'x-forwarded-host': ['www.site.test'] },
  },
  {
    name: 'Forwarded of a trusted proxy is read, and all fields have what it states',
    request: {
      address: TRUSTED,
      scheme: 'http',
      headers: [
        ...['forwarded', 'for=127.0.0.1;proto=http, for="203.0.113.5:444";proto=https;host=a.test'],
        ...['forwarded', 'for=192.0.2.80;proto=http', 'x-real-ip', '127.0.0.1'],
      ],
    },
    gets: {
      'x-forwarded-proto': ['https'],
      'x-forwarded-host': ['a.test'],
      'x-forwarded-for': ['203.0.113.5, 192.0.2.80, 192.0.2.80'],
      'x-real-ip': ['203.0.113.5'],
      forwarded: ['for=203.0.113.5;host=a.test;proto=https, for=192.0.2.80, for=192.0.2.80'],
    },
  },
  {
    name: 'a trusted proxy may set X-Real-IP',
    request: { address: TRUSTED, headers: ['x-real-ip', '203.0.113.4'] },
    gets: { 'x-real-ip': ['203.0.113.4'] },
  },
  {
    name: 'scheme and host are the requested ones',
    request: { scheme: 'http', headers: ['x-forwarded-proto', 'https', 'x-forwarded-host', 'evil.test'] },
    gets: { 'x-forwarded-proto': ['http'], 'x-forwarded-host': ['www.site.test'] },
  },
  {
    name: 'the default port of the scheme is omitted, as in the cache key',
    request: { authority: 'www.site.test:443' },
    gets: { 'x-forwarded-host': ['www.site.test'], forwarded: ['for=198.51.100.7;host=www.site.test;proto=https'] },
  },
  {
    name: 'another port is kept',
    request: { authority: 'www.site.test:80' },
    gets: { 'x-forwarded-host': ['www.site.test:80'] },
  },
  {
    name: 'Forwarded, RFC 7239',
    request: {},
    gets: { forwarded: ['for=198.51.100.7;host=www.site.test;proto=https'] },
  },
  {
    name: 'Forwarded quotes IPv6 and a port',
    request: { address: '2001:db8::7', authority: 'www.site.test:8443' },
    gets: {
      forwarded: ['for="[2001:db8::7]";host="www.site.test:8443";proto=https'],
      'x-forwarded-for': ['2001:db8::7'],
    },
  },
  {
    name: 'Forwarded of an untrusted client is dropped',
    request: { headers: ['forwarded', 'for=127.0.0.1'] },
    gets: { forwarded: ['for=198.51.100.7;host=www.site.test;proto=https'] },
  },
  {
    name: 'Forwarded of a trusted proxy is kept and extended',
    request: { address: TRUSTED, headers: ['forwarded', 'for=203.0.113.4'] },
    gets: { forwarded: ['for=203.0.113.4;host=www.site.test;proto=https, for=192.0.2.80'] },
  },
  ...(
    [
      [{}, '443'],
      [{ scheme: 'http' }, '80'],
      [{ authority: 'www.site.test:8443' }, '8443'],
      [{ headers: ['x-forwarded-port', '1'] }, '443'],
      [{ address: TRUSTED, scheme: 'http', headers: ['x-forwarded-proto', 'https'] }, '443'],
      [{ address: TRUSTED, headers: ['x-forwarded-port', '8443'] }, '8443'],
      [{ address: TRUSTED, headers: ['x-forwarded-host', 'a.test:81'] }, '81'],
      [{ address: TRUSTED, headers: ['x-forwarded-port', 'x'] }, '443'],
    ] as const
  ).map(
    ([request, port]): Row => ({
      name: `X-Forwarded-Port of ${JSON.stringify(request)} is ${port}`,
      request,
      gets: { 'x-forwarded-port': [port] },
    }),
  ),
  { name: 'Via of HTTP/1.1', request: {}, gets: { via: ['1.1 waypost'] } },
  { name: 'Via of HTTP/1.0', request: { version: '1.0' }, gets: { via: ['1.0 waypost'] } },
  { name: 'Via of HTTP/2', request: { version: '2' }, gets: { via: ['2 waypost'] } },
  {
    name: 'Via is extended',
    request: { headers: ['via', '1.0 fred, 1.1 p.example'] },
    gets: { via: ['1.0 fred, 1.1 p.example, 1.1 waypost'] },
  },
  { name: 'CDN-Loop', request: {}, gets: { 'cdn-loop': ['waypost'] } },
  {
    name: 'CDN-Loop is extended',
    request: { headers: ['cdn-loop', 'foo123.foocdn.example, barcdn.example; trace="abcdef"', 'cdn-loop', 'x'] },
    gets: { 'cdn-loop': ['foo123.foocdn.example, barcdn.example; trace="abcdef", x, waypost'] },
  },
  {
    name: 'the name of the edge within a quoted parameter is not an identifier',
    request: { headers: ['cdn-loop', 'other; a="x, waypost"'] },
    gets: { 'cdn-loop': ['other; a="x, waypost", waypost'] },
  },
  {
    name: 'X-Request-Id is set by the client of the origin',
    request: { headers: ['x-request-id', 'theirs'] },
    gets: { 'x-request-id': [] },
  },
  {
    name: 'Max-Forwards of OPTIONS is decremented',
    request: { method: 'OPTIONS', headers: ['max-forwards', '10'] },
    gets: { 'max-forwards': ['9'] },
  },
  {
    name: 'Max-Forwards of another method is unchanged',
    request: { headers: ['max-forwards', '10'] },
    gets: { 'max-forwards': ['10'] },
  },
];

for (const { name, request, gets } of ROWS) {
  test(name, () => {
    const fields = sent(request);
    if (typeof fields === 'number') throw new Error(`Refused with ${fields}`);
    for (const [field, values] of Object.entries(gets)) assert.equal(valuesOf(fields, field), values, field);
  });
}

test('requests whose response may be shared state the same, but no host that is not in the key', () => {
  const fieldsOf = (...headers: string[]): string[] => {
    const exchange = new FakeExchange({ address: TRUSTED, scheme: 'http', headers });
    const fields = requestFields(exchange, rules, '', true) as string[];
    return ['x-real-ip', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded'].map((name) =>
      valuesOf(fields, name).join('|'),
    );
  };
  const expected = [
    ...['203.0.113.5', '203.0.113.5, 192.0.2.80', 'https', 'www.site.test'],
    'for=203.0.113.5;host=www.site.test;proto=https, for=192.0.2.80',
  ];
  const xForwarded = ['x-forwarded-for', '203.0.113.5', 'x-forwarded-proto', 'https', 'x-forwarded-host', 'a.test'];
  assert.equal(fieldsOf(...xForwarded, 'x-real-ip', '127.0.0.1'), expected);
  assert.equal(fieldsOf('x-real-ip', '1', 'forwarded', 'for=203.0.113.5;proto=https;host=a.test'), expected);
  const port = ['x-forwarded-port', '8443'];
  const exchange = new FakeExchange({ address: TRUSTED, headers: port });
  assert.equal(valuesOf(requestFields(exchange, rules, '', true) as string[], 'x-forwarded-port'), ['443']);
  assert.is(fieldsOf(...xForwarded)[0], '', 'only if the proxy sends it');
  // Not a text that the visitor may have chosen.
  assert.is(fieldsOf('x-real-ip', '"203.0.113.5:1"')[0], '203.0.113.5');
  assert.is(fieldsOf('x-real-ip', '<script>')[0], TRUSTED);
});

test('a site may do without Forwarded', () => {
  for (const address of [TRUSTED, '198.51.100.7'])
    for (const isShared of [false, true]) {
      const exchange = new FakeExchange({ address, headers: ['forwarded', 'for=203.0.113.5'] });
      const fields = requestFields(exchange, rules, '', isShared, false) as string[];
      assert.equal(valuesOf(fields, 'forwarded'), []);
      assert.is(valuesOf(fields, 'x-forwarded-proto').length, 1);
      const others = requestFields(exchange, rules, '', isShared, true) as string[];
      assert.is(valuesOf(others, 'forwarded').length, 1, 'of the same connection');
    }
});

test('rules, limits and logs have the visitor that the origin gets', () => {
  const visitorOf = (...lines: string[]): string => {
    const exchange = new FakeExchange({
      address: TRUSTED,
      headers: lines.flatMap((line) => ['x-forwarded-for', line]),
    });
    const fields = requestFields(exchange, rules, '');
    if (typeof fields === 'number') throw new Error(`Refused with ${fields}`);
    const visitor = visitorAddress(exchange, rules);
    assert.is(valuesOf(fields, 'x-forwarded-for')[0].split(', ')[0], visitor);
    assert.is(networkOf(exchange, rules), visitor.includes(':') ? '20010db800000000' : visitor);
    return visitor;
  };
  assert.is(visitorOf('203.0.113.4', '203.0.113.5'), '203.0.113.5');
  assert.is(visitorOf('203.0.113.4, 203.0.113.5:444'), '203.0.113.5');
  for (const text of ['[2001:db8::1]:444', '"[2001:db8::1]:444"', '[2001:DB8:0::1]', '2001:db8::1'])
    assert.is(visitorOf('203.0.113.4', text), '2001:db8::1', text);
  for (const text of ['::ffff:192.0.2.1', '[::ffff:c000:201]:5', '"192.0.2.1"', '192.0.2.1:444'])
    assert.is(visitorOf(text), '192.0.2.1', text);
  const stranger = new FakeExchange({ headers: ['x-forwarded-for', '203.0.113.4'] });
  assert.is(visitorAddress(stranger, rules), '198.51.100.7');
});

test('the scheme is that of the last line', () => {
  const schemeOf = (...headers: string[]): string =>
    visitedSiteOf(new FakeExchange({ address: TRUSTED, headers }), rules).scheme;
  assert.is(schemeOf('x-forwarded-proto', 'https', 'x-forwarded-proto', 'http'), 'http');
  assert.is(schemeOf('x-forwarded-proto', 'http', 'forwarded', 'for=203.0.113.5;proto=https'), 'http');
  assert.is(schemeOf('forwarded', 'for=203.0.113.5;proto=http'), 'http');
});

test('Forwarded describes each request, whichever part differs from the previous request', () => {
  const requests: FakeRequest[] = [];
  for (const address of ['198.51.100.7', '198.51.100.8'])
    for (const authority of ['a.site.test', 'b.site.test'])
      for (const scheme of ['http', 'https'] as const) requests.push({ address, authority, scheme });
  for (const before of requests)
    for (const request of [before, ...requests]) {
      const { address, authority, scheme } = request;
      const fields = sent(request) as string[];
      assert.equal(valuesOf(fields, 'forwarded'), [`for=${address};host=${authority};proto=${scheme}`]);
      // So that each request follows every other.
      sent(before);
    }
});

test("the client's certificate replaces what the visitor claims, RFC 9440 section 2.4", () => {
  const headers = ['client-cert', ':AAAA:', 'client_cert', ':AAAA:', 'client-cert-chain', ':AAAA:'];
  const fields = sent({ headers, certificate: ':QUJD:' }) as string[];
  assert.equal(valuesOf(fields, 'client-cert'), [':QUJD:']);
  assert.equal(valuesOf(fields, 'client_cert'), []);
  assert.equal(valuesOf(fields, 'client-cert-chain'), []);
  // A trusted proxy's own certificate is not its visitor's.
  const through = sent({ headers, certificate: ':QUJD:', address: TRUSTED }) as string[];
  assert.equal(valuesOf(through, 'client-cert'), [':AAAA:']);
});

test('Accept-Encoding is set by the edge', () => {
  const headers = ['accept-encoding', 'zstd, br;q=0.5, gzip, weird'];
  assert.equal(valuesOf(sent({ headers }, 'gzip') as string[], 'accept-encoding'), ['gzip']);
  assert.equal(valuesOf(sent({ headers }) as string[], 'accept-encoding'), []);
});

test('a request that has already passed the edge is a loop, RFC 8586', () => {
  for (const loop of ['waypost', 'Waypost', 'a, waypost', 'waypost;v=1', 'a;b="c,d" ,\twaypost ; x'])
    assert.is(sent({ headers: ['cdn-loop', loop] }), 508, loop);
  assert.is(sent({ headers: ['cdn-loop', 'a', 'cdn-loop', 'waypost'] }), 508);
  for (const loop of ['waypost.example', 'notwaypost', 'a;waypost'])
    assert.type(sent({ headers: ['cdn-loop', loop] }), 'object');
});

test('an unknown expectation is refused', () => {
  assert.is(sent({ headers: ['expect', '200-ok'] }), 417);
});

test('OPTIONS with Max-Forwards 0 is not forwarded', () => {
  const may = (method: string, value: string) =>
    hasNoForwardsLeft(new FakeExchange({ method, headers: ['max-forwards', value] }));
  assert.ok(may('OPTIONS', '0'));
  assert.not(may('OPTIONS', '1'));
  assert.not(may('OPTIONS', ''));
  assert.not(may('GET', '0'));
});

test.run();
