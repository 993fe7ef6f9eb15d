/**
 * `node dist/bench/attacks/health-checks.js [--main FILE] [--seconds N]`: 256 origins of one
 * customer that accept connections and send nothing, each checked every 60 seconds with a timeout
 * of 60, and the pool of another customer, which is checked every 2 seconds: the times between its
 * checks.
 */
import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../test/support/api-client.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../test/support/daemon.ts';
import { freePort } from '../../test/support/ports.ts';
import { customerOf } from './customers.ts';
import { attackOptions, type Probed, printRow, processFigures } from './stage.ts';

const SITES = 8;
const ORIGINS = 32;
const INTERVAL = 2;
const { main, seconds } = attackOptions('health-checks', 'Silent origins of one customer, checks of another.', 60);

const silent = createTcp((socket) => void socket.on('error', () => {}).resume());
silent.listen(0, '0.0.0.0');
let checkedAt = performance.now();
let gaps: number[] = [];
const healthy = createHttp((_request, response) => {
  const now = performance.now();
  gaps.push(now - checkedAt);
  checkedAt = now;
  response.end('ok');
});
healthy.listen(0, '127.0.0.1');
await Promise.all([once(silent, 'listening'), once(healthy, 'listening')]);
const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

/** The time since the last check counts, too. */
async function watch(): Promise<Probed> {
  gaps = [];
  checkedAt = performance.now();
  await sleep(seconds * 1000);
  return { times: [...gaps, performance.now() - checkedAt], sent: Math.ceil(seconds / INTERVAL) };
}

const daemon = await startDaemon(
  {
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${await freePort()}`,
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
  },
  { main },
);

async function createSite(client: ApiClient, name: string, hosts: string[], port: number, timeout = 1): Promise<void> {
  const id = await client.createDomain(name);
  await client.createRecord(id, '@', 'A', '192.0.2.7');
  await client.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
  const pool = hosts.map((origin) => ({ origin, port, protocol: 'http' }));
  const health = { interval: Math.max(INTERVAL, timeout), timeout };
  await client.call('PUT', `/api/v1/domains/${id}/proxy/origins`, { origins: [{ pool, health }] });
}

try {
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const [attacker, tenant] = await Promise.all(['attacker', 'tenant'].map((name) => customerOf(daemon, name)));
  await createSite(tenant, 'tenant.test', ['127.0.0.1'], portOf(healthy));
  const without = await watch();
  for (let site = 0; site < SITES; site++) {
    const hosts = Array.from({ length: ORIGINS }, (_, i) => `127.0.${site + 1}.${i + 1}`);
    await createSite(attacker, `silent${site}.test`, hosts, portOf(silent), 60);
  }
  const attacked = await watch();
  const { megabytes, descriptors } = processFigures(daemon.child.pid);
  printRow(`checks every ${INTERVAL} s, time from one to the next`, without, attacked, [
    `longest ${Math.round(Math.max(...attacked.times))} ms`,
    `${megabytes} MB`,
    `${descriptors} descriptors`,
  ]);
} finally {
  await daemon.close();
}
process.exit();
