/**
 * Knot DNS, NSD and BIND follow our zones: told by NOTIFY, they ask for what differs, and end with
 * the same records.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../support/api-client.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';
import { transferOver, transferRequest, zoneText } from '../../support/transfer-client.ts';
import { freePort, type Secondary, type SecondaryKind, startSecondary, whyNotSecondary } from './secondaries.ts';

const ZONES = ['followed.test', 'many.test', 'proxied.test'];
const KEY = 'transfer.followed.test';
const BIG = 3000;
const CHANGES = 100;

interface Rig {
  daemon: Daemon;
  secondary: Secondary;
  port: number;
  ids: Map<string, string>;
}

async function startRig(kind: SecondaryKind): Promise<Rig> {
  const port = await freePort();
  const daemon = await startDaemon({
    WAYPOST_TRANSFER_ALLOW: '127.0.0.1/32',
    WAYPOST_TRANSFER_NOTIFY: `127.0.0.1:${port} ${KEY}`,
    WAYPOST_LOG_LEVEL: 'debug',
  });
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const ids = new Map<string, string>();
  for (const zone of ZONES) ids.set(zone, await daemon.api.createDomain(zone));
  const { body } = await daemon.api.call('POST', '/api/v1/tsig-keys', { name: KEY, scopes: ['dns:read'] });
  const key = { name: KEY, secret: String(body.secret) };
  const secondary = await startSecondary(kind, { port, primaryPort: daemon.dnsPort, zones: ZONES, key });
  return { daemon, secondary, port, ids };
}

const zoneOf = async (port: number, zone: string): Promise<string[]> =>
  zoneText(await transferOver(port, transferRequest(`${zone}.`)));

/** Waits until the secondary has what we have, and says what it has if it never does. */
async function followed({ daemon, secondary, port }: Rig, zone: string): Promise<void> {
  const ours = await zoneOf(daemon.dnsPort, zone);
  const end = Date.now() + PATIENCE_MS;
  let theirs: string[] = [];
  let why = '';
  while (Date.now() < end) {
    // While it has nothing yet, it refuses or fails.
    theirs = await zoneOf(port, zone).catch((error: Error) => {
      why = error.message;
      return [];
    });
    if (theirs.join('\n') === ours.join('\n')) return;
    await sleep(100);
  }
  assert.equal(theirs, ours, `${secondary.kind} does not follow (${why}):\n${secondary.output().slice(-3000)}`);
}

type Add = (name: string, type: string, content: string, more?: { [key: string]: Json }) => Promise<string>;

function adder({ daemon, ids }: Rig, zone: string): Add {
  return async (name, type, content, more = {}) => {
    const path = `/api/v1/domains/${ids.get(zone)}/records`;
    const { body } = await daemon.api.call('POST', path, { name, type, content, ...more });
    return String((body.record as { id: string }).id);
  };
}

async function changeAtRandom(rig: Rig, zone: string, random: Random): Promise<void> {
  const add = adder(rig, zone);
  const path = `/api/v1/domains/${rig.ids.get(zone)}/records`;
  const held: { id: string; name: string; type: string; content: string }[] = [];
  const put = async (name: string, type: string, content: string): Promise<void> => {
    held.push({ id: await add(name, type, content), name, type, content });
  };
  for (let i = 0; i < CHANGES; i++) {
    const kind = random.below(10);
    const host = `h${random.below(9)}.${zone}.`;
    if (kind < 3 && held.length > 5) {
      const [{ id }] = held.splice(random.below(held.length), 1);
      await rig.daemon.api.call('DELETE', `${path}/${id}`);
    } else if (kind < 5 && held.length > 5) {
      const { id, name, type, content } = random.pick(held);
      await rig.daemon.api.call('PUT', `${path}/${id}`, { name, type, content, ttl: 60 + random.below(5) * 60 });
    } else if (kind === 5) await put(`mail${i}`, 'MX', `${i} ${host}`);
    else if (kind === 6) await put(`t${i}`, 'TXT', `"change ${i}" "\\"quoted\\" ; \\\\ \\200"`);
    else if (kind === 7) await put(`a${i}`, 'CNAME', host);
    else if (kind === 8) await put(`s${i}`, 'SRV', `1 2 ${i} ${host}`);
    else await put(`h${i % 9}.deep.er`, 'A', `192.0.2.${i}`);
  }
}

const metric = async (daemon: Daemon, line: RegExp): Promise<number> => {
  const { text } = await daemon.api.call('GET', '/metrics');
  return Number(line.exec(text)?.[1] ?? 0);
};

for (const kind of ['knot', 'nsd', 'bind'] as const) {
  const test = suite<{ rig: Rig }>(`${kind} as a secondary`);
  const missing = whyNotSecondary(kind);
  if (missing !== null) {
    console.log(`skipped: ${kind} as a secondary, ${missing}`);
    continue;
  }
  test.before(async (context) => {
    context.rig = await startRig(kind);
  });
  test.after(async ({ rig }) => {
    await rig.secondary.stop();
    await rig.daemon.close();
  });

  test('transfers whole zones', async ({ rig }) => {
    for (const zone of ZONES) await followed(rig, zone);
  });

  test('follows wildcards, delegations with glue, DNAME and what they hide', async ({ rig }) => {
    const add = adder(rig, 'followed.test');
    await add('*', 'A', '192.0.2.1');
    await add('*.deep', 'TXT', '"below"');
    await add('ns.sub', 'A', '192.0.2.53');
    await add('sub', 'NS', 'ns.sub.followed.test.');
    await add('old', 'DNAME', 'new.followed.test.');
    await add('@', 'MX', '10 mail.followed.test.');
    await add('_25._tcp.mail', 'TLSA', `3 1 1 ${'ab'.repeat(32)}`);
    await followed(rig, 'followed.test');
  });

  test('follows many changes by their differences', async ({ rig }) => {
    const { daemon } = rig;
    const whole = /^waypost_transfers_total\{kind="axfr"\} (\d+)/m;
    const differing = /^waypost_transfers_total\{kind="ixfr"\} (\d+)/m;
    await followed(rig, 'followed.test');
    const before = await metric(daemon, differing);
    console.log(`seed ${SEED}`);
    await changeAtRandom(rig, 'followed.test', new Random(SEED));
    await followed(rig, 'followed.test');
    assert.ok((await metric(daemon, differing)) > before, `no IXFR; ${await metric(daemon, whole)} AXFR`);
    assert.ok((await metric(daemon, /^waypost_notify_total\{outcome="answered"\} (\d+)/m)) > 0);
  });

  test('transfers a large zone, and its differences', async ({ rig }) => {
    const { daemon, ids } = rig;
    const lines = Array.from({ length: BIG }, (_, i) => `h${i} 300 IN A 192.0.2.${i % 250}`).join('\n');
    const path = `/api/v1/domains/${ids.get('many.test')}/zonefile`;
    await daemon.api.call('PUT', path, `$ORIGIN many.test.\n${lines}\n`, 'text/dns');
    await followed(rig, 'many.test');
    await adder(rig, 'many.test')('h17', 'TXT', '"one more"');
    await followed(rig, 'many.test');
  });

  test('follows the proxy, on and off again, and names that are taken out of it', async ({ rig }) => {
    const { daemon, ids } = rig;
    const id = ids.get('proxied.test');
    const add = adder(rig, 'proxied.test');
    await add('www', 'A', '1.1.1.1');
    await add('@', 'A', '1.1.1.2');
    await add('direct', 'A', '1.1.1.3', { proxied: false });
    const proxy = `/api/v1/domains/${id}/proxy`;
    await daemon.api.call('PUT', proxy, { origin: '1.1.1.1', port: 443, protocol: 'https' });
    await daemon.api.call('POST', `${proxy}/toggle`, { enable: true });
    await followed(rig, 'proxied.test');
    const proxied = (await zoneOf(rig.port, 'proxied.test')).filter((line) => line.startsWith('www.'));
    assert.equal(proxied, ['www.proxied.test. 300 A 127.0.0.1', 'www.proxied.test. 300 AAAA ::1']);
    // Mail points at it, so that it is no web name any more.
    await add('@', 'MX', '10 www.proxied.test.');
    await followed(rig, 'proxied.test');
    const direct = (await zoneOf(rig.port, 'proxied.test')).filter((line) => line.startsWith('www.'));
    assert.equal(direct, ['www.proxied.test. 300 A 1.1.1.1']);
    await daemon.api.call('POST', `${proxy}/toggle`, { enable: false });
    await followed(rig, 'proxied.test');
  });

  test('is notified of changes after a restart, too', async ({ rig }) => {
    await rig.daemon.stop();
    await rig.daemon.start();
    await rig.daemon.api.logIn('admin', ADMIN_PASSWORD);
    await adder(rig, 'followed.test')('after', 'A', '192.0.2.99');
    await followed(rig, 'followed.test');
  });
  test.run();
}
