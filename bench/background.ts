/**
 * `npm run bench:background`: events of background files from the queue to the result, and many
 * runtimes one after another. docs/internals/benchmarks.md says what each figure means.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CallHost,
  eventRunner,
  QuickJsEngine,
  Scheduler,
  type SchedulerEvent,
  taskFile,
} from '../admin-api/miniapp/runtime/index.ts';
import { table } from './dns/report.ts';
import { describeMachine } from './machine.ts';
import { COMMON, readOptions } from './options.ts';
import { percentile } from './writes/statistics.ts';

const options = readOptions({
  command: 'npm run bench:background --',
  about: 'Events of background files: time from the queue to the result, and memory of many runtimes.',
  options: { quick: COMMON.quick },
});
const EVENTS = options.quick ? 30 : 500;
const RUNTIMES = options.quick ? 50 : 1000;
const WARM = 20;
/** Milliseconds. */
const GOAL = 50;
const APP = 'com.example.reminder';
const MB = 2 ** 20;

/** Reads and writes storage as an app does, and has a file of usual size. */
const TEXT = `'use strict';
function onBackgroundEvent(event) {
  if (event.type !== 'schedule') return;
  var runs = JSON.parse(Host.call('storage.get', { key: 'runs' }) || '[]');
  runs.push(event.timestamp);
  Host.call('storage.set', { key: 'runs', value: JSON.stringify(runs.slice(-100)) });
}
${Array.from({ length: 100 }, (_, i) => `function format${i}(date) {\n  var parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];\n  return parts.map(String).join('-') + ' (${i})';\n}\n`).join('')}`;

const stored = new Map<string, string>();
const callHost: CallHost = (_appId, operation, params) => {
  const { key, value } = params as { readonly key: string; readonly value: string };
  if (operation === 'storage.get') return stored.get(key) ?? null;
  stored.set(key, value);
  return null;
};

const folder = mkdtempSync(join(tmpdir(), 'waypost-background-'));
const engine = new QuickJsEngine();
const program = { appId: APP, path: 'background.js', text: TEXT };
const scheduler = await Scheduler.open({
  storage: taskFile(join(folder, 'tasks.json')),
  run: eventRunner(engine, () => program, callHost),
});
scheduler.start();

/** From `runNow` to the event `finished`. */
async function measureEvent(): Promise<number> {
  await scheduler.schedule(APP, 'sync', 60_000);
  const start = performance.now();
  const ended = new Promise<void>((resolve, reject) => {
    const remove = scheduler.onEvent((event: SchedulerEvent) => {
      if (event.type !== 'finished' && event.type !== 'failed') return;
      remove();
      if (event.type === 'finished') resolve();
      else reject(new Error(event.outcome.message));
    });
  });
  await scheduler.runNow(APP, 'sync');
  await ended;
  return performance.now() - start;
}

async function runOnce(): Promise<void> {
  const event = { type: 'schedule', timestamp: Date.now(), appId: APP } as const;
  const outcome = await engine.run(program, event, callHost);
  if (outcome.state === 'failed') throw new Error(outcome.message);
}

const first = await measureEvent();
for (let i = 0; i < WARM; i++) await measureEvent();
const times: number[] = [];
for (let i = 0; i < EVENTS; i++) times.push(await measureEvent());

const pagesBefore = engine.runner?.pages ?? 0;
const residentBefore = process.memoryUsage.rss();
const start = performance.now();
for (let i = 0; i < RUNTIMES; i++) await runOnce();
const each = (performance.now() - start) / RUNTIMES;
const pagesAfter = engine.runner?.pages ?? 0;
const grown = (process.memoryUsage.rss() - residentBefore) / MB;

await scheduler.close();
await engine.close();
rmSync(folder, { recursive: true });

const median = percentile(times, 50);
const rows = [
  ['event from the queue to the result, median', `${median.toFixed(1)} ms`, `${GOAL} ms`],
  ['the same, 95th percentile', `${percentile(times, 95).toFixed(1)} ms`, ''],
  ['the first event, which starts the thread', `${first.toFixed(0)} ms`, ''],
  [`each of ${RUNTIMES} runtimes one after another`, `${each.toFixed(2)} ms`, ''],
  ["growth of the engine's memory by them", `${pagesAfter - pagesBefore} pages of 64 KB`, '0'],
  ['growth of the resident memory of the process', `${grown.toFixed(1)} MB`, ''],
];
process.stdout.write(`${describeMachine()}\n\n${table(['figure', 'value', 'goal'], rows, 1)}\n`);
process.exitCode = (median > GOAL || pagesAfter > pagesBefore) && !options.quick ? 1 : 0;
