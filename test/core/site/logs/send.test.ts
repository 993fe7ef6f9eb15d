/** Batches over real connections: a signed POST, an object of a bucket, and what is refused. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Secrets } from '../../../../core/base/secrets.ts';
import { type ConnectRule, PUBLIC_ONLY, parseExemptions } from '../../../../core/net/address/index.ts';
import { Sender } from '../../../../core/net/delivery/sender.ts';
import { formatSecret, formatSignatures } from '../../../../core/net/delivery/signature.ts';
import { LOGS, type LogsDocument } from '../../../../core/site/logs/document.ts';
import type { Batch } from '../../../../core/site/logs/outbox.ts';
import { LogSender } from '../../../../core/site/logs/send.ts';
import { S3_KEYS, type S3Server, startS3Server } from '../../../support/s3-server.ts';

interface Context {
  server: Server;
  url: string;
  s3: S3Server;
  received: { path: string; headers: IncomingHttpHeaders; body: Buffer }[];
}

const test = suite<Context>('core/site/logs/send');
test.before(async (context) => {
  context.received = [];
  context.server = createServer(async (request, response) => {
    const path = request.url ?? '';
    context.received.push({ path, headers: request.headers, body: await buffer(request) });
    response.writeHead(path === '/denied' ? 403 : 204).end();
  });
  await new Promise<void>((resolve) => context.server.listen(0, '127.0.0.1', resolve));
  context.url = `http://127.0.0.1:${(context.server.address() as AddressInfo).port}`;
  context.s3 = await startS3Server();
});
test.after(async ({ server, s3 }) => {
  server.closeAllConnections();
  server.close();
  await s3.close();
});

const LOOPBACK: ConnectRule = { exemptions: parseExemptions(['127.0.0.0/8']), own: [] };
const KEY = Buffer.alloc(32, 7);
/** Sealed data is the context and the plain text. */
const seal = (plain: string): string => Buffer.from(`site-document:logs:7|${plain}`).toString('base64');
const secrets: Pick<Secrets, 'unseal'> = {
  unseal(sealed, context) {
    const [found, plain] = Buffer.from(sealed).toString('latin1').split('|');
    assert.is(found, context);
    return Buffer.from(plain, 'latin1');
  },
};
const TEXT = '{"status":200}\n{"status":404}\n';
const BATCH: Batch = { id: '0b5c7c1e-1111-4222-8333-444455556666', text: Buffer.from(TEXT), lines: 2, at: 1795764896 };

function sender(rule = LOOPBACK): LogSender {
  const resolve = async (): Promise<string[]> => [];
  return new LogSender({
    ...{ rule, resolve, secrets, nodeName: 'node/a', userAgent: 'Waypost/test' },
    sender: new Sender({ rule, resolve }),
    domainName: (domainId) => (domainId === 7 ? 'site.test' : undefined),
  });
}

const document = (more: Partial<LogsDocument>): LogsDocument => ({ ...LOGS.empty, isEnabled: true, ...more });

test('a POST has gzip, counts, credentials, and signatures over the lines and over what is sent', async ({
  url,
  received,
}) => {
  const endpoint = {
    url: `${url}/logs?x=1`,
    sealedAuthorization: seal('Bearer abc'),
    sealedSecret: seal(KEY.toString('latin1')),
  };
  const sending = sender();
  assert.equal(await sending.send(7, document({ endpoint }), BATCH, 3).then(({ error }) => error), null);
  sending.close();
  const { path, headers, body } = received[0];
  assert.is(path, '/logs?x=1');
  assert.is(gunzipSync(body).toString(), TEXT);
  assert.equal(
    [headers['content-type'], headers['content-encoding'], headers['user-agent'], headers.authorization],
    ['application/x-ndjson', 'gzip', 'Waypost/test', 'Bearer abc'],
  );
  assert.equal(
    [headers['waypost-domain'], headers['waypost-node'], headers['waypost-lines'], headers['waypost-dropped']],
    ['site.test', 'node%2Fa', '2', '3'],
  );
  const id = String(headers['webhook-id']);
  assert.is(id, `log_${BATCH.id}`);
  const timestamp = Number(headers['webhook-timestamp']);
  const signatures = [TEXT, body].map((signed) => formatSignatures([KEY], { id, timestamp, body: signed }));
  assert.is(headers['webhook-signature'], signatures.join(' '));
  assert.is(headers['waypost-signature-version'], '2');
});

/** Whether a library accepts the signature. It then parses one JSON value, which lines are not. */
function isVerifiedBy(
  library: { verify(body: string, headers: Record<string, string>): unknown },
  body: string,
  headers: IncomingHttpHeaders,
): boolean {
  try {
    library.verify(body, headers as Record<string, string>);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return true;
    assert.match((error as Error).message, /signature/);
    return false;
  }
}

test('the libraries of Standard Webhooks and Svix, and the sample of the manual, verify lines', async (context) => {
  const endpoint = { url: context.url, sealedAuthorization: '', sealedSecret: seal(KEY.toString('latin1')) };
  const sending = sender();
  assert.is((await sending.send(7, document({ endpoint }), BATCH, 0)).error, null);
  sending.close();
  const { headers, body } = context.received.at(-1)!;
  // As web frameworks give it, without the content coding.
  const lines = gunzipSync(body).toString();
  const secret = formatSecret(KEY);
  for (const library of [new StandardWebhook(secret), new SvixWebhook(secret)]) {
    assert.ok(isVerifiedBy(library, lines, headers));
    assert.not.ok(isVerifiedBy(library, `${lines}{}\n`, headers));
  }
  const manual = readFileSync(new URL('../../../../../docs/webhooks.md', import.meta.url), 'utf8');
  const sample = /```js\n(import \{ createHmac[\s\S]*?)```/.exec(manual)![1];
  const { verify } = await import(`data:text/javascript,${encodeURIComponent(sample)}`);
  assert.ok(verify(secret, headers, lines));
  assert.not.ok(verify(secret, headers, `${lines}{}\n`));
});

test('without secrets neither credentials nor a signature are sent; a status is reported', async (context) => {
  const endpoint = { url: `${context.url}/denied`, sealedAuthorization: '', sealedSecret: '' };
  const sending = sender();
  const { status, error } = await sending.send(7, document({ endpoint }), BATCH, 0);
  assert.equal([status, error], [403, 'status 403']);
  const { headers } = context.received.at(-1)!;
  assert.equal([headers.authorization, headers['webhook-signature']], [undefined, undefined]);
  const deleted = await sending.send(8, document({ endpoint }), BATCH, 0);
  assert.match(deleted.error ?? '', /deleted/);
  sending.close();
});

test('an object has the date, the node and a part of the id in its key', async ({ s3 }) => {
  const bucket = {
    ...{ endpoint: s3.endpoint, region: 'test-1', name: s3.bucket, prefix: 'logs/', isPathStyle: true },
    ...{ accessKeyId: S3_KEYS.accessKeyId, sealedSecretAccessKey: seal(S3_KEYS.secretAccessKey) },
  };
  const sending = sender();
  assert.equal(await sending.send(7, document({ bucket }), BATCH, 0).then(({ error }) => error), null);
  const [key, body] = [...s3.objects][0];
  assert.match(key, /^logs\/site\.test\/2026-11-27\/\d{6}-node_a-0b5c7c1e\.jsonl\.gz$/);
  assert.is(gunzipSync(body).toString(), TEXT);
  s3.fault = () => 'denied';
  const denied = await sending.send(7, document({ bucket }), BATCH, 0);
  assert.is(denied.status, 403);
  assert.ok(denied.error !== null && denied.error.length <= 200);
  assert.not.match(denied.error, new RegExp(S3_KEYS.secretAccessKey.slice(0, 10)));
  sending.close();
});

test('addresses that are not public are never connected to', async ({ url, s3, received }) => {
  const before = [received.length, s3.requests.length];
  const sending = sender(PUBLIC_ONLY);
  const endpoint = { url, sealedAuthorization: '', sealedSecret: '' };
  const bucket = {
    ...{ endpoint: s3.endpoint, region: 'test-1', name: s3.bucket, prefix: '', isPathStyle: true },
    ...{ accessKeyId: 'a', sealedSecretAccessKey: seal('b') },
  };
  for (const target of [{ endpoint }, { bucket }])
    assert.match((await sending.send(7, document(target), BATCH, 0)).error ?? '', /public|loopback/);
  sending.close();
  assert.equal([received.length, s3.requests.length], before);
});

test.run();
