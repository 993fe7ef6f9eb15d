/** Runs the installed zone checkers of other nameservers. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import type { ZoneFile } from './files.ts';

/** Milliseconds after which a checker is stopped. */
const DEADLINE = 60_000;
const MAX_OUTPUT = 16 << 20;

interface Checker {
  readonly program: string;
  readonly args: (zone: string, file: string) => string[];
}

const CHECKERS: readonly Checker[] = [
  { program: 'kzonecheck', args: (zone, file) => ['-o', zone, file] },
  { program: 'nsd-checkzone', args: (zone, file) => [zone, file] },
  // Without queries for names outside of the zone.
  { program: 'named-checkzone', args: (zone, file) => ['-i', 'local', zone, file] },
];

export interface Verdict {
  /** Name of the program. */
  readonly program: string;
  readonly loads: boolean;
  /** Its output. */
  readonly lines: readonly string[];
}

interface InstalledChecker {
  readonly program: string;
  check(file: ZoneFile): Promise<Verdict>;
}

/** The checkers of Knot DNS, NSD and BIND that are installed. */
export function findCheckers(path = process.env.PATH ?? ''): InstalledChecker[] {
  const folders = [...path.split(delimiter), '/usr/sbin', '/usr/local/sbin'].filter((folder) => folder !== '');
  return CHECKERS.flatMap(({ program, args }) => {
    const found = folders.map((folder) => join(folder, program)).find((file) => existsSync(file));
    if (found === undefined) return [];
    return [{ program, check: ({ file, zone }) => run(found, args(zone, resolve(file)), dirname(resolve(file))) }];
  });
}

/** `cwd`: folder of the zone file, for relative includes. */
function run(program: string, args: readonly string[], cwd: string): Promise<Verdict> {
  return new Promise((done) => {
    execFile(program, args, { cwd, timeout: DEADLINE, maxBuffer: MAX_OUTPUT }, (error, stdout, stderr) => {
      const lines = `${stdout}${stderr}`.split('\n').filter((line) => line.trim() !== '');
      if (error !== null && typeof error.code !== 'number') lines.push(error.message);
      done({ program: basename(program), loads: error === null, lines });
    });
  });
}
