/** A node that is alone. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../core/base/log/index.ts';
import { Registry } from '../../../core/base/metrics/index.ts';
import { openNode } from '../../../core/cluster/open-node.ts';
import { loadConfig } from '../../../core/config/index.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { type Audit, audits, newId } from '../../../core/store/rows.ts';
import { DEFAULTS, embedded, withStore } from '../journal/fixture.ts';

test('its ids go on behind those in the store, though the clock was set back', async () => {
  await withStore(
    async (store, history) => embedded(store, history),
    async (store) => {
      const { environment, index } = store;
      const ahead = `${(Date.now() + 3_600_000).toString(16).padStart(11, '0')}00000`;
      const audit: Audit = {
        ...{ id: ahead, accountId: newId(), actor: null, action: 'record.create', domain: null, target: null },
        ...{ detail: {}, requestId: 'r', remoteAddress: '192.0.2.1', at: 0, revision: 0 },
      };
      await write(environment, store.journal, 'test', (draft) => draft.insert(audits, audit));
      await store.journal.close();
      const node = await openNode({
        ...{ environment, index, zoneSettings: DEFAULTS, version: '1' },
        config: loadConfig({ env: { WAYPOST_DATA_DIR: store.folder } }),
        metrics: new Registry(),
        log: createLogger({ level: 'error', format: 'json', write: () => {} }),
      });
      store.journal = node.journal;
      assert.ok(newId() > ahead);
    },
  );
});

test.run();
