/**
 * Nodes whose clocks are wrong: one offset of each phase that the guard of the clock treats in its
 * own way. test/release/clock.test.ts has the whole matrix, test/core/journal/clock the other
 * reasons.
 */
import { suite } from 'uvu';
import { matrix } from '../../support/depth.ts';
import { whyNotMovedClock } from '../../support/moved-clock.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { whyNotResolver } from './resolvers.ts';
import { DAY, runCluster, runSingle, SECOND } from './wrong-clock.ts';

const test = suite('wrong clock');

const CASES = [
  ['before', 30 * DAY],
  ['before', -30 * DAY],
  ['during', 30 * DAY],
  ['after', 500 * DAY],
  ['after', 8 * SECOND],
  ['first start', 500 * DAY],
  ['earlier version', 30 * DAY],
] as const;
/** A clock that is refused, one that is not, and signatures of the future that are replaced. */
const REPRESENTATIVES: readonly (typeof CASES)[number][] = [CASES[0], CASES[4], CASES[6]];

for (const [phase, offset] of matrix(CASES, (item) => REPRESENTATIVES.includes(item)))
  test(`a single node, ${phase}: ${offset} seconds`, () => runSingle(phase, offset));

test('one of four nodes', () => runCluster([30 * DAY]));

const missing = whyNotMovedClock() ?? whyNotResolver('unbound') ?? whyNotPrograms('etcd');
if (missing === null) test.run();
else console.log(`skipped: wrong clock, ${missing}`);
