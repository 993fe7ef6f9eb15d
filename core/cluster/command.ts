/**
 * Runs the operator's program that announces or withdraws the anycast addresses (withdrawal.ts):
 * without a shell, for a bounded time, with an environment that holds no secrets.
 */
import { spawn } from 'node:child_process';

interface CommandResult {
  /** Reason of the failure; null after exit status 0. */
  readonly fault: string | null;
  /** The last bytes of standard output and standard error. */
  readonly output: string;
}

const MAX_OUTPUT = 4096;
/**
 * Milliseconds after the exit to read the rest of the output. A process that the program left
 * running may keep the pipes open forever.
 */
const DRAIN_MS = 200;

/**
 * `command`: an absolute path and its arguments. The environment is PATH, LC_ALL and `variables`,
 * because ours may hold passwords. After `timeout` milliseconds the whole process group is killed.
 * A program that cannot start is a `fault`, not a rejection.
 */
export function runCommand(
  [program, ...args]: readonly string[],
  variables: Readonly<Record<string, string | number>>,
  timeout: number,
): Promise<CommandResult> {
  const texts = Object.entries(variables).map(([name, value]) => [name, String(value)]);
  const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', ...Object.fromEntries(texts) };
  return new Promise((resolve) => {
    let output = '';
    let isLate = false;
    const child = spawn(program, args, { cwd: '/', env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const finish = (fault: string | null): void => {
      clearTimeout(killer);
      resolve({ fault, output: output.trim() });
    };
    const killer = setTimeout(() => {
      isLate = true;
      try {
        process.kill(-(child.pid as number), 'SIGKILL');
      } catch {
        // The process group has already ended.
      }
    }, timeout);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        output = (output + part).slice(-MAX_OUTPUT);
      });
    child.once('error', ({ message }) => finish(message));
    child.once('exit', (code, signal) => {
      let fault: string | null = null;
      if (isLate) fault = `timeout after ${timeout / 1000} seconds`;
      else if (signal !== null) fault = `killed by ${signal}`;
      else if (code !== 0) fault = `exit status ${code}`;
      const done = (): void => {
        clearTimeout(drain);
        for (const stream of [child.stdout, child.stderr]) stream.destroy();
        finish(fault);
      };
      const drain = setTimeout(done, DRAIN_MS);
      child.once('close', done);
    });
  });
}
