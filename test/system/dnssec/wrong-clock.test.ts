/** Nodes whose clocks are wrong; test/release/clock.test.ts has the whole matrix. */
import { suite } from 'uvu';
import { whyNotMovedClock } from '../../support/moved-clock.ts';
import { whyNotPrograms } from '../peers/transcript.ts';
import { whyNotResolver } from './resolvers.ts';
import { DAY, runCluster, runSingle, SECOND } from './wrong-clock.ts';

const test = suite('wrong clock');

for (const [phase, offset] of [
  ['before', 30 * DAY],
  ['before', -30 * DAY],
  ['during', 30 * DAY],
  ['after', 500 * DAY],
  ['after', 8 * SECOND],
  ['first start', 500 * DAY],
  ['earlier version', 30 * DAY],
] as const)
  test(`a single node, ${phase}: ${offset} seconds`, () => runSingle(phase, offset));

test('one of four nodes', () => runCluster([30 * DAY]));

const missing = whyNotMovedClock() ?? whyNotResolver('unbound') ?? whyNotPrograms('etcd');
if (missing === null) test.run();
else console.log(`skipped: wrong clock, ${missing}`);
