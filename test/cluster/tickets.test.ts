/** Sessions of DNS over TLS: begun at one node, resumed at another. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram, whyNotPrograms } from '../peers/transcript.ts';
import { certificate, ecKey, pemOfKey } from '../support/certificate.ts';
import { freePort } from '../support/ports.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';
import { startCluster } from './rig.ts';

const PATIENCE_MS = 10_000;

/** Connects once; whether the session was resumed, and the ticket that came. */
async function dial(
  port: number,
  maxVersion: 'TLSv1.2' | 'TLSv1.3',
  session?: Buffer,
): Promise<{ isResumed: boolean; ticket: Buffer }> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, maxVersion, session });
  let ticket: Buffer | undefined;
  socket.on('session', (one: Buffer) => {
    ticket = one;
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

test('a session goes on at whichever node its client comes to next', async () => {
  const folder = temporaryFolder('tickets');
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const key = ecKey();
  const pair = {
    WAYPOST_DNS_TLS_CERTIFICATE: file('dns.pem', certificate({ name: 'dns.test', key, dnsNames: ['dns.test'] })),
    WAYPOST_DNS_TLS_KEY: file('dns.key', pemOfKey(key)),
  };
  const ports = { a: await freePort(), b: await freePort() };
  const { close } = await startCluster(2, (name) => ({
    ...pair,
    WAYPOST_DNS_TLS_LISTEN: `127.0.0.1:${ports[name as 'a' | 'b']}`,
  }));
  try {
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
  } finally {
    await close();
    removeFolder(folder);
  }
});

const why = whyNotPrograms('etcd', 'openssl');
if (why === null) test.run();
else console.log(`skipped: sessions at several nodes, ${why}`);
