/** What commands show of their imports on the daemon. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiClient } from '../../../../admin-api/cli/base/client.ts';
import { describePhase, ImportWatch } from '../../../../admin-api/cli/zone/import-watch.ts';
import { until } from '../../../support/until.ts';

const RUNNING = {
  request_id: '0123456789abcdef',
  account_id: 1,
  domain: 'a.example',
  domain_id: null,
  started_at: '2030-01-01 00:00:00',
  phase: 'records',
  position: null,
  percent: 40,
  records: { done: 500, total: 1000 },
} as const;

/** A client whose requests for imports have this response. */
const clientWith = (reply: () => object): ApiClient => ({ GET: async () => reply() }) as unknown as ApiClient;

test('shows an import of this command while it runs, of all that the daemon lists', async () => {
  const shown: unknown[] = [];
  const imports = [{ ...RUNNING, domain: 'other.example' }, RUNNING];
  const watch = new ImportWatch(
    clientWith(() => ({ status: 200, body: { imports } })),
    (running) => shown.push(running?.domain),
  );
  assert.is(await watch.follow('A.Example.', () => until(() => shown.length > 0).then(() => 'done')), 'done');
  assert.equal(shown, ['a.example']);
});

test('an import goes on without its progress if the daemon does not list imports', async () => {
  const refusals = [
    () => ({ status: 404, body: {} }),
    () => {
      throw new Error('no connection');
    },
  ];
  for (const refuse of refusals) {
    let requests = 0;
    const client = clientWith(() => {
      requests++;
      return refuse();
    });
    const watch = new ImportWatch(client, () => assert.unreachable());
    await watch.follow('a.example', () => until(() => requests > 0));
    assert.is(requests, 1);
  }
});

test('names the phase, with the place in the queue or the count of records', () => {
  assert.is(describePhase(RUNNING), 'writing records: 500 of 1000');
  assert.is(
    describePhase({ ...RUNNING, phase: 'queued', position: 3 }),
    'waiting for other imports, number 3 in the queue',
  );
  assert.is(describePhase({ ...RUNNING, phase: 'waiting' }), 'waiting until another import is written');
});

test.run();
