/** The API contract: the nodes, for administrators. */
import * as assert from 'uvu/assert';
import { FEATURE_LEVEL } from '../../../core/journal/feature-level.ts';
import { TIME } from './held.ts';
import { everywhere, refused, succeeded } from './world.ts';

const NODES = '/api/v1/nodes';

await everywhere('contract, nodes', (test) => {
  test('GET /api/v1/nodes describes a single node', async ({ world }) => {
    const { daemon, admin } = world;
    await world.zone();
    const { body } = succeeded(await admin.get(NODES));
    const [{ started_at, heard_at, ...node }] = [body.nodes[0]];
    const head = daemon.journal.head;
    assert.equal([body.head, body.etcd, body.feature_level], [head, null, FEATURE_LEVEL]);
    assert.equal(
      { ...node },
      {
        ...{ name: daemon.nodeName, state: 'single', applied: head, version: '1.2.3', address: null },
        ...{ is_self: true, is_live: true, lag_entries: 0, lag_seconds: 0, feature_level: FEATURE_LEVEL },
      },
    );
    for (const time of [started_at, heard_at]) assert.match(String(time), TIME);
    assert.ok(String(started_at) <= String(heard_at));
  });

  test('only administrators with the scope "account" see the nodes', async ({ world }) => {
    refused(await world.nobody.get(NODES), '401 missing_token');
    refused(await world.user.client.get(NODES), '403 forbidden');
    refused(await (await world.scoped(world.admin, ['dns'])).get(NODES), '403 insufficient_scope');
    succeeded(await (await world.scoped(world.admin, ['account:read'])).get(NODES));
  });
});
