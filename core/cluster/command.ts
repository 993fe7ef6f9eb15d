/** Runs a program of the operator: without a shell, for a bounded time, with an environment that holds no secrets. */
import { spawn } from 'node:child_process';

export interface CommandResult {
  /** Why it did not end well; null: it did. */
  readonly fault: string | null;
  /** The end of what it wrote, both streams. */
  readonly output: string;
}

const MAX_OUTPUT = 4096;
/** Milliseconds after its end for what it has left in the pipes; what it has left running may hold them open. */
const REST = 200;

/**
 * `command`: the program's path and its arguments. `variables` and PATH are all of its environment: ours may hold passwords. After `timeout` milliseconds it is killed, with all that it
 * has started in its process group. Never rejects.
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
    const end = (fault: string | null): void => {
      clearTimeout(killer);
      resolve({ fault, output: output.trim() });
    };
    const killer = setTimeout(() => {
      isLate = true;
      try {
        process.kill(-(child.pid as number), 'SIGKILL');
      } catch {
        // It has ended just now.
      }
    }, timeout);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        output = (output + part).slice(-MAX_OUTPUT);
      });
    child.once('error', ({ message }) => end(message));
    child.once('exit', (code, signal) => {
      const how = signal === null ? `exit status ${code}` : `killed by ${signal}`;
      const fault = isLate ? `timeout after ${timeout / 1000} seconds` : code === 0 ? null : how;
      const done = (): void => {
        clearTimeout(rest);
        for (const stream of [child.stdout, child.stderr]) stream.destroy();
        end(fault);
      };
      const rest = setTimeout(done, REST);
      child.once('close', done);
    });
  });
}
