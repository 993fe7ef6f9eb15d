/**
 * A lane runs groups of test files, one process after another. Several lanes run at the same time.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { shareOf } from '../support/ports.ts';
import { SEED } from '../support/seed.ts';
import { MARK, type Outcome, outcomeOf, type Report, type Step } from './report.ts';
import { slowdown, stressed } from './stress.ts';
import { removeTestFolder, removeTestFolders, testFolder } from './test-folder.ts';
import { graceLimits, limitsOf, processLimitOf, TestWatch } from './watch.ts';

const PROGRAM = join(import.meta.dirname, 'files.js');
/**
 * All processors are busy with other processes: helpers of the collector only cost. An eighth of
 * the CPU of the unit tests.
 */
const FLAGS = ['--single-threaded-gc'];

/** What a file does outside of its tests. */
const OUTSIDE: Step = { suite: '', test: '' };

/** Process groups of test processes: each with all that it started. */
const running = new Set<number>();

/** What the processes are at. */
const steps = new Map<number, { readonly file: string; readonly step: Step; readonly since: number }>();

/** What has taken longer than so many milliseconds, for people. */
export function slowSteps(ms: number): string[] {
  const now = performance.now();
  return [...steps.values()]
    .filter(({ since }) => now - since >= ms)
    .map(({ file, step, since }) => `${file}: ${nameOf(step)}, ${((now - since) / 1000).toFixed(0)} s`);
}

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
    removeTestFolders();
    process.kill(process.pid, signal);
  });

export interface Lane {
  /** From 0 to `lanes` - 1; it determines the ports of the tests. */
  readonly lane: number;
  readonly lanes: number;
  /** Variables in addition to those of the runner. */
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: typeof limitsOf;
}

/**
 * Runs files in one process. If a file ends the process, or a test of it takes too long, another
 * process runs the remaining files.
 */
export async function runFiles(
  files: readonly string[],
  lane: Lane,
  onOutcome: (outcome: Outcome) => void,
): Promise<void> {
  for (let remaining = files; remaining.length > 0; )
    remaining = remaining.slice(await runProcess(remaining, lane, onOutcome));
}

/**
 * Resolves with the number of files that have an outcome: all of them, unless a file ended the
 * process.
 */
function runProcess(
  files: readonly string[],
  { lane, lanes, env, limits = limitsOf }: Lane,
  onOutcome: (outcome: Outcome) => void,
): Promise<number> {
  const ports = shareOf(lane, lanes);
  const folder = testFolder(files);
  const [command, ...args] = stressed([process.execPath, ...FLAGS, PROGRAM, ...files]);
  const child: ChildProcess = spawn(command, args, {
    env: {
      ...process.env,
      ...env,
      ...(folder === undefined ? {} : { TMPDIR: folder }),
      ...{ FORCE_COLOR: '0', WAYPOST_SEED: String(SEED), WAYPOST_TEST_PORTS: ports, WAYPOST_TEST_RUNNER: '1' },
      WAYPOST_TEST_SLOWDOWN: String(slowdown()),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const pid = child.pid as number;
  running.add(pid);
  const started = performance.now();
  const reports: { readonly report: Report; readonly output: string }[] = [];
  let text = '';
  let step: Step = OUTSIDE;
  let reason: string | undefined;
  const watch = new TestWatch(pid, (limit) => {
    reason = `${nameOf(step)} did not end within ${limit / 1000} s`;
    killGroup(pid);
  });
  const begin = (next: Step): void => {
    step = next;
    const file = files[reports.length];
    steps.delete(pid);
    if (file !== undefined) steps.set(pid, { file, step, since: performance.now() });
    watch.restart(file === undefined ? graceLimits() : limits(file));
  };
  begin(OUTSIDE);
  const timer = setTimeout(() => killGroup(pid), processLimitOf(files));
  const onLine = (line: Report | Step): void => {
    if (!('file' in line)) {
      begin(line);
      return;
    }
    reports.push({ report: line, output: text });
    text = '';
    // The outcome of the last file waits for the end of the process.
    if (reports.length < files.length) onOutcome(outcomeOf(line, reports[reports.length - 1].output));
    begin(OUTSIDE);
  };
  /** Output that may be the begin of a line for the runner. */
  let unread = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    unread += chunk;
    for (let at = unread.indexOf(MARK[0]); at >= 0; at = unread.indexOf(MARK[0])) {
      text += unread.slice(0, at);
      unread = unread.slice(at);
      const end = unread.indexOf('\n');
      if (end < 0) return;
      if (unread.startsWith(MARK)) onLine(JSON.parse(unread.slice(MARK.length, end)) as Report | Step);
      else text += unread.slice(0, end + 1);
      unread = unread.slice(end + 1);
    }
    text += unread;
    unread = '';
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  child.on('exit', () => killGroup(pid));
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      running.delete(pid);
      steps.delete(pid);
      watch.stop();
      clearTimeout(timer);
      if (folder !== undefined) removeTestFolder(folder);
      const ended = signal !== null ? `${signal} ended the process` : `the process exited with code ${code}`;
      if (reports.length < files.length) {
        const ms = Math.round(performance.now() - started);
        const why = reason ?? `${ended} during ${nameOf(step)}`;
        onOutcome(outcomeOf({ file: files[reports.length], exitCode: 1, ms, cpuMs: 0 }, text, why));
        resolve(reports.length + 1);
        return;
      }
      const { report, output } = reports[reports.length - 1];
      const expectedCode = reports.some((entry) => entry.report.exitCode !== 0) ? 1 : 0;
      onOutcome(outcomeOf(report, output + text, code === expectedCode ? '' : ended));
      resolve(files.length);
    });
  });
}

function nameOf({ suite, test }: Step): string {
  const of = suite === '' ? '' : ` of "${suite}"`;
  return test === '' ? `what the file does outside of tests${of}` : `the test "${test}"${of}`;
}
