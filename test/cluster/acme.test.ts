/** Certificates in a cluster: a directory is told to look for a challenge only when every node that is there answers it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startDirectory } from '../peers/pebble.ts';
import { whyNotPrograms } from '../peers/transcript.ts';
import { freePort } from '../support/ports.ts';
import { startCluster } from './rig.ts';

const READY_MS = 30_000;

test('a node that is behind holds the challenge up, past the deadline of writes, until it has caught up', async () => {
  const ports = { a: await freePort(), b: await freePort() };
  // It looks at the one that will be behind.
  const directory = await startDirectory(ports.b);
  const { nodes, close } = await startCluster(2, (name) => ({
    WAYPOST_DNS_LISTEN: `127.0.0.1:${ports[name as 'a' | 'b']}`,
    WAYPOST_PEER_DEADLINE: '100',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
    WAYPOST_ACME_DIRECTORY: directory.url,
    WAYPOST_ACME_AGREE_TOS: 'true',
    WAYPOST_ACME_CA_FILE: directory.authority,
    WAYPOST_ACME_RESOLVERS: `127.0.0.1:${ports.a}`,
  }));
  try {
    const [a, b] = nodes;
    const id = await a.api.createDomain('waits.test');
    const write = async (
      method: string,
      path: string,
      body: Record<string, string | number | boolean>,
    ): Promise<void> => {
      const { status } = await a.api.call(method, `/api/v1/domains/${id}${path}`, body);
      assert.is(status, 200, path);
    };
    await write('POST', '/records', { name: '@', type: 'A', content: '192.0.2.1', ttl: 300 });
    await write('PUT', '/proxy', { origin: '127.0.0.1', port: 9, protocol: 'http' });
    process.kill(b.child.pid, 'SIGSTOP');
    await write('POST', '/proxy/toggle', { enable: true });
    const said = async (what: RegExp): Promise<void> => {
      for (const deadline = Date.now() + READY_MS; !what.test(directory.output()); await sleep(20))
        assert.ok(Date.now() < deadline, `${what}\n${directory.output()}\n${a.child.output()}`);
    };
    await said(/POST \/authZ\//);
    // Ten deadlines, and well within the lease by which it counts as there.
    await sleep(1000);
    assert.not.match(directory.output(), /POST \/chalZ\//);
    process.kill(b.child.pid, 'SIGCONT');
    await said(/POST \/chalZ\//);
    for (const deadline = Date.now() + READY_MS; ; await sleep(50)) {
      const { body } = await b.api.call('GET', `/api/v1/domains/${id}/proxy`);
      const { ssl_status: status, ssl_error: why } = body.proxy as Record<string, string>;
      if (status === 'active') break;
      assert.ok(Date.now() < deadline && why === null, `${status} ${why}\n${a.child.output()}`);
    }
  } finally {
    for (const { child } of nodes) process.kill(child.pid, 'SIGCONT');
    await close();
    await directory.stop();
  }
});

const why = whyNotPrograms('etcd', 'pebble');
if (why === null) test.run();
else console.log(`skipped: certificates in a cluster, ${why}`);
