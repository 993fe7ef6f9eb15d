/** Images of config/container, built by buildah and started by podman in storage of their own. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanRoot, whyNoMachine } from './machine.ts';
import { whyNotOptional } from './optional.ts';

const ROOT = join(import.meta.dirname, '../../..');
export const CONTAINER = join(ROOT, 'config/container');
const BASE = 'debian:bookworm-slim';
const READY_MS = 120_000;
/** Of a command: to install packages and to build takes many minutes on a busy machine. */
const COMMAND_MS = 30 * 60_000;

/** Null: containers can be built and started here. */
export function whyNoContainers(): string | null {
  return whyNotOptional('buildah', 'podman', 'runc') ?? whyNoMachine();
}

/** The output. Throws an Error that has the standard error. */
export function run(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: COMMAND_MS,
  }).trim();
}

export class Engine {
  readonly #work = mkdtempSync(join(tmpdir(), 'waypost-container-'));
  readonly #storage = [
    ...['--root', join(this.#work, 'storage'), '--runroot', join(this.#work, 'run')],
    ...['--storage-driver', 'vfs'],
  ];
  readonly #options = ['--cgroup-manager', 'cgroupfs', '--events-backend', 'file', '--runtime', '/usr/sbin/runc'];

  /** The base comes from the configured Debian mirror, since no registry is asked. */
  addBase(): void {
    const base = this.#buildah('from', 'scratch');
    this.#buildah('add', '--quiet', base, cleanRoot(), '/');
    this.#buildah('commit', '--quiet', base, BASE);
  }

  /** The image of the service, from the artefacts of a release. */
  buildWaypost(image: string): void {
    const artefacts = join(this.#work, 'release');
    mkdirSync(artefacts);
    run(process.execPath, join(ROOT, 'dist/config/build/release.js'), '--out', artefacts);
    this.build('Containerfile', image, artefacts);
  }

  /** `context`: a folder, which is copied. */
  build(file: string, image: string, context: string): void {
    const copy = join(this.#work, `context-${file}`);
    cpSync(context, copy, { recursive: true });
    const options = ['--isolation', 'chroot', '--format', 'docker', '--pull-never', '--quiet'];
    this.#buildah('bud', ...options, '--file', join(CONTAINER, file), '--tag', image, copy);
  }

  #buildah(command: string, ...args: readonly string[]): string {
    return run('buildah', ...this.#storage, command, ...args);
  }

  podman(...args: readonly string[]): string {
    return run('podman', ...this.#storage, ...this.#options, ...args);
  }

  /** Resolves when a command ends well in a container. Rejects with the log of the container. */
  async untilRuns(name: string, ...command: readonly string[]): Promise<string> {
    for (const deadline = Date.now() + READY_MS; ; await sleep(200))
      try {
        return this.podman(...command);
      } catch (error) {
        if (Date.now() > deadline) throw new Error(`${(error as Error).message}\n${this.podman('logs', name)}`);
      }
  }

  close(): void {
    this.podman('rm', '--force', '--all');
    rmSync(this.#work, { recursive: true, force: true });
  }
}
