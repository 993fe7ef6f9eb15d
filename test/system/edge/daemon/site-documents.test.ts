/**
 * Documents of sites in a running daemon: rules, error pages, and logs that reach their receiver
 * with exactly the requests that were sent.
 */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatSignatures } from '../../../../core/net/delivery/signature.ts';
import type { Json } from '../../../support/api-client.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../../support/daemon.ts';
import { listen } from '../../../support/listen.ts';
import { freePort } from '../../../support/ports.ts';
import { untilIs, untilPasses } from '../../../support/until.ts';

const SITE = 'site.test';
const KEY = Buffer.alloc(32, 7);

interface Context {
  readonly daemon: Daemon;
  readonly httpPort: number;
  readonly origin: Server;
  readonly receiver: Server;
  /** What the receiver was sent. */
  readonly batches: { headers: IncomingHttpHeaders; body: Buffer }[];
}

const test = suite<Context>('documents of sites');

test.before(async (context) => {
  const batches: Context['batches'] = [];
  const receiver = createServer(async (incoming, reply) => {
    batches.push({ headers: incoming.headers, body: await buffer(incoming) });
    reply.end();
  });
  const origin = createServer((_incoming, reply) => void reply.setHeader('cache-control', 'max-age=600').end('hello'));
  await Promise.all([listen(receiver), listen(origin)]);
  const httpPort = await freePort();
  Object.assign(context, { httpPort, origin, receiver, batches });
  const daemon = await startDaemon({
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${httpPort}`,
    WAYPOST_EDGE_WORKERS: '1',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
    WAYPOST_WEBHOOKS_ALLOW_PRIVATE_RECEIVERS: '127.0.0.0/8',
  });
  Object.assign(context, { daemon });
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
});
test.after(async ({ daemon, origin, receiver }) => {
  await daemon?.close();
  for (const server of [receiver, origin]) {
    server?.closeAllConnections();
    server?.close();
  }
});

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** The id of a domain whose apex is a site. */
async function createSite({ daemon: { api }, origin }: Context, domain: string): Promise<string> {
  const id = await api.createDomain(domain);
  const proxy = `/api/v1/domains/${id}/proxy`;
  await api.createRecord(id, '@', 'A', '192.0.2.7');
  await api.call('PUT', proxy, { origin: '127.0.0.1', port: portOf(origin), protocol: 'http' });
  await api.call('POST', `${proxy}/toggle`, { enable: true });
  return id;
}

const at = (path: string) => ({ path: { exact: [path] } });
const RULES: Json[] = [
  { match: at('/denied'), action: { type: 'deny', status: 410 } },
  { match: { path: { prefix: ['/old/'] } }, action: { type: 'redirect', location: '/new/{rest}{query}', status: 308 } },
  { match: at('/limited'), action: { type: 'limit', requests: 2, period: 3600, burst: 2, by: 'header:x-key' } },
  { name: 'Later', match: at('/dry'), dry_run: true, action: { type: 'deny' } },
  { match: at('/private'), action: { type: 'basic_auth', users: [{ name: 'ann', password: 'a secret of ann' }] } },
  { match: at('/closed'), action: { type: 'maintenance', message: 'Back at noon.', retry_after: 90 } },
  { action: { type: 'set_response_header', name: 'X-Frame-Options', value: 'DENY' } },
  { action: { type: 'remove_response_header', name: 'Cache-Control' } },
];

test('rules are set by the API and act on visitors', async (context) => {
  const { daemon, httpPort } = context;
  const { api } = daemon;
  const domain = 'rules.test';
  const id = await createSite(context, domain);
  const path = `/api/v1/domains/${id}/proxy/rules`;
  const visit = async (target: string, more: Record<string, string> = {}) => {
    const headers = { host: domain, accept: 'text/html', ...more };
    const { statusCode, headers: fields, body } = await request(`http://127.0.0.1:${httpPort}${target}`, { headers });
    return { status: statusCode, fields, text: await body.text() };
  };
  await untilPasses(async () => assert.is((await visit('/')).text, 'hello'));

  // A list with faults is refused as a whole, with the place of each.
  const broken: Json[] = [
    RULES[0],
    { name: 'Bots', match: { path: { regex: ['^/(a'] } }, action: { type: 'deny' } },
    { action: { type: 'redirect', location: 'ftp://example.net/' } },
  ];
  const refused = await api.request('PUT', path, { rules: broken });
  const error = refused.body.error as {
    code: string;
    message: string;
    pointer: string;
    details: { pointer: string }[];
  };
  assert.equal([refused.status, error.code, error.pointer], [422, 'invalid_rule', '/rules/1/match/path/regex/0']);
  assert.match(error.message, /^Rule 2 \(Bots\): match\.path\.regex\.0 /);
  assert.equal(
    error.details.map(({ pointer }) => pointer),
    ['/rules/1/match/path/regex/0', '/rules/2/action/location'],
  );
  assert.is((await api.call('GET', path)).body.revision, 0);
  assert.is((await visit('/denied')).status, 200);

  const set = await api.call('PUT', path, { rules: RULES });
  assert.equal([set.body.revision, set.headers.get('etag')], [1, '"1"']);
  assert.not.match(set.text, /a secret of ann|argon2/);
  // A thread learns of the rules shortly after.
  await untilPasses(async () => assert.is((await visit('/denied')).status, 410));

  const moved = await visit('/old/a/b?c=d');
  assert.equal([moved.status, moved.fields.location], [308, '/new/a/b?c=d']);

  for (const outcome of ['miss', 'hit']) {
    const { status, fields } = await visit('/page');
    assert.equal([status, fields['x-frame-options'], fields['cache-control']], [200, 'DENY', undefined], outcome);
    assert.match(String(fields['cache-status']), outcome === 'hit' ? /hit/ : /fwd/);
  }

  const limited = async (key: string): Promise<number> => (await visit('/limited', { 'x-key': key })).status;
  assert.equal([await limited('a'), await limited('a'), await limited('a')], [200, 200, 429]);
  const { fields } = await visit('/limited', { 'x-key': 'a' });
  const wait = Number(fields['retry-after']);
  // Two requests an hour: the next one after half an hour, less the time of this test.
  assert.ok(wait > 1500 && wait <= 1800, `retry-after: ${wait}`);
  assert.is(await limited('b'), 200);

  const basic = (password: string) => ({ authorization: `Basic ${Buffer.from(`ann:${password}`).toString('base64')}` });
  const unsigned = await visit('/private');
  assert.equal([unsigned.status, unsigned.fields['www-authenticate']], [401, 'Basic realm="Private", charset="UTF-8"']);
  assert.is((await visit('/private', basic('a secret of bob'))).status, 401);
  assert.is((await visit('/private', basic('a secret of ann'))).status, 200);

  const closed = await visit('/closed');
  assert.equal([closed.status, closed.fields['retry-after']], [503, '90']);
  assert.match(closed.text, /Back at noon\./);

  assert.is((await visit('/dry')).status, 200);
  await untilPasses(async () => {
    const { body } = await api.call('GET', `${path}/counters`);
    const rows = body.rules as { name: string; dry_run: boolean; matched: number; stopped: number }[];
    const [limit, dry, auth] = rows.slice(2, 5);
    assert.equal([dry.name, dry.dry_run, dry.matched], ['Later', true, 1]);
    assert.equal([limit.matched, limit.stopped, auth.matched, auth.stopped], [5, 2, 3, 2]);
  });
});

test('a site has its own error pages, and its owner receives a line for each request', async (context) => {
  const { daemon, httpPort, origin, receiver, batches } = context;
  const { api } = daemon;
  const visit = async (path: string, accept = 'text/html'): Promise<string> => {
    const { body } = await request(`http://127.0.0.1:${httpPort}${path}`, { headers: { host: SITE, accept } });
    return body.text();
  };
  const linesOf = (path: string): Record<string, unknown>[] =>
    batches
      .flatMap(({ body }) => gunzipSync(body).toString().trimEnd().split('\n'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => line.path === path);
  const id = await createSite(context, SITE);
  const proxy = `/api/v1/domains/${id}/proxy`;
  await untilIs(() => visit('/first'), 'hello');

  const endpoint = {
    url: `http://127.0.0.1:${portOf(receiver)}/logs`,
    signing_secret: `whsec_${KEY.toString('base64')}`,
  };
  await api.call('PUT', `${proxy}/logs`, { enabled: true, endpoint, client_address: 'truncated' });
  const { body: tested } = await api.call('POST', `${proxy}/logs/test`, {});
  assert.is(tested.delivered, true);
  // A thread learns of the document shortly after.
  await untilIs(async () => {
    await visit('/first?secret=1');
    const { body } = await api.call('GET', `${proxy}/logs/state`);
    const [node] = body.nodes as { waiting_lines: number; delivered_lines: number }[];
    return node.waiting_lines + node.delivered_lines > 0;
  }, true);
  for (let i = 0; i < 20; i++) assert.is(await visit('/counted'), 'hello');

  await api.call('PUT', `${proxy}/error-pages`, { pages: [{ status: '5xx', html: 'own {{status}} {{host}}' }] });
  origin.closeAllConnections();
  origin.close();
  await untilIs(() => visit('/broken'), `own 502 ${SITE}`);
  assert.is(JSON.parse(await visit('/broken', 'application/json')).error.code, 'origin_refused');

  // What waits is delivered when the daemon stops.
  assert.is(await daemon.stop(), 0);
  const counted = linesOf('/counted');
  assert.is(counted.length, 20);
  assert.equal(
    counted.map(({ cache }) => cache),
    ['miss', ...Array(19).fill('hit')],
  );
  const { status, client, host, bytes } = counted[1];
  assert.equal([status, client, host, bytes], [200, '127.0.0.0', SITE, 5]);
  assert.ok(linesOf('/broken').every((line) => line.status === 502 && line.fault === 'refused'));
  assert.ok(linesOf('/broken').length >= 2);
  for (const { headers, body } of batches) {
    const lines = gunzipSync(body);
    assert.not.match(lines.toString(), /secret=1/);
    const attempt = { id: String(headers['webhook-id']), timestamp: Number(headers['webhook-timestamp']) };
    const signatures = [lines, body].map((signed) => formatSignatures([KEY], { ...attempt, body: signed }));
    assert.is(headers['webhook-signature'], signatures.join(' '));
    assert.equal([headers['waypost-domain'], headers['waypost-dropped']], [SITE, '0']);
  }
});

test.run();
