/**
 * The algorithm of a zone is replaced in a cluster: from an imported key of RSA to ECDSA, to
 * Ed25519, and back. A resolver that requires
 * signatures of each algorithm asks all the time. In each phase, programs of others verify the
 * whole zone, what the resolver has cached, and the delegation.
 */
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatName, parseName } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { type ResourceRecord, TYPE } from '../../../core/dns/wire/types.ts';
import { depth } from '../../support/depth.ts';
import { MovedClock, whyNotMovedClock } from '../../support/moved-clock.ts';
import { openNetwork, run } from '../../support/network.ts';
import { freePort } from '../../support/ports.ts';
import { type Program, runProgram, whyNotPrograms } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { transferOver, transferRequest } from '../../support/transfer-client.ts';
import { until } from '../../support/until.ts';
import { type ClusterRig, startCluster } from '../cluster/rig.ts';
import { type DnssecView, dsOf, viewOf } from './owner.ts';
import { ParentZone } from './parent.ts';
import { whyNotResolver } from './resolvers.ts';
import { zoneText } from './rig.ts';
import { startValidator, type Validator } from './validator.ts';
import { Visitor } from './visitor.ts';

const HOUR = 3600;
const ZONE = 'signed.example.';
/** Several pieces. */
const NAMES = 300;
/** Seconds by which the clock is moved at a time. */
const STEP = depth({ quick: 2 * HOUR, moderate: 2 * HOUR, full: 20 * 60 });
/** The same while a day must pass. */
const LONG_STEP = depth({ quick: 9 * HOUR, moderate: 9 * HOUR, full: HOUR });
const DS_TTL = 60;
/** Milliseconds in which each node has looked at its clock. */
const LOOK_MS = 1100;
const PAUSE_MS = 50;
/** Steps of the clock for a rollover to end. */
const MAX_STEPS = 400;
const PHASES = ['rolling_sign', 'rolling_publish', 'rolling_ds', 'rolling_withdraw', 'rolling_resign', 'secure'];
/** Phases in which every record has signatures of both algorithms. */
const SIGNED_TWICE = ['rolling_publish', 'rolling_ds', 'rolling_withdraw'];
/** Of the nameservers: DNSViz asks at no private address. */
const ADDRESSES = ['45.0.1.1', '46.0.2.2'];
/** What DNSViz and delv ask for: names that exist, are made by a wildcard, or do not exist. */
const OWNERS = ['', 'host7.', 'x.wild.', 'nothing.'];

const test = suite('replacing the algorithm');
const clock = new MovedClock();
const folder = temporaryFolder('algorithm-rollover');
let parent: ParentZone;
let rig: ClusterRig;
let ports: readonly number[];
let validator: Validator;
let visitor: Visitor;
let path: string;
/** DS records that the second nameserver of the parent gets later. */
let pending: readonly string[] | null = null;
let published: readonly string[] = [];

test.before(async () => {
  openNetwork(0);
  for (const address of ADDRESSES) run('ip', 'address', 'add', `${address}/32`, 'dev', 'lo');
  parent = await ParentZone.start({ child: ZONE, dsTtl: DS_TTL, now: () => clock.now() });
  ports = await Promise.all(ADDRESSES.map(() => freePort()));
  rig = await startCluster(ADDRESSES.length, (name) => {
    const node = 'ab'.indexOf(name);
    return {
      ...{ ...parent.settings, ...clock.env, WAYPOST_TRANSFER_ALLOW: '127.0.0.1' },
      ...{ WAYPOST_SOA_NS_TTL: '300', WAYPOST_SOA_TTL: '300' },
      WAYPOST_DNS_LISTEN: `127.0.0.1:${ports[node]},${ADDRESSES[node]}:53`,
    };
  });
  const [{ api }] = rig.nodes;
  const id = await api.createDomain('signed.example');
  const lines = Array.from({ length: NAMES }, (_, i) => `host${i} 3600 IN A 192.0.2.${i % 256}\n`);
  await api.call('PUT', `/api/v1/domains/${id}/zonefile`, `${lines.join('')}*.wild 60 IN A 192.0.2.1\n`, 'text/dns');
  path = `/api/v1/domains/${id}/dnssec`;
  validator = await startValidator({ parent, zone: ZONE, ports, env: clock.env });
  visitor = new Visitor({ validator, zone: ZONE, names: NAMES, clock, pauseMs: PAUSE_MS });
});
test.after(async () => {
  await visitor?.stop();
  await validator?.stop();
  await rig?.close();
  await parent?.close();
});

/**
 * Follows a zone to a phase. Its owner does what the API says. Returns the phases. `algorithms`:
 * both algorithms of a rollover, in each phase of which the zone is inspected.
 */
async function follow(end: string, algorithms?: readonly number[]): Promise<string[]> {
  const phases: string[] = [];
  for (let steps = 0; ; steps++) {
    const view = await viewOf(rig.nodes[0], path);
    visitor.status = view.status;
    if (view.status !== phases.at(-1)) {
      phases.push(view.status);
      if (algorithms !== undefined) await inspect(view.status, algorithms);
    }
    if (view.status === end) return phases;
    assert.ok(steps < MAX_STEPS, `${end} is not reached: ${JSON.stringify(view)}`);
    await obey(view);
    await passTime(view.status);
  }
}

async function obey(view: DnssecView): Promise<void> {
  if (view.status === 'signing') return;
  if (pending !== null) parent.setDs(pending, 1);
  pending = null;
  const ds = dsOf(view);
  if (ds.join() === published.join()) return;
  published = ds;
  await visitor.between(() => {
    parent.setDs(ds, 0);
    pending = ds;
  });
}

/** Until the next step of the zone, or until all nodes have looked at the clock. */
async function passTime(status: string): Promise<void> {
  await visitor.between(() => {
    clock.advance(status === 'rolling_ds' ? LONG_STEP : STEP);
    if (pending === null && published.length > 0) visitor.noteDs(true);
  });
  for (const end = performance.now() + LOOK_MS; performance.now() < end; await sleep(20))
    if ((await viewOf(rig.nodes[0], path)).status !== status) return;
}

async function succeeds(label: string, program: Program, ...args: string[]): Promise<string> {
  const isOfBind = program === 'delv' || program === 'dnssec-verify';
  // Python cannot sleep with libfaketime.
  const env = isOfBind ? clock.envOfBind : program === 'dnsviz' ? {} : clock.env;
  const { code, output } = await runProgram(program, args, env);
  assert.is(code, 0, `${label}: ${program}: ${output}`);
  return output;
}

/** The whole zone as each node transfers it, once nodes serve the same. */
async function transferred(): Promise<readonly ResourceRecord[]> {
  let first: readonly ResourceRecord[] = [];
  await until(async () => {
    const zones = await Promise.all(ports.map((port) => transferOver(port, transferRequest(ZONE))));
    first = zones[0].slice(0, -1);
    const [text, other] = zones.map((records) => zoneText(records.slice(0, -1)).split('\n').sort().join('\n'));
    return text === other;
  });
  return first;
}

/**
 * Types of RRsets that do not have a signature of each algorithm. The DNSKEY records are signed by
 * the keys among them.
 */
function signedOtherwise(records: readonly ResourceRecord[], algorithms: readonly number[]): string[] {
  const isKey = ({ type, rdata }: ResourceRecord): boolean => type === TYPE.DNSKEY && algorithms.includes(rdata[3]);
  const keys = records.filter(isKey).map(({ rdata }) => rdata[3]);
  const found = new Map<string, number[]>();
  for (const { name, type, rdata } of records) {
    const covered = type === TYPE.RRSIG ? (rdata[0] << 8) | rdata[1] : type;
    const id = `${typeName(covered)} ${formatName(name)}`;
    if (type === TYPE.RRSIG) found.set(id, [...(found.get(id) ?? []), rdata[2]]);
  }
  const isWrong = ([id, signatures]: [string, number[]]): boolean =>
    [...signatures].sort().join() !== [...(id.startsWith('DNSKEY ') ? keys : algorithms)].sort().join();
  return [...found].filter(isWrong).map(([id]) => id);
}

/** What others find in a phase. */
async function inspect(phase: string, algorithms: readonly number[]): Promise<void> {
  const records = await transferred();
  const file = join(folder, 'zone');
  writeFileSync(file, zoneText(records));
  await succeeds(phase, 'dnssec-verify', '-z', '-o', ZONE, file);
  await succeeds(phase, 'ldns-verify-zone', file);
  if (SIGNED_TWICE.includes(phase)) assert.equal(signedOtherwise(records, algorithms), [], phase);
  if (published.length === 0 || pending !== null) return;
  for (const owner of OWNERS) await delv(phase, `${owner}${ZONE}`);
  await dnsviz(phase, records);
}

/** BIND's validator by what the resolver has cached, from the DS of the parent. */
async function delv(phase: string, name: string): Promise<void> {
  const [owner, , flags, protocol, algorithm, key] = parent.anchor.split(' ');
  const anchors = join(folder, 'anchors');
  writeFileSync(anchors, `trust-anchors { "${owner}" static-key ${flags} ${protocol} ${algorithm} "${key}"; };\n`);
  const args = ['@127.0.0.1', '-p', `${validator.port}`, '-a', anchors, `+root=${owner}`, name, 'A'];
  assert.match(await succeeds(phase, 'delv', ...args), /fully validated/, `${phase}: ${name}`);
}

/** DNSViz by what the nameservers have, and the DS records of the parent. */
async function dnsviz(phase: string, records: readonly ResourceRecord[]): Promise<void> {
  const probe = join(folder, 'probe.json');
  const trusted = join(folder, 'trusted');
  const keys = records.filter(({ type, name }) => type === TYPE.DNSKEY && Buffer.compare(name, parseName(ZONE)) === 0);
  writeFileSync(
    trusted,
    keys.map(({ rdata }) => `${ZONE} 3600 IN DNSKEY ${formatRdata(TYPE.DNSKEY, rdata)}\n`).join(''),
  );
  const zone = ZONE.slice(0, -1);
  const servers = `${zone}:${ADDRESSES.map((address, i) => `ns${i}.${zone}=${address}`).join(',')}`;
  const names = OWNERS.map((owner) => `${owner}${zone}`);
  const delegation = ['-x', servers, '-N', servers, '-D', `${zone}:${published.join(',')}`];
  await succeeds(phase, 'dnsviz', 'probe', '-A', '-a', zone, ...delegation, '-o', probe, ...names);
  // DNSViz judges by the time of its queries.
  const now = new Date(clock.now() * 1000).toISOString().slice(0, 19).replace('T', ' ');
  writeFileSync(probe, readFileSync(probe, 'utf8').replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, now));
  const errors = await succeeds(phase, 'dnsviz', 'grok', '-l', 'error', '-r', probe);
  assert.is(errors.trim(), '', phase);
  const found = await succeeds(phase, 'dnsviz', 'print', '-t', trusted, '-r', probe);
  assert.ok(found.includes(`${zone} [.] [.]\n`), `${phase}: ${found}`);
  assert.not.match(found, /^ *E:|\[[^\]]*[!?]\]/m, phase);
}

test('a zone is signed with an imported key of RSA', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = String(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  await rig.nodes[0].api.call('PUT', path, { enabled: true, algorithm: 8, private_key: pem });
  await follow('secure');
  visitor.check();
});

for (const algorithm of [13, 15, 13])
  test(`a rollover to ${algorithm}, without a bogus answer`, async () => {
    const [{ api }] = rig.nodes;
    const former = (await api.call('GET', path)).body.algorithm;
    const { body } = await api.call('POST', `${path}/rollover`, { algorithm });
    assert.is(body.status, 'rolling_sign');
    const phases = await follow('secure', [former as number, algorithm]);
    // The zone may be signed again before the test looks.
    if (!phases.includes('rolling_resign')) phases.splice(-1, 0, 'rolling_resign');
    assert.equal(phases, PHASES);
    assert.is((await api.call('GET', path)).body.algorithm, algorithm);
    visitor.check();
  });

const missing =
  whyNotMovedClock() ??
  whyNotResolver('unbound') ??
  whyNotPrograms('etcd', 'delv', 'dnssec-verify', 'ldns-verify-zone', 'dnsviz');
if (missing === null) test.run();
else console.log(`skipped: replacing the algorithm, ${missing}`);
