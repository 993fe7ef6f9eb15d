/** Reads files of the kernel, and runs read-only programs of the system. */
import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { NotChecked } from './not-checked.ts';

/** Timeout of a program, in milliseconds. */
const PROGRAM_MS = 5000;
const MAX_OUTPUT = 8 << 20;

/** The trimmed text of a file; null if the file is unreadable. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

/** Throws NotChecked if this user lacks permission. */
export function pathExists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw new NotChecked(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`, 'sudo waypost doctor');
  }
}

/** The number in a file; null: no file, or no number. */
export function readNumber(path: string): number | null {
  const text = readText(path);
  return text !== null && /^-?\d+$/.test(text) ? Number(text) : null;
}

interface ProgramResult {
  readonly code: number;
  readonly output: string;
}

/** Null: the program is not installed, or timed out. */
export function runProgram(program: string, args: readonly string[]): Promise<ProgramResult | null> {
  const options = { timeout: PROGRAM_MS, maxBuffer: MAX_OUTPUT, env: { ...process.env, LC_ALL: 'C' } };
  return new Promise((resolve) => {
    execFile(program, [...args], options, (error, output) => {
      if (error === null) resolve({ code: 0, output });
      else resolve(typeof error.code === 'number' ? { code: error.code, output } : null);
    });
  });
}

/** The properties that `systemctl show` prints; null: the unit is not loaded. */
export async function showUnit(unit: string, properties: readonly string[]): Promise<Map<string, string> | null> {
  const result = await runProgram('systemctl', ['show', unit, '--property', ['LoadState', ...properties].join()]);
  if (result === null || result.code !== 0) return null;
  const lines = result.output.split('\n').filter((line) => line.includes('='));
  const shown = new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  return shown.get('LoadState') === 'loaded' ? shown : null;
}

/** A size for people, such as "1.5 GB". */
export function size(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** Commands that change a kernel setting now and at each boot. */
export const sysctl = (name: string, value: string | number): string =>
  `sudo sysctl -w ${name}='${value}' && echo '${name} = ${value}' | sudo tee -a /etc/sysctl.d/60-waypost.conf`;

/** Quotes an argument of a shell command. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
