/**
 * The whole matrix of clocks that are wrong: by 8 seconds to 500 days, ahead and behind, before,
 * during and after the start, of a single node and of one of four.
 */
import { suite } from 'uvu';
import { whyNotMovedClock } from '../support/moved-clock.ts';
import { whyNotResolver } from '../system/dnssec/resolvers.ts';
import { DAY, HOUR, PHASES, runCluster, runSingle, SECOND } from '../system/dnssec/wrong-clock.ts';
import { whyNotPrograms } from '../system/peers/transcript.ts';

const test = suite('clocks');

const OFFSETS = [8 * SECOND, HOUR, DAY, 30 * DAY, 500 * DAY].flatMap((offset) => [offset, -offset]);

for (const phase of PHASES)
  for (const offset of OFFSETS) test(`a single node, ${phase}: ${offset} seconds`, () => runSingle(phase, offset));

test('one of four nodes', () => runCluster(OFFSETS));

const missing = whyNotMovedClock() ?? whyNotResolver('unbound') ?? whyNotPrograms('etcd');
if (missing === null) test.run();
else console.log(`skipped: clocks, ${missing}`);
