/**
 * `npm run bench:dashboard`: the dashboard in Chromium with a real daemon. Needs `chromium`.
 * docs/internals/benchmarks.md says what each figure means.
 */
import { chromium } from 'playwright-core';
import { ADMIN_PASSWORD, startDaemon } from '../test/support/daemon.ts';
import { pathOf } from '../test/support/programs.ts';
import { measureDomains } from './dashboard/domains.ts';
import { type Figure, figureTable, type World } from './dashboard/figures.ts';
import { measureFirstPage } from './dashboard/first-page.ts';
import { measureLargestPaint } from './dashboard/largest-paint.ts';
import { measureLeftOpen } from './dashboard/left-open.ts';
import { measureRecords } from './dashboard/records.ts';
import { measureSizes } from './dashboard/sizes.ts';
import { describeMachine } from './machine.ts';
import { COMMON, readOptions } from './options.ts';

const PARTS = {
  sizes: measureSizes,
  'first-page': measureFirstPage,
  'largest-paint': measureLargestPaint,
  records: measureRecords,
  domains: measureDomains,
  'left-open': measureLeftOpen,
} as const satisfies Record<string, (world: World) => Promise<readonly Figure[]>>;

const options = readOptions({
  command: 'npm run bench:dashboard --',
  about: 'Sizes, the first page, and tables of the dashboard in Chromium.',
  options: {
    quick: COMMON.quick,
    rounds: COMMON.rounds,
    only: { kind: 'choices', value: 'PART', of: Object.keys(PARTS), help: 'this part only' },
  },
});

const daemon = await startDaemon({ WAYPOST_RATE_LIMIT: '1000000' });
const browser = await chromium.launch({ executablePath: pathOf('chromium'), args: ['--no-sandbox', '--disable-gpu'] });
const figures: Figure[] = [];
try {
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const world: World = {
    ...{ daemon, browser, base: `http://127.0.0.1:${daemon.adminPort}`, isQuick: options.quick },
    rounds: options.rounds ?? (options.quick ? 1 : 5),
  };
  for (const [name, measure] of Object.entries(PARTS)) {
    if (options.only !== undefined && !options.only.includes(name)) continue;
    process.stderr.write(`${name}\n`);
    figures.push(...(await measure(world)));
  }
} finally {
  await browser.close();
  await daemon.close();
}
process.stdout.write(`${describeMachine([`Chromium ${browser.version()}`])}\n\n${figureTable(figures)}\n`);
const missed = figures.filter(({ value, goal }) => goal !== undefined && value > goal);
process.exitCode = missed.length > 0 && !options.quick ? 1 : 0;
