/**
 * A clean Debian 12 in a folder, booted with systemd in a container (systemd-nspawn) that has a
 * loopback interface of its own and no other. Needs root, mmdebstrap and systemd-container.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from '../support/child.ts';
import { whyNotOptional, without } from './optional.ts';

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/debian');
const PACKAGES = [
  'systemd',
  'systemd-sysv',
  'init-system-helpers',
  'adduser',
  'debconf',
  'ca-certificates',
  'bind9-dnsutils',
  'iproute2',
  'curl',
  'procps',
];
const RELEASE = 'bookworm';
const BOOT_MS = 60_000;
const COMMAND_MS = 300_000;
const OUTPUT_BYTES = 16 << 20;
/** systemd-nspawn keeps mounts in /run, which must be a file system of its own. */
const BOOT =
  'mount -t tmpfs tmpfs /run && mkdir /run/systemd && exec systemd-nspawn --quiet --register=no --keep-unit --private-network --boot --directory';

/** Null: tests may boot a machine here. Else why not. */
export function whyNoMachine(): string | null {
  if (process.getuid?.() !== 0) return without('root');
  return whyNotOptional('mmdebstrap', 'systemd-nspawn', 'dpkg-deb', 'strip');
}

export interface Result {
  readonly code: number;
  readonly output: string;
}

/** Path of an archive with the clean root, which is made once. */
export function cleanRoot(): string {
  const archive = join(CACHE, `${RELEASE}.tar`);
  if (existsSync(archive)) return archive;
  mkdirSync(CACHE, { recursive: true });
  const args = ['--variant=minbase', '--quiet', `--include=${PACKAGES.join(',')}`, RELEASE, archive];
  execFileSync('mmdebstrap', args, { stdio: 'pipe', timeout: COMMAND_MS });
  return archive;
}

export class Machine {
  readonly #folder = mkdtempSync(join(tmpdir(), 'waypost-machine-'));
  #child: Child | null = null;
  #leader = 0;

  /** A new one, booted. */
  static async boot(): Promise<Machine> {
    const machine = new Machine();
    try {
      execFileSync('tar', ['--extract', '--directory', machine.#folder, '--file', cleanRoot()], { stdio: 'pipe' });
      await machine.#boot();
    } catch (error) {
      await machine.remove();
      throw error;
    }
    return machine;
  }

  async #boot(): Promise<void> {
    const child = startChild('unshare', ['--mount', 'sh', '-c', `${BOOT} "$1"`, 'sh', this.#folder]);
    this.#child = child;
    for (const deadline = Date.now() + BOOT_MS; ; await sleep(100)) {
      // unshare and the shell become systemd-nspawn, whose child is the first process.
      const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(/\s+/);
      this.#leader = Number(children.at(-1));
      if (this.#leader > 0 && /^(?:running|degraded)$/m.test(this.run('systemctl', 'is-system-running').output)) break;
      if (child.exited() || Date.now() > deadline) throw new Error(`it does not boot:\n${child.output()}`);
    }
    this.run('ip', 'link', 'set', 'lo', 'up');
  }

  /** Copies files into /root. */
  copy(...files: readonly string[]): void {
    for (const file of files) cpSync(file, join(this.#folder, 'root', basename(file)));
  }

  /** Runs a command in it; whatever it ends with. */
  run(...command: readonly string[]): Result {
    const inside = ['--target', String(this.#leader), '--mount', '--uts', '--ipc', '--net', '--pid'];
    const env = ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'LC_ALL=C.UTF-8', 'DEBIAN_FRONTEND=noninteractive'];
    try {
      const options = { encoding: 'utf8', timeout: COMMAND_MS, maxBuffer: OUTPUT_BYTES, stdio: 'pipe' } as const;
      const output = execFileSync(
        'nsenter',
        [...inside, '--', ...env, 'sh', '-c', '"$@" 2>&1', 'sh', ...command],
        options,
      );
      return { code: 0, output };
    } catch (error) {
      const { status, stdout } = error as { status: number | null; stdout: string };
      return { code: status ?? 1, output: stdout };
    }
  }

  /** As `run`, but throws an Error with the output if it fails. */
  do(...command: readonly string[]): string {
    const { code, output } = this.run(...command);
    if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${output}`);
    return output;
  }

  async remove(): Promise<void> {
    await this.#child?.stop('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
