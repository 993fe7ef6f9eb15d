/** What ten rules cost a request: `node dist/bench/core/site/rules/run.bench.js`. */
import { Bench } from 'tinybench';
import { RequestFacts, RULE_TEMPLATES, type Rule, RuleSet } from '../../../../core/site/rules/index.ts';

const TEN: readonly Rule[] = [
  ...RULE_TEMPLATES.find(({ name }) => name === 'block-bad-bots')!.rules('example.com'),
  { match: { host: ['www.example.com'] }, action: { type: 'redirect', location: 'https://example.com{uri}' } },
  { match: { path: { prefix: ['/admin/'] } }, except: { client: ['192.0.2.0/24'] }, action: { type: 'deny' } },
  { match: { path: { regex: ['^/api/v\\d+/users/\\d+$'] } }, action: { type: 'bypass_cache' } },
  { match: { method: ['POST'], path: { exact: ['/login'] } }, action: { type: 'limit', requests: 5, period: 60 } },
  { match: { path: { suffix: ['.php', '.cgi', '.asp'] } }, action: { type: 'deny' } },
  { match: { cookie: [{ name: 'session' }] }, action: { type: 'bypass_cache' } },
  { match: { client: ['203.0.113.0/24', '2001:db8::/32'] }, action: { type: 'deny' } },
  { match: { path: { glob: ['/assets/**'] } }, action: { type: 'cache', ttl: 86_400 } },
  { action: { type: 'set_response_header', name: 'X-Frame-Options', value: 'DENY' } },
];

const HEADERS = [
  ...['accept', 'text/html,application/xhtml+xml', 'accept-encoding', 'gzip, br', 'accept-language', 'en'],
  ...[
    'user-agent',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36',
  ],
  ...['cookie', 'theme=dark; consent=1', 'sec-fetch-mode', 'navigate', 'sec-fetch-site', 'none'],
];
const PATHS = Array.from({ length: 64 }, (_, i) => `/assets/pages/article-${i}.html?page=${i}`);

const facts = new RequestFacts(() => '');
const bench = new Bench({ time: 1000 });
const sets = [1, 2].map((copies) => new RuleSet({ rules: Array.from({ length: copies }, () => TEN).flat() }));
for (const set of sets) {
  let i = 0;
  bench.add(`${set.rules.length} rules`, () => {
    const path = PATHS[i++ & 63];
    facts.open({ method: 'GET', path, headers: HEADERS }, 'example.com', '198.51.100.7');
    if (set.run(facts) !== -1) throw new Error('a rule has decided');
  });
}
await bench.run();
for (const { name, result } of bench.tasks)
  process.stdout.write(
    `${name}: ${Math.round((result as unknown as { latency: { p50: number } }).latency.p50 * 1e6)} ns\n`,
  );
const DOCUMENTS = 200;
const before = process.memoryUsage();
const start = performance.now();
const kept = Array.from({ length: DOCUMENTS }, () => new RuleSet({ rules: [...TEN, ...TEN] }));
const took = performance.now() - start;
globalThis.gc?.();
const bytes = process.memoryUsage().rss - before.rss;
process.stdout.write(
  `compiling 20 rules: ${((took / kept.length) * 1000).toFixed(0)} µs, ${(bytes / kept.length / 1024).toFixed(0)} KiB\n`,
);
