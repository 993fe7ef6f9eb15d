/** What the tests have under stress, and that it ends with the runner. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startChild } from '../../support/child.ts';
import { until } from '../../support/until.ts';

const PROGRAM = join(import.meta.dirname, 'stressing-program.js');

/** The command of a process; empty: it has ended. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

const childrenOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ');

// A process has one tracer, so strace cannot run below strace.
const isNested = process.env.WAYPOST_TEST_SLOWDOWN !== undefined && process.env.WAYPOST_TEST_SLOWDOWN !== '1';
if (isNested) console.log('skipped: this runs under stress itself');
else
  test('under stress a process has one core, a slow disk and busy loops that end with the runner', async () => {
    const runner = startChild(process.execPath, [PROGRAM]);
    const [line] = await runner.waitFor(/^\{.*/);
    const { cores, syncMs } = JSON.parse(line) as { cores: number; syncMs: number };
    assert.is(cores, 1);
    assert.ok(syncMs >= 20, `a sync took ${syncMs} ms`);
    const loops = childrenOf(runner.pid).filter((pid) => /process\.ppid === runner/.test(commandOf(pid)));
    assert.is(loops.length, 4);
    await runner.stop('SIGKILL');
    await until(() => loops.every((pid) => commandOf(pid) === ''), 'the end of the busy loops');
  });

test.run();
