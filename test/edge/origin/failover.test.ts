/**
 * The fault table of pools, in virtual time: an origin refuses, hangs, flaps, answers with 5xx,
 * dies within a body, and comes back. No request is lost that may be sent again.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OriginsEntry } from '../../../core/site/pools/document.ts';
import { NO_BODY } from '../../../edge/http/exchange/body-queue.ts';
import type { RequestBody } from '../../../edge/http/exchange/exchange.ts';
import type { FieldList } from '../../../edge/http/exchange/field-list.ts';
import { PoolDownError, type PoolRequest, sendToPool } from '../../../edge/origin/failover.ts';
import { OriginCancel, OriginError, type OriginFault } from '../../../edge/origin/origin.ts';
import { poolOrigin } from '../../../edge/origin/origin-address.ts';
import { PoolRoute } from '../../../edge/origin/pool-route.ts';
import { FakeOrigin, type PendingRequest, sendBy } from '../proxy/fake-origin.ts';

type Behaviour = 'ok' | number | OriginFault;

const BODY: RequestBody = { length: 3, read: async () => null, discard() {}, trailers: [] };

class Rig {
  now = 0;
  /** By host. */
  readonly behaviours: Record<string, Behaviour> = {};
  readonly ejected: string[] = [];
  /** Reported faults: the first letter of the origin, and the fault. */
  readonly faults: string[] = [];
  retries = 0;
  readonly origin: FakeOrigin;
  readonly route: PoolRoute;

  constructor(fields: Partial<OriginsEntry> = {}, names = ['a', 'b', 'c']) {
    const entry: OriginsEntry = { pool: names.map((name) => ({ origin: `${name}.example.net` })), ...fields };
    this.origin = new FakeOrigin((pending) => this.#respond(pending));
    this.route = new PoolRoute({
      ...{ entry, scope: '7', stickyKeys: [Buffer.alloc(32, 1)], now: () => this.now },
      origins: entry.pool.map((origin) => poolOrigin(entry, origin, () => '')),
      onEjected: (key) => this.ejected.push(key[8]),
      onFault: (key, fault) => this.faults.push(`${key[8]} ${fault}`),
      onRetry: () => this.retries++,
    });
  }

  /** The hosts that were requested since the last call. */
  get asked(): string {
    const hosts = this.origin.requests.map(({ request }) => request.origin.host[0]).join('');
    this.origin.requests.length = 0;
    return hosts;
  }

  /** The first letter of the origin and the status, or the fault. */
  async send(request: Partial<PoolRequest> = {}, visitorHeaders: FieldList = []): Promise<string> {
    try {
      const { status, target } = await this.request(request, visitorHeaders);
      return `${this.route.origins[target].host[0]} ${status}`;
    } catch (error) {
      if (!(error instanceof OriginError)) throw error;
      return error.fault;
    }
  }

  request(
    request: Partial<PoolRequest>,
    visitorHeaders: FieldList = [],
  ): Promise<{ readonly status: number; readonly target: number }> {
    const whole: PoolRequest = {
      ...{ origin: this.route.origins[0], serverName: 'www.site.test', method: 'GET', path: '/', headers: [] },
      ...{ authority: 'www.site.test', body: NO_BODY, protocol: '', client: '192.0.2.1' },
      ...request,
    };
    return new Promise((resolve, reject) =>
      sendToPool(sendBy(this.origin.fetch), this.route, whole, visitorHeaders, {
        onResponse: ({ status }, target) => resolve({ status, target }),
        onFailure: reject,
      }),
    );
  }

  #respond(pending: PendingRequest): void {
    const behaviour = this.behaviours[pending.request.origin.host[0]] ?? 'ok';
    if (behaviour === 'ok') pending.answer(200);
    else if (typeof behaviour === 'number') pending.answer(behaviour);
    else pending.fail(behaviour);
  }
}

for (const [fault, whole, withBody] of [
  // Nothing was sent: every method may be sent to another origin.
  ['refused', 'b 200', 'b 200'],
  ['unreachable', 'b 200', 'b 200'],
  ['connect-timeout', 'b 200', 'b 200'],
  ['unresolved', 'b 200', 'b 200'],
  ['forbidden', 'b 200', 'b 200'],
  ['tls', 'b 200', 'b 200'],
  ['busy', 'b 200', 'b 200'],
  // The origin may have acted on it (RFC 9110 section 9.2.2).
  ['reset', 'b 200', 'reset'],
  ['header-timeout', 'b 200', 'header-timeout'],
  ['malformed', 'b 200', 'malformed'],
  [500, 'b 200', 'a 500'],
  [502, 'b 200', 'a 502'],
  [503, 'b 200', 'a 503'],
  [504, 'b 200', 'a 504'],
  // No failure of the origin.
  [501, 'a 501', 'a 501'],
  [404, 'a 404', 'a 404'],
  [200, 'a 200', 'a 200'],
  ['aborted', 'aborted', 'aborted'],
  ['slow-body', 'slow-body', 'slow-body'],
] as const)
  test(`an origin with ${fault}: GET ${whole}, POST and a body ${withBody}`, async () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']) {
      const rig = new Rig();
      rig.behaviours.a = fault;
      assert.is(await rig.send({ method }), whole, method);
    }
    for (const request of [
      { method: 'POST' },
      { method: 'PATCH' },
      { method: 'PUT', body: BODY },
      { protocol: 'websocket' },
    ]) {
      const rig = new Rig();
      rig.behaviours.a = fault;
      assert.is(await rig.send(request), withBody, JSON.stringify(request));
    }
  });

test('the last response is served when every origin fails, and its body is not cancelled', async () => {
  const rig = new Rig();
  Object.assign(rig.behaviours, { a: 503, b: 'reset', c: 500 });
  assert.is(await rig.send(), 'c 500');
  assert.equal(
    rig.origin.requests.map(({ body }) => body.isCancelled),
    [true, false, false],
  );
  Object.assign(rig.behaviours, { a: 'reset', b: 'reset', c: 'reset' });
  assert.is(await rig.send(), 'reset');
});

test('a response is kept while another origin is tried, and served if that fails', async () => {
  const rig = new Rig({}, ['a', 'b']);
  Object.assign(rig.behaviours, { a: 503, b: 'reset' });
  assert.is(await rig.send(), 'a 503');
  assert.is(rig.asked, 'ab');
});

test('all origins refuse: the pool is down', async () => {
  const rig = new Rig();
  Object.assign(rig.behaviours, { a: 'refused', b: 'connect-timeout', c: 'refused' });
  assert.is(await rig.send({ method: 'POST', body: BODY }), 'down');
  assert.is(rig.asked, 'abc');
});

for (const fault of ['refused', 'connect-timeout', 'tls', 'unresolved', 'forbidden', 'header-timeout'] as const)
  test(`the cause of a single origin: ${fault}`, async () => {
    const rig = new Rig({}, ['a']);
    rig.behaviours.a = fault;
    assert.is(await rig.send(), fault);
    const error: unknown = await rig.request({ method: 'POST', body: BODY }).catch((reason: unknown) => reason);
    assert.is((error as OriginError).fault, fault);
    // Nothing was sent, so a stale response may be served as if the origin was down.
    if (fault !== 'header-timeout') assert.ok((error as PoolDownError).maySendStale);
    rig.behaviours.a = 'ok';
    assert.is(await rig.send(), 'a 200');
    assert.equal(rig.faults, [`a ${fault}`, 'a null']);
  });

test('faults of origins are reported once, and again when they change, with a pause', async () => {
  const rig = new Rig({}, ['a']);
  const send = async (behaviour: Behaviour, at: number): Promise<void> => {
    rig.now = at;
    rig.behaviours.a = behaviour;
    await rig.send();
  };
  await send('refused', 0);
  await send('refused', 5000);
  await send('busy', 5001);
  await send('tls', 6000);
  await send('refused', 6999);
  await send(503, 7000);
  await send('ok', 7001);
  await send('tls', 7002);
  assert.equal(rig.faults, ['a refused', 'a tls', 'a null', 'a tls']);
  await send('tls', 67_001);
  await send('tls', 67_002);
  assert.equal(rig.faults.slice(4), ['a tls'], 'repeated after a minute');
});

test('no request is made when all are down by their checks', async () => {
  const rig = new Rig({ stale_when_down: false });
  rig.route.pool.setDown(new Set(rig.route.pool.targets.map(({ key }) => key)), 0);
  const error: unknown = await rig.request({}).catch((reason: unknown) => reason);
  assert.instance(error, PoolDownError);
  assert.not((error as PoolDownError).maySendStale);
  assert.is(rig.asked, '');
});

test('an origin that fails is ejected, returns, flaps, and comes back', async () => {
  const rig = new Rig({ ejection: { failures: 3, duration: 10 } }, ['a', 'b']);
  rig.behaviours.a = 'refused';
  const results = new Set<string>();
  for (let i = 0; i < 20; i++) results.add(await rig.send());
  assert.equal([...results], ['b 200'], 'nothing is lost');
  assert.is(rig.asked.replaceAll('b', '').length, 3, 'three attempts until it was ejected');
  assert.equal(rig.ejected, ['a']);
  // It returns, fails once, and is ejected for twice as long.
  rig.now = 10_000;
  for (let i = 0; i < 10; i++) assert.is(await rig.send(), 'b 200');
  assert.is(rig.asked.replaceAll('b', '').length, 1);
  rig.now = 29_999;
  for (let i = 0; i < 10; i++) await rig.send();
  assert.is(rig.asked.replaceAll('b', ''), '');
  // It is well again.
  rig.now = 30_000;
  rig.behaviours.a = 'ok';
  for (let i = 0; i < 10; i++) assert.match(await rig.send(), / 200$/);
  assert.is(rig.asked.replaceAll('b', '').length, 5);
});

test('no origin is ejected because the edge is busy, and others are tried', async () => {
  const rig = new Rig({ ejection: { failures: 3, error_rate: 10, min_requests: 5 } }, ['a', 'b']);
  rig.behaviours.a = 'busy';
  for (let i = 0; i < 20; i++) assert.is(await rig.send({ method: 'POST', body: BODY }), 'b 200');
  assert.is(rig.asked.replaceAll('b', '').length, 10, 'a keeps its turns');
  assert.equal([rig.ejected, rig.retries], [[], 0]);
  // Failures before and after it are still in a row.
  for (const fault of ['refused', 'refused', 'busy'] as const) {
    rig.now += 10_000;
    rig.behaviours.a = fault;
    assert.equal([await rig.send(), await rig.send()], ['b 200', 'b 200']);
  }
  assert.equal(rig.ejected, []);
  rig.behaviours.a = 'refused';
  await rig.send();
  await rig.send();
  assert.equal(rig.ejected, ['a']);
});

for (const [faults, fault] of [
  [['busy', 'busy', 'busy'], 'busy'],
  [['refused', 'connect-timeout', 'busy'], 'busy'],
  [['busy', 'busy', 'refused'], 'down'],
  // A response, or an error after the request was sent, tells the visitor more.
  [[503, 'busy', 'busy'], 'a 503'],
  [['reset', 'busy', 'reset'], 'reset'],
] as const)
  test(`when no origin is left, the last reason decides: ${faults.join(', ')} gives ${fault}`, async () => {
    const rig = new Rig();
    for (const [i, name] of ['a', 'b', 'c'].entries()) rig.behaviours[name] = faults[i];
    assert.is(await rig.send(), fault);
    assert.is(rig.asked, 'abc');
  });

test('an edge that is busy for every origin serves stale responses as if all were down', async () => {
  for (const isStale of [true, false]) {
    const rig = new Rig({ stale_when_down: isStale });
    // One is down by its checks.
    rig.route.pool.setDown(new Set([rig.route.pool.targets[0].key]), 0);
    Object.assign(rig.behaviours, { b: 'busy', c: 'busy' });
    const error: unknown = await rig.request({}).catch((reason: unknown) => reason);
    assert.instance(error, PoolDownError);
    assert.equal([(error as PoolDownError).fault, (error as PoolDownError).maySendStale], ['busy', isStale]);
  }
});

test('a refusal by the edge takes nothing from the budget of retries', async () => {
  // 1: as good as no gain by requests.
  const rig = new Rig({ retries: { budget: 1 }, ejection: null, sticky: { by: 'cookie' } }, ['a', 'b']);
  const toFirst = ['cookie', rig.route.cookieFor(0, true).split(';')[0]];
  rig.behaviours.a = 'busy';
  for (let i = 0; i < 50; i++) assert.is(await rig.send({}, toFirst), 'b 200');
  rig.behaviours.a = 'reset';
  for (let i = 0; i < 10; i++) assert.is(await rig.send({}, toFirst), 'b 200', `retry ${i}`);
  assert.is(await rig.send({}, toFirst), 'reset', 'the budget is used up');
  rig.behaviours.a = 'busy';
  assert.is(await rig.send({}, toFirst), 'b 200');
  assert.is(rig.retries, 10);
});

test('an origin that dies within bodies is ejected', () => {
  const rig = new Rig({ ejection: { failures: 3 } }, ['a', 'b']);
  for (let i = 0; i < 3; i++) {
    rig.route.pool.record(0, false, rig.now);
    rig.route.recordBroken(0);
    if (i === 0) rig.route.pool.recordWhole(0);
  }
  assert.equal(rig.ejected, []);
  rig.route.recordBroken(0);
  assert.equal(rig.ejected, ['a']);
});

test('retries stay within their budget', async () => {
  const rig = new Rig({ retries: { budget: 20 }, ejection: null }, ['a', 'b']);
  rig.behaviours.a = 'reset';
  for (let i = 0; i < 1000; i++) await rig.send();
  // In turns, half of the requests would need a retry.
  assert.ok(rig.retries >= 200 && rig.retries <= 211, String(rig.retries));
});

test('at most `attempts` origins are tried', async () => {
  const rig = new Rig({ retries: { attempts: 2 } });
  Object.assign(rig.behaviours, { a: 'reset', b: 'reset' });
  assert.is(await rig.send(), 'reset');
  assert.is(rig.asked, 'ab');
});

test('a cookie keeps a visitor at an origin, until that is down', async () => {
  const rig = new Rig({ sticky: { by: 'cookie', cookie: 'o', max_age: 60 }, path: '/app' });
  const cookies = [0, 1, 2].map((target) => rig.route.cookieFor(target, true));
  assert.match(cookies[1], /^o=[A-Za-z0-9_-]{16}; Path=\/app; Max-Age=60; HttpOnly; SameSite=Lax; Secure$/);
  assert.not.match(cookies.join(), /example/);
  const headers = ['cookie', `x=1; ${cookies[2].split(';')[0]}`];
  for (let i = 0; i < 5; i++) assert.is(await rig.send({}, headers), 'c 200');
  rig.behaviours.c = 'refused';
  assert.not.equal(await rig.send({}, headers), 'c 200');
  assert.is(rig.route.preferredOf(['cookie', 'o=AAAAAAAAAAAAAAAA']), -1);
});

test('a client stays at an origin by its hash', async () => {
  const rig = new Rig({ sticky: { by: 'client' } });
  const first = await rig.send({ client: '198.51.100.7' });
  for (let i = 0; i < 10; i++) assert.is(await rig.send({ client: '198.51.100.7' }), first);
  const all = new Set<string>();
  for (let i = 0; i < 50; i++) all.add(await rig.send({ client: `198.51.100.${i}` }));
  assert.is(all.size, 3);
});

for (const [name, sticky, headersOf] of [
  ['header', { by: 'header', header: 'X-Tenant' }, (tenant: string) => ['accept', '*/*', 'x-tenant', tenant]],
  ['cookie', { by: 'cookie_hash', cookie: 'session' }, (tenant: string) => ['cookie', `a=b; session=${tenant}`]],
] as const)
  test(`requests with the same ${name} go to one origin, those without it by turns`, async () => {
    const rig = new Rig({ sticky });
    const all = new Set<string>();
    for (let i = 0; i < 50; i++) {
      const first = await rig.send({}, headersOf(`tenant${i}`));
      all.add(first);
      for (let j = 0; j < 3; j++) assert.is(await rig.send({ client: `192.0.2.${j}` }, headersOf(`tenant${i}`)), first);
    }
    assert.is(all.size, 3);
    rig.asked;
    for (let i = 0; i < 3; i++) await rig.send({}, ['x-tenants', 'a', 'cookie', 'sessions=a']);
    assert.is([...rig.asked].sort().join(''), 'abc');
    assert.is(rig.route.cookieFor(0, true), '', 'the edge sets no cookie of its own');
  });

test('the header Host is the host of the request, over HTTP/2 too', async () => {
  const rig = new Rig({ sticky: { by: 'header', header: 'Host' } });
  const all = new Set<string>();
  for (let i = 0; i < 50; i++) {
    const first = await rig.send({ authority: `t${i}.site.test` });
    all.add(first);
    for (let j = 0; j < 3; j++) assert.is(await rig.send({ authority: `t${i}.site.test` }), first);
  }
  assert.is(all.size, 3);
});

test('a visitor who leaves between two attempts ends the request', async () => {
  const rig = new Rig();
  const cancel = new OriginCancel();
  rig.behaviours.a = 'reset';
  const sent = rig.send({ cancel });
  cancel.cancel();
  assert.match(await sent, /aborted|reset/);
  assert.is(rig.asked, 'a');
});

test('an origin has the fields of its entry, and hides the other origins too', () => {
  const entry: OriginsEntry = {
    pool: [{ origin: 'A.example.net', port: 8443, protocol: 'https' }, { origin: '2001:DB8::1' }],
    ...{ host: 'in.example.net', server_name: 'tls.example.net', version: '2', pins: ['x'], connect_timeout: 2 },
    client_certificate: { certificate: 'chain', sealed_key: 'sealed' },
    response_timeout: 30,
  };
  assert.equal(
    poolOrigin(entry, entry.pool[0], (sealed) => `opened ${sealed}`),
    {
      ...{ host: 'a.example.net', port: 8443, protocol: 'https', siblings: ['a.example.net', '2001:db8::1'] },
      ...{ version: '2', hostHeader: 'in.example.net', serverName: 'tls.example.net', trust: { pins: ['x'] } },
      clientCertificate: { chain: 'chain', key: 'opened sealed' },
      ...{ connectTimeoutMs: 2000, responseTimeoutMs: 30_000 },
    },
  );
  assert.equal(poolOrigin({ pool: [{ origin: '192.0.2.1', port: 80 }] }, { origin: '192.0.2.1', port: 80 }, String), {
    ...{ host: '192.0.2.1', port: 80, protocol: 'http' },
  });
});

test.run();
