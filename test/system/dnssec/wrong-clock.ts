/**
 * A node whose clock is wrong for a while, in the life of a signed zone: it serves what it has,
 * refuses writes, and signs nothing; afterwards all signatures are valid, and Unbound validates.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { MovedClock } from '../../support/moved-clock.ts';
import { until, untilMatches } from '../../support/until.ts';
import { type ClusterRig, startCluster } from '../cluster/rig.ts';
import { type DnssecView, dsOf, viewOf } from './owner.ts';
import { ParentZone } from './parent.ts';
import { Secondary } from './secondary.ts';
import { startValidator } from './validator.ts';

export const SECOND = 1;
export const HOUR = 3600;
export const DAY = 86_400;

/** Seconds by which clocks are wrong in the whole matrix. */
export const OFFSETS = [8 * SECOND, HOUR, DAY, 30 * DAY, 500 * DAY].flatMap((offset) => [offset, -offset]);

const ZONE = 'signed.example.';
/** Seconds by which a clock may be off. */
const MAX_OFFSET = 600;
/** Seconds after which a clock is accepted without evidence; less than the wrong clock lasts. */
const SETTLE = 20;
/** Milliseconds for which the clock is wrong, while the node looks at it every second. */
const WRONG_MS = 4000;
/** Milliseconds after which the last commit of signing the zone has been made. */
const STABLE_MS = 500;
const HOSTS = 5;
/** Seconds that each signature is valid at least: its clock is up to three hours behind. */
const LEFT = 21 * DAY - 4 * HOUR;

/** Of a node whose clock the test sets. */
const guarded = (clock: MovedClock): Record<string, string> => ({
  ...clock.env,
  WAYPOST_CLOCK_MAX_OFFSET: String(MAX_OFFSET),
  WAYPOST_CLOCK_SETTLE: String(SETTLE),
});

/**
 * When the clock is wrong: while the node is started, which it is right before and after; or until
 * some moment of the start; or for some seconds while the node runs. `first start`: of a new data
 * folder, of which nothing is known. `earlier version`: the node trusts the wrong clock, signs by
 * it and is replaced.
 */
export const PHASES = ['before', 'during', 'after', 'first start', 'earlier version'] as const;
export type Phase = (typeof PHASES)[number];

interface SignedZone {
  readonly parent: ParentZone;
  readonly settings: Record<string, string>;
  id: string;
  writes: number;
}

/** Resolves when all names are signed and in the chain of NSEC3 records. */
async function createZone({ api, dnsPort }: Daemon, zone: SignedZone): Promise<void> {
  zone.id = await api.createDomain(ZONE.slice(0, -1));
  for (let i = 0; i < HOSTS; i++) await api.createRecord(zone.id, `host${i}`, 'A', '192.0.2.1');
  await api.call('PUT', `/api/v1/domains/${zone.id}/dnssec`, { enabled: true });
  let last = 0;
  await until(async () => {
    const secondary = new Secondary(ZONE);
    await secondary.refresh(dnsPort);
    const isComplete = secondary.records.filter(({ type }) => type === TYPE.NSEC3).length === HOSTS + 1;
    const isStable = secondary.serial === last;
    last = secondary.serial;
    if (isComplete && !isStable) await sleep(STABLE_MS);
    return isComplete && isStable;
  }, 'the zone is signed');
}

/** The status and the error code of a write. */
async function write({ api }: Daemon, zone: SignedZone): Promise<{ status: number; code?: string; message?: string }> {
  const { status, body } = await api.request('POST', `/api/v1/domains/${zone.id}/records`, {
    name: `write${zone.writes++}`,
    type: 'A',
    content: '192.0.2.2',
    ttl: 300,
  });
  const { code, message } = (body.error ?? {}) as { code?: string; message?: string };
  return { status, code, message };
}

async function serialOf(daemon: Daemon): Promise<number> {
  const secondary = new Secondary(ZONE);
  await secondary.refresh(daemon.dnsPort);
  return secondary.serial;
}

async function readWarnings({ api }: Daemon): Promise<string[]> {
  const { body } = await api.request('GET', '/readyz');
  return body.warnings as string[];
}

/** The node refuses writes and says why, and serves on; or its clock is not far off. */
async function checkWrong(daemon: Daemon, zone: SignedZone, isOff: boolean): Promise<void> {
  const { status, code, message } = await write(daemon, zone);
  assert.equal([status, code], isOff ? [503, 'clock_off'] : [200, undefined], message);
  const serial = await serialOf(daemon);
  const warnings = (await readWarnings(daemon)).filter((warning) => warning.includes('the clock is not trusted'));
  assert.is(warnings.length, isOff ? 1 : 0);
  const { text } = await daemon.api.request('GET', '/metrics');
  assert.match(text, new RegExp(`^waypost_clock_trusted ${isOff ? 0 : 1}$`, 'm'));
  if (isOff) await untilMatches(() => daemon.child.output(), /the clock is not trusted; this node accepts no writes/);
  await sleep(WRONG_MS);
  if (!isOff) return;
  assert.is((await write(daemon, zone)).code, 'clock_off');
  assert.is(await serialOf(daemon), serial, 'the serial does not change');
}

/** Writes are accepted, each signature is valid, and Unbound validates the answers of all nodes. */
async function checkRight(daemons: readonly Daemon[], zone: SignedZone, hasSerialOfClock: boolean): Promise<void> {
  const [writer] = daemons;
  let last: unknown;
  await until(
    async () => {
      last = await write(writer, zone);
      return (last as { status: number }).status === 200;
    },
    () => `a write: ${JSON.stringify(last)}`,
  );
  const path = `/api/v1/domains/${zone.id}/dnssec`;
  zone.parent.setDs(dsOf((await viewOf(writer, path)) as DnssecView));
  const now = (): number => Math.floor(Date.now() / 1000);
  for (const { dnsPort, child } of daemons) {
    let faults: unknown;
    await until(
      async () => {
        const secondary = new Secondary(ZONE);
        await secondary.refresh(dnsPort);
        faults = secondary.faults(now(), LEFT);
        if (hasSerialOfClock) assert.ok(secondary.serial <= now() + 60, `the serial ${secondary.serial} is ahead`);
        return (faults as unknown[]).length === 0;
      },
      () => `valid signatures: ${JSON.stringify(faults)} ${child.output()}`,
    );
  }
  for (const daemon of daemons) {
    const validator = await startValidator({ parent: zone.parent, zone: ZONE, ports: [daemon.dnsPort] });
    try {
      for (const [name, type] of [
        [ZONE, TYPE.SOA],
        [ZONE, TYPE.DNSKEY],
        [`host1.${ZONE}`, TYPE.A],
        [`write${zone.writes - 1}.${ZONE}`, TYPE.A],
        [`nothing.${ZONE}`, TYPE.A],
      ] as const)
        assert.is(
          await validator.ask(parseName(name), type),
          'secure',
          `${name} ${type} at ${daemon.dnsPort}\n${validator.output()}`,
        );
    } finally {
      await validator.stop();
    }
    await until(async () => (await readWarnings(daemon)).length === 0, 'no warnings');
  }
}

async function withZone(work: (zone: SignedZone) => Promise<void>): Promise<void> {
  const parent = await ParentZone.start({ child: ZONE, dsTtl: 60 });
  try {
    await work({ parent, settings: { ...parent.settings, WAYPOST_TRANSFER_ALLOW: '127.0.0.1' }, id: '', writes: 0 });
  } finally {
    await parent.close();
  }
}

/** A single node, of which the data folder is the only evidence. `offset`: seconds. */
export function runSingle(phase: Phase, offset: number): Promise<void> {
  return withZone(async (zone) => {
    const clock = new MovedClock();
    const isOff = Math.abs(offset) > MAX_OFFSET;
    const isUnknown = phase === 'first start' || phase === 'earlier version';
    if (phase === 'first start') clock.set(offset);
    const daemon = await startDaemon({
      ...zone.settings,
      ...guarded(clock),
      ...(phase === 'earlier version' ? { WAYPOST_CLOCK_MAX_OFFSET: '0' } : {}),
    });
    try {
      await daemon.api.logIn('admin', ADMIN_PASSWORD);
      await createZone(daemon, zone);
      if (phase === 'earlier version') clock.set(offset);
      if (isUnknown) assert.is((await write(daemon, zone)).status, 200);
      if (phase === 'after') {
        clock.set(offset);
        await checkWrong(daemon, zone, isOff);
      } else {
        if (isUnknown) await sleep(WRONG_MS + 5000);
        await daemon.stop();
        if (!isUnknown) clock.set(offset);
      }
      if (phase === 'before' || phase === 'during') {
        const starting = daemon.start();
        if (phase === 'before') {
          await starting;
          await checkWrong(daemon, zone, isOff);
          await daemon.stop();
        } else {
          await sleep(Math.random() * 1000);
          clock.set(0);
          await starting;
        }
      }
      clock.set(0);
      if (phase === 'earlier version') daemon.env.WAYPOST_CLOCK_MAX_OFFSET = String(MAX_OFFSET);
      if (phase === 'before' || isUnknown) await daemon.start();
      await checkRight([daemon], zone, !isUnknown);
    } finally {
      await daemon.close();
    }
  });
}

/** One of four nodes with an etcd; it is the first, which writes for all. */
export function runCluster(offsets: readonly number[]): Promise<void> {
  return withZone(async (zone) => {
    const clock = new MovedClock();
    let rig: ClusterRig | undefined;
    try {
      rig = await startCluster(4, (name) => ({ ...zone.settings, ...(name === 'a' ? guarded(clock) : {}) }));
      const [first, ...others] = rig.nodes;
      await createZone(first, zone);
      for (const offset of offsets)
        for (const phase of ['after', 'before'] as const) {
          const label = `${offset} seconds ${phase} the start`;
          if (phase === 'before') await first.stop();
          clock.set(offset);
          if (phase === 'before') await first.start();
          const isOff = Math.abs(offset) > MAX_OFFSET;
          const { status, code } = await write(first, zone);
          assert.equal([status, code], isOff ? [503, 'clock_off'] : [200, undefined], label);
          for (const other of others) assert.is((await write(other, zone)).status, 200, label);
          const serial = await serialOf(others[0]);
          // It serves what the others write.
          await until(async () => (await serialOf(first)) >= serial, label);
          if (isOff)
            // By a clock that is far off, the certificates of the other nodes are not valid.
            await untilMatches(
              async () => (await readWarnings(first)).join(),
              /the clock is not trusted.*(b, c, d and 1 others|etcd at )/,
            );
          clock.set(0);
          await checkRight(rig.nodes, zone, true);
        }
    } finally {
      await rig?.close();
    }
  });
}
