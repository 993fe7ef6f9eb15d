/** What goes wrong, while the load goes on. Each leaves all nodes and members running. */
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FEATURE_LEVEL } from '../../../../core/journal/feature-level.ts';
import { MAIN } from '../../../support/daemon.ts';
import { FAKETIME } from '../../../support/moved-clock.ts';
import { checkConflicts } from '../history/history.ts';
import { auditTakenOver } from './audit.ts';
import { HISTORY, type Machines, type Member, NODES, type Node, until } from './machines.ts';
import { countNextRows, makeNextVersion, NEXT } from './next-version.ts';
import type { Scenario } from './scenario.ts';

/** Changes that are acknowledged before the next thing happens. */
const SOME = 30;
/** Milliseconds of a cut that outlasts the lease of a node (5 s). */
const WHILE = 8000;

const nodeKilled = (index: number): Scenario => ({
  name: `node ${NODES[index]} is killed, and comes back`,
  async run({ nodes }, load) {
    await nodes[index].kill();
    await load.progress(SOME);
    await nodes[index].start();
    await nodes[index].untilReady();
  },
});

const nodeCut: Scenario = {
  name: 'a node is cut off for a while',
  async run({ nodes }, load) {
    const cut = nodes[2];
    cut.machine.host.link('down');
    await refuses(cut);
    await sleep(WHILE);
    await load.progress(SOME);
    await servesOn(cut);
    cut.machine.host.link('up');
    await cut.untilReady();
  },
};

const nodeCutForLong: Scenario = {
  name: `a node is cut off for longer than the history, ${HISTORY} changes`,
  async run({ nodes }, load) {
    const cut = nodes[1];
    cut.machine.host.link('down');
    await sleep(WHILE);
    const { domainId } = load.writers[0];
    // Each a change of its own; tidying up goes by steps.
    let left = 2 * HISTORY;
    const lane = async (number: number): Promise<void> => {
      const id = await nodes[0].api.createRecord(domainId, `many-${number}`, 'A', '192.0.2.1');
      while (left-- > 0)
        await nodes[0].api.request('PUT', `/api/v1/domains/${domainId}/records/${id}`, {
          ...{ name: `many-${number}`, type: 'A', content: `192.0.2.${left & 255}`, ttl: 60 },
        });
    };
    await Promise.all(Array.from({ length: 32 }, (_, i) => lane(i)));
    await sleep(3000);
    await load.progress(SOME);
    // The service restarts in its process when it has the store of another.
    cut.isUp = false;
    cut.machine.host.link('up');
    await until('it has fetched the store of another', () => /has replaced the local one/.test(cut.output));
    await cut.untilReady();
    cut.isUp = true;
  },
};

const memberKilled = (what: string, pick: (members: readonly Member[]) => Promise<Member>): Scenario => ({
  name: `${what} is killed, and comes back`,
  async run({ members }, load) {
    const member = await pick(members);
    await member.kill();
    await load.progress(SOME);
    member.start();
    await member.healthy();
  },
});

async function whoLeads(members: readonly Member[], leads: boolean): Promise<Member> {
  for (const member of members) if ((await member.isLeader()) === leads) return member;
  throw new Error('etcd has no leader');
}

const majorityGone: Scenario = {
  name: 'two of three members of etcd are gone, and come back',
  async run({ nodes, members }, load) {
    await Promise.all([members[0].kill(), members[1].kill()]);
    await Promise.all(nodes.map(refuses));
    await Promise.all(nodes.map(servesOn));
    await sleep(WHILE);
    load.check();
    await Promise.all(nodes.map(refuses));
    await Promise.all(nodes.map(servesOn));
    for (const member of members.slice(0, 2)) member.start();
    await Promise.all(members.map((member) => member.healthy()));
  },
};

const clockJumps: Scenario = {
  name: "a node's clock jumps half a day ahead, and back behind",
  async run({ nodes }, load) {
    const node = nodes[3];
    const file = join(node.disk, 'clock');
    const set = (offset: string): void => writeFileSync(file, `${offset}\n`);
    set('+0');
    await node.stop();
    await node.start({
      LD_PRELOAD: FAKETIME,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
      // Writes go on, as by a clock that is trusted.
      WAYPOST_CLOCK_MAX_OFFSET: '0',
    });
    await node.untilReady();
    for (const offset of ['+12h', '-12h', '+0']) {
      set(offset);
      await load.progress(SOME);
      const { body } = await node.api.call('POST', '/api/v1/domains', { domain: freshName('clock') });
      const { created_at: at } = body.domain as { created_at: string };
      const off = (Date.parse(`${at}Z`) - Date.now()) / 3_600_000;
      if (Math.abs(off - Number.parseInt(offset, 10)) > 0.5)
        throw new Error(`its clock is off by ${off} hours, where ${offset} was asked for`);
      await isWaitedFor(nodes, node);
    }
    await node.stop();
    await node.start();
    await node.untilReady();
  },
};

const diskFull: Scenario = {
  name: 'the disk of a node is full, and then is not',
  async run({ nodes }, load) {
    const node = nodes[0];
    const filler = join(node.disk, 'filler');
    fill(filler);
    const { domainId } = load.writers[0];
    // Until the store has to grow.
    const other = nodes[1];
    let n = 0;
    await until('it says that it cannot apply what others write', async () => {
      const post = Array.from({ length: 50 }, (_, i) => ({
        ...{ name: `fill-${n}-${i}`, type: 'TXT', content: 'x'.repeat(250), ttl: 60 },
      }));
      n++;
      await other.api.request('POST', `/api/v1/domains/${domainId}/records/batch`, { post });
      fill(filler);
      return (await node.readiness()).status === 503;
    });
    const { text } = await node.readiness();
    if (!/cannot apply the writes/.test(text)) throw new Error(`${node.name} says only: ${text}`);
    await refuses(node);
    await load.progress(SOME);
    await servesOn(node);
    rmSync(filler);
    await node.untilReady();
  },
};

/** False: the kernel has no netem. */
const delayAll = ({ nodes, members }: Machines, milliseconds: number): boolean =>
  [...nodes, ...members].every(({ machine }) => machine.host.delay(milliseconds));

const slowLinks: Scenario = {
  name: 'links of 20 ms',
  lacks: (machines) => (delayAll(machines, 20) ? null : 'this kernel has no netem'),
  async run(machines, load) {
    await load.progress(SOME);
    delayAll(machines, 0);
  },
};

/** Takes all the room that the file system has left. */
function fill(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (const piece = Buffer.alloc(4096); ; ) writeSync(file, piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}

let names = 0;
const freshName = (label: string): string => `${label}-${++names}.example`;

/**
 * A write there is 503 or, with a full disk, 507, with Retry-After. Others may be pending, so
 * that it may take its time.
 */
async function refuses(node: Node): Promise<void> {
  const { status, text, headers } = await node.api.request('POST', '/api/v1/domains', {
    domain: freshName('refused'),
  });
  if (![503, 507].includes(status) || headers.get('retry-after') === null)
    throw new Error(`${node.name} answers a write with ${status} ${text}`);
}

/** Reads of the API; DNS is the checkers'. */
async function servesOn(node: Node): Promise<void> {
  await node.api.call('GET', '/api/v1/domains');
  if (!node.isUp) throw new Error(`${node.name} is not meant to serve`);
}

/** Writes at the others wait for it: it hears, and is heard. */
async function isWaitedFor(nodes: readonly Node[], late: Node): Promise<void> {
  await until(`${late.name} serves what others write, when that is answered`, async () => {
    const { body } = await nodes[0].api.call('POST', '/api/v1/domains', { domain: freshName('heard') });
    return (body.sync as { applied: string[] }).applied.includes(late.name);
  });
}

/** WAYPOST_OPERATIONS: requests of the history. */
const OPERATIONS = Number(process.env.WAYPOST_OPERATIONS ?? 10_000);

const conflicts: Scenario = {
  name: `${OPERATIONS} requests that get in each other's way`,
  async run({ nodes }) {
    console.log(await checkConflicts(nodes, OPERATIONS));
  },
};

/** The last one, since no earlier version starts afterwards. */
const rollingUpgrade: Scenario = {
  name: 'a rolling upgrade to a version with a higher feature level',
  async run({ folder, nodes }, load) {
    const main = makeNextVersion(folder);
    const lost = load.lost;
    const records = `/api/v1/domains/${load.writers[0].domainId}/records`;
    let comments = 0;
    const comment = (node: Node) =>
      node.api.request('POST', records, {
        ...{ name: `comment-${++comments}`, type: 'A', content: '192.0.2.1', comment: 'of the next version' },
      });
    for (const [i, node] of nodes.entries()) {
      const code = await node.stop();
      if (code !== 0) throw new Error(`${node.name} ended with ${code}:\n${node.output}`);
      node.main = main;
      await node.start();
      await node.untilReady();
      await load.progress(SOME);
      const isLast = i === nodes.length - 1;
      await until(`the agreed level is ${isLast ? NEXT.level : FEATURE_LEVEL}`, async () => {
        const { body } = await nodes[0].api.call('GET', '/api/v1/nodes');
        const { version, feature_level: level } = (body.nodes as { version: string; feature_level: number }[])[i];
        if (version !== NEXT.version || level !== NEXT.level)
          throw new Error(`${node.name}: ${version}, level ${level}`);
        return body.feature_level === (isLast ? NEXT.level : FEATURE_LEVEL);
      });
      if (isLast) continue;
      const { status, text } = await comment(node);
      const older = nodes.slice(i + 1).map(({ name }) => `${name} (`);
      if (status !== 503 || !/"feature_level"/.test(text) || !older.every((name) => text.includes(name)))
        throw new Error(`${node.name} answers a write that older nodes cannot store with ${status} ${text}`);
    }
    if (load.lost !== lost) throw new Error(`${load.lost - lost} requests were received and not answered`);
    for (const node of nodes) {
      const { status, text } = await comment(node);
      if (status !== 200) throw new Error(`${node.name}: ${status} ${text}`);
    }
    for (const { name, dataDir } of nodes) {
      const rows = await countNextRows(dataDir);
      if (rows !== nodes.length) throw new Error(`${name} has ${rows} rows of the new table`);
    }
    const [first] = nodes;
    await first.stop();
    first.main = MAIN;
    const why = await first.start().then(
      () => 'it started',
      (error: Error) => error.message,
    );
    if (!/cannot read what the cluster writes/.test(why)) throw new Error(`the earlier version: ${why}`);
    first.main = main;
    await first.start();
    await first.untilReady();
  },
};

export const SCENARIOS: readonly Scenario[] = [
  { name: 'nothing goes wrong', run: (_, load) => load.progress(10 * SOME) },
  ...NODES.map((_, i) => nodeKilled(i)),
  memberKilled('a member of etcd that follows', (members) => whoLeads(members, false)),
  memberKilled('the member of etcd that leads', (members) => whoLeads(members, true)),
  majorityGone,
  nodeCut,
  nodeCutForLong,
  clockJumps,
  diskFull,
  slowLinks,
  auditTakenOver,
  conflicts,
  rollingUpgrade,
];
