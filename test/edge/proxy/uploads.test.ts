/** The largest upload of a site or of a rule, with each version of HTTP; other protocols. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileProtection } from '../../../core/site/protection/compile.ts';
import type { ProtectionDocument } from '../../../core/site/protection/document.ts';
import { type Rule, RuleSet } from '../../../core/site/rules/index.ts';
import { createSiteProxy } from '../../../edge/proxy/proxy.ts';
import type { ExchangeRecord } from '../../../edge/proxy/record.ts';
import type { Site } from '../../../edge/sites/site.ts';
import type { SiteDocuments } from '../../../edge/sites/site-documents.ts';
import { until } from '../../support/until.ts';
import { bytesOf } from '../http/exchange/client-call.ts';
import { type Rig, VERSIONS, type Version, withRig } from '../http/exchange/rig.ts';
import { FakeOrigin, type PendingRequest } from './fake-origin.ts';

const test = suite('uploads');

/** Reads the body as the client of an origin does, and answers with its size. */
async function takeBody(pending: PendingRequest): Promise<void> {
  let bytes = 0;
  try {
    for (let part = await pending.request.body.read(); part !== null; part = await pending.request.body.read())
      bytes += part.length;
  } catch {
    pending.fail('aborted');
    return;
  }
  pending.answer(200, [], `${bytes} of ${pending.request.body.length}`);
}

interface World {
  readonly rig: Rig;
  readonly origin: FakeOrigin;
  readonly records: ExchangeRecord[];
}

async function withSite(
  version: Version,
  { uploads, rules = [] }: { readonly uploads?: ProtectionDocument['uploads']; readonly rules?: readonly Rule[] },
  use: (world: World) => Promise<void>,
): Promise<void> {
  const origin = new FakeOrigin((pending) => void takeBody(pending));
  const records: ExchangeRecord[] = [];
  const set = new RuleSet({ rules });
  let changes = set.noChanges;
  for (const [i, { change }] of set.rules.entries()) changes = changes.after(i, change!);
  const protection = compileProtection({ uploads });
  const site: Site = {
    domainId: 'd1',
    domain: 'site.test',
    origin: { host: '203.0.113.9', port: 8080, protocol: 'http' },
    hasCertificate: true,
    hsts: '',
    documents: { errorPages: null, pools: null, protection, logs: null, rules: null, key: '' } as SiteDocuments,
    ...(rules.length > 0 && { changes }),
  };
  const proxy = createSiteProxy({ fetch: origin.fetch, onDone: (record) => records.push(record) }).serve;
  await withRig(
    version,
    (exchange) => proxy(exchange, site),
    async (rig) => {
      await use({ rig, origin, records });
      assert.equal(rig.errors, []);
    },
  );
}

async function upload(rig: Rig, size: number, hasLength: boolean): Promise<string> {
  const headers = { accept: 'application/json', ...(hasLength && { 'content-length': String(size) }) };
  const call = rig.call({ method: 'POST', hasBody: true, headers });
  let from = 0;
  let isAnswered = false;
  const ignore = (): void => {
    isAnswered = true;
  };
  call.head.then(ignore, ignore);
  for (; from < size && !isAnswered; from += 50_000) {
    await Promise.race([call.write(Buffer.alloc(Math.min(50_000, size - from), 'a')).catch(ignore), call.head]);
  }
  if (!isAnswered) call.end();
  const { status } = await call.head;
  const text = (await bytesOf(await call.stream())).toString();
  return `${status} ${/"code": ?"(\w+)"/.exec(text)?.[1] ?? text}`;
}

const limit = (size: number): Rule => ({ action: { type: 'limit_upload', size } });

for (const version of VERSIONS) {
  test(`${version}: a larger body than the site accepts gets 413, before it is read`, async () => {
    await withSite(version, { uploads: { max_size: 1000 } }, async ({ rig, origin, records }) => {
      assert.is(await upload(rig, 1000, true), '200 1000 of 1000');
      const call = rig.call({ method: 'POST', hasBody: true, headers: { 'content-length': '1001' } });
      assert.is((await call.head).status, 413, 'no byte of the body was sent');
      call.reset();
      assert.is(origin.requests.length, 1);
      assert.is(records.at(-1)!.status, 413);
    });
  });

  test(`${version}: a body of unknown length gets 413 when it has become too large`, async () => {
    for (const max_size of [1000, 200_000])
      await withSite(version, { uploads: { max_size } }, async ({ rig, origin, records }) => {
        assert.is(await upload(rig, max_size, false), `200 ${max_size} of undefined`);
        assert.is(await upload(rig, max_size + 1, false), '413 upload_too_large');
        await until(() => records.length === 2, 'both are reported');
        assert.equal([records[1].status, records[1].fault], [413, null]);
        assert.is(origin.requests.length, max_size === 1000 ? 1 : 2, 'a small one never reaches the origin');
      });
  });

  test(`${version}: the limit of a rule replaces that of the site`, async () => {
    await withSite(version, { uploads: { max_size: 10 }, rules: [limit(100)] }, async ({ rig }) => {
      assert.is(await upload(rig, 100, true), '200 100 of 100');
      assert.is(await upload(rig, 101, true), '413 upload_too_large');
    });
    await withSite(version, { rules: [limit(0)] }, async ({ rig }) => {
      assert.is(await upload(rig, 1, false), '413 upload_too_large');
      assert.is((await rig.call({ method: 'POST', headers: { 'content-length': '0' } }).head).status, 200);
    });
  });

  test(`${version}: a buffer of a rule holds the whole body back, and none of it with 0`, async () => {
    const buffer: Rule = { action: { type: 'buffer_upload', size: 1_000_000 } };
    await withSite(version, { uploads: { buffer: 0 }, rules: [buffer] }, async ({ rig, origin }) => {
      const call = rig.call({ method: 'POST', hasBody: true });
      await call.write(Buffer.alloc(100_000));
      await new Promise((done) => setTimeout(done, 300));
      assert.is(origin.requests.length, 0);
      call.end();
      assert.is((await bytesOf(await call.stream())).toString(), '100000 of 100000');
    });
    await withSite(version, { uploads: { buffer: 0 } }, async ({ rig, origin }) => {
      const call = rig.call({ method: 'POST', hasBody: true, headers: { 'content-length': '5' } });
      await until(() => origin.requests.length === 1, 'the origin has the request before its body');
      call.end(Buffer.from('abcde'));
      assert.is((await bytesOf(await call.stream())).toString(), '5 of 5');
    });
  });
}

/** Sends an upgrade by hand, and what follows it. */
async function upgrade(rig: Rig, head: string, rest: string): Promise<{ text(): string; write(part: string): void }> {
  const socket = connect(rig.port, '127.0.0.1');
  await once(socket, 'connect');
  let text = '';
  socket.setEncoding('latin1');
  socket.on('error', () => {});
  socket.on('data', (part: string) => {
    text += part;
  });
  socket.write(`${head}\r\nHost: site.test\r\nConnection: Upgrade\r\n${rest}`);
  return { text: () => text, write: (part) => socket.write(part) };
}

test('another protocol is passed on with its body, and then bytes in both directions', async () => {
  const origin = new FakeOrigin(async (pending) => {
    const body = await pending.request.body.read();
    pending.respond(101, ['content-type', 'application/vnd.docker.raw-stream', 'x-body', String(body)], true);
  });
  const proxy = createSiteProxy({ fetch: origin.fetch }).serve;
  const site: Site = {
    ...{ domainId: 'd1', domain: 'site.test', hasCertificate: true, hsts: '', documents: null },
    origin: { host: '203.0.113.9', port: 8080, protocol: 'http' },
  };
  await withRig(
    'http/1.1',
    (exchange) => proxy(exchange, site),
    async (rig) => {
      const rest = 'Upgrade: tcp\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}early';
      const client = await upgrade(rig, 'POST /exec/1/start HTTP/1.1', rest);
      await until(() => client.text().includes('\r\n\r\n'), 'the head');
      assert.match(client.text(), /^HTTP\/1\.1 101 .*\r\nconnection: upgrade\r\nupgrade: tcp\r\n/);
      assert.match(client.text(), /x-body: \{\}\r\n/);
      const { request, tunnel, body } = origin.last;
      assert.equal([request.method, request.protocol, request.body.length], ['POST', 'tcp', 2]);
      await until(() => tunnel.text === 'early', 'what was sent early');
      client.write(' late');
      await until(() => tunnel.text === 'early late', 'what was sent later');
      body.push('output');
      await until(() => client.text().endsWith('output'), 'the output');
      body.finish();
      assert.equal(rig.errors, []);
    },
  );
});

test('the extended CONNECT of HTTP/2 with another protocol than websocket gets 501', async () => {
  const { FakeExchange } = await import('./fake-exchange.ts');
  const origin = new FakeOrigin();
  const proxy = createSiteProxy({ fetch: origin.fetch }).serve;
  for (const protocol of ['connect-udp', 'connect-ip', 'webtransport', 'tcp']) {
    const exchange = new FakeExchange({ version: '2', method: 'CONNECT', protocol });
    await proxy(exchange, {
      ...{ domainId: 'd1', domain: 'site.test', hasCertificate: true, hsts: '', documents: null },
      origin: { host: '203.0.113.9', port: 8080, protocol: 'http' },
    });
    assert.is(exchange.status, 501, protocol);
  }
  assert.is(origin.requests.length, 0);
});

test.run();
