/** What a command takes. */
import { spawnSync } from 'node:child_process';

export interface Measured {
  /** Of the wall clock. */
  readonly seconds: number;
  /** User and system, of it and what it started. */
  readonly cpu: number;
}

/**
 * Whatever its exit code: a linter that finds something ends with 1. Throws Error when it cannot be
 * started, or says nothing.
 */
export function measureCommand(command: readonly string[]): Measured {
  const began = performance.now();
  // What bash's `time` says goes to its own standard error, the last line.
  const script = 'TIMEFORMAT="%U %S"; time "$@" 2>/dev/null';
  // Standard input is a socket, by which bash may believe itself a remote shell's, and run the
  // user's .bashrc: that is no time of the command's.
  const args = ['--norc', '-c', script, 'bash', ...command];
  const { stdout, stderr, error } = spawnSync('bash', args, { maxBuffer: 1 << 28 });
  const seconds = (performance.now() - began) / 1000;
  if (error !== undefined) throw error;
  const [user, system] = stderr.toString().trim().split('\n').at(-1)!.split(' ').map(Number);
  if (stdout.length === 0 || Number.isNaN(system)) throw new Error(`${command.join(' ')} did not run: ${stderr}`);
  return { seconds, cpu: user + system };
}
