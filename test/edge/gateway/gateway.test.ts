/** What each kind of request comes to: a table of hosts, schemes and paths; what is told of it; and whom the admin API hears. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createAdminForward } from '../../../edge/gateway/admin.ts';
import { DESTINATIONS, GATEWAY_COLUMNS, GatewayCounters } from '../../../edge/gateway/counters.ts';
import { createGateway } from '../../../edge/gateway/gateway.ts';
import { Observer } from '../../../edge/gateway/observer.ts';
import { siteHost } from '../../../edge/http/exchange/authority.ts';
import type { Site } from '../../../edge/sites/site.ts';
import { FakeExchange, type FakeRequest } from '../proxy/fake-exchange.ts';

const site = (domain: string, hasCertificate: boolean): Site => ({
  domainId: '1'.repeat(16),
  domain,
  origin: { host: '192.0.2.1', port: 80, protocol: 'http' },
  hasCertificate,
  hstsMaxAge: null,
});
const SITES: ReadonlyMap<string, Site> = new Map([
  ['www.site.test', site('site.test', true)],
  ['site.test', site('site.test', true)],
  ['plain.test', site('plain.test', false)],
]);

const BALANCER = '10.0.0.1';
const claims = (scheme: string): string[] => ['x-forwarded-proto', scheme];

interface Rig {
  ask(request: FakeRequest & { readonly serverName?: string }): FakeExchange;
  /** Sites that were served and admin requests, in order. */
  readonly served: string[];
  counts(): Record<string, number>;
}

function rig(httpsPort: number | null = 8443): Rig {
  const served: string[] = [];
  const memory = new SharedArrayBuffer(GATEWAY_COLUMNS.length * 8);
  const observer = new Observer(new GatewayCounters(memory), null, () => {});
  const handler = createGateway({
    siteOf: (host) => SITES.get(host),
    isShared: (serverName, host) => serverName.endsWith('site.test') && host.endsWith('site.test'),
    proxy: (exchange, { domain }) => {
      served.push(`${exchange.scheme} ${domain}`);
      exchange.respond(200, []);
      exchange.end();
    },
    adminHosts: new Set(['admin.site.test', 'admin.other.test']),
    admin: (exchange) => {
      served.push('admin');
      exchange.respond(200, []);
      exchange.end();
    },
    challenge: (host, token) => (host === 'www.site.test' && token === 'good' ? 'good.key' : undefined),
    httpPorts: new Set(['8080', '81']),
    httpsPort,
    trusts: (address) => address === BALANCER,
    observer,
  });
  return {
    served,
    ask({ serverName, ...request }) {
      const exchange = new FakeExchange(request);
      const name = serverName ?? siteHost(exchange.authority);
      Object.assign(exchange, { client: { ...exchange.client, serverName: request.scheme === 'http' ? '' : name } });
      void handler(exchange);
      return exchange;
    },
    counts() {
      const values = new Float64Array(memory);
      return Object.fromEntries(GATEWAY_COLUMNS.flatMap((name, i) => (values[i] === 0 ? [] : [[name, values[i]]])));
    },
  };
}

/** Expected: a status, with the location of a redirect, or who served it. */
const TABLE: readonly (readonly [what: string, request: Parameters<Rig['ask']>[0], expected: string])[] = [
  ['a site', { authority: 'www.site.test' }, 'https site.test'],
  ['with the port', { authority: 'www.site.test:8443' }, 'https site.test'],
  ['with a last dot', { authority: 'www.site.test.', serverName: 'www.site.test' }, 'https site.test'],
  ['of the same certificate', { authority: 'site.test', serverName: 'www.site.test' }, 'https site.test'],
  ['of another certificate', { authority: 'plain.test', serverName: 'www.site.test' }, '421'],
  ['nobody’s, of the same certificate', { authority: 'no.site.test', serverName: 'www.site.test' }, '404'],
  ['nobody’s', { authority: 'no.site.test' }, '404'],
  ['no name at all', { authority: '', serverName: 'www.site.test' }, '421'],
  ['a connection whose name is not known', { authority: 'plain.test', serverName: '' }, '421'],
  ['an address', { authority: '192.0.2.1:8443', serverName: 'www.site.test' }, '421'],
  ['an address of IPv6', { authority: '[2001:db8::1]', serverName: 'www.site.test' }, '421'],
  ['the admin API', { authority: 'admin.other.test' }, 'admin'],
  ['the admin API, as a neighbour', { authority: 'admin.site.test', serverName: 'www.site.test' }, 'admin'],
  ['the admin API over a foreign name', { authority: 'admin.other.test', serverName: 'www.site.test' }, '421'],
  ['a challenge is nothing of HTTPS', { path: '/.well-known/acme-challenge/good' }, 'https site.test'],
  ['http: redirect', { scheme: 'http', path: '/a?b=c' }, '308 https://www.site.test/a?b=c'],
  ['http: redirect, our port', { scheme: 'http', authority: 'www.site.test:8080' }, '308 https://www.site.test:8443/'],
  [
    'http: redirect, a port before ours',
    { scheme: 'http', authority: 'www.site.test:80' },
    '308 https://www.site.test/',
  ],
  ['http: redirect, method kept', { scheme: 'http', method: 'POST', path: '/f' }, '308 https://www.site.test/f'],
  ['http: OPTIONS *', { scheme: 'http', method: 'OPTIONS', path: '*' }, '308 https://www.site.test/'],
  ['http: a last dot', { scheme: 'http', authority: 'www.site.test.' }, '308 https://www.site.test/'],
  ['http: without a certificate', { scheme: 'http', authority: 'plain.test' }, 'http plain.test'],
  ['http: nobody’s', { scheme: 'http', authority: 'no.test' }, '404'],
  ['http: HTTP/1.0 without a host', { scheme: 'http', authority: '', version: '1.0' }, '404'],
  ['http: the admin API', { scheme: 'http', authority: 'admin.other.test' }, '308 https://admin.other.test/'],
  ['http: a challenge', { scheme: 'http', path: '/.well-known/acme-challenge/good' }, '200 good.key'],
  [
    'http: a challenge of others',
    { scheme: 'http', path: '/.well-known/acme-challenge/else' },
    '308 https://www.site.test/.well-known/acme-challenge/else',
  ],
  // A target of https that came without TLS.
  ['a visitor’s target of https', { scheme: 'http', targetScheme: 'https' }, '421'],
  [
    'a visitor’s target of https, whatever the visitor claims',
    { scheme: 'http', targetScheme: 'https', authority: 'plain.test', headers: claims('https') },
    '421',
  ],
  [
    'a visitor’s target of https to a challenge',
    { scheme: 'http', targetScheme: 'https', path: '/.well-known/acme-challenge/good' },
    '421',
  ],
  [
    'a target of https through a balancer',
    { scheme: 'http', targetScheme: 'https', address: BALANCER, headers: claims('https') },
    'http site.test',
  ],
  // Behind a balancer that ends TLS.
  ['by https, as a balancer says', { scheme: 'http', address: BALANCER, headers: claims('https') }, 'http site.test'],
  [
    'by https to the admin API, as a balancer says',
    { scheme: 'http', authority: 'admin.other.test', address: BALANCER, headers: claims('https') },
    'admin',
  ],
  [
    'by https to nobody, as a balancer says',
    { scheme: 'http', authority: 'no.test', address: BALANCER, headers: claims('https') },
    '404',
  ],
  [
    'by http, as a balancer says',
    { scheme: 'http', address: BALANCER, headers: claims('http') },
    '308 https://www.site.test/',
  ],
  ['a balancer that says nothing', { scheme: 'http', address: BALANCER }, '308 https://www.site.test/'],
  [
    'a balancer that says nonsense',
    { scheme: 'http', address: BALANCER, headers: claims('https, http') },
    '308 https://www.site.test/',
  ],
  [
    'a visitor who says https',
    { scheme: 'http', address: '203.0.113.9', headers: claims('https') },
    '308 https://www.site.test/',
  ],
  [
    'a visitor of the admin API who says https',
    { scheme: 'http', authority: 'admin.other.test', headers: claims('https') },
    '308 https://admin.other.test/',
  ],
  [
    'a challenge through a balancer',
    { scheme: 'http', path: '/.well-known/acme-challenge/good', address: BALANCER, headers: claims('https') },
    '200 good.key',
  ],
  [
    'http: a challenge of an origin of its own',
    { scheme: 'http', authority: 'plain.test', path: '/.well-known/acme-challenge/good' },
    'http plain.test',
  ],
];

for (const [what, request, expected] of TABLE)
  test(what, () => {
    const { ask, served, counts } = rig();
    const exchange = ask(request);
    assert.ok(exchange.isEnded);
    const location = exchange.field('location');
    const own = `${exchange.status} ${location ?? (exchange.status === 200 ? exchange.text : '')}`.trim();
    assert.is(served[0] ?? own, expected);
    assert.is(Object.keys(counts()).filter((name) => /_[1-5]xx$/.test(name)).length, served.length === 0 ? 1 : 0);
    if (exchange.status >= 400) {
      assert.match(exchange.field('x-request-id') ?? '', /^[\w-]+$/);
      assert.match(exchange.field('content-type') ?? '', /^text\/html/);
    }
  });

test('without HTTPS nobody is sent there: a site is served over HTTP, the admin API never', () => {
  const { ask, served } = rig(null);
  ask({ scheme: 'http' });
  assert.equal(served, ['http site.test']);
  assert.is(ask({ scheme: 'http', authority: 'admin.other.test' }).status, 404);
});

test('what a request came to is counted by destination and class of status', () => {
  const { ask, counts } = rig();
  ask({ scheme: 'http' });
  ask({ authority: 'no.test' });
  ask({ authority: 'plain.test', serverName: 'www.site.test' });
  const { bytes, ...rest } = counts();
  assert.equal(rest, { redirect_3xx: 1, unknown_4xx: 1, misdirected_4xx: 1 });
  assert.ok(bytes > 500, 'two pages');
  const counters = new GatewayCounters(new SharedArrayBuffer(GATEWAY_COLUMNS.length * 8));
  for (const destination of DESTINATIONS)
    for (const status of [101, 204, 499, 599, 999]) counters.countResponse(destination, status, 0);
});

test('the admin API is told who asks, by a field that no client can say; what comes of it goes back as it is', async () => {
  const seen: { head: IncomingMessage; body: string }[] = [];
  const api = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      seen.push({ head: request, body });
      response.writeHead(201, { 'content-type': 'application/json', 'x-request-id': 'r1', server: 'api' });
      response.end('{"ok":true}');
    });
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const { port } = api.address() as AddressInfo;
  const memory = new SharedArrayBuffer(GATEWAY_COLUMNS.length * 8);
  const observer = new Observer(new GatewayCounters(memory), null, () => {});
  const target = { address: '127.0.0.1', port, field: 'x-waypost-client', secret: 's3cret', connections: 2 };
  const admin = createAdminForward(target, observer);
  try {
    const parts = [Buffer.from('{"a":'), Buffer.from('1}'), null];
    const exchange = new FakeExchange({
      method: 'POST',
      authority: 'admin.test:8443',
      path: '/api/v1/domains?x=1',
      headers: [
        ...['authorization', 'Bearer t', 'content-type', 'application/json', 'content-length', '7'],
        ...['x-waypost-client', 's3cret 127.0.0.1', 'x-forwarded-for', '127.0.0.1', 'forwarded', 'for=1.1.1.1'],
        ...['expect', '100-continue'],
      ],
      body: { length: 7, read: async () => parts.shift() ?? null, discard() {}, trailers: [] },
    });
    await admin.handler(exchange);
    assert.is(exchange.status, 201);
    assert.is(exchange.text, '{"ok":true}');
    assert.is(exchange.field('x-request-id'), 'r1');
    assert.is(exchange.field('server'), 'waypost');
    const [{ head, body }] = seen;
    assert.equal(
      [head.method, head.url, head.headers.host, body],
      ['POST', '/api/v1/domains?x=1', 'admin.test:8443', '{"a":1}'],
    );
    assert.is(head.headers['x-waypost-client'], 's3cret 198.51.100.7', 'the client’s own word is not passed on');
    assert.is(head.headers.authorization, 'Bearer t');
    assert.is(head.headers['x-forwarded-for'], undefined);
    assert.is(head.headers.forwarded, undefined);
    assert.is(head.headers.via, '1.1 waypost', 'so that the API knows that somebody stands between');
    const refused = new FakeExchange({ protocol: 'websocket' });
    await admin.handler(refused);
    assert.is(refused.status, 501);
    await new Promise((resolve) => api.close(resolve));
    const gone = new FakeExchange({ headers: ['accept', 'application/json'] });
    await admin.handler(gone);
    assert.is(gone.status, 502);
    assert.is(JSON.parse(gone.text).error.code, 'admin_unavailable');
  } finally {
    await admin.close();
    api.close();
  }
});

test.run();
