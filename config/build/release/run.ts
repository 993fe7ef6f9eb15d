/** Programs that build a release. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const OUTPUT_BYTES = 64 << 20;

/** Runs a program; its output. Throws an Error that says which one failed, and what it printed. */
export function run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): string {
  try {
    return execFileSync(program, args, {
      cwd,
      encoding: 'utf8',
      maxBuffer: OUTPUT_BYTES,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, LC_ALL: 'C.UTF-8', TZ: 'UTC', ...env },
    });
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new Error(`${program} ${args.join(' ')}: ${stderr.trim() || message}`);
  }
}

/** The programs that this folder runs, and the Debian packages that have them. */
const PACKAGES: Readonly<Record<string, string>> = {
  git: 'git',
  tar: 'tar',
  gzip: 'gzip',
  xz: 'xz-utils',
  'dpkg-deb': 'dpkg',
  strip: 'binutils',
  'aarch64-linux-gnu-strip': 'binutils-aarch64-linux-gnu',
  'ssh-keygen': 'openssh-client',
};

/** The Debian packages that a release needs and this machine lacks. */
export function missingPackages(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const isThere = (program: string): boolean => folders.some((folder) => existsSync(join(folder, program)));
  return Object.entries(PACKAGES).flatMap(([program, name]) => (isThere(program) ? [] : [name]));
}
