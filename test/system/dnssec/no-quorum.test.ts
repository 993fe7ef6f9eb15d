/** Nodes that cannot write for 20 days serve valid signatures, and renew them afterwards. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { depth } from '../../support/depth.ts';
import { MovedClock, whyNotMovedClock } from '../../support/moved-clock.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { untilMatches } from '../../support/until.ts';
import { type ClusterRig, startCluster } from '../cluster/rig.ts';
import { clockOf, type DnssecView, dsOf, viewOf } from './owner.ts';
import { ParentZone } from './parent.ts';
import { whyNotResolver } from './resolvers.ts';
import { Secondary } from './secondary.ts';
import { startValidator, type Validator } from './validator.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ZONE = 'signed.example.';
const NAMES = depth({ quick: 50, moderate: 200, full: 2000 });
const NODES = depth({ quick: 2, moderate: 2, full: 4 });
const DAYS = 20;
/** Seconds by which the clock is moved at a time. */
const STEP = depth({ quick: 5 * DAY, moderate: 4 * DAY, full: 6 * HOUR });
/** Seconds that a signing clock is behind the time at most. */
const LAG = 4 * HOUR;
const SERVED_MS = 2000;

const test = suite('no quorum');
const clock = new MovedClock();
let parent: ParentZone;
let rig: ClusterRig;
let validator: Validator;
let path: string;
let secondaries: readonly Secondary[];

test.before(async () => {
  parent = await ParentZone.start({ child: ZONE, dsTtl: 60, now: () => clock.now() });
  rig = await startCluster(NODES, { ...parent.settings, ...clock.env, WAYPOST_TRANSFER_ALLOW: '127.0.0.1' });
  secondaries = rig.nodes.map(() => new Secondary(ZONE));
  const [{ api }] = rig.nodes;
  const id = await api.createDomain('signed.example');
  const lines = Array.from({ length: NAMES }, (_, i) => `host${i} 300 IN A 192.0.2.${i % 256}\n`);
  await api.call('PUT', `/api/v1/domains/${id}/zonefile`, lines.join(''), 'text/dns');
  path = `/api/v1/domains/${id}/dnssec`;
  const { body } = await api.call('PUT', path, { enabled: true });
  parent.setDs(dsOf(body as unknown as DnssecView));
  const ports = rig.nodes.map(({ dnsPort }) => dnsPort);
  validator = await startValidator({ parent, zone: ZONE, ports, env: clock.env });
});
test.after(async () => {
  await validator?.stop();
  await rig?.close();
  await parent?.close();
});

async function until(condition: (view: DnssecView) => boolean, label: string): Promise<void> {
  for (const node of rig.nodes)
    for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(50)) {
      const view = await viewOf(node, path);
      if (condition(view)) break;
      if (performance.now() > deadline) throw new Error(`${label}: ${JSON.stringify(view)}`);
    }
}

/** All nodes serve the same zone, whose signatures are valid for `seconds` at least. */
async function check(seconds: number, label: string): Promise<void> {
  const find = async (): Promise<string[]> => {
    const faults: string[] = [];
    for (const [i, { dnsPort }] of rig.nodes.entries()) {
      await secondaries[i].refresh(dnsPort);
      faults.push(...secondaries[i].faults(clock.now(), seconds));
      if (secondaries[i].text.join() !== secondaries[0].text.join()) faults.push(`node ${i + 1} differs`);
    }
    return faults;
  };
  let faults = await find();
  // Answers follow the rows within a moment.
  for (const deadline = performance.now() + SERVED_MS; faults.length > 0 && performance.now() < deadline; ) {
    await sleep(50);
    faults = await find();
  }
  assert.equal(faults, [], label);
  for (const [name, type] of [
    ['host7', TYPE.A],
    ['nothing', TYPE.A],
    ['host8', TYPE.MX],
  ] as const)
    assert.is(await validator.ask(parseName(`${name}.${ZONE}`), type), 'secure', `${label}: ${name}`);
}

test('all nodes sign', async () => {
  await until(({ status }) => {
    clock.advance(MINUTE);
    return status === 'secure';
  }, 'secure');
  await check(21 * DAY - LAG, 'at the beginning');
});

test(`${DAYS} days without quorum: all signatures are valid`, async () => {
  await rig.etcd.kill();
  for (let passed = STEP; passed <= DAYS * DAY; passed += STEP) {
    clock.advance(STEP);
    await check(21 * DAY - passed - LAG, `${passed / HOUR} hours`);
  }
  await untilMatches(
    async () => JSON.stringify((await rig.nodes[0].api.request('GET', '/readyz')).body),
    /a DNSSEC signature expires in \d days/,
  );
});

test('with quorum the signatures are renewed', async () => {
  await rig.etcd.again();
  await until((view) => clockOf(view) >= clock.now() - LAG, 'clocks advance');
  await check(21 * DAY - LAG, 'after 20 days');
  clock.advance(DAY);
  await until((view) => clockOf(view) >= clock.now() - LAG, 'clocks continue');
  await check(21 * DAY - LAG, 'a day later');
});

const missing = whyNotMovedClock() ?? whyNotResolver('unbound') ?? whyNotPrograms('etcd');
if (missing === null) test.run();
else console.log(`skipped: no quorum, ${missing}`);
