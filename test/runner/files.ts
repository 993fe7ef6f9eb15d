/**
 * Runs test files with uvu, one after another, in this process: `node dist/test/runner/files.js
 * FILE...`, paths relative to dist/test. For the runner it prints lines that begin with MARK: a
 * Step before each test, and a Report after the output of each file.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from 'uvu/run';
import { end } from '../support/at-end.ts';
import { MARK, type Report, type Step } from './report.ts';

/**
 * Milliseconds for the process to end by itself after its last test; less than the runner waits.
 */
const END_MS = 20_000;

/** Milliseconds of a tick, in which Linux counts (USER_HZ). */
const TICK_MS = 10;

/**
 * Milliseconds of CPU of this process and of its children that have ended (proc_pid_stat(5): utime
 * to cstime are fields 14 to 17).
 */
function cpuMs(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) * TICK_MS;
}

const root = join(import.meta.dirname, '..');
const names = process.argv.slice(2);
const hasRunner = process.env.WAYPOST_TEST_RUNNER !== undefined;
/** The suites that uvu runs, of the current file. */
const queue: unknown[] = [];
(globalThis as { UVU_QUEUE?: unknown[] }).UVU_QUEUE = queue;
let exitCode = 0;
const tell = (line: Report | Step): void => void process.stdout.write(`${MARK}${JSON.stringify(line)}\n`);

/**
 * uvu writes the name of each test into the context of its suite before it runs the test, and an
 * empty name after the last. Contexts do not have the property before, so all inherit this one.
 */
function tellSteps(): void {
  const titles = new WeakMap<object, string>();
  Object.defineProperty(Object.prototype, '__test__', {
    configurable: true,
    get(this: object) {
      return titles.get(this);
    },
    set(this: { readonly __suite__?: string }, test: string) {
      titles.set(this, test);
      tell({ suite: this.__suite__ ?? '', test });
    },
  });
}
if (hasRunner) tellSteps();

/**
 * uvu swallows what a `before` hook throws: the suite passes none of its tests, and the file exits
 * with 0. uvu assigns `before` to the function of each suite, which inherits this setter.
 */
function reportBeforeHooks(): void {
  type Hook = (context: unknown) => unknown;
  Object.defineProperty(Function.prototype, 'before', {
    configurable: true,
    set(this: object, add: (hook: Hook) => void) {
      const value = (hook: Hook) =>
        add(async (context) => {
          try {
            await hook(context);
          } catch (error) {
            console.error('\n  before the first test:', error);
            exitCode = 1;
            throw error;
          }
        });
      Object.defineProperty(this, 'before', { value, configurable: true });
    },
  });
}
reportBeforeHooks();

/** `fetch` has the reason of a failure in the cause of its error, which uvu does not print. */
const { fetch } = globalThis;
globalThis.fetch = (...request) =>
  fetch(...request).catch((error: Error) => {
    if (error.cause instanceof Error) error.message += `: ${error.cause.message || error.cause.name}`;
    throw error;
  });

for (const file of names) {
  const started = performance.now();
  const cpu = cpuMs();
  queue.length = 0;
  await run([{ name: file, file: join(root, file) }]);
  // Their CPU counts for the last file.
  if (file === names.at(-1)) await end();
  exitCode ||= Number(process.exitCode);
  const report: Report = {
    file,
    exitCode: Number(process.exitCode),
    ms: Math.round(performance.now() - started),
    cpuMs: cpuMs() - cpu,
  };
  if (hasRunner) tell(report);
}
process.exitCode = exitCode;

// Something that a test did not close keeps the process alive: the error names it.
setTimeout(() => {
  console.error(`${names.join(' ')} do not end: open are ${process.getActiveResourcesInfo().join(', ')}`);
  process.exit(1);
}, END_MS).unref();
