/**
 * The webhook of external-dns with the requests of its client (provider/webhook/webhook.go):
 * negotiation, records, adjusted endpoints, changes.
 */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withClient } from '../../../../admin-api/cli/base/client.ts';
import { startWebhook } from '../../../../admin-api/cli/external-dns/server.ts';
import { ExternalDnsZones } from '../../../../admin-api/cli/external-dns/zones.ts';
import { createLogger } from '../../../../core/base/log/index.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { type Live, startLive } from '../live.ts';

const TYPE = 'application/external.dns.webhook+json;version=1';

interface Endpoint {
  readonly dnsName: string;
  readonly recordType: string;
  readonly targets: readonly string[];
  readonly recordTTL?: number;
  readonly labels?: object;
  readonly setIdentifier?: string;
  readonly providerSpecific?: readonly object[];
}

interface Webhook extends Live {
  url: string;
  /** The same with a domain filter. */
  filtered: string;
  logged: string[];
  stop(): void;
}

const test = suite<Webhook>('admin-api/cli/external-dns');

test.before(async (context) => {
  Object.assign(context, await startLive());
  for (const domain of ['example.com', 'sub.example.net', 'example.net.test'])
    await context.json(['domain', 'add', domain]);
  const logged: string[] = [];
  const log = createLogger({ level: 'info', format: 'text', write: (line) => void logged.push(line) });
  const io = { env: {} } as Parameters<typeof withClient>[0];
  const options = { url: context.daemon.url, token: context.daemon.adminToken };
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const servers = await new Promise<Awaited<ReturnType<typeof startWebhook>>[]>((resolve, reject) => {
    withClient(io, options, async (api) => {
      const start = (filter: string[]) =>
        startWebhook(new ExternalDnsZones(api, filter, log), { host: '127.0.0.1', port: 0 }, log);
      resolve([await start([]), await start(['apps.example.com', 'example.net.test'])]);
      await released;
    }).catch(reject);
  });
  const [url, filtered] = servers.map(({ port }) => `http://127.0.0.1:${port}`);
  const stop = (): void => {
    for (const server of servers) server.close();
    release();
  };
  Object.assign(context, { url, filtered, logged, stop });
});
test.after(async (context) => {
  context.stop?.();
  await context.daemon?.stop();
});

const GET = { headers: { accept: TYPE } };
const post = (value: unknown, headers: Record<string, string> = { 'content-type': TYPE, accept: TYPE }) => ({
  method: 'POST',
  headers,
  body: JSON.stringify(value),
});

async function records(url: string): Promise<Endpoint[]> {
  const response = await fetch(`${url}/records`, GET);
  assert.is(response.status, 200);
  assert.is(response.headers.get('content-type'), TYPE);
  return (await response.json()) as Endpoint[];
}

async function adjusted(url: string, endpoints: readonly Endpoint[]): Promise<Endpoint[]> {
  const response = await fetch(`${url}/adjustendpoints`, post(endpoints));
  assert.is(response.status, 200);
  assert.is(response.headers.get('content-type'), TYPE);
  return (await response.json()) as Endpoint[];
}

async function apply(url: string, changes: object, status = 204): Promise<string> {
  const response = await fetch(`${url}/records`, post(changes));
  const text = await response.text();
  assert.is(response.status, status, text);
  return text;
}

const find = (all: readonly Endpoint[], name: string, type: string): Endpoint | undefined =>
  all.find(({ dnsName, recordType }) => dnsName === name && recordType === type);

test('negotiation: the media type, and the filter', async ({ url, filtered }) => {
  for (const [base, filter] of [
    [url, {}],
    [filtered, { include: ['apps.example.com', 'example.net.test'] }],
  ] as const) {
    const response = await fetch(base, GET);
    assert.equal([response.status, response.headers.get('content-type')], [200, TYPE]);
    assert.is(response.headers.get('vary'), 'Content-Type');
    assert.equal(await response.json(), filter);
  }
  assert.is((await fetch(url, { headers: { accept: TYPE.replace('1', '2') } })).status, 406);
  assert.is(await (await fetch(`${url}/healthz`)).text(), 'ok\n');
});

const OWNER = '"heritage=external-dns,external-dns/owner=default,external-dns/resource=ingress/default/app"';

test('the round of a controller: create, no difference, update, delete', async ({ url, daemon }) => {
  const desired: Endpoint[] = [
    { dnsName: 'app.example.com', recordType: 'A', targets: ['192.0.2.1', '192.0.2.2'], recordTTL: 60 },
    { dnsName: 'app.example.com', recordType: 'AAAA', targets: ['2001:DB8:0::1'] },
    { dnsName: 'app.example.com', recordType: 'TXT', targets: [OWNER] },
    { dnsName: 'www.example.com', recordType: 'CNAME', targets: ['App.example.com.'], recordTTL: 1 },
    { dnsName: 'example.com', recordType: 'CNAME', targets: ['lb.example.org'] },
    { dnsName: '*.w.example.com', recordType: 'A', targets: ['192.0.2.3'] },
    { dnsName: 'm.example.com', recordType: 'MX', targets: ['10 mail.example.org'] },
    { dnsName: '_sip._udp.example.com', recordType: 'SRV', targets: ['10 5 5060 sip.example.org.'] },
    { dnsName: 'deep.example.com', recordType: 'NS', targets: ['ns.example.org', 'ns2.example.org.'] },
    { dnsName: 'spf.example.com', recordType: 'TXT', targets: ['v=spf1 -all', `k=${'x'.repeat(400)}`] },
    { dnsName: 'a.sub.example.net', recordType: 'A', targets: ['192.0.2.4'] },
  ];
  const wanted = await adjusted(url, desired);
  assert.equal(find(wanted, 'app.example.com', 'AAAA')?.targets, ['2001:db8::1']);
  assert.equal(find(wanted, 'example.com', 'CNAME')?.providerSpecific, [{ name: 'alias', value: 'true' }]);
  assert.is(find(wanted, 'www.example.com', 'CNAME')?.recordTTL, 30);
  const before = daemon.writes();
  await apply(url, { create: wanted });
  assert.is(daemon.writes(), before + 2, 'one batch for each of two domains');
  const stored = await records(url);
  assert.is(stored.length, wanted.length);
  for (const endpoint of wanted) assertSame(find(stored, endpoint.dnsName, endpoint.recordType), endpoint);
  await apply(url, { create: wanted });
  assert.is(daemon.writes(), before + 2, 'the same again is no change');

  const old = find(stored, 'app.example.com', 'A');
  const updateNew = { ...old, targets: ['192.0.2.2', '192.0.2.9'], recordTTL: 0 };
  await apply(url, { updateOld: [old], updateNew: [updateNew], delete: [find(stored, 'm.example.com', 'MX')] });
  const after = await records(url);
  assert.equal([...(find(after, 'app.example.com', 'A')?.targets ?? [])].sort(), ['192.0.2.2', '192.0.2.9']);
  assert.is(find(after, 'app.example.com', 'A')?.recordTTL, 60, 'a TTL that is not configured stays');
  assert.is(find(after, 'm.example.com', 'MX'), undefined);
});

function assertSame(stored: Endpoint | undefined, endpoint: Endpoint): void {
  assert.ok(stored !== undefined, `${endpoint.dnsName} ${endpoint.recordType}`);
  assert.equal([...stored.targets].sort(), [...endpoint.targets].sort());
  assert.equal(stored.providerSpecific ?? [], endpoint.providerSpecific ?? []);
  if (endpoint.recordTTL !== undefined) assert.is(stored.recordTTL, endpoint.recordTTL);
}

test('field names of versions before 0.15, and bodies without a type', async ({ url }) => {
  const endpoint = { dnsName: 'old.example.com', recordType: 'A', targets: ['192.0.2.5'] };
  const response = await fetch(`${url}/records`, {
    method: 'POST',
    body: Buffer.from(JSON.stringify({ Create: [endpoint], UpdateOld: null, UpdateNew: null, Delete: null })),
  });
  assert.is(response.status, 204);
  assert.ok(find(await records(url), 'old.example.com', 'A'));
  await apply(url, { Delete: [endpoint] });
});

test('a type of a name is replaced: CNAME by A, ALIAS by CNAME', async ({ url }) => {
  const cname = { dnsName: 'turn.example.com', recordType: 'CNAME', targets: ['a.example.org'] };
  const alias = { ...cname, providerSpecific: [{ name: 'alias', value: 'true' }] };
  const address = { dnsName: 'turn.example.com', recordType: 'A', targets: ['192.0.2.6'] };
  await apply(url, { create: [alias] });
  await apply(url, { updateOld: [alias], updateNew: [cname] });
  assert.equal(find(await records(url), 'turn.example.com', 'CNAME')?.providerSpecific, undefined);
  await apply(url, { delete: [cname], create: [address] });
  await apply(url, { updateOld: [address], updateNew: [cname] });
  const left = (await records(url)).filter(({ dnsName }) => dnsName === 'turn.example.com');
  assert.equal(
    left.map(({ recordType }) => recordType),
    ['CNAME'],
  );
});

test('rejected record sets do not stop the others, and are reported', async ({ url, logged }) => {
  const create: Endpoint[] = [
    { dnsName: 'good.example.com', recordType: 'A', targets: ['192.0.2.7'] },
    { dnsName: 'bad.example.com', recordType: 'A', targets: ['192.0.2.256'] },
    { dnsName: 'turn.example.com', recordType: 'A', targets: ['192.0.2.7'] },
    { dnsName: 'a-*.example.com', recordType: 'TXT', targets: [OWNER] },
    { dnsName: 'set.example.com', recordType: 'A', targets: ['192.0.2.7'], setIdentifier: 'one' },
    { dnsName: 'loc.example.com', recordType: 'LOC', targets: ['1 N 1 E 0'] },
    { dnsName: 'other.example.org', recordType: 'A', targets: ['192.0.2.7'] },
  ];
  const text = await apply(url, { create }, 500);
  for (const name of ['bad.example.com A', 'turn.example.com A', 'set.example.com A', 'loc.example.com LOC'])
    assert.ok(text.includes(name), text);
  assert.not.match(text, /good\.|other\.example/);
  const stored = await records(url);
  assert.ok(find(stored, 'good.example.com', 'A'));
  assert.is(find(stored, 'set.example.com', 'A'), undefined);
  assert.ok(
    logged.some(
      (line) => line.includes('ignored a name that is in no domain of the token') && line.includes('other.example.org'),
    ),
  );
});

test('a filter limits what is read and written', async ({ url, filtered }) => {
  const inside = { dnsName: 'x.apps.example.com', recordType: 'A', targets: ['192.0.2.8'] };
  const outside = { dnsName: 'x.example.com', recordType: 'A', targets: ['192.0.2.8'] };
  await apply(filtered, { create: [inside, outside] });
  assert.equal(
    (await records(filtered)).map(({ dnsName }) => dnsName),
    ['x.apps.example.com'],
  );
  assert.is(find(await records(url), 'x.example.com', 'A'), undefined);
});

test('requests that external-dns does not send', async ({ url }) => {
  const status = async (path: string, init: RequestInit): Promise<number> => (await fetch(url + path, init)).status;
  assert.is(await status('/other', GET), 404);
  assert.is(await status('/records', { method: 'DELETE' }), 405);
  assert.is(await status('/records', { method: 'POST', body: '{', headers: { 'content-type': TYPE } }), 400);
  assert.is(await status('/records', post({ create: [{}] })), 400);
  assert.is(await status('/records', post({}, { 'content-type': 'text/plain' })), 415);
  assert.is(await status('/records', post({}, { 'content-type': TYPE, origin: 'https://example.org' })), 403);
});

test('an error of the API is one that external-dns retries', async ({ daemon, url, stop }) => {
  assert.type(stop, 'function');
  const { body } = await daemon.call('POST', '/api/v1/tokens', { json: { name: 'k8s', scopes: ['dns:read'] } });
  const io = { env: {} } as Parameters<typeof withClient>[0];
  await withClient(io, { url: daemon.url, token: String(body.token) }, async (api) => {
    const log = createLogger({ level: 'error', format: 'text', write: () => {} });
    const server = await startWebhook(new ExternalDnsZones(api, [], log), { host: '127.0.0.1', port: 0 }, log);
    const base = `http://127.0.0.1:${server.port}`;
    assert.is((await records(base)).length, (await records(url)).length);
    const create = [{ dnsName: 'no.example.com', recordType: 'A', targets: ['192.0.2.1'] }];
    assert.match(await apply(base, { create }, 500), /scope "dns"/);
    server.close();
  });
});

test('any texts: what is adjusted is what is read', async ({ url }) => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((part) => part.trim()),
    fc.string({ minLength: 1, maxLength: 300 }).map((part) => `k=${part}!`),
    fc
      .array(fc.stringMatching(/^[a-z ]{1,9}$/), { minLength: 1, maxLength: 3 })
      .map((parts) => `"${parts.join('" "')}"`),
  );
  const usable = text.filter((target) => target !== '');
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(usable, { minLength: 1, maxLength: 3 }), async (targets) => {
      const [wanted] = await adjusted(url, [{ dnsName: 't.example.com', recordType: 'TXT', targets }]);
      assert.equal((await adjusted(url, [wanted]))[0].targets, wanted.targets, 'adjusting again changes nothing');
      await apply(url, { create: [wanted] });
      assertSame(find(await records(url), 't.example.com', 'TXT'), wanted);
    }),
    { numRuns: depth({ quick: 10, moderate: 30, full: 500 }) },
  );
});

test.run();
