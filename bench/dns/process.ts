/**
 * A server's processes as Linux sees them: start, stop, pause, core, memory and CPU time. All
 * figures are of the whole process tree, because NSD answers from a child.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/** Of /proc/PID/stat: USER_HZ, 100 on every Linux that Node runs on. */
const TICKS_A_SECOND = 100;
const STOP_MS = 20_000;

export interface Memory {
  /** Resident bytes; what several processes share counts for each. */
  rss: number;
  /** Proportional bytes: what is shared is divided among those who share it. */
  pss: number;
}

/** What is still running; ended with the benchmark, also when that fails. */
const running = new Set<ServerProcess>();
process.on('exit', () => {
  for (const serverProcess of running) serverProcess.kill();
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** The text of a file under /proc, or empty when its process has ended. */
function proc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    return '';
  }
}

export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #log: string;
  #ended = false;

  /** Output of the server goes to the file `log`. `env` is its whole environment. */
  constructor(command: string, args: readonly string[], log: string, env: NodeJS.ProcessEnv = process.env) {
    this.#log = log;
    const file = openSync(log, 'w');
    this.#child = spawn(command, args, { stdio: ['ignore', file, file], env });
    closeSync(file);
    running.add(this);
    this.#child.on('error', () => this.#end());
    this.#child.on('exit', () => this.#end());
  }

  get pid(): number {
    return this.#child.pid!;
  }

  #end(): void {
    this.#ended = true;
    running.delete(this);
  }

  /** Throws an Error with the last lines of its log when the server is not running any more. */
  assertAlive(): void {
    if (!this.#ended) return;
    const lines = readFileSync(this.#log, 'utf8').trimEnd().split('\n').slice(-8);
    throw new Error(
      `${this.#child.spawnfile} ended (${this.#child.exitCode ?? this.#child.signalCode}):\n${lines.join('\n')}`,
    );
  }

  /** The process and all its descendants. */
  #tree(): number[] {
    const pids = this.#ended ? [] : [this.#child.pid!];
    for (let i = 0; i < pids.length; i++) {
      for (const task of this.#tasks(pids[i])) {
        pids.push(...proc(`${pids[i]}/task/${task}/children`).split(' ').filter(Boolean).map(Number));
      }
    }
    return pids;
  }

  #tasks(pid: number): string[] {
    try {
      return readdirSync(`/proc/${pid}/task`);
    } catch {
      return [];
    }
  }

  /**
   * User and kernel seconds so far, of all threads, those that have ended too (proc(5): utime and
   * stime of the process).
   */
  cpuSeconds(): number {
    let ticks = 0;
    for (const pid of this.#tree()) {
      const fields = proc(`${pid}/stat`)
        .replace(/^.*\) /s, '')
        .split(' '); // the name may hold blanks; field 3 follows it
      ticks += Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
    }
    return ticks / TICKS_A_SECOND;
  }

  memory(): Memory {
    const sum = { rss: 0, pss: 0 };
    for (const pid of this.#tree()) {
      const rollup = proc(`${pid}/smaps_rollup`);
      sum.rss += Number(/^Rss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024;
      sum.pss += Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024;
    }
    return sum;
  }

  /** Keeps all its threads on one core from now on. */
  pin(core: number): void {
    for (const pid of this.#tree())
      execFileSync('taskset', ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore' });
  }

  #signal(signal: NodeJS.Signals): void {
    for (const pid of this.#tree()) {
      try {
        process.kill(pid, signal);
      } catch {
        // It ended between the look at the tree and the signal.
      }
    }
  }

  /** Takes no CPU until resume(). */
  pause(): void {
    this.#signal('SIGSTOP');
  }

  resume(): void {
    this.#signal('SIGCONT');
  }

  kill(): void {
    this.#signal('SIGKILL');
  }

  /** Asks it to end, and makes it end when that takes longer than 20 s. */
  async stop(): Promise<void> {
    if (this.#ended) return;
    const ended = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    const timer = setTimeout(() => this.kill(), STOP_MS);
    this.resume();
    this.#child.kill('SIGTERM');
    await ended;
    clearTimeout(timer);
  }
}
