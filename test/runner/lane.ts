/**
 * A lane runs groups of test files, one process after another. Several lanes run at the same time.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { shareOf } from '../support/ports.ts';
import { SEED } from '../support/seed.ts';
import { memoryFolder, removeMemoryFolder, removeMemoryFolders } from './memory-folder.ts';
import { MARK, type Outcome, outcomeOf, type Report } from './report.ts';

const PROGRAM = join(import.meta.dirname, 'files.js');
/** Milliseconds after which a process is killed and its current file counts as failed. */
const LIMIT_MS = 25 * 60_000;
/**
 * Milliseconds for a process to end after its last file: a failed test may have left a server
 * running.
 */
const GRACE_MS = 30_000;

/** Process groups of test processes: each with all that it started. */
const running = new Set<number>();

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const pid of running) killGroup(pid);
    removeMemoryFolders();
    process.kill(process.pid, signal);
  });

/**
 * Runs files in one process. If a file ends the process, another process runs the remaining files.
 * `lane`: number of the lane, from 0 to `lanes` - 1, which determines the ports of its tests.
 */
export async function runFiles(
  files: readonly string[],
  lane: number,
  lanes: number,
  onOutcome: (outcome: Outcome) => void,
): Promise<void> {
  for (let remaining = files; remaining.length > 0; ) {
    const finished = await runProcess(remaining, shareOf(lane, lanes), onOutcome);
    remaining = remaining.slice(finished);
  }
}

/**
 * Resolves with the number of files that have an outcome: all of them, unless a file ended the
 * process.
 */
function runProcess(files: readonly string[], ports: string, onOutcome: (outcome: Outcome) => void): Promise<number> {
  const folder = memoryFolder(files);
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, ...files], {
    env: {
      ...process.env,
      ...(folder === undefined ? {} : { TMPDIR: folder }),
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
  const timers = [setTimeout(() => killGroup(pid), LIMIT_MS)];
  const readOutput = (chunk: string): void => {
    text += chunk;
    for (let at = text.indexOf(MARK); at >= 0; at = text.indexOf(MARK)) {
      const end = text.indexOf('\n', at);
      if (end < 0) return;
      const report = JSON.parse(text.slice(at + MARK.length, end)) as Report;
      reports.push({ report, output: text.slice(0, at) });
      text = text.slice(end + 1);
      if (reports.length === files.length) timers.push(setTimeout(() => killGroup(pid), GRACE_MS));
      // The outcome of the last file waits for the end of the process.
      else onOutcome(outcomeOf(report, reports[reports.length - 1].output));
    }
  };
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', readOutput);
  child.on('exit', () => killGroup(pid));
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      running.delete(pid);
      timers.forEach(clearTimeout);
      if (folder !== undefined) removeMemoryFolder(folder);
      const why = signal !== null ? `${signal} ended the process` : `the process exited with code ${code}`;
      if (reports.length < files.length) {
        const ms = Math.round(performance.now() - started);
        onOutcome(outcomeOf({ file: files[reports.length], exitCode: 1, ms, cpuMs: 0 }, text, why));
        resolve(reports.length + 1);
        return;
      }
      const { report, output } = reports[reports.length - 1];
      const expectedCode = reports.some((entry) => entry.report.exitCode !== 0) ? 1 : 0;
      onOutcome(outcomeOf(report, output + text, code === expectedCode ? '' : why));
      resolve(files.length);
    });
  });
}
