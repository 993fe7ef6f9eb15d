/** The journal in LMDB: the contract, and the updates of the index. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { WaypostError } from '../../../core/base/errors.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../core/journal/embedded-journal.ts';
import { DISK } from '../../../core/os/protection/levels.ts';
import { Storage } from '../../../core/os/protection/protection.ts';
import { domains, records } from '../../../core/store/rows.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { journalContract } from './contract.ts';
import { addressRecord, DEFAULTS, embedded, newDomain, queryPath, withStore } from './fixture.ts';

test('names with equal hashes in one group are all served, including those from the store', () =>
  withStore(
    embedded,
    async (store) => {
      const { environment, journal } = store;
      const domain = newDomain('zone.test.');
      const rows = Array.from({ length: 12 }, (_, i) => addressRecord(domain, `n${i}`, i));
      const path = queryPath(store);
      const check = (expected: typeof rows): void => {
        for (const row of rows) {
          const query = encodeQuery({ name: row.name, type: TYPE.A, class: CLASS_IN }, 1);
          const { answer } = decodeMessage(path.answer(query, 1232)!);
          const wanted = expected.find(({ id }) => id === row.id);
          assert.equal(answer[0]?.rdata[3], wanted?.rdata[3], `n${row.rdata[3]}`);
        }
        assert.is(store.index.stats.names, expected.length + 1);
      };
      await write(environment, journal, 'test', (draft) => {
        draft.put(domains, domain);
        for (const row of rows) draft.put(records, row);
      });
      assert.ok(store.index.stats.inStore > 1);
      check(rows);
      await write(environment, journal, 'test', (draft) => {
        for (const row of rows.slice(0, 5)) draft.delete(records, row);
      });
      check(rows.slice(5));
      await write(environment, journal, 'test', (draft) => {
        for (const row of rows.slice(5, 8)) draft.delete(records, row);
        for (const row of rows.slice(0, 3)) draft.put(records, row);
      });
      check([...rows.slice(0, 3), ...rows.slice(8)]);
      await path.close();
    },
    { collide: true, arenaBytes: 512 },
  ));

test('while the disk is almost full, accounts cannot write; when it is full, no author can', () => {
  const storage = new Storage();
  return withStore(
    ({ environment, index }, history) =>
      openEmbeddedJournal({ environment, index, zoneSettings: DEFAULTS, history, storage }),
    async ({ environment, journal }) => {
      const writeAs = (author: string) =>
        write(environment, journal, author, (draft) => draft.put(domains, newDomain(`${author}.test.`))).then(
          () => 'written',
          (error: WaypostError) => error.code,
        );
      assert.is(await writeAs('7'), 'written');
      storage.level = DISK.readOnly;
      assert.equal(await Promise.all(['8', 'secondary', 'dnssec'].map(writeAs)), ['disk_full', 'disk_full', 'written']);
      storage.level = DISK.full;
      assert.is(await writeAs('acme'), 'disk_full');
      assert.is(journal.head, 2);
      storage.level = DISK.normal;
      assert.is(await writeAs('9'), 'written');
    },
  );
});

test.run();

journalContract('embedded journal', embedded, 2);
