import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Live, startLive } from '../live.ts';

const test = suite<Live>('admin-api/cli/webhook, with the API');
test.before(async (context) => void Object.assign(context, await startLive()));
test.after((context) => context.daemon.stop());

test('create, list, update, test, deliveries, replay, rotate-secret, rm', async ({ waypost }) => {
  const created = await waypost([
    ...['webhook', 'create', 'https://1.1.1.1/hook', '--event', 'records.changed', 'dnssec.*'],
    ...['--description', 'deploy'],
  ]);
  assert.match(created.stdout, /^whsec_[A-Za-z0-9+/]{43}=\n$/);
  const id = /^webhook (\d+): the secret is not shown again/.exec(created.stderr)?.[1] ?? '';
  const listed = await waypost(['webhook', 'list']);
  assert.match(listed.stdout, /ok +records\.changed.*all +https:\/\/1\.1\.1\.1\/hook +deploy\n/);
  const updated = await waypost(['webhook', 'update', id, '--disable']);
  assert.match(updated.stdout, new RegExp(`^updated webhook ${id}: disabled \\(change \\d+\\)\n$`));
  assert.match((await waypost(['webhook', 'test', id])).stderr, /webhook_disabled/);
  await waypost(['webhook', 'update', id, '--enable']);
  const tested = await waypost(['webhook', 'test', id]);
  const delivery = /^queued delivery (\d+)/.exec(tested.stdout)?.[1] ?? '';
  const deliveries = await waypost(['webhook', 'deliveries', id, '--state', 'pending']);
  assert.match(deliveries.stdout, new RegExp(`^ *${delivery} .* pending .* webhook\\.test$`, 'm'));
  const replayed = await waypost(['webhook', 'replay', id, '--delivery', delivery]);
  assert.match(replayed.stdout, new RegExp(`^queued delivery ${delivery} `));
  const since = await waypost(['webhook', 'replay', id, '--since', '2026-01-01 00:00:00', '--delivered']);
  assert.match(since.stdout, /^queued 0 deliveries/);
  assert.match((await waypost(['webhook', 'replay', id])).stderr, /Name either --delivery or --since/);
  assert.match((await waypost(['webhook', 'update', id])).stderr, /nothing to change/);
  const rotated = await waypost(['webhook', 'rotate-secret', id]);
  assert.not.equal(rotated.stdout, created.stdout);
  const removed = await waypost(['webhook', 'rm', id]);
  assert.match(removed.stdout, new RegExp(`^deleted webhook ${id} `));
  assert.match((await waypost(['webhook', 'list'])).stderr, /The account has no webhooks/);
});

test.run();
