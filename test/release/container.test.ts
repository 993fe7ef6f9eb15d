/**
 * The image of config/container/Containerfile, built by buildah from the artefacts of a release and
 * started by podman: without root, with a root file system that cannot be written. Then the four
 * nodes and three members of etcd of config/container/compose.yaml.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Composition } from './compose.ts';
import { CONTAINER, Engine, whyNoContainers } from './image.ts';
import { whyNoYaml } from './yaml.ts';

const IMAGE = 'waypost:0.3.0';
const ETCD_IMAGE = 'waypost-etcd:0.3.0';
const API = 'http://127.0.0.1:8300/api/v1';
const JSON_BODY = ['-H', 'content-type: application/json'];

const engine = new Engine();
test.after(() => engine.close());

/** The way that docs/containers.md shows, less what this machine may lack. */
function start(name: string): void {
  const limits = ['--ulimit', 'nofile=20000:20000', '--ulimit', 'nproc=10000:10000'];
  const locks = ['--read-only', '--tmpfs', '/tmp', '--cap-drop=all', '--cap-add=NET_BIND_SERVICE'];
  const rest = ['--security-opt', 'no-new-privileges', '--network=none', '--volume', 'waypost-data:/data'];
  // Without systemd nothing runs the checks of health from time to time.
  engine.podman('run', '--detach', '--name', name, '--health-interval=disable', ...limits, ...locks, ...rest, IMAGE);
}

const untilHealthy = (name: string): Promise<string> => engine.untilRuns(name, 'healthcheck', 'run', name);

/** The password of `admin`, if the first start of this container has set it. */
const passwordIn = (log: string): string | undefined => /has the password\s+(\S+)/.exec(log)?.[1];

/** Runs curl in a container. */
const curl = (name: string, ...args: readonly string[]): string => engine.podman('exec', name, 'curl', '-s', ...args);

function tokenOf(name: string, password: string): string {
  const body = JSON.stringify({ login: 'admin', password, name: 'test' });
  return (JSON.parse(curl(name, `${API}/auth/token`, ...JSON_BODY, '-d', body)) as { token: string }).token;
}

function addDomain(name: string, token: string, domain: string): string {
  const header = ['-H', `authorization: Bearer ${token}`];
  return curl(name, `${API}/domains`, ...JSON_BODY, ...header, '-d', JSON.stringify({ domain }));
}

const dig = (name: string, domain: string): string =>
  engine.podman('exec', name, 'dig', '@127.0.0.1', domain, 'SOA', '+time=2', '+tries=1');

const exitCode = (name: string): string => engine.podman('inspect', name, '--format', '{{.State.ExitCode}}');

const why = whyNoContainers() ?? whyNoYaml();
if (why !== null) {
  console.log(`skipped: ${why}`);
  test.skip('the image', () => {});
} else {
  test('built, healthy, read-only, without root; stopped in order; the data goes on', async () => {
    engine.addBase();
    engine.buildWaypost(IMAGE);
    start('first');
    await untilHealthy('first');
    assert.match(dig('first', 'example.com'), 'status: REFUSED');
    assert.is(engine.podman('exec', 'first', 'id', '-u'), '65532');
    assert.throws(() => engine.podman('exec', 'first', 'touch', '/usr/lib/waypost/changed'));
    const password = passwordIn(engine.podman('logs', 'first')) as string;
    addDomain('first', tokenOf('first', password), 'example.com');
    engine.podman('stop', '--time', '60', 'first');
    assert.is(exitCode('first'), '0');
    // Another container on the same volume.
    start('second');
    await untilHealthy('second');
    assert.match(dig('second', 'example.com'), 'status: NOERROR');
    engine.podman('stop', '--time', '60', 'second');
  });

  test('compose.yaml: four nodes and etcd over TLS, which outlive a member and a second start', async () => {
    engine.build('etcd.Containerfile', ETCD_IMAGE, CONTAINER);
    const composition = new Composition(readFileSync(join(CONTAINER, 'compose.yaml'), 'utf8'), engine);
    const { nodes } = composition;
    try {
      await composition.up();
      assert.equal(nodes, ['node-1', 'node-2', 'node-3', 'node-4']);
      const password = nodes.map((name) => passwordIn(engine.podman('logs', name))).find((text) => text !== undefined);
      const token = tokenOf('node-1', password as string);
      addDomain('node-1', token, 'example.com');
      for (const name of nodes) assert.match(dig(name, 'example.com'), 'status: NOERROR', name);
      // etcd accepts no client without a certificate of the cluster.
      assert.throws(() => curl('node-1', '--insecure', 'https://etcd-1:2379/health'));
      engine.podman('stop', '--time', '30', 'etcd-2');
      addDomain('node-4', token, 'example.org');
      for (const name of nodes) assert.match(dig(name, 'example.org'), 'status: NOERROR', name);
      engine.podman('start', 'etcd-2');
      await composition.untilHealthy('etcd-2');
      // "up" runs these once more, while the nodes run.
      for (const name of ['setup', 'log']) {
        engine.podman('rm', name);
        await composition.start(name);
      }
      const status = JSON.parse(engine.podman('exec', 'node-3', 'waypost', 'cluster', 'status', '--json'));
      assert.is(status.ok, true);
      assert.is(status.nodes.length, 4);
      for (const name of [...nodes, 'etcd-1', 'etcd-2', 'etcd-3']) {
        engine.podman('stop', '--time', '60', name);
        assert.is(exitCode(name), '0', name);
      }
    } finally {
      composition.close();
    }
  });
}

test.run();
