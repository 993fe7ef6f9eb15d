/**
 * `npm run bench:simulator`: `waypost pkg dev` with an app of 1 MB in Chromium. Needs `chromium`.
 * docs/internals/benchmarks.md says what each figure means.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { readIssued } from '../admin-api/miniapp/sdk/issued-files.ts';
import { type Child, startChild } from '../test/support/child.ts';
import { MAIN } from '../test/support/daemon.ts';
import { removeFolder, temporaryFolder } from '../test/support/temp.ts';
import { sharedChromium } from '../test/system/browser/page.ts';
import { type Figure, figureTable, quantile } from './dashboard/figures.ts';
import { describeMachine } from './machine.ts';
import { COMMON, readOptions } from './options.ts';

/** Milliseconds. */
const READY_GOAL = 1000;
const RELOAD_GOAL = 300;
const WAIT_MS = 60_000;
/** After this the audit runs. */
const PAUSE_MS = 1000;
const PARTS = 20;
/** Bytes of each part, so that the app has 1 MB. */
const PART_BYTES = Math.floor((1024 * 1024) / PARTS);

const options = readOptions({
  command: 'npm run bench:simulator --',
  about: 'The start of the simulator, and reloads of an app of 1 MB.',
  options: { quick: COMMON.quick, rounds: COMMON.rounds },
});
const rounds = options.rounds ?? (options.quick ? 3 : 20);

const root = temporaryFolder('bench-simulator');
const app = join(root, 'app');

/** The last script tells when all of the app has run. */
const lastScript = (version: number): string => `console.log('loaded ${version}');\n`;

function writeApp(): void {
  mkdirSync(app);
  const parts = Array.from({ length: PARTS }, (_, index) => `part${index}.js`);
  for (const [index, name] of parts.entries()) writeFileSync(join(app, name), partOf(index));
  const scripts = ['host-sdk.js', ...parts, 'last.js'].map((name) => `<script src="${name}"></script>`);
  writeFileSync(
    join(app, 'index.html'),
    `<!doctype html><html lang="en"><title>Bench</title>${scripts.join('')}</html>`,
  );
  writeFileSync(join(app, 'last.js'), lastScript(0));
  writeFileSync(join(app, 'host-sdk.js'), readIssued().script);
  const manifest = { id: 'com.example.bench', name: 'Bench', version: '1.0.0', versionCode: 1, entry: 'index.html' };
  writeFileSync(join(app, 'manifest.json'), JSON.stringify({ ...manifest, permissions: [], minHostVersion: '1.0.0' }));
}

/** Functions, as a bundle has them. */
function partOf(index: number): string {
  const lines: string[] = [];
  let bytes = 0;
  for (let count = 0; bytes < PART_BYTES; count++) {
    const line = `function part${index}_${count}(value) { return value === undefined ? ${count} : value + ${count}; }\n`;
    lines.push(line);
    bytes += line.length;
  }
  return lines.join('');
}

async function start(): Promise<{ readonly child: Child; readonly url: string; readonly milliseconds: number }> {
  const began = performance.now();
  const child = startChild(process.execPath, [MAIN, 'pkg', 'dev', app, '--port', '0', '--state', join(root, 'state')]);
  const [, url] = await child.waitFor(/^simulator: (\S+)$/, WAIT_MS);
  return { child, url, milliseconds: performance.now() - began };
}

/** From before a file is written until the last script of the new page has run. */
async function measureReload(page: Page, version: number): Promise<number> {
  const loaded = page.waitForEvent('console', { predicate: (line) => line.text() === `loaded ${version}` });
  const began = performance.now();
  writeFileSync(join(app, 'last.js'), lastScript(version));
  await loaded;
  const milliseconds = performance.now() - began;
  // An author does not save again before the audit has run.
  await page.waitForTimeout(PAUSE_MS);
  await page.locator('.verdict[aria-busy="false"]').waitFor();
  return milliseconds;
}

const figures: Figure[] = [];
const browser = await sharedChromium();
try {
  writeApp();
  const starts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { child, milliseconds } = await start();
    starts.push(milliseconds);
    await child.stop('SIGINT');
  }
  figures.push({
    name: 'pkg dev, until its page can be opened',
    value: quantile(starts, 0.5),
    unit: 'ms',
    goal: READY_GOAL,
  });
  const { child, url } = await start();
  const page = await browser.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const first = page.waitForEvent('console', { predicate: (line) => line.text() === 'loaded 0' });
  await page.goto(url);
  await first;
  const reloads: number[] = [];
  for (let version = 1; version <= rounds; version++) reloads.push(await measureReload(page, version));
  const name = 'save to reloaded, app of 1 MB';
  figures.push({ name: `${name}, median`, value: quantile(reloads, 0.5), unit: 'ms', goal: RELOAD_GOAL });
  figures.push({ name: 'the same, 95th percentile', value: quantile(reloads, 0.95), unit: 'ms' });
  await child.stop('SIGINT');
} finally {
  await browser.close();
  rmSync(app, { recursive: true, force: true });
  removeFolder(root);
}
process.stdout.write(`${describeMachine([`Chromium ${browser.version()}`])}\n\n${figureTable(figures)}\n`);
const missed = figures.filter(({ value, goal }) => goal !== undefined && value > goal);
process.exitCode = missed.length > 0 && !options.quick ? 1 : 0;
