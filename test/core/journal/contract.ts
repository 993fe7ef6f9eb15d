/** The contract of every journal, wherever its log is stored. Runs for each implementation. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConflictError, WaypostError } from '../../../core/base/errors.ts';
import { readHead } from '../../../core/journal/applied-head.ts';
import { ChangeWriter, decodeEntry, hashEntry, NO_HASH, readChanges } from '../../../core/journal/entry-codec.ts';
import type { CommitRequest, Journal, KeyRange } from '../../../core/journal/journal.ts';
import type { Environment } from '../../../core/store/environment.ts';
import { afterPrefix, idKey, sequenceKey } from '../../../core/store/keys.ts';
import { accounts, domains, records } from '../../../core/store/rows.ts';
import { newId } from '../../support/ids.ts';
import { addressRecord, dump, type JournalFactory, newAccount, newDomain, type Store, withStore } from './fixture.ts';

type Put = (changes: ChangeWriter) => void;
const putAccount =
  (account = newAccount()): Put =>
  (changes) =>
    changes.put(accounts.number, accounts.key(account), accounts.encode(account));

/** A request with the given puts. `ranges`: its read set, with the head `at`. */
function request(puts: readonly Put[], at = 0, ranges: readonly KeyRange[] = []): CommitRequest {
  const changes = new ChangeWriter();
  for (const put of puts) put(changes);
  return { reads: { at, ranges }, changes: changes.content, by: 'a test' };
}

const keyRange = (table: number, key: Buffer): KeyRange => ({
  table,
  start: key,
  end: Buffer.concat([key, Buffer.of(0)]),
});

async function conflict(promise: Promise<unknown>): Promise<boolean> {
  try {
    await promise;
    return false;
  } catch (error) {
    if (error instanceof ConflictError) return true;
    throw error;
  }
}

/**
 * The entries of the journal, oldest first. Asserts that there are no gaps, that each entry has the
 * hash of the previous one, and that the last hash is the hash of the head.
 */
function chain(environment: Environment) {
  environment.root.resetReadTxn();
  const entries = [...environment.journal.getRange({})].map(({ key, value }) => ({
    key: Buffer.from(key),
    bytes: Buffer.from(value),
    ...decodeEntry(Buffer.from(value)),
  }));
  for (const [i, entry] of entries.entries()) {
    assert.equal(entry.key, sequenceKey(entry.sequence));
    if (i === 0) {
      if (entry.sequence === 1) assert.equal(entry.previousHash, NO_HASH);
      continue;
    }
    assert.is(entry.sequence, entries[i - 1].sequence + 1);
    assert.equal(entry.previousHash, hashEntry(entries[i - 1].bytes));
  }
  const head = readHead(environment);
  const last = entries.at(-1);
  assert.is(head.sequence, last?.sequence ?? 0);
  assert.equal(head.hash, last === undefined ? NO_HASH : hashEntry(last.bytes));
  return entries;
}

/**
 * `groups`: the maximum number of transactions for 100 concurrent commits. `after`: runs at the
 * end.
 */
export function journalContract(
  name: string,
  factory: JournalFactory,
  groups: number,
  after: () => Promise<void> = async () => {},
): void {
  const test = suite(name);
  test.after(after);
  const run = (work: (store: Store) => Promise<void>, history?: number) => () => withStore(factory, work, { history });

  test(
    'entries are numbered without gaps and each has the hash of the previous one',
    run(async ({ journal, environment, reader }) => {
      assert.is(journal.head, 0);
      assert.is(chain(environment).length, 0);
      const before = Date.now();
      for (let i = 1; i <= 5; i++) {
        const account = newAccount();
        assert.equal(await journal.commit(request([putAccount(account)])), { sequence: i });
        assert.is(journal.head, i);
        assert.is(reader.account(account.id)?.username, account.username, 'its rows can be read');
      }
      const entries = chain(environment);
      assert.is(entries.length, 5);
      for (const { by, time } of entries) {
        assert.is(by, 'a test');
        assert.ok(time >= before && time <= Date.now());
      }
    }),
  );

  test(
    'a commit conflicts if a key that it read has changed, and nothing is written',
    run(async ({ journal, environment }) => {
      const account = newAccount();
      await journal.commit(request([putAccount(account)]));
      const read = [keyRange(accounts.number, accounts.key(account))];
      const at = journal.head;
      await journal.commit(request([putAccount({ ...account, plan: '1' })], at, read));
      const before = dump(environment);
      assert.ok(await conflict(journal.commit(request([putAccount({ ...account, plan: '2' })], at, read))));
      assert.equal(dump(environment), before);
      assert.is(journal.head, 2);
      // A deletion is also a change.
      const remove: Put = (changes) => changes.delete(accounts.number, accounts.key(account));
      await journal.commit(request([remove], journal.head, read));
      assert.ok(await conflict(journal.commit(request([putAccount()], 2, read))));
    }),
  );

  test(
    'a new key in a range that was read conflicts; a key outside does not',
    run(async ({ journal }) => {
      const [zoneDomain, other] = [newDomain('one.test.'), newDomain('other.test.')];
      for (const domain of [zoneDomain, other])
        await journal.commit(
          request([(changes) => changes.put(domains.number, domains.key(domain), domains.encode(domain))]),
        );
      const at = journal.head;
      const putRecord = (domain: typeof zoneDomain): Put => {
        const row = addressRecord(domain, 'www');
        return (changes) => changes.put(records.number, records.key(row), records.encode(row));
      };
      const zone = (domain: typeof zoneDomain): KeyRange => ({
        table: records.number,
        start: idKey(domain.id),
        end: afterPrefix(idKey(domain.id)),
      });
      await journal.commit(request([putRecord(zoneDomain)]));
      assert.ok(await conflict(journal.commit(request([putAccount()], at, [zone(zoneDomain)]))));
      assert.not(await conflict(journal.commit(request([putAccount()], at, [zone(other)]))));
      const toTheEnd = { table: records.number, start: idKey(zoneDomain.id), end: undefined };
      assert.ok(await conflict(journal.commit(request([putAccount()], at, [toTheEnd]))));
      const otherTable = { table: accounts.number, start: idKey(Number.MAX_SAFE_INTEGER), end: undefined };
      assert.not(await conflict(journal.commit(request([putAccount()], at, [otherTable]))));
      // A lookup of a name that was free at that time.
      const late = newDomain('late.test.');
      const lookup = domains.lookups(domains.key(late), domains.encode(late))[0];
      const before = journal.head;
      await journal.commit(
        request([(changes) => changes.put(domains.number, domains.key(late), domains.encode(late))]),
      );
      assert.ok(await conflict(journal.commit(request([putAccount()], before, [keyRange(0, lookup)]))));
    }),
  );

  test(
    `of two commits in a group that read the other's writes, one conflicts; unrelated commits do not`,
    run(async ({ journal }) => {
      const shared = newAccount();
      await journal.commit(request([putAccount(shared)]));
      const at = journal.head;
      const read = [keyRange(accounts.number, accounts.key(shared))];
      const outcomes = await Promise.all([
        conflict(journal.commit(request([putAccount({ ...shared, plan: '1' })], at, read))),
        conflict(journal.commit(request([putAccount({ ...shared, plan: '2' })], at, read))),
        ...Array.from({ length: 5 }, () => {
          const own = newAccount();
          return conflict(
            journal.commit(request([putAccount(own)], at, [keyRange(accounts.number, accounts.key(own))])),
          );
        }),
      ]);
      assert.equal(outcomes, [false, true, false, false, false, false, false]);
      assert.is(journal.head, at + 6);
    }),
  );

  test(
    'concurrent commits share a transaction',
    run(async ({ journal, environment }) => {
      let transactions = 0;
      const { root } = environment;
      const original = root.childTransaction.bind(root);
      root.childTransaction = ((...args: Parameters<typeof original>) => {
        transactions++;
        return original(...args);
      }) as typeof root.childTransaction;
      const done = await Promise.all(Array.from({ length: 100 }, () => journal.commit(request([putAccount()]))));
      assert.equal(
        done.map(({ sequence }) => sequence),
        Array.from({ length: 100 }, (_, i) => i + 1),
      );
      assert.ok(transactions <= groups, `${transactions} transactions`);
      assert.is(chain(environment).length, 100);
    }),
  );

  test(
    'an entry that cannot be applied leaves no writes, and the other entries are applied',
    run(async ({ journal, environment, reader }) => {
      const poisons: Put[] = [
        // Its zone is unknown; the account before it in the same entry must be rolled back.
        (changes) => {
          putAccount()(changes);
          const row = addressRecord(newDomain('nowhere.test.'), 'www');
          changes.put(records.number, records.key(row), records.encode(row));
        },
        (changes) => changes.put(200, Buffer.of(1), Buffer.of(1)),
        (changes) => changes.put(domains.number, idKey(newId()), Buffer.from('no JSON')),
      ];
      for (const poison of poisons) {
        const good = Array.from({ length: 6 }, () => newAccount());
        const head = journal.head;
        const all = good.map((account) => journal.commit(request([putAccount(account)])));
        const bad = journal.commit(request([poison]));
        const added = newAccount();
        all.push(journal.commit(request([putAccount(added)])));
        let error: unknown;
        await bad.catch((cause: unknown) => {
          error = cause;
        });
        assert.instance(error, Error);
        const sequences = (await Promise.all(all)).map(({ sequence }) => sequence - head);
        assert.equal(sequences, [1, 2, 3, 4, 5, 6, 7]);
        for (const account of [...good, added]) assert.is(reader.account(account.id)?.id, account.id);
        assert.is(chain(environment).length, head + 7);
      }
      assert.is([...environment.rows.get(accounts.number)!.getKeys({})].length, 3 * 7);
    }),
  );

  test(
    'an entry that throws when it is applied changes no table',
    run(async ({ journal, environment }) => {
      const domain = newDomain('zone.test.');
      const row = addressRecord(domain, 'www');
      await journal.commit(
        request([
          (changes) => changes.put(domains.number, domains.key(domain), domains.encode(domain)),
          (changes) => changes.put(records.number, records.key(row), records.encode(row)),
        ]),
      );
      const before = dump(environment);
      const unknown = addressRecord(newDomain('nowhere.test.'), 'www');
      const bad = request([
        putAccount(),
        (changes) => changes.delete(records.number, records.key(row)),
        (changes) => changes.put(records.number, records.key(unknown), records.encode(unknown)),
      ]);
      let failed = false;
      await journal.commit(bad).catch(() => {
        failed = true;
      });
      assert.ok(failed);
      assert.equal(dump(environment), before);
      assert.equal(await journal.commit(request([putAccount()])), { sequence: 2 });
    }),
  );

  test(
    'the journal keeps as many entries as configured',
    run(async ({ journal, environment }) => {
      for (let i = 0; i < 8; i++) await journal.commit(request([putAccount()]));
      assert.equal(
        chain(environment).map(({ sequence }) => sequence),
        [4, 5, 6, 7, 8],
      );
      await Promise.all(Array.from({ length: 30 }, () => journal.commit(request([putAccount()]))));
      assert.equal(
        chain(environment).map(({ sequence }) => sequence),
        [34, 35, 36, 37, 38],
      );
    }, 5),
  );

  test(
    'with a long history, entries are deleted in batches',
    run(async ({ journal, environment }) => {
      const kept: number[] = [];
      for (let i = 0; i < 135; i++) {
        await journal.commit(request([putAccount()]));
        kept.push(chain(environment).length);
      }
      assert.equal(kept.slice(125), [126, 127, 128, 129, 130, 131, 128, 129, 130, 131]);
    }, 128),
  );

  test(
    'a reopened journal continues at its head, and older commits conflict',
    run(async (store) => {
      for (let i = 0; i < 3; i++) await store.journal.commit(request([putAccount()]));
      await store.journal.close();
      const again: Journal = await factory(store, 2);
      store.journal = again;
      assert.is(again.head, 3);
      // The writes of the earlier entries are unknown to it.
      assert.ok(await conflict(again.commit(request([putAccount()], 2, [keyRange(accounts.number, idKey(newId()))]))));
      assert.equal(await again.commit(request([putAccount()], 3)), { sequence: 4 });
      assert.equal(
        chain(store.environment).map(({ sequence }) => sequence),
        [3, 4],
      );
    }),
  );

  test(
    'close waits for pending commits and accepts no more',
    run(async ({ journal, environment }) => {
      const all = Array.from({ length: 10 }, () => journal.commit(request([putAccount()])));
      await journal.close();
      assert.is(chain(environment).length, 10);
      assert.is((await Promise.all(all)).length, 10);
      let code = '';
      await journal.commit(request([putAccount()])).catch((error: unknown) => {
        code = error instanceof WaypostError ? error.code : String(error);
      });
      assert.is(code, 'stopping');
      await journal.close();
    }),
  );

  test(
    'the changes of an entry are the committed bytes',
    run(async ({ journal, environment }) => {
      const account = newAccount();
      const sent = request([putAccount(account), (changes) => changes.delete(accounts.number, Buffer.alloc(8, 1))]);
      await journal.commit({ ...sent, by: 'x'.repeat(300) });
      const [entry] = chain(environment);
      assert.equal(entry.changes, sent.changes);
      assert.is(entry.by.length, 255);
      assert.equal(
        [...readChanges(entry.changes)].map(({ table, value }) => [table, value === null]),
        [
          [accounts.number, false],
          [accounts.number, true],
        ],
      );
    }),
  );

  test.run();
}
