/**
 * Conflicting writes through two nodes keep the API contract. `npm run test:cluster` does more of
 * it, through four.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { whyNotPrograms } from '../../support/programs.ts';
import { SEED } from '../../support/seed.ts';
import { checkConflicts, SETTINGS } from './history/history.ts';
import { startCluster } from './rig.ts';

const COUNT = 400;

test(`${COUNT} conflicting requests, seed ${SEED}`, async () => {
  const rig = await startCluster(2, SETTINGS);
  try {
    const nodes = rig.nodes.map(({ adminPort }, i) => ({ name: 'ab'[i], url: `http://127.0.0.1:${adminPort}` }));
    assert.match(await checkConflicts(nodes, COUNT), /\d+ done/);
  } finally {
    await rig.close();
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: conflicts in a cluster, ${why}`);
