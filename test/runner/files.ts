/**
 * Runs test files with uvu, one after another, in this process: `node dist/test/runner/files.js
 * FILE...`, paths relative to dist/test. After the output of each file it prints a line for the
 * runner: MARK and a Report as JSON.
 */
import { join } from 'node:path';
import { run } from 'uvu/run';
import { MARK, type Report } from './report.ts';

/**
 * Milliseconds for the process to end by itself after its last test; less than the runner waits.
 */
const END_MS = 20_000;

const root = join(import.meta.dirname, '..');
const names = process.argv.slice(2);
const hasRunner = process.env.WAYPOST_TEST_RUNNER !== undefined;
/** The suites that uvu runs, of the current file. */
const queue: unknown[] = [];
(globalThis as { UVU_QUEUE?: unknown[] }).UVU_QUEUE = queue;
let exitCode = 0;

for (const file of names) {
  const started = performance.now();
  const cpu = process.cpuUsage();
  queue.length = 0;
  await run([{ name: file, file: join(root, file) }]);
  exitCode ||= Number(process.exitCode);
  const { user, system } = process.cpuUsage(cpu);
  const report: Report = {
    file,
    exitCode: Number(process.exitCode),
    ms: Math.round(performance.now() - started),
    cpuMs: Math.round((user + system) / 1000),
  };
  if (hasRunner) process.stdout.write(`${MARK}${JSON.stringify(report)}\n`);
}
process.exitCode = exitCode;

// Something that a test did not close keeps the process alive: the error names it.
setTimeout(() => {
  console.error(`${names.join(' ')} do not end: open are ${process.getActiveResourcesInfo().join(', ')}`);
  process.exit(1);
}, END_MS).unref();
