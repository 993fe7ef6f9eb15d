/** Webhooks of a real daemon, which is killed, with receivers that fail, hang and redirect. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readPage } from '../../../../check/docs/pages.ts';
import type { Json } from '../../../../support/api-client.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../../../support/daemon.ts';
import { whyNotPrograms } from '../../../../support/programs.ts';
import { untilIs, untilPasses } from '../../../../support/until.ts';
import { type Arrived, isSigned, type Receiver, startReceiver } from './receiver.ts';

interface Context {
  daemon: Daemon;
  receiver: Receiver;
}

const WEBHOOKS = '/api/v1/webhooks';

const test = suite<Context>('core/observe/webhooks');
test.before(async (context) => {
  context.receiver = await startReceiver();
  context.daemon = await startDaemon({
    WAYPOST_WEBHOOKS_ALLOW_PRIVATE_RECEIVERS: '127.0.0.0/8',
    WAYPOST_WEBHOOKS_FIRST_RETRY: '1',
  });
  await context.daemon.api.logIn('admin', ADMIN_PASSWORD);
});
test.after(async ({ daemon, receiver }) => {
  await daemon.close();
  receiver.close();
});

type Row = { readonly [key: string]: Json };

async function addWebhook({ daemon, receiver }: Context, path: string, more: Row = {}) {
  const { body } = await daemon.api.call('POST', WEBHOOKS, {
    ...{ url: receiver.url + path, events: ['records.changed'], ...more },
  });
  return { id: Number(body.id), secret: String(body.secret) };
}

const arrivedAt = ({ receiver }: Context, path: string): Arrived[] =>
  receiver.arrived.filter((message) => message.path === path);

const sequences = (context: Context, path: string): number[] =>
  arrivedAt(context, path).map(({ body }) => JSON.parse(body).data.seq);

async function lastDelivery({ daemon }: Context, id: number): Promise<Row> {
  const { body } = await daemon.api.call('GET', `${WEBHOOKS}/${id}/deliveries?limit=1`);
  return (body.deliveries as unknown as Row[])[0] ?? {};
}

test('failures, redirects and receivers that hang do not delay others; all is retried', async (context) => {
  const { daemon, receiver } = context;
  const domain = await daemon.api.createDomain('hooked.test');
  receiver.behaviours.set('/broken', 500).set('/moved', 301).set('/hang', 'hang');
  const good = await addWebhook(context, '/good');
  const broken = await addWebhook(context, '/broken');
  const moved = await addWebhook(context, '/moved');
  await addWebhook(context, '/hang');
  for (let i = 0; i < 3; i++) await daemon.api.createRecord(domain, `r${i}`, 'A', '192.0.2.1');
  await untilIs(() => arrivedAt(context, '/good').length, 3);
  for (const message of arrivedAt(context, '/good')) assert.ok(isSigned(good.secret, message));
  const order = sequences(context, '/good');
  assert.equal(
    order,
    order.toSorted((a, b) => a - b),
  );
  await untilPasses(() => assert.ok(arrivedAt(context, '/broken').length > 3));
  await untilIs(async () => (await daemon.api.call('GET', `${WEBHOOKS}/${broken.id}`)).body.status, 'failing');
  await untilIs(async () => (await lastDelivery(context, moved.id)).response_status, 301);
  assert.is(arrivedAt(context, '/redirected').length, 0);
  receiver.behaviours.clear();
  await untilIs(async () => {
    const { body } = await daemon.api.call('GET', `${WEBHOOKS}/${broken.id}/deliveries?state=delivered`);
    return (body.deliveries as Json[]).length;
  }, 3);
});

test('events from before a kill arrive after the restart', async (context) => {
  const { daemon, receiver } = context;
  const domain = await daemon.api.createDomain('killed.test');
  receiver.behaviours.set('/killed', 503);
  const { id, secret } = await addWebhook(context, '/killed');
  const written: number[] = [];
  for (let i = 0; i < 20; i++) {
    const { headers } = await daemon.api.call('POST', `/api/v1/domains/${domain}/records`, {
      ...{ name: `r${i}`, type: 'A', content: '192.0.2.1' },
    });
    written.push(Number(headers.get('x-waypost-revision')));
  }
  await daemon.kill();
  receiver.behaviours.clear();
  receiver.arrived.length = 0;
  await daemon.start();
  await untilPasses(() => assert.ok(written.every((seq) => sequences(context, '/killed').includes(seq))));
  for (const message of arrivedAt(context, '/killed')) assert.ok(isSigned(secret, message));
  await untilIs(async () => (await lastDelivery(context, id)).state, 'delivered');
});

test('a replay repeats the message under its id', async (context) => {
  const { daemon } = context;
  const { id, secret } = await addWebhook(context, '/replayed');
  await daemon.api.call('POST', `${WEBHOOKS}/${id}/test`);
  await untilIs(async () => (await lastDelivery(context, id)).state, 'delivered');
  const delivery = await lastDelivery(context, id);
  await daemon.api.call('POST', `${WEBHOOKS}/${id}/deliveries/${delivery.id}/replay`);
  await untilIs(() => arrivedAt(context, '/replayed').length, 2);
  const [first, second] = arrivedAt(context, '/replayed');
  assert.equal([first.body, first.headers['webhook-id']], [second.body, second.headers['webhook-id']]);
  assert.is(delivery.message, first.headers['webhook-id'] as string);
  assert.ok(isSigned(secret, second));
  const metrics = await daemon.api.request('GET', '/metrics');
  assert.match(metrics.text, /waypost_webhook_attempts_total\{result="delivered"\} [1-9]/);
});

test('private addresses are refused when a webhook is created', async ({ daemon }) => {
  for (const url of ['https://10.0.0.1/', 'https://192.168.1.1/', 'https://[fd00::1]/', 'ftp://1.1.1.1/']) {
    const { status, body } = await daemon.api.request('POST', WEBHOOKS, { url });
    assert.is(status, 422, url);
    assert.match(String((body.error as Row).code), /^(private|invalid)_url$/, url);
  }
});

const PYTHON = '/usr/bin/python3';
const why = whyNotPrograms('openssl');

test('the code of the manual verifies a message', async (context) => {
  const { daemon } = context;
  const { id, secret } = await addWebhook(context, '/verified');
  await daemon.api.call('POST', `${WEBHOOKS}/${id}/test`);
  await untilIs(() => arrivedAt(context, '/verified').length, 1);
  const [{ headers, body }] = arrivedAt(context, '/verified');
  const codeOf = (language: string, marker: string): string =>
    readPage('docs/webhooks.md')
      .blocks.filter((block) => block.language === language)
      .map(({ lines }) => lines.map(({ text }) => text).join('\n'))
      .find((code) => code.includes(marker)) ?? '';
  const { verify } = await import(`data:text/javascript,${encodeURIComponent(codeOf('js', 'verify'))}`);
  assert.equal([verify(secret, headers, body), verify(secret, headers, `${body} `)], [true, false]);
  if (existsSync(PYTHON)) {
    const input = JSON.stringify({ secret, headers, body });
    const call = 'import json, sys; m = json.load(sys.stdin); s, h, b = m["secret"], m["headers"], m["body"].encode()';
    const check = 'print(verify(s, h, b), verify(s, h, b + b" "))';
    const { stdout, stderr } = spawnSync(PYTHON, ['-c', `${codeOf('python', 'verify')}\n${call}\n${check}`], { input });
    assert.is(stdout.toString(), 'True False\n', stderr.toString());
  }
  if (why !== null) return console.log(`skipped: the code for a shell, ${why}`);
  const env = { ...process.env, SECRET: secret, BODY: body, ID: String(headers['webhook-id']) };
  const { stdout } = spawnSync('sh', ['-c', codeOf('text', 'openssl')], {
    env: { ...env, TIMESTAMP: String(headers['webhook-timestamp']) },
  });
  assert.is(stdout.toString().trim(), headers['webhook-signature']);
});

test.run();
