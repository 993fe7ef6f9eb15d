/**
 * `node dist/bench/edge/rules.js [--quick] [--rounds N] [--seconds N]`: a cache hit of a site with
 * 20 rules, next to the same of a site without rules.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBenchmark } from './benchmark.ts';
import { startNginxOrigin } from './origin-files.ts';
import { proxiedRows } from './proxied-rows.ts';
import { startWaypost } from './proxied-servers.ts';
import { siteRules } from './site-rules.ts';

const RULES = 20;
const WITHOUT = 'without rules';

await runBenchmark({
  name: 'edge',
  command: 'node dist/bench/edge/rules.js',
  about: `A cache hit of a site with ${RULES} rules, next to the same of a site without rules.`,
  rows: proxiedRows(process.env.BENCH_DIR ?? join(tmpdir(), 'waypost-bench'))
    .filter(({ id }) => id === 'hit' || id === 'hit-h1')
    .map((row) => ({ ...row, by: 'cpu' as const, goals: [{ peer: WITHOUT, atLeast: 0.95, aim: 0.98 }] })),
  starts: {
    Waypost: (tools) => startWaypost(tools, { name: 'Waypost', offset: 0, rules: siteRules(RULES) }),
    [WITHOUT]: (tools) => startWaypost(tools, { name: WITHOUT, offset: 10, rules: null }),
  },
  startOrigin: startNginxOrigin,
});
