/** Eight threads of four nodes request an object that no cache has once, also after a purge. */
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Daemon } from '../support/daemon.ts';
import { freePort } from '../support/ports.ts';
import { whyNotPrograms } from '../support/programs.ts';
import { startCluster } from '../system/cluster/rig.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const PATIENCE_MS = 120_000;

interface Visited {
  readonly status: number;
  readonly text: string;
  readonly cacheStatus: string;
}

async function visit(port: number, path: string): Promise<Visited> {
  const request = get({ host: '127.0.0.1', port, path, headers: { host: 'www.shared.test' }, agent: false });
  const [response]: IncomingMessage[] = await once(request, 'response');
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  return { status: response.statusCode ?? 0, text, cacheStatus: String(response.headers['cache-status']) };
}

test('an object is requested from the origin once for four nodes', async () => {
  const ports = new Map(
    await Promise.all(NAMES.map(async (name) => [name, [await freePort(), await freePort()]] as const)),
  );
  const rig = await startCluster(NAMES.length, (name) => ({
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${ports.get(name)?.[0]}`,
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${ports.get(name)?.[1]}`,
    WAYPOST_EDGE_WORKERS: '2',
    WAYPOST_EDGE_CACHE_PEER_TIMEOUT: '60000',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
  }));
  const counts = new Map<string, number>();
  const origin = createServer((request, response) => {
    const path = String(request.url);
    counts.set(path, (counts.get(path) ?? 0) + 1);
    response.setHeader('cache-control', 'max-age=3600').setHeader('cache-tag', 'all');
    setTimeout(() => response.end(`${path} ${counts.get(path)}`), 200);
  });
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
  const portOf = (name: string): number => ports.get(name)?.[0] as number;
  const visitAll = (path: string): Promise<Visited[]> => Promise.all(NAMES.map((name) => visit(portOf(name), path)));
  try {
    const [first] = rig.nodes;
    const id = await first.api.createDomain('shared.test');
    await first.api.createRecord(id, 'www', 'A', '192.0.2.7');
    const { port } = origin.address() as AddressInfo;
    await first.api.call('PUT', `/api/v1/domains/${id}/proxy`, { origin: '127.0.0.1', port, protocol: 'http' });
    await first.api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
    // Each node has heard of the others when none of its misses stays with itself alone.
    for (const end = Date.now() + PATIENCE_MS; ; await sleep(100)) {
      const path = `/warm-${Date.now()}`;
      await visitAll(path);
      if (counts.get(path) === 1) break;
      assert.ok(Date.now() < end, `the origin got ${counts.get(path)} requests`);
    }

    // At the same time, and one after the other.
    for (let i = 0; i < 8; i++) {
      const found = await visitAll(`/together-${i}`);
      assert.equal(
        found.map(({ status, text }) => `${status} ${text}`),
        NAMES.map(() => `200 /together-${i} 1`),
      );
      for (const name of NAMES) await visit(portOf(name), `/apart-${i}`);
      assert.is(counts.get(`/apart-${i}`), 1);
    }

    // After a purge.
    const purges: Record<string, string[]>[] = [{}, { tags: ['all'] }, { urls: ['http://www.shared.test/together-0'] }];
    for (const [i, body] of purges.entries()) {
      const { status } = await first.api.call('POST', `/api/v1/domains/${id}/proxy/purge`, body);
      assert.ok(status < 300, `purge: ${status}`);
      for (const { text } of await visitAll('/together-0')) assert.is(text, `/together-0 ${i + 2}`);
    }

    // Without one of the nodes.
    await (rig.nodes.at(-1) as Daemon).stop();
    for (let i = 0; i < 20; i++)
      for (const name of NAMES.slice(0, -1)) {
        const { status, text } = await visit(portOf(name), `/later-${i}`);
        assert.is(`${status} ${text.split(' ')[0]}`, `200 /later-${i}`);
      }
  } finally {
    await rig.close();
    origin.closeAllConnections();
    origin.close();
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: caches of four nodes, ${why}`);
