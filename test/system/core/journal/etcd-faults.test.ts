/**
 * Three nodes that write the same rows through gateways that are at fault, each by itself or
 * forwarding to one that changes, over a way that is at fault, too. Every write that was
 * acknowledged is there once, one whose outcome was unknown at most once, and at the end all nodes
 * hold the same bytes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConflictError, UnavailableError } from '../../../../core/base/errors.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import type { EtcdJournal, Sequencer } from '../../../../core/journal/etcd/contract.ts';
import { openEtcdJournal } from '../../../../core/journal/etcd/etcd-journal.ts';
import { EtcdGateway } from '../../../../core/journal/etcd-client/gateway.ts';
import { accounts, type Domain, domains, records } from '../../../../core/store/rows.ts';
import { type FaultyGateway, startFaultyGateway } from '../../../core/journal/faulty-gateway.ts';
import {
  DEFAULTS,
  dump,
  newAccount,
  newDomain,
  newRecord,
  type Store,
  withStore,
} from '../../../core/journal/fixture.ts';
import { depth } from '../../../support/depth.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { whyNotPrograms } from '../../../support/programs.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { until } from '../../../support/until.ts';
import { type EtcdMember, startEtcd } from '../../peers/etcd.ts';

const WRITES = depth({ quick: 600, moderate: 600, full: 10_000 });
const NODES = 3;
const WRITERS = 4;
const SHARED = 3;

interface Node {
  readonly store: Store;
  readonly journal: EtcdJournal;
  readonly faulty: FaultyGateway;
}

/** Milliseconds for an answer. Nodes that take each other for the sequencer wait for each other. */
const ANSWER_MS = 2000;
/** What is written at most, as a multiple, until each fault has occurred. */
const MOST = 10;
const GATEWAY_FAULTS = ['request lost', 'answer lost', 'event lost', 'event twice', 'events swapped', 'watch ends'];
const WAY_FAULTS = ['commits lost', 'answer lost', 'commits late', 'commits twice'];

async function noAnswer(milliseconds: number): Promise<never> {
  await sleep(milliseconds, undefined, { ref: false });
  throw new Error('no answer');
}

/** The way of commits from one node to another, which every so often goes wrong. */
class FaultyWay {
  readonly count = new Map<string, number>();
  /** Of 100. */
  faults = 0;
  /** Which node is the sequencer. */
  sequencer = 0;
  readonly #random: Random;
  readonly #late: Promise<unknown>[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  to(journal: () => EtcdJournal, node: string): Sequencer {
    return { forward: (commits) => this.#forward(journal(), node, commits) };
  }

  /** Resolves when nothing is on its way any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#late);
  }

  async #forward(journal: EtcdJournal, node: string, commits: Buffer): Promise<Buffer> {
    const send = (): Promise<Buffer> =>
      Promise.race([journal.commitForwarded(node, Buffer.from(commits)), noAnswer(ANSWER_MS)]);
    const isFault = this.#random.below(100) < this.faults;
    const kind = isFault ? this.#random.pick(WAY_FAULTS) : 'well';
    this.count.set(kind, (this.count.get(kind) ?? 0) + 1);
    if (kind === 'well') return send();
    if (kind === 'commits twice') await Promise.allSettled([send(), send()]);
    if (kind === 'answer lost') await send().catch(() => {});
    if (kind === 'commits late')
      this.#late.push(
        sleep(this.#random.below(400))
          .then(send)
          .catch(() => {}),
      );
    throw new Error(kind);
  }
}

/** Runs `work` on nodes that share a log. */
async function withNodes(
  part: EtcdMember,
  prefix: string,
  random: Random,
  work: (nodes: Node[]) => Promise<void>,
  way?: FaultyWay,
) {
  const nodes: Node[] = [];
  const open = async (): Promise<void> => {
    if (nodes.length === NODES) return work(nodes);
    const faulty = await startFaultyGateway(part.endpoint, random);
    const gateway = new EtcdGateway({ endpoints: [faulty.endpoint], timeout: 1000 });
    const own = nodes.length;
    const sequencing = way && {
      ...{ node: `node-${own}`, avoidFor: 10 },
      sequencer: () => (way.sequencer === own ? null : way.to(() => nodes[way.sequencer].journal, `node-${own}`)),
    };
    await withStore(
      async ({ environment, index }, history) => {
        const journal = openEtcdJournal({
          ...{ environment, index, history, gateway, zoneSettings: DEFAULTS },
          ...{ prefix, deadline: 1000, interval: 100, sequencing },
        });
        await journal.catchUp();
        return journal;
      },
      async (store) => {
        nodes.push({ store, journal: store.journal as EtcdJournal, faulty });
        await open();
      },
      { history: 100_000 },
    );
    await gateway.close();
    await faulty.stop();
  };
  await open();
}

async function settle(nodes: readonly Node[]): Promise<void> {
  for (const { faulty } of nodes) {
    faulty.faults = 0;
    faulty.isCut = false;
  }
  // A last write goes behind all that is still pending.
  const { store, journal } = nodes[0];
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(50)) {
    try {
      await write(store.environment, journal, 'last', (draft) => draft.put(accounts, newAccount()));
      break;
    } catch (error) {
      if (!(error instanceof UnavailableError) || Date.now() > deadline) throw error;
    }
  }
  for (const node of nodes)
    await until(
      () => node.journal.head >= journal.head,
      () => `a node is at ${node.journal.head}, not ${journal.head}: ${node.journal.lost}`,
    );
}

let member: EtcdMember;
test.before(async () => {
  member = await startEtcd();
});
test.after(() => member.stop());

/** `way`: of what is forwarded; undefined: each node appends what it writes. */
async function withFaults(prefix: string, random: Random, writes: number, way?: FaultyWay): Promise<void> {
  /** Kinds of faults that have not occurred. */
  const missing = (nodes: readonly Node[]): string[] => [
    ...GATEWAY_FAULTS.filter((kind) => !nodes.some(({ faulty }) => faulty.count.has(kind))),
    ...(way === undefined ? [] : ['well', ...WAY_FAULTS].filter((kind) => !way.count.has(kind))),
  ];
  const work = async (nodes: Node[]): Promise<void> => {
    const shared = Array.from({ length: SHARED }, () => ({ ...newAccount(), plan: '' }));
    const zone: Domain = newDomain('zone.test.');
    const [{ store, journal }] = nodes;
    await write(store.environment, journal, 'test', (draft) => {
      for (const account of shared) draft.put(accounts, account);
      draft.put(domains, zone);
    });
    for (const { journal: other } of nodes) while (other.head < journal.head) await sleep(5);
    for (const { faulty } of nodes) faulty.faults = 6;
    if (way !== undefined) way.faults = 25;
    let next = 0;
    // How many messages there are depends on the machine: until each fault has occurred.
    const goesOn = (n: number): boolean => n < writes || (n < MOST * writes && missing(nodes).length > 0);
    const acknowledged = new Set<number>();
    const unknown = new Set<number>();
    const writer = async ({ store: opened, journal: log }: Node): Promise<void> => {
      for (let n = next++; goesOn(n); n = next++) {
        const { id } = shared[random.below(SHARED)];
        unknown.add(n);
        try {
          await write(opened.environment, log, 'test', (draft) => {
            // What is read and written back, so that an update which is lost shows.
            const row = draft.account(id)!;
            draft.put(accounts, { ...row, plan: `${row.plan}${n},` });
            draft.put(records, newRecord(zone, `n${n}`, TYPE.A, Uint8Array.of(192, 0, 2, n & 255)));
          });
          acknowledged.add(n);
          unknown.delete(n);
        } catch (error) {
          // Others were sooner each time.
          if (error instanceof ConflictError) unknown.delete(n);
          else assert.instance(error, UnavailableError, `${(error as Error).stack}`);
        }
      }
    };
    const cutter = async (): Promise<void> => {
      while (goesOn(next)) {
        const { faulty } = nodes[random.below(NODES)];
        faulty.isCut = true;
        await sleep(random.below(300));
        faulty.isCut = false;
        if (way !== undefined) way.sequencer = random.below(NODES);
        await sleep(300 + random.below(600));
      }
    };
    await Promise.all([...nodes.flatMap((node) => Array.from({ length: WRITERS }, () => writer(node))), cutter()]);
    await way?.settled();
    await settle(nodes);
    const [first, ...others] = nodes.map(({ store: opened }) => dump(opened.environment));
    for (const other of others) assert.equal(other, first);
    const written = shared.flatMap(({ id }) => store.reader.account(id)!.plan.split(',').slice(0, -1).map(Number));
    assert.is(new Set(written).size, written.length, 'none is there twice');
    for (const n of acknowledged) assert.ok(written.includes(n), `${n} was acknowledged`);
    for (const n of written) assert.ok(acknowledged.has(n) || unknown.has(n));
    const held = [...store.environment.records.getKeys({})].length;
    assert.is(held, written.length, 'none is there by half');
    assert.ok(acknowledged.size > writes / 2, `${acknowledged.size} of ${writes} were acknowledged`);
    assert.equal(missing(nodes), []);
  };
  await withNodes(member, prefix, random, work, way);
}

test('faulty gateways lose nothing, and nodes stay equal', () => withFaults('/faults/', new Random(SEED), WRITES));

test('commits forwarded over a faulty connection are written once or not at all', async () => {
  const random = new Random(SEED);
  const way = new FaultyWay(random);
  await withFaults('/forwarded/', random, WRITES / 2, way);
});

test('without etcd nothing is written, reads work, and writes continue when it is back', async () => {
  await withNodes(member, '/down/', new Random(SEED), async (nodes) => {
    const [{ store, journal }] = nodes;
    const put = () => write(store.environment, journal, 'test', (draft) => draft.put(accounts, newAccount()));
    await put();
    await member.kill();
    const before = dump(store.environment);
    let error: unknown;
    await put().catch((cause: unknown) => {
      error = cause;
    });
    assert.instance(error, UnavailableError);
    assert.is((error as UnavailableError).code, 'no_quorum');
    assert.equal(dump(store.environment), before);
    await member.again();
    await settle(nodes);
    const [first, ...others] = nodes.map((node) => dump(node.store.environment));
    for (const other of others) assert.equal(other, first);
  });
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: journals over etcd at fault, ${why}`);
