/**
 * Drafts compared with a plain sorted map: their reads, the result of their commits, and that
 * concurrent drafts are serializable. WAYPOST_SEED repeats a run.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConflictError } from '../../../../core/base/errors.ts';
import { Draft, write } from '../../../../core/journal/draft/draft.ts';
import { accountShare, rowOwner, rowSize } from '../../../../core/store/row-owner.ts';
import { accounts, audits, decodeDomain, domains, proxies, records } from '../../../../core/store/rows.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { noIds } from '../../../support/ids.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { addressRecord, embedded, newAccount, newDomain, newProxy, type Store, withStore } from '../fixture.ts';
import { PlainStore } from '../plain-store.ts';
import { readings, run, runAll, type Step, setUp, steps } from '../program.ts';

const RUNS = depth({ quick: 20, moderate: 50, full: 1000 });

/** Failures are shrunk within a time limit. */
const BOUNDS = {
  numRuns: RUNS,
  seed: SEED,
  interruptAfterTimeLimit: 30_000 + RUNS * 250,
  markInterruptAsFailure: true,
} as const;

/** Runs a program on a draft and a plain store, and commits it. Both must read the same. */
async function runBoth({ environment, journal }: Store, plain: PlainStore, program: readonly Step[], salt: number) {
  const draft = new Draft(environment, journal.head, noIds());
  assert.equal(runAll(draft, program, salt), runAll(plain, program, salt));
  if (draft.request.changes.length > 0) await journal.commit({ ...draft.request, by: 'test' });
}

/** The usage of accounts, counted from all rows. */
function checkUsage({ environment, reader }: Store): void {
  const zones = reader.allDomains(null);
  for (const account of [1, 2, 3, 4]) {
    const own = zones.filter(({ accountId }) => accountId === account);
    const count = own.reduce((sum, { id }) => sum + reader.recordsOf(id, null).length, 0);
    const { bytes, audit: _, ...counts } = reader.usage(account);
    assert.equal(counts, { domains: own.length, records: count });
    assert.is(bytes, storedBytes(environment, account));
  }
}

/** Bytes of all rows of an account, keys and values, without stamps. */
function storedBytes({ rows }: Store['environment'], account: number): number {
  let bytes = 0;
  for (const [table, stored] of rows)
    for (const { key, value } of stored.getRange({})) {
      const owner = rowOwner(table);
      if (owner === 'account') {
        const share = accountShare(table, key, value, true);
        if (share.accountId === account) bytes += share.bytes;
      }
      if (owner !== 'zone') continue;
      const domain = rows.get(domains.number)!.get(Buffer.from(key.subarray(0, 8)));
      if (domain !== undefined && decodeDomain(domain).accountId === account) bytes += rowSize(table, key, value, true);
    }
  return bytes;
}

/** Makes a read-only target of a program from the store. */
const asTarget = ({ environment, journal }: Store): Draft => new Draft(environment, journal.head, noIds());

test(`a draft reads and commits the same as a plain map, seed ${SEED}`, () =>
  fc.assert(
    fc.asyncProperty(setUp, steps, readings, (before, program, reads) =>
      withStore(embedded, async (store) => {
        const plain = new PlainStore();
        await runBoth(store, plain, before, 1);
        await runBoth(store, plain, [...program, ...reads], 2);
        assert.equal(runAll(asTarget(store), reads, 0), runAll(plain, reads, 0), 'the committed rows');
        checkUsage(store);
      }),
    ),
    BOUNDS,
  ));

interface Finished {
  readonly program: readonly Step[];
  readonly salt: number;
  readonly seen: readonly string[];
  readonly sequence: number;
}

/**
 * Runs the programs in interleaved steps that `random` selects, and commits each at its end.
 * Conflicting commits change nothing.
 */
async function interleave(store: Store, programs: readonly (readonly Step[])[], random: Random) {
  const { environment, journal } = store;
  const finished: Finished[] = [];
  let conflicts = 0;
  const commits: Promise<void>[] = [];
  const waiting = programs.map((program, i) => ({ program, salt: i + 2 }));
  const running: { program: readonly Step[]; salt: number; draft: Draft; steps: Generator<void, string[]> }[] = [];
  while (waiting.length + running.length > 0) {
    if (waiting.length > 0 && (running.length === 0 || random.below(4) === 0)) {
      const next = waiting.pop()!;
      const draft = new Draft(environment, journal.head, noIds());
      running.push({ ...next, draft, steps: run(draft, next.program, next.salt) });
    }
    const at = random.below(running.length);
    const { program, salt, draft, steps: remaining } = running[at];
    const { done, value } = remaining.next();
    if (!done) continue;
    running.splice(at, 1);
    const { request } = draft;
    if (request.changes.length === 0) continue;
    const commit = journal.commit({ ...request, by: 'test' }).then(
      ({ sequence }) => void finished.push({ program, salt, seen: value, sequence }),
      (error: unknown) => {
        if (!(error instanceof ConflictError)) throw error;
        conflicts++;
      },
    );
    // Some commits share a group; others are on disk before the next step.
    if (random.below(2) === 0) await commit;
    else commits.push(commit);
  }
  await Promise.all(commits);
  return { finished: finished.sort((a, b) => a.sequence - b.sequence), conflicts };
}

test(`concurrent drafts are serializable, seed ${SEED}`, async () => {
  let committed = 0;
  let conflicting = 0;
  await fc.assert(
    fc.asyncProperty(
      setUp,
      fc.array(steps, { minLength: 2, maxLength: 8, size: 'max' }),
      fc.nat(),
      readings,
      (before, programs, seed, reads) =>
        withStore(embedded, async (store) => {
          const plain = new PlainStore();
          await runBoth(store, plain, before, 1);
          const { finished, conflicts } = await interleave(store, programs, new Random(seed + 1));
          // The order of the commits is a serial order.
          for (const { program, salt, seen } of finished) assert.equal(seen, runAll(plain, program, salt));
          assert.equal(runAll(asTarget(store), reads, 0), runAll(plain, reads, 0), 'the committed rows');
          checkUsage(store);
          committed += finished.length;
          conflicting += conflicts;
        }),
    ),
    BOUNDS,
  );
  // Otherwise the test would have checked nothing.
  assert.ok(committed > RUNS && conflicting > RUNS / 10, `${committed} commits, ${conflicting} conflicts`);
});

test('a covered range ends at its end', () =>
  withStore(embedded, async ({ environment, journal }) => {
    const all = Array.from({ length: 4 }, () => newAccount());
    await write(environment, journal, 'test', (draft) => {
      for (const account of all) draft.put(accounts, account);
    });
    const keys = all.map((account) => accounts.key(account));
    const reads: ((draft: Draft) => unknown)[] = [
      (draft) => draft.account(all[2].id),
      (draft) => draft.accounts(all[0].id, 100),
      (draft) => draft.accounts(all[0].id, 2),
    ];
    for (const [i, read] of reads.entries()) {
      const draft = new Draft(environment, journal.head, noIds());
      draft.addReadRange({ table: accounts.number, start: keys[0], end: keys[2] });
      read(draft);
      draft.put(proxies, newProxy(newDomain('zone.test.')));
      await write(environment, journal, 'other', (other) => other.put(accounts, { ...all[2], updatedAt: 10 + i }));
      const refused = await journal.commit({ ...draft.request, by: 'test' }).then(
        () => false,
        (error: unknown) => error instanceof ConflictError,
      );
      assert.ok(refused, `read ${i}`);
    }
  }));

test('a domain that is deleted and added for another account counts for the new account', () =>
  withStore(embedded, async (store) => {
    const { environment, journal, reader } = store;
    const domain = newDomain('zone.test.');
    await write(environment, journal, 'test', (draft) => draft.put(domains, domain));
    const moved = { ...domain, accountId: 7 };
    await write(environment, journal, 'test', (draft) => {
      draft.delete(domains, domain);
      draft.put(domains, moved);
      draft.put(records, addressRecord(moved, 'www'));
    });
    assert.equal(reader.usage(domain.accountId), { domains: 0, records: 0, bytes: 0, audit: 0 });
    const { bytes, audit: _, ...counts } = reader.usage(moved.accountId);
    assert.equal(counts, { domains: 1, records: 1 });
    assert.is(bytes, storedBytes(environment, moved.accountId));
  }));

test('an audit entry has the sequence of its commit as its id and revision', () =>
  withStore(embedded, async (store) => {
    const { environment, journal, reader } = store;
    const accountId = 5;
    const entry = (n: number) => ({
      id: 0,
      accountId,
      actor: null,
      action: 'test',
      domain: null,
      target: null,
      detail: { n },
      requestId: '',
      remoteAddress: '',
      at: n,
      revision: 0,
    });
    const commits = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const draft = new Draft(environment, journal.head, noIds());
        draft.insert(audits, entry(n));
        assert.is(draft.row(audits, audits.key(entry(n)))?.revision, 0, 'no sequence before the commit');
        return journal.commit({ ...draft.request, by: 'test' });
      }),
    );
    for (const [n, { sequence }] of commits.entries()) {
      const row = reader.row(audits, audits.key({ ...entry(n), id: sequence }));
      assert.equal(row, { ...entry(n), id: sequence, revision: sequence });
    }
    assert.equal(
      reader.audits(accountId, null, 100).map(({ revision }) => revision),
      commits.map(({ sequence }) => sequence).reverse(),
    );
    assert.equal(reader.audits(null, null, 5), reader.audits(accountId, null, 5));
    const twice = new Draft(environment, journal.head, noIds());
    twice.insert(audits, entry(0));
    assert.throws(() => twice.insert(audits, { ...entry(0), accountId: 6 }), /only one row/);
  }));

test.run();
