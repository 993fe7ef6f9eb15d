/** The client of the package `waypost-client`: retries, errors, lists and aborts. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient, WaypostError } from '../../../admin-api/client/client.ts';
import type { ApiRoute } from '../../../admin-api/routes/routes.ts';

type Step = (request: IncomingMessage, response: ServerResponse) => void;

interface World {
  readonly server: Server;
  readonly url: string;
  /** Of the requests to come. */
  steps: Step[];
  seen: { readonly method: string; readonly url: string; readonly key: string | undefined }[];
}

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Step =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const refused = (status: number, code: string, headers: Record<string, string> = {}): Step =>
  json(status, { ok: false, error: { code, message: 'No.', pointer: '/domain' }, request_id: 'r1' }, headers);
const dropped: Step = (request) => request.socket.destroy();
const domain = json(200, { ok: true, domain: { id: 7 } });

const test = suite<World>('client package');
test.before(async (context) => {
  const server = createServer((request, response) => {
    const key = request.headers['idempotency-key'] as string | undefined;
    context.seen.push({ method: request.method ?? '', url: request.url ?? '', key });
    request.resume();
    (context.steps.shift() ?? domain)(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  Object.assign(context, { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
test.before.each((context) => {
  context.steps = [];
  context.seen = [];
});
test.after(({ server }) => {
  server.closeAllConnections();
  server.close();
});

const clientOf = ({ url }: World, more: object = {}) => createClient<ApiRoute>({ url, token: 'wp_test', ...more });
const errorOf = async (call: Promise<unknown>): Promise<WaypostError> => {
  const error = await call.then(
    () => undefined,
    (fault: unknown) => fault,
  );
  assert.instance(error, WaypostError);
  return error as WaypostError;
};
const created = { domain: 'example.com' };

test('a POST is sent again with the same key after 503, 429 and a lost connection', async (world) => {
  world.steps = [refused(503, 'overloaded', { 'retry-after': '0' }), refused(429, 'too_many_requests'), dropped];
  const { domain: stored } = await clientOf(world).POST('/api/v1/domains', { body: created });
  assert.is(stored.id, 7);
  assert.is(world.seen.length, 4);
  assert.match(world.seen[0].key ?? '', /^[0-9a-f]{32}$/);
  assert.is(new Set(world.seen.map(({ key }) => key)).size, 1);
});

test('the number of retries is limited, and the last error is thrown', async (world) => {
  world.steps = Array.from({ length: 9 }, () => refused(503, 'no_quorum', { 'retry-after': '0' }));
  const error = await errorOf(clientOf(world, { retries: 2 }).GET('/api/v1/account'));
  assert.equal([error.code, error.status, world.seen.length], ['no_quorum', 503, 3]);
});

test('a refused request is not sent again, and its error has all parts', async (world) => {
  world.steps = [refused(409, 'zone_exists')];
  const error = await errorOf(clientOf(world).POST('/api/v1/domains', { body: created }));
  assert.equal(
    [error.name, error.status, error.code, error.message, error.pointer, error.requestId, error.details],
    ['WaypostError', 409, 'zone_exists', 'No.', '/domain', 'r1', []],
  );
  assert.is(world.seen.length, 1);
});

test('a Retry-After above the limit, a locked code and a lost PATCH are not retried', async (world) => {
  world.steps = [refused(429, 'too_many_requests', { 'retry-after': '61' })];
  assert.is((await errorOf(clientOf(world).GET('/api/v1/account'))).retryAfter, 61);
  world.steps = [refused(429, 'code_locked', { 'retry-after': '1' })];
  assert.is((await errorOf(clientOf(world).GET('/api/v1/account'))).code, 'code_locked');
  world.steps = [dropped];
  const patch = clientOf(world).PATCH('/api/v1/webhooks/{webhook_id}', {
    params: { path: { webhook_id: 1 } },
    body: {},
  });
  assert.equal([(await errorOf(patch)).code, world.seen.length], ['unreachable', 3]);
});

test('a form and a file are sent as they are', async (world) => {
  const types: (string | undefined)[] = [];
  const note: Step = (request, response) => {
    types.push(request.headers['content-type']);
    domain(request, response);
  };
  world.steps = [note, note];
  await clientOf(world).POST('/api/dev/apps/upload', { body: new FormData() });
  const zone = new Blob(['www A 192.0.2.1\n'], { type: 'text/dns' });
  await clientOf(world).PUT('/api/v1/domains/{domain_id}/zonefile', { params: { path: { domain_id: 1 } }, body: zone });
  assert.match(types[0] ?? '', /^multipart\/form-data; boundary=/);
  assert.is(types[1], 'text/dns');
});

test('a list reads a page when the items before it are read', async (world) => {
  const page = (items: number[], next_cursor: string | null): Step =>
    json(200, { ok: true, domains: items.map((item) => ({ id: item })), next_cursor, total: null });
  world.steps = [page([1, 2], 'a b'), page([], 'c'), page([3], null)];
  const ids: number[] = [];
  for await (const { id } of clientOf(world).list('/api/v1/domains', 'domains', { query: { q: 'x' } })) {
    ids.push(id);
    assert.is(world.seen.length, id < 3 ? 1 : 3);
  }
  assert.equal(ids, [1, 2, 3]);
  assert.equal(
    world.seen.map(({ url }) => url),
    ['limit=1000&q=x', 'limit=1000&q=x&cursor=a+b', 'limit=1000&q=x&cursor=c'].map(
      (query) => `/api/v1/domains?${query}`,
    ),
  );
});

test('a signal ends a call while it waits for a retry', async (world) => {
  const abort = new AbortController();
  world.steps = [
    (request, response) => {
      refused(503, 'busy', { 'retry-after': '60' })(request, response);
      response.once('finish', () => setTimeout(() => abort.abort(new Error('enough'))));
    },
  ];
  const call = clientOf(world).GET('/api/v1/account', { signal: abort.signal });
  assert.is(await call.catch((error: Error) => error.message), 'enough');
  assert.is(world.seen.length, 1);
});

test.run();
