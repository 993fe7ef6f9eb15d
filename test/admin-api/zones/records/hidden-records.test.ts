/** Lists of records next to an import in progress, whose records are hidden. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readRecordPage } from '../../../../admin-api/zones/records/list.ts';
import { latin1 } from '../../../../core/dns/wire/latin1.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { records } from '../../../../core/store/rows.ts';
import { addressRecord, embedded, newDomain, withStore } from '../../../core/journal/fixture.ts';
import { importZone, LARGE, LINES, recordsOf } from '../../../core/journal/imports.ts';

const ALL = { name: null, type: null, content: null, search: '', policies: undefined };

test('pages have the visible records only, forwards and backwards', () =>
  withStore(
    embedded,
    async (store) => {
      const { environment, journal, reader } = store;
      const domain = newDomain('zone.test.');
      const firstId = 2_000_000_000;
      await importZone(store, { domain, variant: 1, firstId });
      await write(environment, journal, 'test', (draft) => {
        for (const name of ['a', 'n3000a', 'n5000a', 'n5001a', 'z']) draft.put(records, addressRecord(domain, name));
      });
      await environment.root.transaction(() =>
        environment.hidden.put({ domainId: domain.id, firstId, count: LINES + 9, state: 'imported', shown: [] }),
      );
      const keys = recordsOf(environment, domain.id).map(({ key }) => latin1(key));
      assert.is(keys.length, 5);
      for (const descending of [false, true]) {
        const found: string[] = [];
        let after: Buffer | null = null;
        do {
          const page: Awaited<ReturnType<typeof readRecordPage>> = await readRecordPage(
            { reader },
            domain,
            { after, limit: 2 },
            ALL,
            descending,
          );
          assert.ok(page.entries.length <= 2);
          found.push(...page.entries.map(({ key }) => latin1(key)));
          after = page.last;
        } while (after !== null);
        assert.equal(found, descending ? [...keys].reverse() : keys);
      }
    },
    LARGE,
  ));

test.run();
