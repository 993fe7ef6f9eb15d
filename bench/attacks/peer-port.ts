/**
 * 19,500 silent TCP connections to the peer port of a node, from one address without a certificate;
 * the visitors of that node, and how the other node reaches it. What the node closes is opened
 * again.
 */
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { freePort } from '../../test/support/ports.ts';
import { until } from '../../test/support/until.ts';
import { startCluster } from '../../test/system/cluster/rig.ts';
import { attackOptions, printRow, probeFor, processFigures } from './stage.ts';

const CONNECTIONS = 19_500;
/** Connections that are opened each 10 ms. */
const BURST = 100;
const SITE = 'site.test';

/** Opens connections until the thread is ended. */
async function attack(port: number, localAddress: string): Promise<never> {
  const open = new Set<Socket>();
  for (let opened = 0; ; ) {
    for (let i = 0; i < BURST && open.size < CONNECTIONS; i++) {
      const socket = connect({ host: '127.0.0.1', port, localAddress });
      open.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => open.delete(socket));
      opened++;
    }
    parentPort?.postMessage({ open: open.size, opened });
    await sleep(10);
  }
}

if (!isMainThread) await attack(workerData.port, workerData.localAddress);

const { main, seconds } = attackOptions('peer-port', 'Silent connections to the peer port, visitors of the edge.', 40);
const origin = createServer((_, response) => response.setHeader('cache-control', 'max-age=600').end('hello'));
origin.listen(0, '127.0.0.1');
await once(origin, 'listening');
const [http, peer] = [await freePort(), await freePort()];
const cluster = await startCluster(
  2,
  (name): Record<string, string> =>
    name === 'a'
      ? {
          WAYPOST_PEER_LISTEN: `127.0.0.1:${peer}`,
          WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${http}`,
          WAYPOST_EDGE_WORKERS: '1',
          WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
          WAYPOST_PROTECTION_DESCRIPTORS: '20000',
        }
      : {},
  [],
  { main },
);
const visit = async (): Promise<void> => {
  const outgoing = get({ host: '127.0.0.1', port: http, headers: { host: SITE }, agent: false });
  const [response] = await once(outgoing, 'response');
  await once(response.resume(), 'end');
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
};
let worker: Worker | undefined;
try {
  const [a, b] = cluster.nodes;
  const id = await a.api.createDomain(SITE);
  await a.api.createRecord(id, '@', 'A', '192.0.2.7');
  const { port } = origin.address() as { port: number };
  await a.api.call('PUT', `/api/v1/domains/${id}/proxy`, { origin: '127.0.0.1', port, protocol: 'http' });
  await a.api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
  await until(
    () =>
      visit().then(
        () => true,
        () => false,
      ),
    'that the site is served',
  );
  /** Whether the other node reaches the attacked one by a new connection. */
  const isReached = async (): Promise<boolean> => {
    const { body } = await b.api.call('GET', '/api/v1/nodes');
    const nodes = body.nodes as { name: string; state: string }[];
    return nodes.find(({ name }) => name === 'a')?.state !== 'unreachable';
  };
  const without = await probeFor(seconds, visit);
  let connections = { open: 0, opened: 0 };
  worker = new Worker(new URL(import.meta.url), { workerData: { port: peer, localAddress: '127.0.0.2' } });
  worker.on('message', (counts) => {
    connections = counts;
  });
  const attacked = probeFor(seconds, visit);
  let [most, descriptors, reached, looks] = [0, 0, 0, 0];
  for (let second = 0; second < seconds; second++) {
    await sleep(1000);
    const figures = processFigures(a.child.pid);
    most = Math.max(most, figures.megabytes);
    descriptors = Math.max(descriptors, figures.descriptors);
    looks++;
    if (await isReached().catch(() => false)) reached++;
  }
  printRow(main ?? 'this revision', without, await attacked, [
    `${connections.open} open, ${connections.opened} opened`,
    `reached ${reached} of ${looks} times`,
    `${most} MB, ${descriptors} descriptors`,
  ]);
} finally {
  await worker?.terminate();
  await cluster.close();
  origin.close();
}
