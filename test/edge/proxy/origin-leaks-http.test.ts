/**
 * An origin that sends its name and its address in every possible field. No visitor may see either,
 * with any version of HTTP, stored or not, in heads, early hints or trailers.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { parseExemptions } from '../../../core/net/address/index.ts';
import type { Lookup } from '../../../core/net/resolver/resolver.ts';
import { openCache } from '../../../edge/cache/store/node-cache.ts';
import { openCacheStore } from '../../../edge/cache/store/store.ts';
import { createOriginClient } from '../../../edge/origin/client.ts';
import { createSiteProxy } from '../../../edge/proxy/proxy.ts';
import { webSocketAccept } from '../../../edge/proxy/tunnel.ts';
import type { Site } from '../../../edge/sites/site.ts';
import { bytesOf } from '../http/exchange/client-call.ts';
import { type Rig, VERSIONS, withRig } from '../http/exchange/rig.ts';
import { listening } from '../origin/rig.ts';

const HOST = 'Origin.internal.test';
const MB = 1024 * 1024;

/** 203.0.113.9 is another address of the name. The edge never connects to it. */
const lookup: Lookup = async (_, type) => ({
  kind: 'addresses',
  addresses: type === TYPE.A ? [Uint8Array.of(127, 0, 0, 1), Uint8Array.of(203, 0, 113, 9)] : [],
  ttl: 60,
  chain: [],
});

/** Field lines that contain the host. */
const linesOf = (host: string, port: number): string[] => [
  `x-backend: ${host}:${port}`,
  `backend: ${host}`,
  `host: ${host}`,
  `via: 1.1 ${host}`,
  `forwarded: by=${host};for="${host}:${port}"`,
  `server-timing: app;desc="${host}"`,
  `cache-status: ${host}; hit`,
  `link: <http://${host}:${port}/a.css>; rel=preload`,
  `content-location: http://${host}:${port}/page`,
  `refresh: 5; url=http://${host}:${port}/next`,
  `sourcemap: http://${host}:${port}/a.map`,
  `reporting-endpoints: main="http://${host}:${port}/reports"`,
  `access-control-allow-origin: http://${host}:${port}`,
  `content-security-policy: default-src http://${host}:${port}`,
  `location: /login?to=http%3A%2F%2F${host}%3A${port}%2Fa`,
];

const PRIVATE = [
  ...[
    'set-cookie: a=b; Domain=Origin.internal.test',
    'set-cookie: node=127.0.0.1',
    'set-cookie: pool=16777343.36895.0000',
  ],
  ...['x-instance: 203.0.113.9', 'x-instance: ip-127-0-0-1', 'x-instance: ::ffff:127.0.0.1', 'x-instance: 0x7f000001'],
];

const SECRETS = /origin\.internal|127[.-]0[.-]0[.-]1|203\.0\.113\.9|7f00|16777343/i;

function answer(socket: Socket, request: string): void {
  const port = socket.localPort ?? 0;
  const path = /^\S+ (\S+)/.exec(request)?.[1] ?? '';
  const all = [...linesOf(HOST, port), ...linesOf('127.0.0.1', port), ...PRIVATE];
  // A response with cookies is not stored.
  const lines = path === '/passed' ? all : all.filter((line) => !line.startsWith('set-cookie'));
  if (path === '/socket') {
    const key = /^sec-websocket-key: *(\S+)/im.exec(request)?.[1] ?? '';
    socket.write(
      [
        'HTTP/1.1 101 At 127.0.0.1',
        'connection: upgrade',
        'upgrade: websocket',
        ...lines,
        `sec-websocket-accept: ${webSocketAccept(key)}`,
        '',
        '',
      ].join('\r\n'),
    );
    return;
  }
  const isStored = path === '/stored';
  const isOld = path === '/revalidated';
  if (isOld && /^if-none-match:/im.test(request)) {
    socket.write(['HTTP/1.1 304 At 127.0.0.1', 'etag: "1"', 'cache-control: no-store', ...lines, '', ''].join('\r\n'));
    return;
  }
  const status = path === '/moved' ? '302 To 127.0.0.1' : '200 At 127.0.0.1';
  socket.write(['HTTP/1.1 103 At 127.0.0.1', ...lines, '', ''].join('\r\n'));
  const lifetime = isStored ? 'max-age=600' : isOld ? 'max-age=0, ' : 'no-store';
  const head = [`HTTP/1.1 ${status}`, 'transfer-encoding: chunked', 'etag: "1"', `cache-control: ${lifetime}`];
  const trailers = [...lines, 'x-sum: 7'];
  socket.write([...head, ...lines, '', '4', 'body', '0', ...trailers, '', ''].join('\r\n'));
}

const openOrigin = (): Server =>
  createServer((socket) => {
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const request = text.slice(0, end);
        text = text.slice(end + 4);
        answer(socket, request);
      }
    });
  });

async function visit(rig: Rig, path: string): Promise<string> {
  const call = rig.call({ path, headers: { te: 'trailers' } });
  const head = await call.head;
  assert.is((await bytesOf(await call.stream())).toString(), 'body');
  const seen = JSON.stringify([head, call.informational, call.trailers()]);
  assert.not.match(seen, SECRETS, `${path}: ${seen}`);
  return seen;
}

for (const version of VERSIONS) {
  test(`${version}: no response reveals the origin`, async () => {
    const server = openOrigin();
    const port = await listening(server, '127.0.0.1');
    const client = createOriginClient({ lookup, exemptions: parseExemptions(['127.0.0.1']) });
    const node = await openCache({
      ...{ folder: '', disk: 0, threads: 1 },
      ...{ memory: 64 * MB, memoryObject: MB, largestObject: MB },
    });
    const store = openCacheStore(node.handle);
    const site: Site = {
      ...{ domainId: 'd', domain: 'site.test', hasCertificate: false, hsts: '', documents: null },
      origin: { host: HOST.toLowerCase(), port, protocol: 'http' },
    };
    const proxy = createSiteProxy({ fetch: client.fetch, send: client.send, cache: { store, maxBodyBytes: MB } }).serve;
    try {
      await withRig(
        version,
        (exchange) => proxy(exchange, site),
        async (rig) => {
          const passed = await visit(rig, '/passed');
          assert.match(passed, /"x-sum":"7"/);
          assert.match(passed, /\/login\?to=https?%3A%2F%2Fsite\.test%2Fa/);
          assert.match(passed, /"content-security-policy":"[^"]*default-src https?:\/\/site\.test/);
          assert.match(passed, /"set-cookie":\["a=b"\]/);
          await visit(rig, '/moved');
          await visit(rig, '/stored');
          for (let i = 0; i < 3; i++) assert.match(await visit(rig, '/stored'), /waypost; hit/);
          await visit(rig, '/revalidated');
          assert.match(await visit(rig, '/revalidated'), /fwd-status=304/);
          const { status, headers, tunnel } = await rig.tunnel('/socket');
          assert.is(status, rig.isHttp2 ? 200 : 101);
          assert.not.match(JSON.stringify(headers), SECRETS);
          tunnel?.destroy();
          assert.equal(rig.errors, []);
        },
      );
    } finally {
      await client.close();
      await store.close();
      server.close();
    }
  });
}

test('the error page for an unreachable origin does not reveal it either', async () => {
  const client = createOriginClient({ lookup, exemptions: parseExemptions(['127.0.0.1']) });
  const proxy = createSiteProxy({ fetch: client.fetch, send: client.send }).serve;
  const site: Site = {
    ...{ domainId: 'd', domain: 'site.test', hasCertificate: false, hsts: '', documents: null },
    origin: { host: HOST.toLowerCase(), port: 1, protocol: 'http' },
  };
  try {
    await withRig(
      'http/1.1',
      (exchange) => proxy(exchange, site),
      async (rig) => {
        const call = rig.call();
        const head = await call.head;
        assert.is(head.status, 502);
        assert.not.match(JSON.stringify(head) + (await bytesOf(await call.stream())), SECRETS);
      },
    );
  } finally {
    await client.close();
  }
});

test.run();
