/**
 * The clock of a single node is wrong by 8 seconds to 500 days, ahead and behind, before, during
 * and after the start. test/release/cluster-clock.test.ts: one of four nodes.
 */
import { suite } from 'uvu';
import { whyNotMovedClock } from '../support/moved-clock.ts';
import { whyNotResolver } from '../system/dnssec/resolvers.ts';
import { OFFSETS, PHASES, runSingle } from '../system/dnssec/wrong-clock.ts';

const test = suite('clocks');

for (const phase of PHASES)
  for (const offset of OFFSETS) test(`a single node, ${phase}: ${offset} seconds`, () => runSingle(phase, offset));

const missing = whyNotMovedClock() ?? whyNotResolver('unbound');
if (missing === null) test.run();
else console.log(`skipped: clocks, ${missing}`);
