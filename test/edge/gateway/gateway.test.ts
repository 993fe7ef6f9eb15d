/** Routing of requests by host, scheme and path, the counters, and forwarding to the admin API. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileProtection } from '../../../core/site/protection/compile.ts';
import { createAdminForward } from '../../../edge/gateway/admin.ts';
import { DESTINATIONS, GATEWAY_COLUMNS, GatewayCounters } from '../../../edge/gateway/counters.ts';
import { createGateway, type GatewayOptions } from '../../../edge/gateway/gateway.ts';
import { Observer } from '../../../edge/gateway/observer.ts';
import { type DomainSample, TailSampler } from '../../../edge/gateway/tail-sampler.ts';
import { siteHost } from '../../../edge/http/exchange/authority.ts';
import type { Client, Exchange } from '../../../edge/http/exchange/exchange.ts';
import { PEER_SERVER_NAME } from '../../../edge/peers/identity.ts';
import type { Site } from '../../../edge/sites/site.ts';
import type { SiteDocuments } from '../../../edge/sites/site-documents.ts';
import { FakeExchange, type FakeRequest } from '../proxy/fake-exchange.ts';

const site = (domain: string, hasCertificate: boolean): Site => ({
  domainId: '1'.repeat(16),
  domain,
  origin: { host: '192.0.2.1', port: 80, protocol: 'http' },
  hasCertificate,
  hsts: '',
  documents: null,
});
const protectedSite = (domain: string, hasCertificate: boolean, mode: 'off' | 'required'): Site => {
  const tls = { min_version: '1.3', client_certificates: mode, client_authorities: 'PEM' } as const;
  const documents = { protection: compileProtection({ tls }), errorPages: null, key: '' };
  return { ...site(domain, hasCertificate), documents: documents as unknown as SiteDocuments };
};
const [MODERN, MUTUAL] = [
  protectedSite('modern.test', true, 'off'),
  protectedSite('mutual.site.test', true, 'required'),
];
const fingerprint = ({ documents }: Site): string => documents?.protection?.tls?.fingerprint ?? '';

const SITES: ReadonlyMap<string, Site> = new Map([
  ['modern.test', MODERN],
  ['mutual.site.test', MUTUAL],
  ['plain-mutual.test', protectedSite('plain-mutual.test', false, 'required')],
  ['www.site.test', site('site.test', true)],
  ['site.test', site('site.test', true)],
  ['plain.test', site('plain.test', false)],
]);

const BALANCER = '10.0.0.1';
const claims = (scheme: string): string[] => ['x-forwarded-proto', scheme];

interface Rig {
  ask(request: FakeRequest & Pick<Partial<Client>, 'serverName' | 'tlsPolicy' | 'isSurplus'>): FakeExchange;
  /** Served sites and admin requests, in order. */
  readonly served: string[];
  counts(): Record<string, number>;
}

function rig(
  httpsPort: number | null = 8443,
  tail: TailSampler | null = null,
  load: GatewayOptions['load'] = null,
  peers: GatewayOptions['peers'] = null,
): Rig {
  const served: string[] = [];
  const memory = new SharedArrayBuffer(GATEWAY_COLUMNS.length * 8);
  const observer = new Observer(new GatewayCounters(memory), null, () => {}, tail);
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
    load,
    peers,
    trusts: (address) => address === BALANCER,
    observer,
  });
  return {
    served,
    ask({ serverName, tlsPolicy = '', isSurplus = false, ...request }) {
      const exchange = new FakeExchange(request);
      const name = serverName ?? siteHost(exchange.authority);
      Object.assign(exchange, {
        client: { ...exchange.client, serverName: request.scheme === 'http' ? '' : name, tlsPolicy, isSurplus },
      });
      void handler(exchange);
      return exchange;
    },
    counts() {
      const values = new Float64Array(memory);
      return Object.fromEntries(GATEWAY_COLUMNS.flatMap((name, i) => (values[i] === 0 ? [] : [[name, values[i]]])));
    },
  };
}

/** Expected: a status, with the location of a redirect, or the handler that served the request. */
const TABLE: readonly (readonly [what: string, request: Parameters<Rig['ask']>[0], expected: string])[] = [
  ['a site', { authority: 'www.site.test' }, 'https site.test'],
  ['with the port', { authority: 'www.site.test:8443' }, 'https site.test'],
  ['with a trailing dot', { authority: 'www.site.test.', serverName: 'www.site.test' }, 'https site.test'],
  ['another site of the same certificate', { authority: 'site.test', serverName: 'www.site.test' }, 'https site.test'],
  ['a site of another certificate', { authority: 'plain.test', serverName: 'www.site.test' }, '421'],
  [
    'a site that asks something of TLS',
    { authority: 'modern.test', tlsPolicy: fingerprint(MODERN) },
    'https modern.test',
  ],
  ['the same over a connection from before', { authority: 'modern.test' }, '421'],
  [
    'a site with client certificates, over a connection to another',
    { authority: 'mutual.site.test', serverName: 'www.site.test' },
    '421',
  ],
  [
    'the same, over a connection with another policy',
    { authority: 'mutual.site.test', serverName: 'www.site.test', tlsPolicy: fingerprint(MODERN) },
    '421',
  ],
  [
    'another site over a connection with a client certificate',
    { authority: 'www.site.test', serverName: 'mutual.site.test', tlsPolicy: fingerprint(MUTUAL) },
    'https site.test',
  ],
  [
    'http: a site with client certificates',
    { scheme: 'http', authority: 'mutual.site.test' },
    '308 https://mutual.site.test/',
  ],
  [
    'http: a site with client certificates, and none of its own yet',
    { scheme: 'http', authority: 'plain-mutual.test' },
    '403',
  ],
  [
    'a balancer reports https to a site with client certificates',
    { scheme: 'http', authority: 'mutual.site.test', address: BALANCER, headers: claims('https') },
    '403',
  ],
  [
    'a balancer reports https to a site that asks for TLS 1.3',
    { scheme: 'http', authority: 'modern.test', address: BALANCER, headers: claims('https') },
    'http modern.test',
  ],
  ['an unknown host, of the same certificate', { authority: 'no.site.test', serverName: 'www.site.test' }, '404'],
  ['an unknown host', { authority: 'no.site.test' }, '404'],
  ['no host', { authority: '', serverName: 'www.site.test' }, '421'],
  ['a connection without a server name', { authority: 'plain.test', serverName: '' }, '421'],
  ['an address', { authority: '192.0.2.1:8443', serverName: 'www.site.test' }, '421'],
  ['an IPv6 address', { authority: '[2001:db8::1]', serverName: 'www.site.test' }, '421'],
  ['the admin API', { authority: 'admin.other.test' }, 'admin'],
  [
    'the admin API over a connection with the same certificate',
    { authority: 'admin.site.test', serverName: 'www.site.test' },
    'admin',
  ],
  [
    'the admin API over a connection with another certificate',
    { authority: 'admin.other.test', serverName: 'www.site.test' },
    '421',
  ],
  [
    'a challenge path over HTTPS is served by the site',
    { path: '/.well-known/acme-challenge/good' },
    'https site.test',
  ],
  ['http: redirect', { scheme: 'http', path: '/a?b=c' }, '308 https://www.site.test/a?b=c'],
  [
    'http: redirect, port of a listener',
    { scheme: 'http', authority: 'www.site.test:8080' },
    '308 https://www.site.test:8443/',
  ],
  [
    'http: redirect, a port forwarded to a listener',
    { scheme: 'http', authority: 'www.site.test:80' },
    '308 https://www.site.test/',
  ],
  ['http: redirect, method kept', { scheme: 'http', method: 'POST', path: '/f' }, '308 https://www.site.test/f'],
  ['http: OPTIONS *', { scheme: 'http', method: 'OPTIONS', path: '*' }, '308 https://www.site.test/'],
  ['http: a trailing dot', { scheme: 'http', authority: 'www.site.test.' }, '308 https://www.site.test/'],
  ['http: without a certificate', { scheme: 'http', authority: 'plain.test' }, 'http plain.test'],
  ['http: an unknown host', { scheme: 'http', authority: 'no.test' }, '404'],
  ['http: HTTP/1.0 without a host', { scheme: 'http', authority: '', version: '1.0' }, '404'],
  ['http: the admin API', { scheme: 'http', authority: 'admin.other.test' }, '308 https://admin.other.test/'],
  ['http: a challenge', { scheme: 'http', path: '/.well-known/acme-challenge/good' }, '200 good.key'],
  [
    'http: an unknown challenge',
    { scheme: 'http', path: '/.well-known/acme-challenge/else' },
    '308 https://www.site.test/.well-known/acme-challenge/else',
  ],
  // An https target without TLS.
  ['a visitor with an https target', { scheme: 'http', targetScheme: 'https' }, '421'],
  [
    'a visitor with an https target and a claim of https',
    { scheme: 'http', targetScheme: 'https', authority: 'plain.test', headers: claims('https') },
    '421',
  ],
  [
    'a visitor with an https target of a challenge',
    { scheme: 'http', targetScheme: 'https', path: '/.well-known/acme-challenge/good' },
    '421',
  ],
  [
    'an https target through a balancer',
    { scheme: 'http', targetScheme: 'https', address: BALANCER, headers: claims('https') },
    'http site.test',
  ],
  // Behind a load balancer that terminates TLS.
  ['a balancer reports https', { scheme: 'http', address: BALANCER, headers: claims('https') }, 'http site.test'],
  [
    'a balancer reports https to the admin API',
    { scheme: 'http', authority: 'admin.other.test', address: BALANCER, headers: claims('https') },
    'admin',
  ],
  [
    'a balancer reports https to an unknown host',
    { scheme: 'http', authority: 'no.test', address: BALANCER, headers: claims('https') },
    '404',
  ],
  [
    'a balancer reports http',
    { scheme: 'http', address: BALANCER, headers: claims('http') },
    '308 https://www.site.test/',
  ],
  ['a balancer reports no scheme', { scheme: 'http', address: BALANCER }, '308 https://www.site.test/'],
  ...['https, http', 'https,https', 'HTTPS', 'wss'].map((scheme): (typeof TABLE)[number] => [
    `a balancer reports ${scheme}`,
    { scheme: 'http', address: BALANCER, headers: claims(scheme) },
    'http site.test',
  ]),
  [
    'a balancer reports a WebSocket without TLS',
    { scheme: 'http', address: BALANCER, headers: claims('ws') },
    '308 https://www.site.test/',
  ],
  [
    'a balancer reports https in Forwarded',
    { scheme: 'http', address: BALANCER, headers: ['forwarded', 'for=198.51.100.7;proto=https'] },
    'http site.test',
  ],
  [
    'a stranger reports https in Forwarded',
    { scheme: 'http', address: '203.0.113.9', headers: ['forwarded', 'for=198.51.100.7;proto=https'] },
    '308 https://www.site.test/',
  ],
  [
    'a visitor claims https',
    { scheme: 'http', address: '203.0.113.9', headers: claims('https') },
    '308 https://www.site.test/',
  ],
  [
    'a visitor of the admin API claims https',
    { scheme: 'http', authority: 'admin.other.test', headers: claims('https') },
    '308 https://admin.other.test/',
  ],
  [
    'a challenge through a balancer',
    { scheme: 'http', path: '/.well-known/acme-challenge/good', address: BALANCER, headers: claims('https') },
    '200 good.key',
  ],
  [
    'http: a challenge that the origin answers',
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

test('a redirect to https is a request of its site in the live tail; one of the admin host is not', () => {
  const sent: DomainSample[] = [];
  const sampler = new TailSampler({
    addressOf: ({ client }) => client.address,
    send: (samples) => void sent.push(...samples),
  });
  const { ask } = rig(8443, sampler);
  sampler.watch(['1'.repeat(16)]);
  for (const authority of ['www.site.test', 'admin.site.test', 'nowhere.test']) ask({ scheme: 'http', authority });
  sampler.flush();
  assert.equal(
    sent.map(({ requests }) => requests.map((text) => `${JSON.parse(text).host} ${JSON.parse(text).status}`)),
    [['www.site.test 308']],
  );
});

test('without HTTPS there is no redirect: a site is served over HTTP, the admin API never', () => {
  const { ask, served } = rig(null);
  ask({ scheme: 'http' });
  assert.equal(served, ['http site.test']);
  assert.is(ask({ scheme: 'http', authority: 'admin.other.test' }).status, 404);
});

test('requests are counted by destination and status class', () => {
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

test('the admin API gets the client address in a field that no client can set; its response is passed on', async () => {
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
  const target = {
    address: '127.0.0.1',
    port,
    field: 'x-waypost-client',
    secret: 's3cret',
    connections: 2,
    streams: 1,
    addressOf: () => '203.0.113.9',
  };
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
    assert.is(head.headers['x-waypost-client'], 's3cret 203.0.113.9', 'the client’s own field is not passed on');
    assert.is(head.headers.authorization, 'Bearer t');
    assert.is(head.headers['x-forwarded-for'], undefined);
    assert.is(head.headers.forwarded, undefined);
    assert.is(head.headers.via, '1.1 waypost', 'the API can see that there is a proxy');
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

test('streams of events leave the connections of other requests free', async () => {
  const open: ServerResponse[] = [];
  const api = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    if (!/events|tail|%65/.test(request.url ?? '')) return void response.end('done');
    open.push(response);
    response.write('retry: 1\n');
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const { port } = api.address() as AddressInfo;
  const observer = new Observer(new GatewayCounters(new SharedArrayBuffer(GATEWAY_COLUMNS.length * 8)), null, () => {});
  // One client network has half of the streams.
  const limits = { connections: 2, streams: 6 };
  const target = {
    address: '127.0.0.1',
    port,
    field: 'x-waypost-client',
    secret: 's3cret',
    addressOf: () => '203.0.113.9',
    ...limits,
  };
  const admin = createAdminForward(target, observer);
  const streamed = (path: string): { exchange: FakeExchange; ended: Promise<void> } => {
    const exchange = new FakeExchange({ path });
    return { exchange, ended: Promise.resolve(admin.handler(exchange)) };
  };
  try {
    const paths = ['/api/v1/events?account=1', '/api/v1/%65vents', '/api/v1/domains/7/requests/tail'];
    const streams = paths.map(streamed);
    while (open.length < paths.length) await new Promise(setImmediate);
    const refused = streamed('/api/v1/events');
    await refused.ended;
    assert.is(refused.exchange.status, 503);
    const other = new FakeExchange({ path: '/api/v1/domains' });
    await admin.handler(other);
    assert.equal([other.status, other.text], [200, 'done']);
    for (const response of open.splice(0)) response.end();
    await Promise.all(streams.map(({ ended }) => ended));
    const next = streamed('/api/v1/events');
    while (open.length < 1) await new Promise(setImmediate);
    open[0].end();
    await next.ended;
    assert.is(next.exchange.status, 200);
  } finally {
    await admin.close();
    api.closeAllConnections();
    api.close();
  }
});

test('connections between nodes reach the cache, and nothing else', () => {
  const handled: string[] = [];
  const handle = (exchange: Exchange): void => {
    handled.push(exchange.authority);
    exchange.respond(200, []);
    exchange.end();
  };
  const { ask, served } = rig(8443, null, null, { handle });
  assert.is(ask({ authority: 'www.site.test', serverName: PEER_SERVER_NAME }).status, 200);
  assert.is(ask({ authority: 'admin.site.test', serverName: PEER_SERVER_NAME }).status, 200);
  assert.equal(handled, ['www.site.test', 'admin.site.test']);
  assert.is(ask({ authority: PEER_SERVER_NAME, serverName: 'www.site.test' }).status, 421);
  assert.equal(served, []);
  // Without a cluster nothing answers to this name.
  assert.is(rig().ask({ authority: 'www.site.test', serverName: PEER_SERVER_NAME }).status, 421);
});

test('an overloaded process answers visitors with 503, but serves the admin API and challenges', () => {
  const load = { refusesConnections: true, refusesRequests: true };
  const { ask, served } = rig(8443, null, load);
  const refused = ask({ authority: 'www.site.test', path: '/' });
  assert.equal([refused.status, refused.field('retry-after')], [503, '30']);
  ask({ authority: 'admin.site.test', path: '/api/v1/domains' });
  assert.equal(served, ['admin']);
  const challenge = ask({ scheme: 'http', authority: 'www.site.test', path: '/.well-known/acme-challenge/good' });
  assert.is(challenge.text, 'good.key');
  load.refusesRequests = false;
  ask({ authority: 'www.site.test', path: '/' });
  assert.is(served.length, 2);
});

test('while connections are refused, only requests of those accepted since get 503', () => {
  const load = { refusesConnections: true, refusesRequests: false };
  const { ask, served } = rig(8443, null, load);
  const visit = (isSurplus: boolean): number => ask({ authority: 'www.site.test', path: '/', isSurplus }).status;
  assert.equal([visit(true), visit(false)], [503, 200]);
  load.refusesConnections = false;
  assert.is(visit(true), 200);
  assert.is(served.length, 2);
});

test.run();
