/** The largest accounts and zones. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../core/base/log/index.ts';
import { PROMETHEUS, Registry } from '../../../core/base/metrics/index.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { findLargest, watchLargest } from '../../../core/store/largest.ts';
import { domains, records } from '../../../core/store/rows.ts';
import { singleNodeTasks } from '../../support/tasks.ts';
import { until } from '../../support/until.ts';
import { addressRecord, embedded, newDomain, withStore } from '../journal/fixture.ts';

test('are those with the most bytes, in descending order', () =>
  withStore(embedded, async ({ environment, journal, reader }) => {
    const zones = Array.from({ length: 2500 }, (_, i) => ({ ...newDomain(`z${i}.test.`), accountId: 1 + (i % 1250) }));
    await write(environment, journal, 'test', (draft) => {
      for (const zone of zones) draft.insert(domains, zone);
    });
    const [large, larger] = [zones[17], zones[1300]];
    await write(environment, journal, 'test', (draft) => {
      for (let i = 0; i < 20; i++) draft.put(records, addressRecord(large, `n${i}`));
      for (let i = 0; i < 30; i++) draft.put(records, addressRecord(larger, `n${i}`));
    });
    const found = await findLargest(reader, 3);
    assert.equal(
      found.accounts.slice(0, 2).map(({ accountId, records: count }) => [accountId, count]),
      [
        [larger.accountId, 30],
        [large.accountId, 20],
      ],
    );
    assert.is(found.accounts[0].bytes, reader.usage(larger.accountId).bytes);
    assert.equal(
      found.zones.slice(0, 2).map(({ domain, domainId, records: count }) => [domain, domainId, count]),
      [
        ['z1300.test', larger.id, 30],
        ['z17.test', large.id, 20],
      ],
    );
    assert.equal([found.accounts.length, found.zones.length], [3, 3]);
    const registry = new Registry();
    const watch = watchLargest(
      { metrics: registry, tasks: singleNodeTasks(), log: createLogger({ level: 'error', format: 'text' }) },
      reader,
    );
    watch.start();
    const line = 'waypost_zone_records{zone="z1300.test"} 30';
    await until(() => registry.expose(PROMETHEUS).includes(line));
    await watch.stop();
  }));

test.run();
