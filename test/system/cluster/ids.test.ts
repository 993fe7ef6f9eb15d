/** Ids that all nodes of a cluster create at once. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiResponse, Json } from '../../support/api-client.ts';
import type { Daemon } from '../../support/daemon.ts';
import { depth } from '../../support/depth.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { startCluster } from './rig.ts';

const BATCH = 1000;
const NODES = depth({ quick: 3, moderate: 3, full: 4 });
/** Of each node: 100,000 records in all at full depth. */
const BATCHES = depth({ quick: 3, moderate: 3, full: 25 });

interface Made {
  readonly id: number;
}

const records = Array.from({ length: BATCH }, (_, i) => ({ name: `h${i}`, type: 'A', content: '192.0.2.1' }));

/** Creates records in batches, each in a domain of its own, and returns all ids by kind. */
async function createAll({ api }: Daemon, label: string, batches: number): Promise<Map<string, number[]>> {
  const ids = new Map<string, number[]>([
    ['domain', []],
    ['record', []],
    ['token', []],
  ]);
  const add = (kind: string, made: unknown): void => {
    const { id } = made as Made;
    assert.ok(Number.isSafeInteger(id) && id > 0, `${kind} ${id}`);
    ids.get(kind)?.push(id);
  };
  // As a client should: a slow machine refuses some of so many writes with 503.
  const post = async (path: string, body: Json): Promise<ApiResponse> => {
    const key = { 'Idempotency-Key': randomUUID() };
    for (;;) {
      const response = await api.request('POST', path, body, undefined, key);
      if (response.status === 200) return response;
      assert.is(response.status, 503, `POST ${path}: ${response.text}`);
      await sleep(100);
    }
  };
  for (let i = 0; i < batches; i++) {
    const { body } = await post('/api/v1/domains', { domain: `${label}${i}.example` });
    add('domain', body.domain);
    const path = `/api/v1/domains/${(body.domain as unknown as Made).id}/records/batch`;
    const { body: created } = await post(path, { post: records });
    for (const record of created.created as unknown as Made[]) add('record', record);
    const { body: token } = await post('/api/v1/tokens', { name: label });
    add('token', token);
  }
  return ids;
}

test(`${NODES} nodes create ${NODES * BATCHES * BATCH} ids at once: all differ, and none is reused after restarts`, async () => {
  const { nodes, close } = await startCluster(NODES);
  const seen = new Map<string, Set<number>>();
  const note = (made: readonly Map<string, number[]>[]): void => {
    for (const ids of made)
      for (const [kind, list] of ids) {
        const all = seen.get(kind) ?? new Set();
        seen.set(kind, all);
        for (const id of list) {
          assert.not.ok(all.has(id), `${kind} ${id} twice`);
          all.add(id);
        }
      }
  };
  try {
    note(await Promise.all(nodes.map((node, n) => createAll(node, `n${n}-`, BATCHES))));
    assert.is(seen.get('record')?.size, NODES * BATCHES * BATCH);
    // Numbers stay small: what is skipped is a fraction.
    assert.ok(Math.max(...(seen.get('record') ?? [])) < 2 * NODES * BATCHES * BATCH);
    assert.ok(Math.max(...(seen.get('domain') ?? [])) < 1000);
    // Deleted objects do not give their ids back; nor do a crash and an orderly stop.
    const [first] = nodes;
    const restarted = nodes.slice(0, -1);
    for (const [n, id] of [...(seen.get('domain') ?? [])].entries())
      if (n % 10 === 0) await first.api.call('DELETE', `/api/v1/domains/${id}`);
    await Promise.all(restarted.map((node) => (node === restarted.at(-1) ? node.stop() : node.kill())));
    await Promise.all(restarted.map((node) => node.start()));
    note(await Promise.all(nodes.map((node, n) => createAll(node, `again${n}-`, 2))));
    const { body } = await nodes[NODES - 1].api.call('GET', '/api/v1/audit?limit=1000');
    const entries = body.entries as unknown as { id: number; revision: number }[];
    assert.equal(
      entries.map(({ id }) => id),
      entries.map(({ revision }) => revision),
    );
    assert.equal(
      entries.map(({ id }) => id),
      entries.map(({ id }) => id).sort((a, b) => b - a),
      'newest first over all nodes',
    );
  } finally {
    await close();
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: ids of a cluster, ${why}`);
