/**
 * One client asks a site's origin for much at once, slowly: another visitor of the same site, even
 * behind the same address, is answered all the while.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { playAttack } from './attack-stage.ts';

const PER_THREAD = 64;
const THREADS = 2;

const SLOW_GET = 'a thousand requests for an uncacheable response, read at 17 KB/s';
for (const [kind, name, visitor] of [
  ['slow-get', SLOW_GET, '127.0.0.3'],
  ['slow-get', `${SLOW_GET}, from the address of the visitor`, '127.0.0.2'],
  ['slow-post', 'a thousand uploads of 260 bytes a second', '127.0.0.3'],
] as const)
  test(name, async () => {
    // Few connections, so that the attack holds them all within seconds without shares.
    const settings = { WAYPOST_EDGE_ORIGIN_CONNECTIONS: String(PER_THREAD) };
    const report = await playAttack({ kind, seconds: 12, after: 1, settings, visitor });
    assert.ok(report.isAlive);
    assert.equal(report.refusals, []);
    assert.ok(report.visits.length > 0 && report.visits.every(Number.isFinite), 'each visit is answered');
    // Half of each thread's, and what the visitor itself has.
    assert.ok(report.originMost <= (PER_THREAD / 2) * THREADS + 2, `${report.originMost} at once`);
  });

test.run();
