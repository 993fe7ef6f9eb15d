/**
 * ALIAS records, and CNAME records at proxied names, whose target has no address that may be
 * served: the answer to the write, lists, the state of the zone and the command line warn of it.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../support/api-client.ts';
import { ADMIN_PASSWORD, type Daemon, runCommand, startDaemon } from '../../support/daemon.ts';
import { TargetServer } from '../../support/target-server.ts';
import { untilIs } from '../../support/until.ts';

interface Warning {
  readonly code: string;
  readonly message: string;
  readonly pointer?: string;
  readonly name?: string;
}

interface RecordView {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly warnings?: readonly Warning[];
}

interface Context {
  daemon: Daemon;
  server: TargetServer;
}

const PUBLIC = '198.51.101.7';
const test = suite<Context>('warnings of targets');

test.before(async (context) => {
  const server = await TargetServer.start();
  const daemon = await startDaemon({
    WAYPOST_ALIAS_RESOLVERS: server.address,
    WAYPOST_EDGE_RESOLVERS: server.address,
  });
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  Object.assign(context, { daemon, server });
});
test.after(async ({ daemon, server }) => {
  await daemon?.close();
  await server?.close();
});

class Zone {
  readonly #daemon: Daemon;
  readonly path: string;
  readonly apex: string;

  private constructor(daemon: Daemon, apex: string, id: unknown) {
    this.#daemon = daemon;
    this.apex = apex;
    this.path = `/api/v1/domains/${id}`;
  }

  static async create({ daemon }: Context, apex: string): Promise<Zone> {
    const { body } = await daemon.api.call('POST', '/api/v1/domains', { domain: apex });
    return new Zone(daemon, apex, (body.domain as { id: number }).id);
  }

  async call(method: string, path: string, json?: Json, headers?: Record<string, string>) {
    const { status, body } = await this.#daemon.api.request(
      method,
      `${this.path}${path}`,
      json,
      'application/json',
      headers,
    );
    assert.is(status, 200, JSON.stringify(body));
    return body;
  }

  /** The answer to a new record. */
  async add(name: string, type: string, content: string, more: { proxied?: boolean } = {}) {
    const body = await this.call('POST', '/records', { name, type, content, ...more });
    return { record: body.record as unknown as RecordView, warnings: warningsOf(body) };
  }

  /** Warnings of the listed record with this name. */
  async listed(name: string): Promise<Warning[]> {
    const { records } = await this.call('GET', '/records');
    return (records as unknown as RecordView[]).filter((record) => record.name === name).flatMap(warningsOf);
  }

  /** Warnings in the state of the zone. */
  async state(): Promise<Warning[]> {
    return warningsOf((await this.call('GET', '')).domain as object);
  }

  async run(...args: string[]): Promise<string> {
    const { adminPort, api, env } = this.#daemon;
    const more = { WAYPOST_URL: `http://127.0.0.1:${adminPort}`, WAYPOST_TOKEN: api.token };
    const { output } = await runCommand(args, { ...env, ...more });
    return output;
  }
}

const warningsOf = (value: object): Warning[] => [...((value as { warnings?: Warning[] }).warnings ?? [])];
const messages = (warnings: readonly Warning[]): string => warnings.map(({ message }) => message).join('\n');

test('a target in the own zone with a private address: everywhere, until it has a public one', async (context) => {
  const zone = await Zone.create(context, 'own-target.example');
  const internal = await zone.add('internal', 'A', '10.0.0.5');
  const { record, warnings } = await zone.add('@', 'ALIAS', 'internal.own-target.example');
  assert.equal(
    warnings.map(({ code, pointer }) => [code, pointer]),
    [['no_served_address', '/record/content']],
  );
  assert.match(messages(warnings), /^The target internal\.own-target\.example\. of the ALIAS "@" has no address/);
  assert.match(messages(warnings), /10\.0\.0\.5 is in 10\.0\.0\.0\/8/);
  assert.is(messages(await zone.listed('@')), messages(warnings));
  assert.equal(await zone.listed('internal'), []);
  const [state] = await zone.state();
  assert.equal([state.name, state.message], ['@', messages(warnings)]);
  assert.match(await zone.run('record', 'list', zone.apex), /ALIAS.* ! The target internal/);
  assert.match(await zone.run('domain', 'show', zone.apex), /^ {2}! The target internal/m);
  assert.match(
    await zone.run('record', 'set', zone.apex, '@', 'ALIAS', `none.${zone.apex}`),
    /^ {2}! The target none/m,
  );
  await zone.run('record', 'set', zone.apex, '@', 'ALIAS', 'internal.own-target.example');

  await zone.call('PUT', `/records/${internal.record.id}`, { name: 'internal', type: 'A', content: PUBLIC });
  await untilIs(() => zone.listed('@'), []);
  assert.equal(await zone.state(), []);
  assert.ok(record.id > 0);
});

test('targets elsewhere: the result of a resolver within a second is in the response', async (context) => {
  const { server } = context;
  server.set('missing.example.org', undefined);
  server.set('hidden.example.org', { addresses: ['192.168.7.7'] });
  server.set('empty.example.org', {}, {});
  server.set('good.example.org', { addresses: [PUBLIC] });
  const zone = await Zone.create(context, 'elsewhere.example');
  const reasons: string[] = [];
  for (const target of ['missing', 'hidden', 'empty', 'good'])
    reasons.push(messages((await zone.add(target, 'ALIAS', `${target}.example.org`)).warnings));
  assert.match(reasons[0], /: the target does not exist\./);
  assert.match(reasons[1], /: 192\.168\.7\.7 is in 192\.168\.0\.0\/16/);
  assert.match(reasons[2], /: the target has no A(AAA)? records; the target has no A(AAA)? records\./);
  assert.is(reasons[3], '');
  assert.equal((await zone.state()).map(({ name }) => name).sort(), ['empty', 'hidden', 'missing']);
});

test('a batch: its own targets count, and the pointers name the records', async (context) => {
  const zone = await Zone.create(context, 'batch-target.example');
  const good = { post: [recordOf('@', 'ALIAS', `www.${zone.apex}`), recordOf('www', 'A', PUBLIC)] };
  assert.equal(warningsOf(await zone.call('POST', '/records/batch', good)), []);
  const bad = { post: [recordOf('db', 'A', '10.1.1.1'), recordOf('app', 'ALIAS', `db.${zone.apex}`)] };
  const pointers = warningsOf(await zone.call('POST', '/records/batch', bad)).map(({ pointer }) => pointer);
  assert.equal(pointers, ['/created/1/content']);
});

test('the answer to a repeated request warns, too', async (context) => {
  const zone = await Zone.create(context, 'again.example');
  const send = () =>
    zone.call('POST', '/records', recordOf('@', 'ALIAS', `none.${zone.apex}`), { 'idempotency-key': 'again' });
  const first = await send();
  assert.match(messages(warningsOf(first)), /the target does not exist/);
  assert.equal(await send(), first);
});

test('the import of a zone file', async (context) => {
  const zone = await Zone.create(context, 'imported.example');
  const file = '$TTL 300\n@ IN ALIAS internal\ninternal IN A 10.9.9.9\n';
  const { status, body } = await context.daemon.api.request('PUT', `${zone.path}/zonefile`, file, 'text/dns');
  assert.is(status, 200, JSON.stringify(body));
  assert.match(messages(warningsOf(body.domain as object)), /ALIAS "@".*10\.9\.9\.9 is in/);
});

test('CNAME at a proxied name, as long as the proxy uses its target', async (context) => {
  const { server } = context;
  server.set('private-host.example.org', { addresses: ['172.16.0.9'] });
  server.set('public-host.example.org', { addresses: [PUBLIC] });
  const zone = await Zone.create(context, 'cname-target.example');
  await zone.add('db', 'A', '10.2.2.2', { proxied: false });
  assert.equal((await zone.add('early', 'CNAME', 'private-host.example.org')).warnings, [], 'the proxy is off');
  await zone.call('POST', '/proxy/toggle', { enable: true });
  const bad = await zone.add('outside', 'CNAME', 'private-host.example.org');
  assert.match(messages(bad.warnings), /CNAME "outside".*it resolves to an address in 172\.16\.0\.0\/12/);
  assert.match(
    messages((await zone.add('inside', 'CNAME', `db.${zone.apex}`)).warnings),
    /its addresses are not public/,
  );
  assert.equal((await zone.add('good', 'CNAME', 'public-host.example.org')).warnings, []);
  assert.equal((await zone.add('grey', 'CNAME', 'private-host.example.org', { proxied: false })).warnings, []);
  const names = (await zone.state()).map(({ name }) => name);
  assert.equal(names, ['early', 'inside', 'outside']);
  assert.match(messages(await zone.listed('outside')), /172\.16\.0\.0\/12/);
  // With an origin, visitors of names that lead nowhere are served from there.
  await zone.call('PUT', '/proxy', { origin: '198.51.101.9' });
  assert.equal(
    (await zone.state()).map(({ name }) => name).filter((name) => name === 'inside'),
    [],
  );
  await zone.call('POST', '/proxy/toggle', { enable: false });
  assert.equal(await zone.state(), []);
});

const recordOf = (name: string, type: string, content: string) => ({ name, type, content });

test.run();
