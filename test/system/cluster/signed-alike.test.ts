/**
 * Nodes serve a signed zone with equal bytes, as do a rebuild and a node that joins later.
 * While the settings of the nodes differ, what each serves is valid, and so is any mixture.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import { type Daemon, runCommand } from '../../support/daemon.ts';
import { depth } from '../../support/depth.ts';
import { queryTcp } from '../../support/dns-client.ts';
import { LEVEL } from '../../support/level.ts';
import { encodeQuery } from '../../support/message.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { freePort } from '../../support/ports.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { Relay } from '../../support/relay.ts';
import { until } from '../../support/until.ts';
import { type DnssecView, dsOf } from '../dnssec/owner.ts';
import { ParentZone } from '../dnssec/parent.ts';
import { whyNotResolver } from '../dnssec/resolvers.ts';
import { RECORDS } from '../dnssec/rig.ts';
import { Secondary } from '../dnssec/secondary.ts';
import { startValidator, type Validator } from '../dnssec/validator.ts';
import {
  type Secondary as Follower,
  type SecondaryKind,
  startSecondary,
  whyNotSecondary,
} from '../peers/secondaries.ts';
import { type ClusterRig, startCluster } from './rig.ts';

const ZONE = 'signed.example.';
/** One more joins. */
const NODES = depth({ quick: 2, moderate: 2, full: 4 });
const FOLLOWERS: readonly SecondaryKind[] = ['knot', 'nsd', 'bind'];
/** TSIG key of the secondaries. */
const KEY = 'follower';
/** Writes while the settings differ. */
const WRITES = depth({ quick: 2, moderate: 2, full: 20 });
/** Nodes with a resolver that asks only them: with old and new settings. */
const VALIDATED = LEVEL === 'full' ? [0, 1, 2, 3, 4] : [0, NODES];
/** Settings that signed bytes depend on. */
const CHANGED: Readonly<Record<string, string>> = {
  WAYPOST_NAMESERVERS: 'ns9.example.net,ns8.example.net',
  WAYPOST_SOA_HOSTMASTER: 'other@example.net',
  WAYPOST_SOA_REFRESH: '7200',
  WAYPOST_SOA_EXPIRE: '604800',
  WAYPOST_SOA_MINIMUM: '60',
  WAYPOST_SOA_TTL: '900',
  WAYPOST_SOA_NS_TTL: '600',
  WAYPOST_CLUSTER_IPV4: '192.0.2.80,192.0.2.81',
  WAYPOST_CLUSTER_IPV6: '',
};

/** Names of every kind, each with a type. */
const QUESTIONS: readonly (readonly [label: string, type: number])[] = [
  ['', TYPE.SOA],
  ['', TYPE.NS],
  ['', TYPE.DNSKEY],
  ['', TYPE.CDS],
  ['', TYPE.NSEC3PARAM],
  ['', TYPE.TXT],
  ['www.', TYPE.A],
  ['www.', TYPE.MX],
  ['proxied.', TYPE.A],
  ['proxied.', TYPE.AAAA],
  ['proxied.', TYPE.TXT],
  ['flat.', TYPE.A],
  ['flat.', TYPE.AAAA],
  ['flat.', TYPE.MX],
  ['alias2.', TYPE.A],
  ['broken.', TYPE.A],
  ['x.y.wild.', TYPE.A],
  ['x.y.wild.', TYPE.MX],
  ['to-wild.', TYPE.A],
  ['x.old.', TYPE.A],
  ['empty.below.', TYPE.A],
  ['nothing.', TYPE.A],
  ['a.b.nothing.', TYPE.A],
  ['sub.', TYPE.DS],
  ['secure.', TYPE.DS],
];

const test = suite('nodes that sign alike');
let parent: ParentZone;
let rig: ClusterRig;
let path: string;
/** Ports of secondaries. */
const notified: number[] = [];

test.before(async () => {
  parent = await ParentZone.start({ child: ZONE, dsTtl: 60 });
  for (const _ of FOLLOWERS) notified.push(await freePort());
  rig = await startCluster(NODES, {
    ...{ ...parent.settings, WAYPOST_TRANSFER_ALLOW: '127.0.0.1' },
    WAYPOST_TRANSFER_NOTIFY: notified.map((port) => `127.0.0.1:${port} ${KEY}`).join(),
  });
  const [{ api }] = rig.nodes;
  const id = await api.createDomain('signed.example');
  path = `/api/v1/domains/${id}`;
  for (const [name, type, content] of RECORDS)
    await api.call('POST', `${path}/records`, {
      name,
      type,
      content,
      ...(/^(A|AAAA|CNAME)$/.test(type) ? { proxied: false } : {}),
    });
  await api.createRecord(id, 'proxied', 'A', '1.1.1.1');
  await api.createRecord(id, 'flat', 'ALIAS', 'www.signed.example.');
  await api.call('PUT', `${path}/proxy`, { origin: '1.1.1.1', port: 443, protocol: 'https' });
  await api.call('POST', `${path}/proxy/toggle`, { enable: true });
  const { body } = await api.call('PUT', `${path}/dnssec`, { enabled: true });
  parent.setDs(dsOf(body as unknown as DnssecView));
  await until(async () => (await Promise.all(rig.nodes.map(isSigned))).every(Boolean), 'signed');
});
test.after(async () => {
  await rig?.close();
  await parent?.close();
});

const nameOf = (label: string): Uint8Array => parseName(`${label}${ZONE}`);

async function answersOf({ dnsPort }: Daemon): Promise<string[]> {
  const edns = { version: 0, size: 4096, do: true };
  const packets = QUESTIONS.map(([label, type], id) =>
    encodeQuery({ name: nameOf(label), type, class: CLASS_IN, edns }, id),
  );
  const responses = await queryTcp(dnsPort, packets);
  return responses.map((response) => Buffer.from(response).toString('hex')).sort();
}

async function transferOf({ dnsPort }: Pick<Daemon, 'dnsPort'>): Promise<Secondary> {
  const secondary = new Secondary(ZONE);
  await secondary.refresh(dnsPort);
  return secondary;
}

/** All names are, and the CDS records are published, which is a change of its own. */
const isSigned = async (node: Daemon): Promise<boolean> => {
  const { records } = await transferOf(node);
  return [TYPE.NSEC3PARAM, TYPE.CDS].every((wanted) => records.some(({ type }) => type === wanted));
};

const serialsOf = (): Promise<number[]> => Promise.all(rig.nodes.map(async (node) => (await transferOf(node)).serial));

const haveSameSerial = async (): Promise<boolean> => new Set(await serialsOf()).size === 1;

/** All nodes serve the same, once they have applied the same. */
async function areAlike(): Promise<void> {
  const find = async (): Promise<string[][]> => {
    const [answers, zones] = await Promise.all([
      Promise.all(rig.nodes.map(answersOf)),
      Promise.all(rig.nodes.map(transferOf)),
    ]);
    return rig.nodes.map((_, i) => [...answers[i], ...zones[i].text]);
  };
  const isEqual = (answers: readonly string[][]): boolean => new Set(answers.map((lines) => lines.join())).size === 1;
  let served = await find();
  for (const deadline = performance.now() + PATIENCE_MS; !isEqual(served) && performance.now() < deadline; ) {
    await sleep(100);
    served = await find();
  }
  for (const lines of served) assert.equal(lines, served[0]);
}

async function validates(validator: Validator, label: string): Promise<void> {
  for (const [name, type] of QUESTIONS)
    assert.is(await validator.ask(nameOf(name), type), 'secure', `${label}: ${name}${ZONE} ${type}`);
}

/** What each node serves, and what a resolver gets that asks all of them. */
async function checkAll(mixed: Validator, label: string): Promise<void> {
  for (const [i, node] of rig.nodes.entries()) {
    const zone = await transferOf(node);
    const now = Math.floor(Date.now() / 1000);
    assert.equal(zone.faults(now, 20 * 86_400), [], `${label}, node ${i + 1}`);
    if (!VALIDATED.includes(i)) continue;
    const validator = await startValidator({ parent, zone: ZONE, ports: [node.dnsPort] });
    await validates(validator, `${label}, node ${i + 1}`);
    await validator.stop();
  }
  await validates(mixed, `${label}, all nodes`);
}

/** Settings that are undefined are removed. */
async function restart(node: Daemon, settings: NodeJS.ProcessEnv): Promise<void> {
  await node.stop();
  Object.assign(node.env, settings);
  for (const key of Object.keys(settings)) if (settings[key] === undefined) delete node.env[key];
  await node.start();
}

let written = 0;

async function writeRecord({ api }: Daemon): Promise<void> {
  const record = { name: `new${written++}`, type: 'A', content: '192.0.2.7', ttl: 300, proxied: false };
  await api.call('POST', `${path}/records`, record);
}

test(`${NODES} nodes, a rebuild and a node that joins`, async () => {
  await areAlike();
  const [first, second] = rig.nodes;
  const before = await answersOf(first);
  await second.stop();
  const { code, output } = await runCommand(['answers', 'rebuild'], second.env);
  assert.is(code, 0, output);
  await second.start();
  await areAlike();
  assert.equal(await answersOf(second), before);
  await rig.add();
  await areAlike();
});

test('a node with other settings, while records are written', async () => {
  const mixed = await startValidator({ parent, zone: ZONE, ports: rig.nodes.map(({ dnsPort }) => dnsPort) });
  const [first, second] = rig.nodes;
  try {
    const before = Object.fromEntries(Object.keys(CHANGED).map((key) => [key, first.env[key]]));
    await restart(first, CHANGED);
    await until(haveSameSerial, 'the same serial');
    assert.not.equal((await transferOf(first)).text, (await transferOf(second)).text);
    await checkAll(mixed, 'a node differs');
    for (let i = 0; i < WRITES; i++) await writeRecord(rig.nodes[i % rig.nodes.length]);
    await until(haveSameSerial, 'the same serial');
    await checkAll(mixed, 'written');
    await follow(first, second);
    if (LEVEL === 'full') for (const node of rig.nodes.slice(1)) await restart(node, CHANGED);
    else await restart(first, before);
    await checkAll(mixed, 'the settings are the same');
    await areAlike();
  } finally {
    await mixed.stop();
  }
});

/** Secondaries transfer the zone from one node, and what changes later from another. */
async function follow(first: Daemon, second: Daemon): Promise<void> {
  const relay = await Relay.start(first.dnsPort);
  const followed = new Set<Follower>();
  const followers: { readonly secondary: Follower; readonly port: number }[] = [];
  try {
    const { body } = await first.api.call('POST', '/api/v1/tsig-keys', { name: KEY, scopes: ['dns:read'] });
    const key = { name: KEY, secret: String(body.secret) };
    for (const [i, kind] of FOLLOWERS.entries()) {
      const plan = { port: notified[i], primaryPort: relay.port, zones: ['signed.example'], key };
      followers.push({ secondary: await startSecondary(kind, plan), port: plan.port });
    }
    for (const node of [first, second, first]) {
      relay.target = node.dnsPort;
      await writeRecord(node);
      for (const { secondary, port } of followers) {
        const label = `${secondary.kind} from node ${rig.nodes.indexOf(node) + 1}`;
        const has = async (): Promise<boolean> => {
          const zone = await transferOf({ dnsPort: port }).catch(() => null);
          return zone !== null && zone.serial === (await transferOf(node)).serial;
        };
        // NSD may serve the zone as it was until its retry, once differences did not fit.
        if (secondary.kind !== 'nsd' || !followed.has(secondary)) await until(has, label);
        followed.add(secondary);
        const validator = await startValidator({ parent, zone: ZONE, ports: [port] });
        await validates(validator, label);
        await validator.stop();
      }
    }
  } finally {
    for (const { secondary } of followers) await secondary.stop();
    relay.close();
  }
}

const missing =
  whyNotResolver('unbound') ??
  whyNotPrograms('etcd') ??
  FOLLOWERS.map(whyNotSecondary).find((why) => why !== null) ??
  null;
if (missing === null) test.run();
else console.log(`skipped: nodes that sign alike, ${missing}`);
