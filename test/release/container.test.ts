/**
 * The image of config/container/Containerfile, built by buildah from the artefacts of a release and
 * started by podman: without root, with a root file system that cannot be written.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cleanRoot, whyNoMachine } from './machine.ts';

const ROOT = join(import.meta.dirname, '../../..');
const BASE = 'debian:bookworm-slim';
const IMAGE = 'waypost:test';
const READY_MS = 120_000;

const work = mkdtempSync(join(tmpdir(), 'waypost-container-'));
test.after(() => rmSync(work, { recursive: true, force: true }));

const storage = ['--root', join(work, 'storage'), '--runroot', join(work, 'run'), '--storage-driver', 'vfs'];
const engine = [...storage, '--cgroup-manager', 'cgroupfs', '--events-backend', 'file', '--runtime', '/usr/sbin/runc'];

function run(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 }).trim();
}

const podman = (...args: readonly string[]): string => run('podman', ...engine, ...args);

/** Null: containers can be built and started here. */
function whyNot(): string | null {
  const missing = ['/usr/bin/buildah', '/usr/bin/podman', '/usr/sbin/runc'].filter((path) => !existsSync(path));
  return missing.length > 0 ? `not installed: ${missing.join(', ')}` : whyNoMachine();
}

/** The way that docs/containers.md shows, less what this machine may lack. */
function start(name: string): void {
  const limits = ['--ulimit', 'nofile=20000:20000', '--ulimit', 'nproc=10000:10000'];
  const locks = ['--read-only', '--tmpfs', '/tmp', '--cap-drop=all', '--cap-add=NET_BIND_SERVICE'];
  const rest = ['--security-opt', 'no-new-privileges', '--network=none', '--volume', 'waypost-data:/data'];
  // Without systemd nothing runs the checks of health from time to time.
  podman('run', '--detach', '--name', name, '--health-interval=disable', ...limits, ...locks, ...rest, IMAGE);
}

async function untilHealthy(name: string): Promise<void> {
  for (const deadline = Date.now() + READY_MS; ; await sleep(200))
    try {
      podman('healthcheck', 'run', name);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`${(error as Error).message}\n${podman('logs', name)}`);
    }
}

const why = whyNot();
if (why !== null) {
  console.log(`skipped: ${why}`);
  test.skip('the image', () => {});
} else
  test('built, healthy, read-only, without root; stopped in order; the data goes on', async () => {
    const artefacts = join(work, 'release');
    mkdirSync(artefacts);
    run(process.execPath, join(ROOT, 'dist/release.js'), '--out', artefacts);
    // The base comes from the configured Debian mirror, since no registry is asked.
    const base = run('buildah', ...storage, 'from', 'scratch');
    run('buildah', ...storage, 'add', '--quiet', base, cleanRoot(), '/');
    run('buildah', ...storage, 'commit', '--quiet', base, BASE);
    const context = join(work, 'context');
    cpSync(artefacts, context, { recursive: true });
    const file = join(ROOT, 'config/container/Containerfile');
    const build = ['--isolation', 'chroot', '--format', 'docker', '--pull-never', '--quiet'];
    run('buildah', ...storage, 'bud', ...build, '--file', file, '--tag', IMAGE, context);

    start('first');
    try {
      await untilHealthy('first');
      assert.match(podman('exec', 'first', 'dig', '@127.0.0.1', 'example.com', 'SOA'), 'status: REFUSED');
      assert.is(podman('exec', 'first', 'id', '-u'), '65532');
      assert.throws(() => podman('exec', 'first', 'touch', '/usr/lib/waypost/changed'));
      const password = /has the password\s+(\S+)/.exec(podman('logs', 'first'))![1];
      const body = JSON.stringify({ login: 'admin', password, name: 'test' });
      const json = ['-H', 'content-type: application/json'];
      const api = 'http://127.0.0.1:8300/api/v1';
      const answer = podman('exec', 'first', 'curl', '-s', `${api}/auth/token`, ...json, '-d', body);
      const { token } = JSON.parse(answer) as { token: string };
      const domain = ['-H', `authorization: Bearer ${token}`, '-d', '{"domain":"example.com"}'];
      podman('exec', 'first', 'curl', '-s', `${api}/domains`, ...json, ...domain);
      podman('stop', '--time', '60', 'first');
      assert.is(podman('inspect', 'first', '--format', '{{.State.ExitCode}}'), '0');
      // Another container on the same volume.
      start('second');
      await untilHealthy('second');
      assert.match(podman('exec', 'second', 'dig', '@127.0.0.1', 'example.com', 'SOA'), 'status: NOERROR');
      podman('stop', '--time', '60', 'second');
    } finally {
      podman('rm', '--force', '--all');
    }
  });

test.run();
