/** Stops and starts that keep answering: drain_delay, and the delay of a start after crashes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startChild } from '../../../support/child.ts';
import { type Daemon, environment, MAIN, startDaemon, USUAL } from '../../../support/daemon.ts';
import { UdpClient } from '../../../support/dns-client.ts';
import { freePort } from '../../../support/ports.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { until } from '../../../support/until.ts';

const test = suite('drain delay');

const readyz = async (port: number) => {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } });
  return { status: response.status, body: await response.text() };
};

/** Requests the edge and DNS on new connections. */
async function areServed(edgePort: number, { dnsPort }: Pick<Daemon, 'dnsPort'>): Promise<boolean> {
  const page = await fetch(`http://127.0.0.1:${edgePort}/`, { headers: { connection: 'close' } });
  await page.arrayBuffer();
  return (await answers(dnsPort)) && page.status > 0;
}

async function answers(port: number): Promise<boolean> {
  const client = await UdpClient.connect(port);
  // A question for the root, which is refused: any response will do.
  const response = await client.query(Uint8Array.from([0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1]), 500, 1);
  client.close();
  return response !== null;
}

test('after SIGTERM everything is served while /readyz says that the node stops', async () => {
  const edgePort = await freePort();
  // Much longer than this test: a second signal ends the wait.
  const daemon = await startDaemon({
    WAYPOST_DRAIN_DELAY: '300',
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${edgePort}`,
    WAYPOST_EDGE_WORKERS: '1',
  });
  try {
    assert.is((await readyz(daemon.adminPort)).status, 200);
    process.kill(daemon.child.pid, 'SIGTERM');
    await until(async () => (await readyz(daemon.adminPort)).status === 503, '/readyz with 503');
    assert.match((await readyz(daemon.adminPort)).body, /the service is stopping/);
    for (let i = 0; i < 5; i++) assert.ok(await areServed(edgePort, daemon));
    process.kill(daemon.child.pid, 'SIGTERM');
    assert.is(await daemon.child.ended(), 0);
  } finally {
    await daemon.close();
  }
});

test('the delay after crashes does not keep DNS from answering, and a signal ends it', async () => {
  const dataDir = join(temporaryFolder('crashes'), 'data');
  mkdirSync(dataDir);
  const starts = Array.from({ length: 8 }, () => ({ at: Date.now(), hasServed: true }));
  writeFileSync(join(dataDir, 'starts.json'), JSON.stringify(starts));
  const [dnsPort, adminPort] = [await freePort(), await freePort()];
  const env = environment({
    ...USUAL,
    WAYPOST_DATA_DIR: dataDir,
    WAYPOST_DNS_LISTEN: `127.0.0.1:${dnsPort}`,
    WAYPOST_ADMIN_LISTEN: `127.0.0.1:${adminPort}`,
    WAYPOST_PROTECTION_START_DELAY: '3600',
  });
  const child = startChild(process.execPath, [MAIN, 'serve'], env);
  await child.waitFor(/previous starts failed; delaying this start/);
  await until(() => answers(dnsPort), 'an answer during the delay');
  assert.not.match(child.output(), /waypost ready/);
  await child.stop('SIGTERM');
});

test.run();
