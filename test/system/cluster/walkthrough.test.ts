/**
 * A write to any node is served by all when it is answered, and no end of a node or of etcd loses
 * it.
 */

import * as dns from 'dns-packet';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { keysBelow } from '../../../core/journal/etcd/etcd-keys.ts';
import { EtcdGateway } from '../../../core/journal/etcd-client/gateway.ts';
import { range } from '../../../core/journal/etcd-client/messages.ts';
import { App, STEP } from '../../support/authenticator-app.ts';
import { ADMIN_PASSWORD, type Daemon } from '../../support/daemon.ts';
import { UdpClient } from '../../support/dns-client.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { until } from '../../support/until.ts';
import { startCluster } from './rig.ts';

async function addresses({ dnsPort }: Daemon, name: string): Promise<string[]> {
  const client = await UdpClient.connect(dnsPort);
  try {
    const answer = await client.query(dns.encode({ type: 'query', id: 1, questions: [{ name, type: 'A' }] }));
    assert.ok(answer);
    return (dns.decode(Buffer.from(answer)).answers ?? []).flatMap((item) => (item.type === 'A' ? [item.data] : []));
  } finally {
    client.close();
  }
}

const isReady = async ({ api }: Daemon): Promise<boolean> => (await api.request('GET', '/readyz')).status === 200;

/** Sequence number of the first entry that the log in etcd still has. */
async function firstEntry(endpoint: string): Promise<number> {
  const gateway = new EtcdGateway({ endpoints: [endpoint], timeout: 5000 });
  try {
    const { ranges } = await gateway.transaction([], [range(keysBelow('/waypost/').floor)]);
    const bytes = ranges[0]?.items[0]?.value;
    return bytes === undefined ? 0 : Buffer.from(bytes).readUIntBE(0, 6);
  } finally {
    await gateway.close();
  }
}

test('three nodes: writes at each, one killed and back, etcd gone and back', async () => {
  const rig = await startCluster(3);
  try {
    const [a, b, c] = rig.nodes;
    const created = await a.api.call('POST', '/api/v1/domains', { domain: 'first.example' });
    const { id } = created.body.domain as { id: string };
    assert.equal(created.body.sync, {
      seq: Number(created.headers.get('x-waypost-revision')),
      applied: ['a', 'b', 'c'],
      pending: [],
    });
    for (const [i, node] of rig.nodes.entries()) {
      const path = `/api/v1/domains/${id}/records`;
      const { body } = await node.api.call('POST', path, {
        name: `n${i}`,
        type: 'A',
        content: `192.0.2.${i}`,
        ttl: 60,
      });
      assert.equal((body.sync as { pending: unknown }).pending, []);
      // At once, and at every node.
      for (const daemon of rig.nodes) assert.equal(await addresses(daemon, `n${i}.first.example`), [`192.0.2.${i}`]);
    }
    // One domain, asked for at two nodes at once: one gets it.
    const both = await Promise.all(
      [a, b].map(({ api }) => api.request('POST', '/api/v1/domains', { domain: 'both.example' })),
    );
    assert.equal(both.map(({ status }) => status).sort(), [200, 409]);

    await c.kill();
    const write = (node: Daemon, name: string) =>
      node.api.request('POST', `/api/v1/domains/${id}/records`, { name, type: 'A', content: '192.0.2.9', ttl: 60 });
    const without = await write(a, 'without');
    assert.is(without.status, 200, without.text);
    assert.equal((without.body.sync as { pending: unknown }).pending, ['c']);
    const { seq } = without.body.sync as { seq: number };
    assert.equal((await b.api.call('GET', `/api/v1/changes/${seq}`)).body.pending, ['c']);
    await c.start();
    await until(() => isReady(c), 'it is ready again');
    assert.equal(await addresses(c, 'without.first.example'), ['192.0.2.9']);
    await until(
      async () => ((await b.api.call('GET', `/api/v1/changes/${seq}`)).body.pending as string[]).length === 0,
      'all have it',
    );

    await rig.etcd.kill();
    const refused = await write(b, 'refused');
    assert.is(refused.status, 503, refused.text);
    assert.is((refused.body.error as { code: string }).code, 'no_quorum');
    assert.ok(refused.headers.get('retry-after'));
    for (const daemon of rig.nodes) {
      assert.equal(await addresses(daemon, 'without.first.example'), ['192.0.2.9']);
      assert.equal(await addresses(daemon, 'refused.first.example'), []);
      assert.is((await daemon.api.request('GET', '/api/v1/domains')).status, 200);
    }
    await rig.etcd.again();
    await until(async () => (await write(b, 'again')).status === 200, 'writes go on');
    for (const daemon of rig.nodes)
      await until(async () => (await addresses(daemon, 'again.first.example')).length === 1, 'all have it');

    // A token that is revoked at one node is revoked at all.
    const { body } = await a.api.call('POST', '/api/v1/auth/token', {
      login: 'admin',
      password: ADMIN_PASSWORD,
      name: 'x',
    });
    const own = c.api.token;
    c.api.token = String(body.token);
    assert.is((await c.api.request('GET', '/api/v1/domains')).status, 200);
    const tokens = (await a.api.call('GET', '/api/v1/tokens')).body.tokens as { id: string; name: string }[];
    await a.api.call('DELETE', `/api/v1/tokens/${tokens.find(({ name }) => name === 'x')!.id}`);
    assert.is((await c.api.request('GET', '/api/v1/domains')).status, 401);
    // So is a dashboard session.
    c.api.token = '';
    const session = '/api/v1/session';
    const signedIn = await a.api.call('POST', session, { login: 'admin', password: ADMIN_PASSWORD });
    const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const csrf = { cookie, 'x-waypost-csrf': String(signedIn.body.csrf_token) };
    const isSignedIn = async () => (await c.api.request('GET', session, undefined, undefined, { cookie })).status;
    assert.is(await isSignedIn(), 200);
    b.api.token = '';
    assert.is((await b.api.request('DELETE', session, undefined, undefined, csrf)).status, 200);
    assert.is(await isSignedIn(), 401);
    // A one-time code works once on all nodes together, and so does a recovery code.
    [b.api.token, c.api.token] = [a.api.token, a.api.token];
    const password = ADMIN_PASSWORD;
    const totp = '/api/v1/account/totp';
    const app = new App(String((await a.api.call('POST', totp, { password })).body.secret));
    const codes = (await b.api.call('POST', `${totp}/confirm`, { password, code: app.code() })).body.recovery_codes;
    const enter = async (node: Daemon, code: string) =>
      (await node.api.request('POST', session, { login: 'admin', password, code })).status;
    for (const code of [app.code(STEP), (codes as readonly string[])[0]]) {
      assert.is(await enter(c, code), 200);
      for (const node of [a, b, c]) assert.is(await enter(node, code), 401);
    }
    for (let i = 0; i < 5; i++) assert.is(await enter(rig.nodes[i % 3], app.wrong()), 401);
    for (const node of [a, b, c]) assert.is(await enter(node, app.wrong()), 429, 'locked on all nodes');
    c.api.token = own;
  } finally {
    await rig.close();
  }
});

test("a node behind the log's history, and a new one, copy the store of another", async () => {
  const rig = await startCluster(2, { WAYPOST_JOURNAL_HISTORY: '20' });
  try {
    const [a, b] = rig.nodes;
    const id = await a.api.createDomain('long.example');
    await b.kill();
    for (let i = 0; i < 60; i++) await a.api.createRecord(id, `n${i}`, 'A', '192.0.2.1');
    const printed = (daemon: Daemon): string => daemon.child.output();
    // Once the others no longer wait for b, they cut the log to its last 20 entries.
    await until(async () => (await firstEntry(rig.etcd.endpoint)) > 30, 'the log is cut');
    await a.api.createRecord(id, 'last', 'A', '192.0.2.1');
    await b.start();
    await until(async () => /store of another node has replaced/.test(printed(b)), 'it has fetched one');
    await until(() => isReady(b).catch(() => false), 'it is ready again');
    const c = await rig.add();
    assert.match(printed(c), /store of another node has replaced/);
    await until(() => isReady(c), 'it is ready');
    for (const daemon of [b, c])
      for (const name of ['n0', 'n59', 'last'])
        assert.equal(await addresses(daemon, `${name}.long.example`), ['192.0.2.1']);
    await until(async () => {
      const { body } = await b.api.call('POST', `/api/v1/domains/${id}/records`, {
        ...{ name: `after-${Date.now()}`, type: 'A', content: '192.0.2.2', ttl: 60 },
      });
      return (body.sync as { applied: string[] }).applied.join() === 'a,b,c';
    }, 'all three serve what one of them writes');
  } finally {
    await rig.close();
  }
});

test('a new node copies the store of another where that is faster than the log', async () => {
  const rig = await startCluster(1);
  try {
    const [a] = rig.nodes;
    const id = await a.api.createDomain('many.example');
    const names = Array.from({ length: 120 }, (_, i) => `n${i}`);
    await Promise.all(names.map((name) => a.api.createRecord(id, name, 'A', '192.0.2.1')));
    const b = await rig.add();
    assert.match(b.child.output(), /store of another node has replaced/);
    for (const name of ['n0', 'n119']) assert.equal(await addresses(b, `${name}.many.example`), ['192.0.2.1']);
    await b.api.createRecord(id, 'after', 'A', '192.0.2.2');
    assert.equal(await addresses(a, 'after.many.example'), ['192.0.2.2']);
  } finally {
    await rig.close();
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: a cluster of daemons, ${why}`);
