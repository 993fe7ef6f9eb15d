/** The live tail of a node has the requests that all nodes serve, also of nodes that come back. */
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort } from '../../support/ports.ts';
import { whyNotPrograms } from '../peers/transcript.ts';
import { startCluster } from './rig.ts';

const HOST = 'www.tailed.test';
const PATIENCE_MS = 60_000;

async function visit(port: number, path: string): Promise<void> {
  const request = get({ host: '127.0.0.1', port, path, headers: { host: HOST }, agent: false });
  const [response]: IncomingMessage[] = await once(request, 'response');
  response.resume();
  await once(response, 'end');
}

test('a stream at one node has the requests of both', async () => {
  const origin = createServer((_, response) => response.end('hello'));
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
  const ports = { a: await freePort(), b: await freePort() };
  const rig = await startCluster(2, (name) => ({
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${ports[name as 'a' | 'b']}`,
    WAYPOST_EDGE_WORKERS: '1',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
  }));
  try {
    const [a, b] = rig.nodes;
    const id = await a.api.createDomain('tailed.test');
    await a.api.createRecord(id, 'www', 'A', '192.0.2.1');
    const proxy = { origin: '127.0.0.1', port: (origin.address() as AddressInfo).port, protocol: 'http' };
    await a.api.call('PUT', `/api/v1/domains/${id}/proxy`, proxy);
    await a.api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
    let text = '';
    const headers = { authorization: `Bearer ${a.api.token}` };
    const path = `/api/v1/domains/${id}/requests/tail`;
    const stream = get({ host: '127.0.0.1', port: a.adminPort, path, headers, agent: false });
    const [response]: IncomingMessage[] = await once(stream, 'response');
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
    });
    response.on('error', () => {});
    /** Visits a node until the stream shows it: connections between nodes take a moment. */
    const untilSeen = async (node: 'a' | 'b', round: number): Promise<void> => {
      const expected = new RegExp(`data: \\{"node":"${node}".*"path":"/${node}${round}"`);
      for (const deadline = Date.now() + PATIENCE_MS; !expected.test(text); await sleep(100)) {
        await visit(ports[node], `/${node}${round}?secret`);
        assert.ok(Date.now() < deadline, `no request of ${node}: ${text}`);
      }
    };
    await untilSeen('a', 1);
    await untilSeen('b', 1);
    await b.stop();
    await untilSeen('a', 2);
    await b.start();
    await untilSeen('b', 2);
    assert.not.match(text, /secret/);
    stream.destroy();
  } finally {
    await rig.close();
    origin.closeAllConnections();
    origin.close();
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: live requests in a cluster, ${why}`);
