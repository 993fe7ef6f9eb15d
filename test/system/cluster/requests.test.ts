/**
 * Requests to two nodes: their rate limits are shared, the counters of rules are added up, and the
 * live tail of a node has the requests of both, also when the other one comes back.
 */
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Daemon } from '../../support/daemon.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { freePort } from '../../support/ports.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { untilIs, untilPasses } from '../../support/until.ts';
import { type ClusterRig, startCluster } from './rig.ts';

const HOST = 'www.tailed.test';

interface Context {
  readonly rig: ClusterRig;
  readonly origin: Server;
  readonly ports: Readonly<Record<'a' | 'b', number>>;
  /** Of the domain. */
  readonly id: string;
}

const test = suite<Context>('requests to two nodes');

test.before(async (context) => {
  const origin = createServer((_, response) => response.end('hello'));
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
  const ports = { a: await freePort(), b: await freePort() };
  const rig = await startCluster(2, (name) => ({
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${ports[name as 'a' | 'b']}`,
    WAYPOST_EDGE_WORKERS: '1',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
  }));
  Object.assign(context, { rig, origin, ports });
  const { api } = rig.nodes[0];
  const id = await api.createDomain('tailed.test');
  await api.createRecord(id, 'www', 'A', '192.0.2.1');
  const proxy = { origin: '127.0.0.1', port: (origin.address() as AddressInfo).port, protocol: 'http' };
  await api.call('PUT', `/api/v1/domains/${id}/proxy`, proxy);
  await api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
  Object.assign(context, { id });
});
test.after(async ({ rig, origin }) => {
  await rig?.close();
  origin?.closeAllConnections();
  origin?.close();
});

/** The status of the response. */
async function visit(port: number, path: string, key = ''): Promise<number> {
  const headers = { host: HOST, 'x-key': key };
  const request = get({ host: '127.0.0.1', port, path, headers, agent: false });
  const [response]: IncomingMessage[] = await once(request, 'response');
  response.resume();
  await once(response, 'end');
  return response.statusCode ?? 0;
}

test('a rate limit that is used up at one node refuses requests at the other', async ({ rig, ports, id }) => {
  const action = { type: 'limit', requests: 10, period: 36_000, burst: 10, by: 'header:x-key' };
  const match = { path: { exact: ['/limited'] } };
  await rig.nodes[0].api.call('PUT', `/api/v1/domains/${id}/proxy/rules`, { rules: [{ match, action }] });
  /** The statuses of visits, the last of which is refused; at most `most` visits. */
  const visits = async (port: number, key: string, most: number, pause: number): Promise<number[]> => {
    const statuses: number[] = [];
    while (statuses.length < most && statuses.at(-1) !== 429) {
      if (statuses.length > 0) await sleep(pause);
      statuses.push(await visit(port, '/limited', key));
    }
    return statuses;
  };
  for (const [first, second] of [
    [ports.a, ports.b],
    [ports.b, ports.a],
  ])
    for (let attempt = 0, deadline = Date.now() + PATIENCE_MS; ; attempt++) {
      const key = `${first} ${attempt}`;
      const used = await visits(first, key, 11, 0);
      // Alone, the second node would let as many pass; a third of them are enough.
      const refused = await visits(second, key, 4, 250);
      if (used.length === 11 && used[10] === 429 && refused.includes(429)) break;
      assert.ok(Date.now() < deadline, `${used} at ${first}, ${refused} at ${second}`);
    }
});

interface Counters {
  readonly since: string | null;
  readonly nodes: { readonly answered: readonly string[]; readonly missing: readonly string[] };
  readonly rules: readonly { readonly matched: number; readonly stopped: number }[];
}

async function countersAt({ api }: Daemon, id: string): Promise<Counters> {
  return (await api.call('GET', `/api/v1/domains/${id}/proxy/rules/counters`)).body as never;
}

test('each node counts what its rules match, and both return the sum', async ({ rig, ports, id }) => {
  const [a] = rig.nodes;
  const tried = { dry_run: true, match: { path: { prefix: ['/tried/'] } }, action: { type: 'deny' } };
  const gone = { match: { path: { exact: ['/tried/gone'] } }, action: { type: 'deny', status: 410 } };
  await a.api.call('PUT', `/api/v1/domains/${id}/proxy/rules`, { rules: [tried, gone] });
  const none = await countersAt(a, id);
  assert.equal(
    [none.since, none.nodes, none.rules.map(({ matched }) => matched)],
    [null, { answered: ['a', 'b'], missing: [] }, [0, 0]],
  );
  for (const [port, times] of [
    [ports.a, 2],
    [ports.b, 3],
  ])
    for (let i = 0; i < times; i++) {
      // The rule in its dry run stops nothing; a thread may take a moment to have the rules.
      await untilIs(() => visit(port, '/tried/gone'), 410);
      assert.is(await visit(port, '/tried/here'), 200);
    }
  for (const node of rig.nodes)
    await untilPasses(async () => {
      const { since, nodes, rules } = await countersAt(node, id);
      assert.equal(nodes, { answered: ['a', 'b'], missing: [] });
      assert.equal(
        rules.map(({ matched, stopped }) => [matched, stopped]),
        [
          [10, 0],
          [5, 5],
        ],
      );
      assert.match(since ?? '', /^\d{4}-/);
    });
});

test('a stream at one node has the requests of both', async ({ rig, ports, id }) => {
  const [a, b] = rig.nodes;
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
  const { nodes, rules } = await countersAt(a, id);
  assert.equal([nodes, rules.length], [{ answered: ['a'], missing: ['b'] }, 2]);
  await b.start();
  await untilSeen('b', 2);
  assert.not.match(text, /secret/);
  stream.destroy();
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: live requests in a cluster, ${why}`);
