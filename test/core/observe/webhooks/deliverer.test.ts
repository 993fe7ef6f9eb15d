/** The queue of webhooks: nothing is lost, in order, across crashes and changes of the node. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { heldAfter } from '../../../../core/journal/apply/retention.ts';
import { LostQueue } from '../../../../core/observe/webhooks/queue.ts';
import { deliveries, webhooks } from '../../../../core/store/rows.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import { pauseDeliveries } from '../../../admin-api/contract/store.ts';
import { type Daemon, type Json, listOf, startDaemon } from '../../../admin-api/daemon.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { BROKEN, OK, type Received, startDeliverer } from './world.ts';

const test = suite<{ daemon: Daemon }>('core/observe/webhooks/deliverer');
test.before(async (context) => {
  context.daemon = await startDaemon();
});
test.after(({ daemon }) => daemon.stop());

const WEBHOOKS = '/api/v1/webhooks';

async function succeeded(daemon: Daemon, method: string, path: string, json?: unknown): Promise<Json> {
  const { status, body, text } = await daemon.call(method, path, json === undefined ? {} : { json });
  assert.is(status, 200, text);
  return body;
}

let domains = 0;
const addDomain = async (daemon: Daemon): Promise<number> => {
  const { domain } = await succeeded(daemon, 'POST', '/api/v1/domains', { domain: `w${++domains}.example.net` });
  return Number(domain.id);
};
let names = 0;
const addRecord = (daemon: Daemon, domain: number): Promise<Json> =>
  succeeded(daemon, 'POST', `/api/v1/domains/${domain}/records`, {
    ...{ name: `r${++names}`, type: 'A', content: '192.0.2.1' },
  });
const addWebhook = async (daemon: Daemon, json: object): Promise<Json> =>
  succeeded(daemon, 'POST', WEBHOOKS, { url: 'https://1.1.1.1/', ...json });

/** Other tests leave no webhooks. */
test.after.each(async ({ daemon }) => {
  for (const { id } of listOf((await succeeded(daemon, 'GET', WEBHOOKS)).webhooks))
    await succeeded(daemon, 'DELETE', `${WEBHOOKS}/${id}`);
});

test('an event arrives signed, and its delivery is listed', async ({ daemon }) => {
  const domain = await addDomain(daemon);
  const { id } = await addWebhook(daemon, { events: ['records.changed', 'domain.*'] });
  let now = Date.now() / 1000;
  const world = startDeliverer(daemon, () => OK, { now: () => now });
  await addRecord(daemon, domain);
  const other = await addDomain(daemon);
  await succeeded(daemon, 'DELETE', `/api/v1/domains/${other}`);
  await world.settle(8);
  assert.equal(
    world.received.map(({ type, data }) => [type, data.kind, data.id, data.action]),
    [
      ['records.changed', 'records', domain, 'record.create'],
      ['domain.created', 'domain', other, 'domain.create'],
      ['domain.deleted', 'domain', other, 'domain.delete'],
    ],
  );
  assert.is(world.received[2].data.domain.domain, `w${domains}.example.net`);
  assert.is(world.received[0].data.actor.username, 'admin');
  now += 1;
  await world.settle(2);
  const { deliveries: listed } = await succeeded(daemon, 'GET', `${WEBHOOKS}/${id}/deliveries`);
  const [last, , first] = listOf(listed);
  assert.equal(
    [first.event, first.state, first.attempts, first.response_status, first.next_attempt_at, first.message],
    ['records.changed', 'delivered', 1, 200, null, world.received[0].id],
  );
  assert.equal(first.payload, JSON.parse(String(world.received[0].body)));
  assert.is(last.event, 'domain.deleted');
});

test('chosen domains, accounts and a disabled webhook get no other events', async ({ daemon }) => {
  const [mine, other] = [await addDomain(daemon), await addDomain(daemon)];
  const { id } = await addWebhook(daemon, { events: ['*'], domain_ids: [mine] });
  const world = startDeliverer(daemon, () => OK, { now: () => Date.now() / 1000 });
  await addRecord(daemon, other);
  await addRecord(daemon, mine);
  await world.settle();
  assert.equal(world.received.map(({ type }) => type).sort(), ['audit.entry', 'records.changed']);
  await succeeded(daemon, 'PATCH', `${WEBHOOKS}/${id}`, { enabled: false });
  await addRecord(daemon, mine);
  await world.settle();
  await succeeded(daemon, 'PATCH', `${WEBHOOKS}/${id}`, { enabled: true });
  await world.settle();
  assert.is(world.received.length, 2, 'changes while it was disabled are not delivered');
});

test('after a restore events are queued, and sent when deliveries are resumed', async ({ daemon }) => {
  const domain = await addDomain(daemon);
  const { id } = await addWebhook(daemon, { events: ['records.changed'] });
  await pauseDeliveries(daemon);
  const world = startDeliverer(daemon, () => OK, { now: () => Date.now() / 1000 });
  await addRecord(daemon, domain);
  await world.settle();
  const { deliveries: listed } = await succeeded(daemon, 'GET', `${WEBHOOKS}/${id}/deliveries`);
  assert.equal(
    listOf(listed).map(({ state, attempts }) => [state, attempts]),
    [['pending', 0]],
  );
  const paused = await succeeded(daemon, 'GET', '/api/v1/deliveries');
  assert.equal([paused.paused, paused.restored.from, paused.history], [true, 'a backup', '0123456789abcdef'] as never);
  const resumed = await succeeded(daemon, 'POST', '/api/v1/deliveries/resume');
  assert.is(resumed.paused as unknown, false);
  assert.is((await daemon.call('POST', '/api/v1/deliveries/resume')).status, 409);
  await world.settle();
  assert.is(world.received.length, 1);
});

test('writes cost nothing more, and progress is stored in batches', async ({ daemon }) => {
  const domain = await addDomain(daemon);
  const quiet = startDeliverer(daemon, () => OK, { now: () => Date.now() / 1000 });
  await addRecord(daemon, domain);
  const before = daemon.writes();
  await quiet.settle();
  assert.is(daemon.writes(), before, 'nothing is written without webhooks');
  await addWebhook(daemon, { events: ['records.changed'] });
  let now = Date.now() / 1000;
  const world = startDeliverer(daemon, () => OK, { now: () => now });
  await world.settle();
  for (let i = 0; i < 20; i++) await addRecord(daemon, domain);
  const start = daemon.writes();
  await world.settle(30);
  now += 1;
  await world.settle();
  assert.is(world.received.length, 20);
  assert.is(daemon.writes(), start + 2, 'one commit queues all, and one stores all results');
});

test('failures are retried, then the delivery has failed; a replay sends it again', async ({ daemon }) => {
  const domain = await addDomain(daemon);
  const { id } = await addWebhook(daemon, { events: ['records.changed'] });
  let now = Date.now() / 1000;
  let answer = BROKEN;
  const world = startDeliverer(daemon, () => answer, { now: () => now });
  await addRecord(daemon, domain);
  const times: number[] = [];
  for (const end = now + 300_000; now < end; now += 300) {
    await world.settle(1);
    if (world.received.length > times.length) times.push(Math.round(now));
  }
  await world.settle();
  assert.ok(times.length >= 10 && times.length <= 16, `${times.length} attempts`);
  assert.is(new Set(world.received.map((message) => message.id)).size, 1, 'with the same id');
  const [failed] = listOf((await succeeded(daemon, 'GET', `${WEBHOOKS}/${id}/deliveries?state=failed`)).deliveries);
  assert.equal([failed.error, failed.next_attempt_at, failed.attempts], ['status 500', null, times.length]);
  const disabled = await succeeded(daemon, 'GET', `${WEBHOOKS}/${id}`);
  assert.equal([disabled.status, disabled.enabled], ['disabled', false]);
  assert.match(String(disabled.disabled_reason), /No delivery has succeeded for [23] days/);
  const [entry] = listOf((await succeeded(daemon, 'GET', '/api/v1/audit?action=webhook.disable')).entries);
  assert.equal([entry.target, entry.actor], [id, null]);
  const path = `${WEBHOOKS}/${id}/deliveries/${failed.id}/replay`;
  assert.is((await daemon.call('POST', path)).status, 409);
  await succeeded(daemon, 'PATCH', `${WEBHOOKS}/${id}`, { enabled: true });
  answer = OK;
  await succeeded(daemon, 'POST', path);
  now += 700;
  await world.settle();
  now += 1;
  await world.settle();
  assert.is(world.received.length, times.length + 1);
  const { deliveries: listed } = await succeeded(daemon, 'GET', `${WEBHOOKS}/${id}/deliveries`);
  assert.equal([listed[0].state, listed[0].attempts], ['delivered', 1]);
  assert.is((await succeeded(daemon, 'POST', `${WEBHOOKS}/${id}/replay`, { since: '2020-01-01 00:00:00' })).queued, 0);
  const all = { since: '2020-01-01 00:00:00', state: 'all' };
  assert.is((await succeeded(daemon, 'POST', `${WEBHOOKS}/${id}/replay`, all)).queued, 1);
  await world.settle();
  assert.is(world.received.length, times.length + 2);
});

test('410 disables a webhook; a rotated secret signs with the old one', async ({ daemon }) => {
  const { id } = await addWebhook(daemon, { events: ['audit.verdict'] });
  const { secret } = await succeeded(daemon, 'POST', `${WEBHOOKS}/${id}/rotate-secret`);
  assert.match(String(secret), /^whsec_[A-Za-z0-9+/]{43}=$/);
  let now = Date.now() / 1000;
  const world = startDeliverer(daemon, () => ({ ...BROKEN, status: 410 }), { now: () => now });
  await succeeded(daemon, 'POST', `${WEBHOOKS}/${id}/test`);
  await world.settle();
  now += 1;
  await world.settle();
  assert.is(world.received[0].headers['webhook-signature'].split(' ').length, 2);
  assert.match(String((await succeeded(daemon, 'GET', `${WEBHOOKS}/${id}`)).disabled_reason), /410/);
});

test('a slow receiver holds up no other', async ({ daemon }) => {
  const domain = await addDomain(daemon);
  await addWebhook(daemon, { url: 'https://1.1.1.1/slow', events: ['records.changed'] });
  await addWebhook(daemon, { url: 'https://1.1.1.1/fast', events: ['records.changed'] });
  const never = new Promise<typeof OK>(() => {});
  const world = startDeliverer(daemon, ({ url }) => (url.endsWith('slow') ? never : OK), {
    now: () => Date.now() / 1000,
  });
  for (let i = 0; i < 3; i++) await addRecord(daemon, domain);
  await world.settle(10);
  const count = (end: string): number => world.received.filter(({ url }) => url.endsWith(end)).length;
  assert.equal([count('slow'), count('fast')], [1, 3]);
});

test('deliveries of deleted webhooks are deleted, and old ones', async ({ daemon }) => {
  const { id } = await addWebhook(daemon, { events: ['audit.verdict'] });
  let now = Date.now() / 1000;
  const world = startDeliverer(daemon, () => OK, { now: () => now });
  await succeeded(daemon, 'POST', `${WEBHOOKS}/${id}/test`);
  await world.settle();
  const rows = daemon.environment.rows.get(deliveries.number)!;
  const count = (): number =>
    [...rows.getKeys({})].filter((key) => (key as Buffer).readUInt32BE(4) === Number(id)).length;
  assert.is(count(), 1);
  now += 700_000;
  await world.settle();
  assert.is(count(), 0);
});

test('entries that no node has read yet stay in the journal', async ({ daemon }) => {
  const { environment, journal } = daemon;
  await addWebhook(daemon, { events: ['records.changed'] });
  const world = startDeliverer(daemon, () => OK, { now: () => Date.now() / 1000 });
  await world.settle();
  const { position = 0 } = new StoreReader(environment).webhookQueue() ?? {};
  const { head } = journal;
  assert.is(heldAfter(environment, position - 5), position - 5);
  assert.ok(heldAfter(environment, head + 500) <= head, 'what follows is not read');
  assert.is(heldAfter(environment, head + 500_000), head + 400_000, 'but not for ever');
});

test('two nodes that both think they deliver queue each event once', async ({ daemon }) => {
  const domain = await addDomain(daemon);
  const { id } = await addWebhook(daemon, { events: ['records.changed'] });
  const now = () => Date.now() / 1000;
  const nodes = ['n1', 'n2'].map((nodeName) => startDeliverer(daemon, () => OK, { now, nodeName }));
  const turn = async ({ deliverer }: (typeof nodes)[number]): Promise<void> => {
    await deliverer.turn().catch((error) => assert.instance(error, LostQueue));
  };
  for (let i = 0; i < 6; i++) {
    await addRecord(daemon, domain);
    await Promise.all(nodes.map(turn));
  }
  for (let i = 0; i < 20; i++) await turn(nodes[i % 2]);
  const { deliveries: listed } = await succeeded(daemon, 'GET', `${WEBHOOKS}/${id}/deliveries`);
  const queued = listOf(listed).map(({ seq }) => Number(seq));
  assert.is(queued.length, 6);
  assert.is(new Set(queued).size, 6);
  const received = new Set(nodes.flatMap((node) => node.received.map(({ data }) => Number(data.seq))));
  assert.equal([...received].sort(), [...queued].sort());
});

/** What a step of the model does. */
type Step = 'write' | 'deliver' | 'fail' | 'crash' | 'move' | 'wait';

test('model: each acknowledged write arrives at least once, in order, whatever crashes', async ({ daemon }) => {
  const domain = await addDomain(daemon);
  const step = fc.constantFrom<Step>('write', 'write', 'deliver', 'deliver', 'fail', 'crash', 'move', 'wait');
  const reader = new StoreReader(daemon.environment);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const { id } = await addWebhook(daemon, { events: ['records.changed'] });
      let now = Date.now() / 1000;
      let answer = OK;
      const received: Received[] = [];
      const delivered = new Set<number>();
      const written: number[] = [];
      let node = 0;
      const restart = (nodeName: string) =>
        startDeliverer(
          daemon,
          (message) => {
            received.push(message);
            if (answer === OK) delivered.add(Number(message.data.seq));
            return answer;
          },
          { now: () => now, nodeName },
        );
      let world = restart('n0');
      for (const each of [...steps, 'write'] as const) {
        if (each === 'write') {
          await addRecord(daemon, domain);
          written.push(daemon.journal.head);
        } else if (each === 'wait') now += 30;
        // The memory of the node is gone: results that were not stored too.
        else if (each === 'crash') world = restart(`n${node}`);
        else if (each === 'move') world = restart(`n${++node}`);
        else {
          answer = each === 'fail' ? BROKEN : OK;
          await world.settle(2);
        }
      }
      answer = OK;
      for (let i = 0; i < 12; i++) {
        now += 700;
        await world.settle(3);
      }
      const firsts = [...new Set(received.map(({ data }) => Number(data.seq)))];
      assert.equal(firsts, written, 'first attempts are in the order of the writes, and none is missing');
      assert.equal(
        [...delivered].sort((a, b) => a - b),
        written,
      );
      const ids = new Map(received.map((message) => [message.data.seq, message.id]));
      for (const message of received) assert.is(ids.get(message.data.seq), message.id, 'one id for one event');
      await world.settle(2);
      assert.is(reader.webhook(Number(id))?.failingSince, null);
      await succeeded(daemon, 'DELETE', `${WEBHOOKS}/${id}`);
    }),
    { numRuns: depth({ quick: 4, moderate: 10, full: 500 }) },
  );
  assert.is([...daemon.environment.rows.get(webhooks.number)!.getKeys({})].length, 0);
});

test.run();
