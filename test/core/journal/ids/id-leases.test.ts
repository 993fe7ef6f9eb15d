/** Leases of ids: no id is given out twice, whatever happens to nodes and their commits. */
import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConflictError, UnavailableError } from '../../../../core/base/errors.ts';
import { type Draft, write } from '../../../../core/journal/draft/draft.ts';
import { readChanges } from '../../../../core/journal/entry-codec.ts';
import { IdLeases } from '../../../../core/journal/ids/id-leases.ts';
import type { CommitRequest, Committed, Journal } from '../../../../core/journal/journal.ts';
import { type Id, idAt } from '../../../../core/store/keys.ts';
import { idCounters, type Purge, purges, type TsigKeyRow, tsigKeys } from '../../../../core/store/rows.ts';
import fc from '../../../support/fc.ts';
import { embedded, type Store, withStore } from '../fixture.ts';

/** What happens to a commit. `lost`: it is written, but its node gets no response. */
type Fate = 'written' | 'conflict' | 'lost' | 'not written';

interface Turn {
  readonly fate: Fate;
  /** Turns of the event loop before and after the commit. */
  readonly before: number;
  readonly after: number;
}

const WRITTEN: Turn = { fate: 'written', before: 0, after: 0 };

/** A node of its own over the journal that all share, with ids of its own. */
class Node {
  readonly ids: IdLeases;
  readonly #journal: Journal;
  readonly #turns: Turn[];
  readonly #onCommit: (request: CommitRequest) => () => void;
  now = 0;

  /** `onCommit` is called before a commit; it returns the undo for a commit that is not written. */
  constructor(store: Store, turns: Turn[] = [], onCommit: (request: CommitRequest) => () => void = () => () => {}) {
    this.#journal = store.journal;
    this.#turns = turns;
    this.#onCommit = onCommit;
    this.ids = new IdLeases({
      environment: store.environment,
      journal: this.asJournal,
      now: () => this.now,
    });
  }

  get asJournal(): Journal {
    const node = this;
    return {
      ...({} as Journal),
      get ids() {
        return node.ids;
      },
      get head() {
        return node.#journal.head;
      },
      latest: () => node.#journal.latest(),
      commit: (request) => node.#commit(request),
    };
  }

  async #commit(request: CommitRequest): Promise<Committed> {
    const { fate, before, after } = this.#turns.shift() ?? WRITTEN;
    for (let i = 0; i < before; i++) await setImmediate();
    if (fate === 'conflict') throw new ConflictError();
    const undo = this.#onCommit(request);
    if (fate === 'not written') {
      // The node cannot know this, so its ids are lost.
      undo();
      throw new UnavailableError('no_quorum', 'not written');
    }
    let committed: Committed;
    try {
      committed = await this.#journal.commit(request);
    } catch (error) {
      undo();
      throw error;
    }
    for (let i = 0; i < after; i++) await setImmediate();
    if (fate === 'lost') throw new UnavailableError('no_quorum', 'no response');
    return committed;
  }
}

const TABLES = [purges, tsigKeys] as const;

const rowOf = (id: Id): Purge & TsigKeyRow => ({
  ...{ id, domainId: 1, urls: [], prefixes: [], tags: [], createdAt: 0, accountId: 1, name: `k${id}.test` },
  ...{ algorithm: 'hmac-sha256', sealed: '', scopes: [], domains: null },
});

function add(draft: Draft, table: number, count: number): Id[] {
  const kind = TABLES[table];
  const first = table === 0 ? draft.newId(purges, count) : draft.newId(tsigKeys, count);
  const ids = Array.from({ length: count }, (_, i) => first + i);
  for (const id of ids) draft.insert(kind as typeof purges, rowOf(id));
  return ids;
}

/** Adds rows one write at a time, and returns their ids. */
async function addRows({ environment }: Store, node: Node, count: number, size = 1): Promise<Id[]> {
  const ids: Id[] = [];
  for (let i = 0; i < count; i++)
    ids.push(...(await write(environment, node.asJournal, 'test', (draft) => add(draft, 0, size))).result);
  return ids;
}

const next = ({ reader }: Store, table = purges.number): Id =>
  reader.row(idCounters, idCounters.key({ table, next: 0, lease: '' }))?.next ?? 1;

const turn: fc.Arbitrary<Turn> = fc.record({
  fate: fc.constantFrom<Fate>('written', 'written', 'written', 'written', 'conflict', 'lost', 'not written'),
  before: fc.nat(3),
  after: fc.nat(3),
});

const operation = fc.record({
  node: fc.nat(2),
  kind: fc.constantFrom('write', 'write', 'write', 'write', 'fail', 'several', 'crash', 'stop', 'clock'),
  table: fc.nat(1),
  count: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 4 }) }, { weight: 1, arbitrary: fc.constant(50) }),
  wait: fc.nat(4),
});

const ids = (request: CommitRequest): string[] =>
  [...readChanges(request.changes)]
    .filter(({ table, value }) => value !== null && TABLES.some(({ number }) => number === table))
    .map(({ table, key }) => `${table} ${idAt(key, key.length - 8)}`);

test('no id is in two commits that may have been written', () =>
  withStore(embedded, async (store) => {
    const { environment } = store;
    /** All ids that a row has, or may have. */
    const spent = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 1, maxLength: 40 }),
        fc.array(fc.array(turn, { maxLength: 30 }), { minLength: 3, maxLength: 3 }),
        async (operations, turns) => {
          const start = (n: number): Node =>
            new Node(store, turns[n], (request) => {
              const own = ids(request);
              for (const id of own) {
                assert.not(spent.has(id), `the id ${id} twice`);
                assert.ok(Number.isSafeInteger(Number(id.split(' ')[1])) && Number(id.split(' ')[1]) > 0);
                spent.add(id);
              }
              return () => {
                for (const id of own) spent.delete(id);
              };
            });
          const nodes = [0, 1, 2].map(start);
          const running: Promise<unknown>[] = [];
          for (const { node, kind, table, count, wait } of operations) {
            const at = nodes[node];
            if (kind === 'crash') nodes[node] = start(node);
            else if (kind === 'stop') {
              nodes[node] = start(node);
              running.push(at.ids.close());
            } else if (kind === 'clock') at.now += count * 10_000 - 200_000;
            else {
              const work = (draft: Draft): void => {
                if (kind === 'several') for (let i = 0; i < count; i++) add(draft, table, 1 + (i % 2));
                else add(draft, table, count);
                if (kind === 'fail') throw new Error('the draft fails');
              };
              running.push(
                write(environment, at.asJournal, 'test', work).catch((error: Error) => {
                  if (error.name === 'Assertion') throw error;
                }),
              );
            }
            for (let i = 0; i < wait; i++) await setImmediate();
          }
          await Promise.all(running);
          for (const node of nodes) await node.ids.close();
          for (const table of TABLES) {
            const counter = next(store, table.number);
            for (const { key } of environment.rows.get(table.number)!.getRange({}))
              assert.ok(idAt(key as Buffer, (key as Buffer).length - 8) < counter, 'the counter is behind all rows');
          }
        },
      ),
      { numRuns: 25 },
    );
  }));

test('a node alone gives 1, 2, 3, and goes on after an orderly stop; a crash loses the rest of a block', () =>
  withStore(embedded, async (store) => {
    const node = new Node(store);
    const first = await addRows(store, node, 40);
    assert.equal(
      first,
      Array.from({ length: 40 }, (_, i) => i + 1),
    );
    await node.ids.close();
    assert.is(next(store), 41);
    const crashed = new Node(store);
    assert.equal(await addRows(store, crashed, 1), [41]);
    const third = new Node(store);
    assert.equal(await addRows(store, third, 1), [41 + 16]);
    // No node has leased after the first block of the third node, but not of the crashed one.
    await third.ids.close();
    await crashed.ids.close();
    assert.is(next(store), 41 + 17);
  }));

test('ids of a write that failed are given out next', () =>
  withStore(embedded, async (store) => {
    const node = new Node(store);
    const { environment } = store;
    for (let i = 0; i < 100; i++)
      await write(environment, node.asJournal, 'test', (draft) => {
        add(draft, 0, 1);
        throw new Error('no');
      }).catch(() => {});
    assert.equal(await addRows(store, node, 2), [1, 2]);
  }));

test('a write that conflicts runs again with the same ids', () =>
  withStore(embedded, async (store) => {
    const node = new Node(store, [WRITTEN, { ...WRITTEN, fate: 'conflict' }, { ...WRITTEN, fate: 'conflict' }]);
    assert.equal(await addRows(store, node, 2, 2), [1, 2, 3, 4]);
  }));

test('two leases of the same block are different entries', () =>
  withStore(embedded, async (store) => {
    const leases: Buffer[] = [];
    const lease = (fate: Fate): Promise<unknown> => {
      const node = new Node(store, [{ ...WRITTEN, fate }], ({ changes }) => {
        leases.push(Buffer.from(changes));
        return () => {};
      });
      return addRows(store, node, 1).catch(() => {});
    };
    await lease('not written');
    await lease('not written');
    assert.is(next(store), 1, 'both were for the first block');
    assert.not.ok(leases[0].equals(leases[1]));
  }));

test('a large write leases once, and its ids are consecutive', () =>
  withStore(embedded, async (store) => {
    const node = new Node(store);
    await addRows(store, node, 1);
    const before = store.journal.head;
    const taken = await addRows(store, node, 1, 10_000);
    assert.is(taken[9999] - taken[0], 9999);
    assert.ok(store.journal.head - before <= 3, 'the write, its lease, and one in the background');
    // Taken one by one, in one draft.
    const runs: number[] = [];
    await write(store.environment, node.asJournal, 'test', (draft) => {
      runs.push(0);
      for (let i = 0; i < 10_000; i++) add(draft, 0, 1);
    });
    assert.ok(runs.length < 20, `${runs.length} runs`);
    assert.is(store.environment.rows.get(purges.number)!.getKeysCount({}), 20_001);
  }));

test('blocks grow while they are used up quickly, and shrink again', () =>
  withStore(embedded, async (store) => {
    const node = new Node(store);
    const leases = async (count: number): Promise<number> => {
      const before = store.journal.head;
      await addRows(store, node, count, 8);
      await setImmediate();
      return store.journal.head - before - count;
    };
    assert.ok((await leases(400)) < 12);
    assert.ok((await leases(400)) <= 2, 'blocks of thousands');
    const grown = next(store);
    for (let i = 0; i < 20; i++) {
      node.now += 3_600_000;
      await addRows(store, node, 1);
    }
    assert.ok(next(store) - grown <= 4096);
  }));

test('concurrent writes share a lease', () =>
  withStore(embedded, async (store) => {
    const node = new Node(store);
    const all = await Promise.all(Array.from({ length: 200 }, () => addRows(store, node, 1)));
    assert.is(new Set(all.flat()).size, 200);
    assert.ok(store.journal.head <= 200 + 3, `${store.journal.head} entries`);
    assert.ok(Math.max(...all.flat()) <= 200);
  }));

test('a write fails with the error of the lease, and the next one works', () =>
  withStore(embedded, async (store) => {
    const node = new Node(store, [{ ...WRITTEN, fate: 'not written' }]);
    const error = await addRows(store, node, 1).catch((thrown: unknown) => thrown);
    assert.instance(error, UnavailableError);
    assert.equal(await addRows(store, node, 1), [1]);
    // The first lease is in the log now, but its node does not know.
    const other = new Node(store, [{ ...WRITTEN, fate: 'lost' }]);
    assert.instance(await addRows(store, other, 1).catch((thrown: unknown) => thrown), UnavailableError);
    assert.equal(await addRows(store, other, 1), [33]);
  }));

test.run();
