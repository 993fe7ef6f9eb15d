/**
 * Real clients of HTTP, run to their end. Debian's packages have them: curl, nghttp2-client,
 * chromium, chromium-headless-shell.
 */
import { existsSync } from 'node:fs';
import { startChild } from '../../../support/child.ts';

export type Program = 'curl' | 'nghttp' | 'h2load' | 'chromium' | 'chromium-headless-shell' | 'openssl';

export const pathOf = (program: Program): string => `/usr/bin/${program}`;

/** The engine of Chromium without windows, where it is installed: it needs less CPU time. */
export const BROWSER: Program = existsSync(pathOf('chromium-headless-shell')) ? 'chromium-headless-shell' : 'chromium';

/**
 * Why the tests with these programs are left out, or null when all are there. With
 * WAYPOST_REQUIRE_PEERS=1 a missing one is an error.
 */
export function whyNotPrograms(...programs: readonly Program[]): string | null {
  const missing = programs.filter((program) => !existsSync(pathOf(program)));
  if (missing.length === 0) return null;
  const why = `${missing.join(', ')} not installed`;
  if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${why}, and peers are required.`);
  return why;
}

export interface Run {
  readonly code: number | null;
  /** Both streams, its last 200,000 characters. */
  readonly output: string;
}

const ENVIRONMENT: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: '/nonexistent', LC_ALL: 'C' };

export async function runProgram(program: Program, args: readonly string[]): Promise<Run> {
  const child = startChild(pathOf(program), args, ENVIRONMENT);
  const code = await child.ended();
  return { code, output: child.output() };
}

/** A line of the shell, for pipes. `args`: its $1, $2, … */
export async function runShell(line: string, ...args: readonly string[]): Promise<Run> {
  const child = startChild('/bin/sh', ['-c', line, 'sh', ...args], ENVIRONMENT);
  const code = await child.ended();
  return { code, output: child.output() };
}
