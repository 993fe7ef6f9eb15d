/**
 * Clients that ask for a large response, cached on disk, and take nothing of it: the daemon stays
 * within 512 MB, in which its control group holds it where there are such, and neither a visitor of
 * another site nor a resolver goes without an answer.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryGroup } from '../../support/memory-group.ts';
import { playAttack, type Unread } from './attack-stage.ts';

const BOUND = 512;
const KINDS: readonly (readonly [kind: Unread, name: string, connections: number])[] = [
  ['shut', 'HTTP/2 with shut windows', 272],
  ['drip', 'HTTP/2 with windows that open by a byte', 272],
  ['deaf', 'HTTP/2 over connections that are not read', 272],
  ['http1', 'HTTP/1.1 over connections that are not read', 900],
];

const trial = memoryGroup(BOUND * 1024 ** 2);
if (typeof trial === 'string') process.stdout.write(`the daemon runs without a control group: ${trial}\n`);
else trial.remove();
// What the daemon would find by itself in a group of that size.
const settings: Record<string, string> =
  typeof trial === 'string' ? { WAYPOST_EDGE_CLIENT_MEMORY: '64MB', WAYPOST_EDGE_CACHE_MEMORY: '64MB' } : {};

for (const [kind, name, connections] of KINDS)
  test(name, async () => {
    const bound = typeof trial === 'string' ? undefined : BOUND;
    const report = await playAttack({ kind, connections, seconds: 3, after: 1, bound, settings });
    assert.ok(report.isAlive);
    assert.is(report.group?.kills ?? 0, 0);
    assert.ok(report.most < BOUND, `${report.most} MB`);
    assert.equal(report.refusals, []);
    assert.ok(report.visits.length > 0 && report.visits.every(Number.isFinite), 'each visitor is answered');
    assert.ok(report.queries.length > 0 && report.queries.every(Number.isFinite), 'each query is answered');
    const [atEnd, after] = report.charged;
    assert.ok(atEnd !== null && after !== null && after < atEnd, `${atEnd} MB charged, ${after} afterwards`);
  });

test.run();
