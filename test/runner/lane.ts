/** One of the processes of tests that run at a time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { shareOf } from '../support/ports.ts';
import { SEED } from '../support/seed.ts';
import { MARK, type Outcome, outcomeOf, type Report } from './report.ts';

const PROGRAM = join(import.meta.dirname, 'files.js');
/** Milliseconds after which a process that has not ended is killed, and its file counts as failed. */
const LIMIT = 25 * 60_000;
/** Milliseconds for a process to end after its last file: a test that failed midway may have left a server running. */
const GRACE = 30_000;

/** Process groups: a process of tests and all that it started. */
const running = new Set<number>();

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // None of it is left.
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const pid of running) killGroup(pid);
    process.kill(process.pid, signal);
  });

/**
 * Runs files in one process, and the rest of them in another one where a file ends the process. `lane`: number of the lane, from 0
 * to `lanes` - 1, for ports of its own.
 */
export async function runFiles(
  files: readonly string[],
  lane: number,
  lanes: number,
  onOutcome: (outcome: Outcome) => void,
): Promise<void> {
  for (let rest = files; rest.length > 0; ) {
    const done = await runUntilBroken(rest, shareOf(lane, lanes), onOutcome);
    rest = rest.slice(done);
  }
}

/** Resolves with the number of files that have an outcome. */
function runUntilBroken(
  files: readonly string[],
  ports: string,
  onOutcome: (outcome: Outcome) => void,
): Promise<number> {
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, ...files], {
    env: {
      ...process.env,
      ...{ FORCE_COLOR: '0', WAYPOST_SEED: String(SEED), WAYPOST_TEST_PORTS: ports, WAYPOST_TEST_RUNNER: '1' },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const pid = child.pid as number;
  running.add(pid);
  const started = performance.now();
  const reports: { readonly report: Report; readonly output: string }[] = [];
  let text = '';
  const timers = [setTimeout(() => killGroup(pid), LIMIT)];
  const onText = (part: string): void => {
    text += part;
    for (let at = text.indexOf(MARK); at >= 0; at = text.indexOf(MARK)) {
      const end = text.indexOf('\n', at);
      if (end < 0) return;
      const report = JSON.parse(text.slice(at + MARK.length, end)) as Report;
      reports.push({ report, output: text.slice(0, at) });
      text = text.slice(end + 1);
      if (reports.length === files.length) timers.push(setTimeout(() => killGroup(pid), GRACE));
      // The outcome of the last file waits for the end of the process.
      else onOutcome(outcomeOf(report, reports[reports.length - 1].output));
    }
  };
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', onText);
  child.on('exit', () => killGroup(pid));
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      running.delete(pid);
      timers.forEach(clearTimeout);
      const why = signal !== null ? `the process was ended by ${signal}` : `the process ended with ${code}`;
      if (reports.length < files.length) {
        const ms = Math.round(performance.now() - started);
        onOutcome(outcomeOf({ file: files[reports.length], exitCode: 1, ms, cpuMs: 0 }, text, why));
        resolve(reports.length + 1);
        return;
      }
      const { report, output } = reports[reports.length - 1];
      const wanted = reports.some((one) => one.report.exitCode !== 0) ? 1 : 0;
      onOutcome(outcomeOf(report, output + text, code === wanted ? '' : why));
      resolve(files.length);
    });
  });
}
