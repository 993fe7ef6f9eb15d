/** Runs a server in a child process. The child is killed when this process exits. */
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import type { Readable } from 'node:stream';
import { PATIENCE_MS } from './patience.ts';

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface Child {
  readonly pid: number;
  /** The whole output so far, both streams. */
  output(): string;
  exited(): boolean;
  /**
   * Resolves with the next line that matches `pattern`. Each line is examined once: the next call
   * continues after the matched line. Rejects with the end of the output on exit or after `ms`
   * milliseconds. The default of `ms` is `PATIENCE_MS` here and below.
   */
  waitFor(pattern: RegExp, ms?: number): Promise<RegExpMatchArray>;
  /**
   * Sends the signal, waits for the exit, and kills the process after `ms` milliseconds. Resolves
   * with the exit code; null: ended by a signal.
   */
  stop(signal?: NodeJS.Signals, ms?: number): Promise<number | null>;
  /** Waits for the exit, and kills the process after `ms` milliseconds. Resolves like `stop`. */
  ended(ms?: number): Promise<number | null>;
}

/** Characters of output in an error. */
const SHOWN = 20_000;

/** Lines of output of a process, and the position after the last matched line. */
class Output {
  isEnded = false;
  readonly #lines: string[] = [];
  /** Incomplete last line of each stream. */
  readonly #unfinished = new Map<Readable, string>();
  #position = 0;
  readonly #events = new EventEmitter().setMaxListeners(0);

  read(stream: Readable): void {
    stream.setEncoding('utf8');
    stream.on('data', (part: string) => {
      const lines = ((this.#unfinished.get(stream) ?? '') + part).split('\n');
      this.#unfinished.set(stream, lines.pop() as string);
      for (const line of lines) this.#lines.push(line);
      this.#events.emit('change');
    });
  }

  end(): void {
    this.isEnded = true;
    this.#events.emit('change');
  }

  text(): string {
    return [...this.#lines, [...this.#unfinished.values()].join('')].join('\n');
  }

  /** The next matching line; null: the process ended, or `ms` milliseconds passed. */
  async next(pattern: RegExp, ms: number): Promise<RegExpMatchArray | null> {
    const signal = AbortSignal.timeout(ms);
    for (let at = this.#position; ; ) {
      for (; at < this.#lines.length; at++) {
        const match = this.#lines[at].match(pattern);
        if (match === null) continue;
        this.#position = Math.max(this.#position, at + 1);
        return match;
      }
      if (this.isEnded || signal.aborted) return null;
      await once(this.#events, 'change', { signal }).catch(() => undefined);
    }
  }
}

export function startChild(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Child {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const output = new Output();
  let error: Error | undefined;
  const ended = new Promise<void>((done) => {
    child.once('close', () => done());
    child.once('error', (cause) => {
      error = cause;
      done();
    });
  }).finally(() => {
    running.delete(child);
    output.end();
  });
  output.read(child.stdout);
  output.read(child.stderr);
  const exited = (): boolean => error !== undefined || child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? 0,
    output: () => output.text(),
    exited,
    async waitFor(pattern, ms = PATIENCE_MS) {
      const match = await output.next(pattern, ms);
      if (match !== null) return match;
      const why = output.isEnded
        ? `ended early (${error ?? child.exitCode ?? child.signalCode}), without ${pattern}`
        : `did not print ${pattern} in ${ms} ms`;
      throw new Error(`${command} ${why}:\n${output.text().slice(-SHOWN)}`);
    },
    stop(signal = 'SIGTERM', ms = PATIENCE_MS) {
      if (!exited()) child.kill(signal);
      return this.ended(ms);
    },
    async ended(ms = PATIENCE_MS) {
      const killer = setTimeout(() => child.kill('SIGKILL'), ms);
      await ended;
      clearTimeout(killer);
      return child.exitCode;
    },
  };
}
