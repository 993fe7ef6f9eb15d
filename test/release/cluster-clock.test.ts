/**
 * The clock of one of four nodes is wrong by 8 seconds to 500 days, ahead and behind, at its start
 * and while it runs.
 */
import { suite } from 'uvu';
import { whyNotMovedClock } from '../support/moved-clock.ts';
import { whyNotPrograms } from '../support/programs.ts';
import { whyNotResolver } from '../system/dnssec/resolvers.ts';
import { OFFSETS, runCluster } from '../system/dnssec/wrong-clock.ts';

const test = suite('clock of one of four nodes');

for (const offset of OFFSETS) test(`${offset} seconds`, () => runCluster([offset]));

const missing = whyNotMovedClock() ?? whyNotResolver('unbound') ?? whyNotPrograms('etcd');
if (missing === null) test.run();
else console.log(`skipped: clock of one of four nodes, ${missing}`);
