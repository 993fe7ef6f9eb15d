/**
 * TLS in a cluster: sessions of DNS over TLS begun at one node are resumed at another, and a
 * directory is asked to look for a challenge only when every node that is there answers it.
 */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { freePort } from '../../support/ports.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { acmeSettings, type Directory, startDirectory } from '../peers/pebble.ts';
import { type ClusterRig, startCluster } from './rig.ts';

/** Connects once; whether the session was resumed, and the ticket that came. */
async function dial(
  port: number,
  maxVersion: 'TLSv1.2' | 'TLSv1.3',
  session?: Buffer,
): Promise<{ isResumed: boolean; ticket: Buffer }> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, maxVersion, session });
  let ticket: Buffer | undefined;
  socket.on('session', (bytes: Buffer) => {
    ticket = bytes;
  });
  // TLS 1.3 gives its tickets behind the handshake, to who reads.
  socket.resume();
  await once(socket, 'secureConnect');
  // A resumed session of TLS 1.2 keeps its ticket unless it is given another.
  if (maxVersion === 'TLSv1.2') ticket ??= socket.getSession();
  for (const deadline = Date.now() + PATIENCE_MS; ticket === undefined; await sleep(5))
    assert.ok(Date.now() < deadline, 'no ticket came');
  const isResumed = socket.isSessionReused();
  socket.destroy();
  return { isResumed, ticket };
}

type Ports = Readonly<Record<string, number>>;

interface Context {
  folder: string;
  cluster: ClusterRig;
  /** It looks for challenges at b. */
  directory: Directory;
  /** Of DNS over TLS, by node. */
  ports: Ports;
}

const test = suite<Context>('TLS in a cluster');

test.before(async (context) => {
  const folder = temporaryFolder('tls');
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const key = ecKey();
  const pair = {
    WAYPOST_DNS_TLS_CERTIFICATE: file('dns.pem', certificate({ name: 'dns.test', key, dnsNames: ['dns.test'] })),
    WAYPOST_DNS_TLS_KEY: file('dns.key', pemOfKey(key)),
  };
  const ports: Ports = { a: await freePort(), b: await freePort() };
  const dns: Ports = { a: await freePort(), b: await freePort() };
  const directory = await startDirectory(dns.b);
  Object.assign(context, { folder, ports, directory });
  context.cluster = await startCluster(2, (name) => ({
    ...pair,
    WAYPOST_DNS_TLS_LISTEN: `127.0.0.1:${ports[name]}`,
    WAYPOST_DNS_LISTEN: `127.0.0.1:${dns[name]}`,
    WAYPOST_PEER_DEADLINE: '100',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
    ...acmeSettings(directory, dns.a),
  }));
});
test.after(async ({ folder, directory, cluster }) => {
  await cluster?.close();
  await directory?.stop();
  removeFolder(folder);
});

test('a session is resumed at any node', async ({ folder, ports }) => {
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const first = await dial(ports.a, version);
    assert.not(first.isResumed);
    const second = await dial(ports.b, version, first.ticket);
    assert.ok(second.isResumed, `${version}: a's ticket at b`);
    assert.ok((await dial(ports.a, version, second.ticket)).isResumed, `${version}: b's ticket at a`);
  }
  // As a program that is not Node sees it.
  const kept = join(folder, 'session');
  const ask = (port: number, ...more: string[]): Promise<{ output: string }> =>
    runProgram('openssl', ['s_client', '-tls1_2', '-connect', `127.0.0.1:${port}`, ...more]);
  assert.match((await ask(ports.a, '-sess_out', kept)).output, /^New, TLSv1\.2/m);
  assert.match((await ask(ports.b, '-sess_in', kept)).output, /^Reused, TLSv1\.2/m);
});

test('a node that is behind delays the challenge, past the deadline of writes, until it has caught up', async ({
  cluster,
  directory,
}) => {
  const [a, b] = cluster.nodes;
  try {
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
    const printed = async (what: RegExp): Promise<void> => {
      for (const deadline = Date.now() + PATIENCE_MS; !what.test(directory.output()); await sleep(20))
        assert.ok(Date.now() < deadline, `${what}\n${directory.output()}\n${a.child.output()}`);
    };
    await printed(/POST \/authZ\//);
    // Ten deadlines, and well within the lease by which it counts as there.
    await sleep(1000);
    assert.not.match(directory.output(), /POST \/chalZ\//);
    process.kill(b.child.pid, 'SIGCONT');
    await printed(/POST \/chalZ\//);
    for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(50)) {
      const { body } = await b.api.call('GET', `/api/v1/domains/${id}/proxy`);
      const { ssl_status: status, ssl_error: why } = body.proxy as Record<string, string>;
      if (status === 'active') break;
      assert.ok(Date.now() < deadline && why === null, `${status} ${why}\n${a.child.output()}`);
    }
  } finally {
    process.kill(b.child.pid, 'SIGCONT');
  }
});

const why = whyNotPrograms('etcd', 'openssl', 'pebble');
if (why === null) test.run();
else console.log(`skipped: TLS in a cluster, ${why}`);
