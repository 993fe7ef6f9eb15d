/** Programs that build a release. */
import { execFileSync } from 'node:child_process';

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
    const { code, stderr = '', message } = error as NodeJS.ErrnoException & { stderr?: string };
    if (code === 'ENOENT') throw new Error(`${program} is not installed; a release needs ${PACKAGES.join(', ')}.`);
    throw new Error(`${program} ${args.join(' ')}: ${stderr.trim() || message}`);
  }
}

/** Debian packages with the programs that this folder runs. */
const PACKAGES = [
  'git',
  'tar',
  'gzip',
  'xz-utils',
  'dpkg-dev',
  'binutils',
  'binutils-aarch64-linux-gnu',
  'openssh-client',
];
