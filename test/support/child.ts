/** A server in a process of its own: started, waited for, stopped or killed, and never left behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface Child {
  readonly pid: number;
  /** All that it has written so far, both streams. */
  output(): string;
  exited(): boolean;
  /** Resolves when the output matches; rejects with the output on exit or after `ms` milliseconds. */
  waitFor(pattern: RegExp, ms: number): Promise<RegExpMatchArray>;
  /** Sends the signal, waits for the end, and kills after `ms` milliseconds. Resolves with the exit code, null when killed. */
  stop(signal?: NodeJS.Signals, ms?: number): Promise<number | null>;
  /** Waits for it to end by itself and kills it after `ms` milliseconds. Resolves as `stop`. */
  ended(ms: number): Promise<number | null>;
}

export function startChild(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Child {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let text = '';
  let error: Error | undefined;
  const ended = new Promise<void>((done) => {
    child.once('close', () => done());
    child.once('error', (cause) => {
      error = cause;
      done();
    });
  }).finally(() => running.delete(child));
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (part: string) => {
      text = (text + part).slice(-200_000);
    });
  }
  const exited = (): boolean => error !== undefined || child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? 0,
    output: () => text,
    exited,
    async waitFor(pattern, ms) {
      const deadline = Date.now() + ms;
      for (;;) {
        const match = text.match(pattern);
        if (match !== null) return match;
        if (exited())
          throw new Error(`${command} ended early (${error ?? child.exitCode ?? child.signalCode}):\n${text}`);
        if (Date.now() > deadline) throw new Error(`${command} did not print ${pattern} in ${ms} ms:\n${text}`);
        await sleep(10);
      }
    },
    stop(signal = 'SIGTERM', ms = 30_000) {
      if (!exited()) child.kill(signal);
      return this.ended(ms);
    },
    async ended(ms) {
      const killer = setTimeout(() => child.kill('SIGKILL'), ms);
      await ended;
      clearTimeout(killer);
      return child.exitCode;
    },
  };
}
