/** Commits that a node forwards to the one that appends for all. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { write } from '../../../../../core/journal/draft/draft.ts';
import type { EtcdJournal } from '../../../../../core/journal/etcd/contract.ts';
import { openEtcdJournal } from '../../../../../core/journal/etcd/etcd-journal.ts';
import {
  decodeCommits,
  decodeOutcomes,
  encodeCommits,
  encodeOutcomes,
  type Outcome,
} from '../../../../../core/journal/etcd/forward-codec.ts';
import { EtcdGateway } from '../../../../../core/journal/etcd-client/gateway.ts';
import { type Account, accounts } from '../../../../../core/store/rows.ts';
import { DEFAULTS, dump, newAccount, type Store, withStore } from '../../../../core/journal/fixture.ts';
import fc from '../../../../support/fc.ts';
import { whyNotPrograms } from '../../../../support/programs.ts';
import { type EtcdMember, startEtcd } from '../../../peers/etcd.ts';

type Way = (commits: Buffer) => Promise<Buffer>;

interface Pair {
  /** Appends for both. */
  readonly first: Store & { readonly journal: EtcdJournal };
  readonly second: Store & { readonly journal: EtcdJournal };
  /** How the second one's commits get to the first. */
  way: Way;
  /** As it is when nothing is wrong. */
  readonly well: Way;
}

let member: EtcdMember;

async function withPair(prefix: string, work: (pair: Pair) => Promise<void>): Promise<void> {
  const gateway = new EtcdGateway({ endpoints: [member.endpoint], timeout: 5000 });
  let pair: Pair;
  const node =
    (name: string, isFirst: boolean) =>
    async ({ environment, index }: Pick<Store, 'environment' | 'index'>, history: number): Promise<EtcdJournal> => {
      const forward: Way = (bytes) => pair.way(bytes);
      const journal = openEtcdJournal({
        ...{ environment, index, history, gateway, zoneSettings: DEFAULTS, prefix, deadline: 5000, interval: 1000 },
        sequencing: { node: name, avoidFor: 0, sequencer: () => (isFirst ? null : { forward }) },
      });
      await journal.catchUp();
      return journal;
    };
  await withStore(node('first', true), async (store) => {
    await withStore(node('second', false), async (two) => {
      const [first, second] = [store, two] as [Pair['first'], Pair['second']];
      const well: Way = (bytes) => first.journal.commitForwarded('second', Buffer.from(bytes));
      pair = { first, second, well, way: well };
      await work(pair);
      pair.way = well;
      await put(first);
      await second.journal.latest();
      assert.equal(dump(second.environment), dump(first.environment));
    });
  });
  await gateway.close();
}

/** A write that reads nothing, so that nothing would speak against it a second time. */
function put({ environment, journal }: Pair['first'], row = newAccount()): Promise<{ sequence: number }> {
  return write(environment, journal, 'test', (draft) => draft.insert(accounts, row));
}

/**
 * Runs `way` for one write of the second node, which has heard of one of the first right before.
 */
async function forwarded(pair: Pair, way: Way): Promise<{ sequence: number; row: Account }> {
  let isAsked = false;
  pair.way = (bytes) => {
    if (isAsked) return pair.well(bytes);
    isAsked = true;
    return way(bytes);
  };
  // It forwards while others write, so how soon it is let run decides.
  for (;;) {
    await put(pair.first);
    await pair.second.journal.latest();
    const row = newAccount();
    const { sequence } = await put(pair.second, row);
    if (isAsked) return { sequence, row };
  }
}

test.before(async () => {
  member = await startEtcd();
});
test.after(() => member.stop());

test('a commit is forwarded while others write, and answered when it is served here', async () => {
  await withPair('/well/', async (pair) => {
    const { sequence, row } = await forwarded(pair, pair.well);
    assert.is(pair.second.journal.head, sequence);
    assert.equal(pair.second.reader.account(row.id), row);
  });
});

test('an appended commit without an answer is found in the log, once', async () => {
  await withPair('/answer/', async (pair) => {
    let appended: readonly Outcome[] = [];
    const { sequence } = await forwarded(pair, async (bytes) => {
      appended = decodeOutcomes(await pair.well(bytes), 1).each;
      throw new Error('the answer is lost');
    });
    assert.equal(appended, [sequence]);
    assert.is(await pair.first.journal.latest(), sequence);
  });
});

test('a late forwarded commit is not appended if its node has appended it itself', async () => {
  await withPair('/late/', async (pair) => {
    let late = Buffer.alloc(0);
    const { sequence, row } = await forwarded(pair, (bytes) => {
      late = Buffer.from(bytes);
      return Promise.reject(new Error('it is on its way'));
    });
    assert.equal(pair.second.reader.account(row.id), row);
    await pair.first.journal.latest();
    const { each } = decodeOutcomes(await pair.well(late), 1);
    assert.equal(each, ['not accepted']);
    assert.is(await pair.first.journal.latest(), sequence);
  });
});

test('of two commits with different mandates of one node, only the newer is appended', async () => {
  await withPair('/mandates/', async (pair) => {
    const sent: Buffer[] = [];
    const lose: Way = (bytes) => {
      sent.push(Buffer.from(bytes));
      return Promise.reject(new Error('lost'));
    };
    await forwarded(pair, lose);
    await forwarded(pair, lose);
    const [older] = sent.map(decodeCommits);
    assert.is(sent.length, 2);
    assert.ok(older.mandate < decodeCommits(sent[1]).mandate);
    const gateway = new EtcdGateway({ endpoints: [member.endpoint], timeout: 5000 });
    const { revision: mandate } = await gateway.transaction(
      [],
      [{ request_put: { key: Buffer.from('/mandates/mandate/second').toString('base64'), value: '' } }],
    );
    const newer = encodeCommits({ ...older, mandate });
    const answers = await Promise.all([pair.well(sent[0]), pair.well(newer)]);
    const [before, after] = answers.map((answer) => decodeOutcomes(answer, 1).each[0]);
    assert.is(before, 'not accepted');
    assert.type(after, 'number');
    await gateway.close();
  });
});

test('a conflict is reported after the conflicting entry is applied, before the retry', async () => {
  await withPair('/conflict/', async (pair) => {
    const row = { ...newAccount(), plan: '' };
    await put(pair.first, row);
    const add = ({ environment, journal, reader }: Pair['first'], what: string): Promise<unknown> =>
      write(environment, journal, 'test', (draft) => {
        const { plan } = draft.account(row.id) ?? reader.account(row.id)!;
        draft.put(accounts, { ...row, plan: `${plan}${what}` });
      });
    await pair.second.journal.latest();
    const writes = Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? add(pair.first, 'a') : add(pair.second, 'b')));
    const done = await Promise.allSettled(writes);
    await pair.second.journal.latest();
    const { plan } = pair.second.reader.account(row.id)!;
    for (const [i, letter] of ['a', 'b'].entries()) {
      const count = done.filter(({ status }, n) => n % 2 === i && status === 'fulfilled').length;
      assert.is(plan.split(letter).length - 1, count, letter);
    }
  });
});

test('a node that refuses is not asked again at once, and nothing is lost', async () => {
  await withPair('/refuses/', async (pair) => {
    const { sequence } = await forwarded(pair, (bytes) => {
      const { requests } = decodeCommits(bytes);
      const each = requests.map((): Outcome => 'not accepted');
      return Promise.resolve(encodeOutcomes({ isShared: true, head: 0, each }));
    });
    assert.is(await pair.first.journal.latest(), sequence);
  });
});

/** As objects that are compared with others. */
const PLAIN = { noNullPrototype: true };
const data = (max: number) => fc.uint8Array({ maxLength: max }).map((bytes) => Buffer.from(bytes));
const number = fc.maxSafeNat().map((n) => n % 2 ** 48);
const range = fc.record({ table: fc.nat(255), start: data(300), end: fc.option(data(300), { nil: undefined }) }, PLAIN);
const reads = fc.record({ at: number, ranges: fc.array(range, { maxLength: 5 }) }, PLAIN);
const request = fc.record({ reads, by: fc.string({ maxLength: 40 }), changes: data(500) }, PLAIN);
const commits = fc.record({ mandate: number, requests: fc.array(request, { maxLength: 5 }) }, PLAIN);

test('commits are decoded as encoded, and truncated or damaged ones are errors or other commits', () => {
  const whole = fc.property(commits, (value) => assert.equal(decodeCommits(encodeCommits(value)), value));
  fc.assert(whole);
  const damaged = fc.property(commits, fc.nat(), fc.nat(255), (value, at, byte) => {
    const bytes = encodeCommits(value);
    for (const bad of [bytes.subarray(0, at % bytes.length), Buffer.from(bytes).fill(byte, at % bytes.length)])
      try {
        decodeCommits(bad);
      } catch (error) {
        assert.match((error as Error).message, /forwarded commits/);
      }
  });
  fc.assert(damaged);
});

test('outcomes are decoded as encoded, for the number of sent commits only', () => {
  const outcome = fc.oneof(
    fc.integer({ min: 1, max: 2 ** 48 - 2 }),
    fc.constantFrom<Outcome>('conflict', 'not accepted'),
  );
  const whole = fc.property(fc.boolean(), number, fc.array(outcome), (isShared, head, each) => {
    const bytes = encodeOutcomes({ isShared, head, each });
    assert.equal(decodeOutcomes(bytes, each.length), { isShared, head, each });
    assert.throws(() => decodeOutcomes(bytes, each.length + 1), /unknown form/);
  });
  fc.assert(whole);
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: commits that are forwarded, ${why}`);
