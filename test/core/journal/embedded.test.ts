/** The journal in LMDB: the contract, and the updates of the index. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { write } from '../../../core/journal/draft/draft.ts';
import { domains, records } from '../../../core/store/rows.ts';
import { CLASS_IN, TYPE } from '../../../core/wire/types.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { journalContract } from './contract.ts';
import { addressRecord, embedded, newDomain, queryPath, withStore } from './fixture.ts';

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

test.run();

journalContract('embedded journal', embedded, 2);
