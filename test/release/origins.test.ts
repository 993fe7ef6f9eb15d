/**
 * Four nodes and a pool of two origins, one of which refuses connections, answers with 500, hangs
 * and comes back. No request is lost, and all nodes have the same states. How far apart they learn
 * of a state is printed.
 */
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
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

type Behaviour = 'ok' | 'error' | 'hang';

/** A server whose behaviour the test sets; port 0: any. */
async function startOrigin(port: number, behaviour: () => Behaviour): Promise<Server> {
  const server = createServer((_, response) => {
    if (behaviour() === 'hang') return;
    response.statusCode = behaviour() === 'ok' ? 200 : 500;
    response.end('x');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function visit(port: number): Promise<number> {
  const request = get({ host: '127.0.0.1', port, path: '/', headers: { host: 'pool.test' }, agent: false });
  const [response]: IncomingMessage[] = await once(request, 'response');
  response.resume();
  await once(response, 'end');
  return response.statusCode ?? 0;
}

test('four nodes agree on the states of origins, and lose no request', async () => {
  const httpPorts = new Map(await Promise.all(NAMES.map(async (name) => [name, await freePort()] as const)));
  const rig = await startCluster(NAMES.length, (name) => ({
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${httpPorts.get(name)}`,
    WAYPOST_EDGE_WORKERS: '1',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
  }));
  let behaviour: Behaviour = 'ok';
  const steady = await startOrigin(0, () => 'ok');
  let changing = await startOrigin(0, () => behaviour);
  const { port } = changing.address() as AddressInfo;
  const failures: string[] = [];
  const stop = new AbortController();
  try {
    const [first] = rig.nodes;
    const id = await first.api.createDomain('pool.test');
    await first.api.createRecord(id, '@', 'A', '192.0.2.7');
    await first.api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
    const pool = [(steady.address() as AddressInfo).port, port].map((number) => ({
      ...{ origin: '127.0.0.1', port: number, protocol: 'http' },
    }));
    await first.api.call('PUT', `/api/v1/domains/${id}/proxy/origins`, {
      origins: [{ pool, health: { interval: 2, timeout: 1, fall: 1, rise: 1 }, response_timeout: 1 }],
    });
    const stateAt = async ({ api }: Daemon): Promise<string> => {
      const { body } = await api.call('GET', `/api/v1/domains/${id}/proxy/origins/health`);
      const [{ origins }] = body.entries as { origins: { state: string }[] }[];
      return origins.map(({ state }) => state).join();
    };
    /** Milliseconds between the first node with a state and the last. */
    const spread = async (expected: string, nodes: readonly Daemon[]): Promise<number> => {
      const times = await Promise.all(
        nodes.map(async (node) => {
          for (const end = Date.now() + PATIENCE_MS; (await stateAt(node)) !== expected; await sleep(10))
            assert.ok(Date.now() < end, `${expected} on ${node.api.token}`);
          return performance.now();
        }),
      );
      return Math.round(Math.max(...times) - Math.min(...times));
    };
    await spread('up,up', rig.nodes);
    const visitors = NAMES.map(async (name) => {
      for (; !stop.signal.aborted; await sleep(5)) {
        const status = await visit(httpPorts.get(name) as number).catch((error: Error) => error.message);
        if (status !== 200 && !stop.signal.aborted) failures.push(`${name} ${status}`);
      }
    });
    for (const [title, begin] of [
      ['500', () => (behaviour = 'error')],
      ['hangs', () => (behaviour = 'hang')],
      [
        'refuses',
        () => {
          changing.close();
          changing.closeAllConnections();
        },
      ],
    ] as const) {
      begin();
      console.log(`${title}: down on all nodes within ${await spread('up,down', rig.nodes)} ms`);
      behaviour = 'ok';
      if (!changing.listening) changing = await startOrigin(port, () => behaviour);
      console.log(`${title}: up on all nodes within ${await spread('up,up', rig.nodes)} ms`);
    }
    // The node that checks ends; the next one goes on.
    stop.abort();
    await Promise.all(visitors);
    assert.equal(failures, []);
    const others = rig.nodes.slice(1);
    await first.stop();
    behaviour = 'error';
    console.log(`after the end of the first node: ${await spread('up,down', others)} ms`);
  } finally {
    stop.abort();
    await rig.close();
    for (const server of [steady, changing]) {
      server.closeAllConnections();
      server.close();
    }
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: origins of four nodes, ${why}`);
