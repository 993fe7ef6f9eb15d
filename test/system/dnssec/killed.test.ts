/**
 * The life of a signed zone in a cluster whose nodes are killed at each step, and a validating
 * resolver that asks all the time. Its answers are never bogus, and secure while there is a DS.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiResponse, Json } from '../../support/api-client.ts';
import { depth } from '../../support/depth.ts';
import { LEVEL } from '../../support/level.ts';
import { MovedClock, whyNotMovedClock } from '../../support/moved-clock.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';
import { until } from '../../support/until.ts';
import { type ClusterRig, startCluster } from '../cluster/rig.ts';
import { type DnssecView, dsOf, viewOf } from './owner.ts';
import { ParentZone } from './parent.ts';
import { whyNotResolver } from './resolvers.ts';
import { Secondary } from './secondary.ts';
import { startValidator, type Validator } from './validator.ts';
import { Visitor } from './visitor.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const ZONE = 'signed.example.';
const NODES = depth({ quick: 2, moderate: 2, full: 3 });
/** Several pieces. */
const NAMES = depth({ quick: 300, moderate: 300, full: 1000 });
/** Seconds by which the clock is moved at a time. */
const STEP = depth({ quick: 2 * HOUR, moderate: 2 * HOUR, full: 30 * MINUTE });
/** The same while nothing but the longest wait, a day, is to end. */
const LONG_STEP = depth({ quick: 9 * HOUR, moderate: 9 * HOUR, full: 2 * HOUR });
/** On a slow machine, a zone that is signed by now would skip the phase after with a long step. */
const STEP_IN: ReadonlyMap<string, number> = new Map([
  ['removing_ds', LONG_STEP],
  ['rolling_resign', 10 * MINUTE],
]);
const DS_TTL = MINUTE;
/** Milliseconds in which each node has looked at its clock. */
const LOOK_MS = 1100;
/** Milliseconds between two questions. */
const PAUSE_MS = depth({ quick: 100, moderate: 100, full: 20 });
/** Milliseconds that a node is away at most. */
const AWAY_MS = 8000;
/** Steps of the clock for a command to end. */
const MAX_STEPS = 400;
/** Whether nodes are also killed while they take a step, and stay away for some time. */
const IS_FULL = LEVEL === 'full';

const SIGNED = ['signing', 'awaiting_ds', 'secure', 'off'];
const CHANGED = ['rolling_publish', 'rolling_ds', 'rolling_resign', 'retire', 'removing_ds'];
const REPLACED = ['rolling_sign', 'rolling_withdraw'];
const KILLED_IN = IS_FULL ? [...SIGNED, ...CHANGED, ...REPLACED] : CHANGED;

/** Phases that the test must see. Signing 300 names again may be over before it looks. */
const REQUIRED = IS_FULL
  ? [...SIGNED, ...CHANGED, ...REPLACED]
  : [...SIGNED, ...CHANGED].filter((phase) => phase !== 'rolling_resign');

const test = suite(`killed nodes, seed ${SEED}`);
const random = new Random(SEED);
const clock = new MovedClock();
let parent: ParentZone;
let rig: ClusterRig;
let validator: Validator;
let path: string;

test.before(async () => {
  parent = await ParentZone.start({ child: ZONE, dsTtl: DS_TTL, now: () => clock.now() });
  rig = await startCluster(NODES, {
    ...{ ...parent.settings, ...clock.env, WAYPOST_TRANSFER_ALLOW: '127.0.0.1' },
    ...{ WAYPOST_SOA_NS_TTL: '300', WAYPOST_SOA_TTL: '300' },
  });
  const [{ api }] = rig.nodes;
  const id = await api.createDomain('signed.example');
  const lines = Array.from({ length: NAMES }, (_, i) => `host${i} 3600 IN A 192.0.2.${i % 256}\n`);
  await api.call('PUT', `/api/v1/domains/${id}/zonefile`, `${lines.join('')}*.wild 60 IN A 192.0.2.1\n`, 'text/dns');
  path = `/api/v1/domains/${id}/dnssec`;
  const ports = rig.nodes.map(({ dnsPort }) => dnsPort);
  validator = await startValidator({ parent, zone: ZONE, ports, env: clock.env });
});
test.after(async () => {
  await validator?.stop();
  await rig?.close();
  await parent?.close();
});

/** A zone's owner, who does what the API says, and nodes that are killed at each step. */
class Life {
  readonly phases: string[] = [];
  readonly #victims: readonly number[];
  readonly #visitor: Visitor;
  /** The DS records that the second nameserver of the parent gets later. */
  #pending: readonly string[] | null = null;
  #ds = '';

  /** `victims`: nodes that are killed in turn. */
  constructor(victims: readonly number[], visitor: Visitor) {
    this.#victims = victims;
    this.#visitor = visitor;
  }

  /** A command, and all steps that follow. */
  async run(method: string, tail: string, body: { [key: string]: Json } | undefined, end: string): Promise<void> {
    await this.#command(method, tail, body);
    let last = '';
    for (let steps = 0; ; steps++) {
      const view = await viewOf(this.#witness, path);
      this.#visitor.status = view.status;
      if (view.status !== last) {
        last = view.status;
        this.phases.push(view.status);
        if (KILLED_IN.includes(view.status)) await this.#kill();
      }
      if (view.status === end) break;
      if (steps === MAX_STEPS) throw new Error(`${end} is not reached: ${JSON.stringify(view)}`);
      await this.#obey(view);
      await this.#passTime(view.status);
    }
    this.#visitor.check();
  }

  /** A zone that is off may still lose signatures in pieces; then the API asks to send it again. */
  async #command(method: string, tail: string, body: { [key: string]: Json } | undefined): Promise<void> {
    let response: ApiResponse;
    await until(async () => {
      response = await this.#witness.api.request(method, `${path}${tail}`, body);
      return !response.text.includes('dnssec_rolling');
    });
    assert.is(response!.status, 200, response!.text);
  }

  get #victim() {
    return rig.nodes[this.#victims[this.phases.length % this.#victims.length]];
  }

  /** A node that is not killed. */
  get #witness() {
    return rig.nodes.find((node) => node !== this.#victim)!;
  }

  async #obey(view: DnssecView): Promise<void> {
    if (view.status === 'signing') return;
    if (this.#pending !== null) parent.setDs(this.#pending, 1);
    this.#pending = null;
    const ds = view.status === 'off' ? [] : dsOf(view);
    if (ds.join() === this.#ds) return;
    this.#ds = ds.join();
    await this.#visitor.between(() => {
      parent.setDs(ds, 0);
      this.#pending = ds;
      if (ds.length === 0) this.#visitor.noteDs(false);
    });
  }

  /** Until the next step of the zone, or until all nodes have looked at the clock. */
  async #passTime(status: string): Promise<void> {
    await this.#visitor.between(() => {
      clock.advance(STEP_IN.get(status) ?? STEP);
      if (this.#pending === null && this.#ds !== '') this.#visitor.noteDs(true);
    });
    if (IS_FULL && random.below(4) === 0) {
      await sleep(random.below(LOOK_MS));
      await this.#kill();
    }
    for (const end = performance.now() + LOOK_MS; performance.now() < end; await sleep(20))
      if ((await viewOf(this.#witness, path)).status !== status) return;
  }

  async #kill(): Promise<void> {
    const node = this.#victim;
    await node.kill();
    if (IS_FULL && random.below(2) === 0) await sleep(random.below(AWAY_MS));
    await node.start();
  }
}

/** Nodes may differ for a moment, while one has applied a change. */
async function checkZones(): Promise<void> {
  const secondaries = rig.nodes.map(() => new Secondary(ZONE));
  const isEqual = (): boolean => secondaries.every(({ serial }) => serial === secondaries[0].serial);
  for (const deadline = performance.now() + AWAY_MS; ; await sleep(100)) {
    for (const [i, { dnsPort }] of rig.nodes.entries()) await secondaries[i].refresh(dnsPort);
    if (isEqual() || performance.now() > deadline) break;
  }
  for (const secondary of secondaries) {
    assert.equal(secondary.faults(clock.now(), 20 * 24 * HOUR), []);
    assert.equal(secondary.text, secondaries[0].text);
  }
}

/** Nodes that are killed in one life of the zone. */
const VICTIMS = IS_FULL ? [...Array(NODES).keys()].map((node) => [node]) : [[...Array(NODES).keys()]];

for (const victims of VICTIMS)
  test(`nodes are killed at each step: ${victims.map((node) => node + 1).join(' and ')} of ${NODES}`, async () => {
    const visitor = new Visitor({ validator, zone: ZONE, names: NAMES, clock, pauseMs: PAUSE_MS });
    const life = new Life(victims, visitor);
    try {
      await life.run('PUT', '', { enabled: true }, 'secure');
      await checkZones();
      for (const emergency of IS_FULL ? [false, true] : [random.below(2) === 1]) {
        await life.run('POST', '/rollover', { emergency }, 'secure');
        await checkZones();
      }
      if (IS_FULL) {
        await life.run('POST', '/rollover', {}, 'rolling_ds');
        await life.run('POST', '/rollover/cancel', undefined, 'secure');
        await checkZones();
        await life.run('POST', '/rollover', { algorithm: 15 }, 'secure');
        await checkZones();
      }
      await life.run('PUT', '', { enabled: false, force: true }, 'off');
    } finally {
      await visitor.stop();
    }
    visitor.check();
    const missed = REQUIRED.filter((phase) => !life.phases.includes(phase));
    assert.equal(missed, [], `${life.phases.join(', ')} with ${visitor.answers} answers`);
  });

const missing = whyNotMovedClock() ?? whyNotResolver('unbound') ?? whyNotPrograms('etcd');
if (missing === null) test.run();
else console.log(`skipped: killed nodes, ${missing}`);
