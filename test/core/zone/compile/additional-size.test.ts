/** The additional section of an answer is bounded, so that a large name is not multiplied. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { nameKey } from '../../../../core/store/keys.ts';
import { domains, records } from '../../../../core/store/rows.ts';
import { embedded, newDomain, newRecord, withStore } from '../../journal/fixture.ts';

test('an MX record for a name with 2,000 addresses stores a few kilobytes of them', () =>
  withStore(embedded, async ({ environment, journal }) => {
    const domain = newDomain('large.test.');
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, domain);
      for (let i = 0; i < 2000; i++)
        draft.insert(records, newRecord(domain, 'big', TYPE.A, Uint8Array.of(192, 0, i >> 8, i & 255)));
      const rdata = Uint8Array.from([0, 10, ...parseName('big.large.test.')]);
      for (const name of ['m1', 'm2']) draft.put(records, newRecord(domain, name, TYPE.MX, rdata));
      const few = Uint8Array.from([0, 10, ...parseName('few.large.test.')]);
      draft.put(records, newRecord(domain, 'few', TYPE.A, Uint8Array.of(192, 0, 2, 1)));
      draft.put(records, newRecord(domain, 'm3', TYPE.MX, few));
    });
    const size = (name: string): number => environment.answers.get(nameKey(parseName(`${name}.large.test.`)))!.length;
    assert.ok(size('big') > 20_000);
    assert.ok(size('m1') < 6000 && size('m2') < 6000, `${size('m1')} bytes`);
    assert.ok(size('m3') > 60, 'a small one has its addresses');
  }));

test.run();
