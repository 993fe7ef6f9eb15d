/** `network.fetch` of apps, against a server of this machine that stands for a host name. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import tls, { createServer as createSecureServer } from 'node:tls';
import * as zlib from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HostFault } from '../../../../admin-api/miniapp/bridge/errors.ts';
import { type FetchResult, LIMITS } from '../../../../admin-api/miniapp/bridge/operations.ts';
import { AppNetwork, type NetworkLogEntry, type NetworkOptions } from '../../../../admin-api/miniapp/host/index.ts';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';
import { openPage } from './page.ts';

const { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } = zlib;
/** Node has it from 22.15 on. */
const { zstdCompressSync } = zlib as { zstdCompressSync?: (data: string | Buffer) => Buffer };

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const handlers = new Map<string, Handler>();
const requests: IncomingMessage[] = [];
const sockets = new Set<Socket>();
let connections = 0;
const server = createServer((request, response) => {
  requests.push(request);
  const handler = handlers.get(request.url?.split('?')[0] ?? '');
  if (handler === undefined) response.writeHead(404).end('nothing');
  else handler(request, response);
});
server.on('connection', (socket) => {
  connections++;
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
});
const port = await new Promise<number>((resolve) => {
  server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
});

const API = 'http://api.example.com';
const FIXTURES = new Map([['api.example.com', { address: '127.0.0.1', port }]]);
const nothing = async (): Promise<readonly string[]> => [];

function network(options: NetworkOptions = {}) {
  const log: NetworkLogEntry[] = [];
  const apps = new AppNetwork({ fixtures: FIXTURES, resolve: nothing, log: (entry) => log.push(entry), ...options });
  const signal = new AbortController().signal;
  const fetch = (url: string, method: 'GET' | 'HEAD' = 'GET'): Promise<FetchResult> =>
    apps.fetch({ appId: 'com.example.app', signal }, { url, method });
  /** The status, or the code of the error. */
  const codeOf = async (url: string, method: 'GET' | 'HEAD' = 'GET'): Promise<string> => {
    try {
      return `${(await fetch(url, method)).status}`;
    } catch (error) {
      if (error instanceof HostFault) return error.code;
      throw error;
    }
  };
  return { apps, log, fetch, codeOf };
}

const serve = (path: string, handler: Handler): string => {
  handlers.set(path, handler);
  return API + path;
};

test('a response has its status, fields and body', async () => {
  const url = serve('/weather', (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Set-Cookie': ['a=1', 'b=2'], 'X-Two': ['1', '2'] });
    response.end('{"sky":"clear"}');
  });
  const { fetch, log } = network();
  const result = await fetch(`${url}?q=1#part`);
  assert.is(result.ok, true);
  assert.is(result.status, 200);
  assert.is(result.url, `${url}?q=1`);
  assert.is(result.body, '{"sky":"clear"}');
  assert.is(result.encoding, 'utf-8');
  assert.is(result.headers['content-type'], 'application/json');
  assert.is(result.headers['x-two'], '1, 2');
  assert.not.ok('set-cookie' in result.headers);
  assert.is(log.length, 1);
  assert.equal(
    { ...log[0], ms: 0 },
    {
      appId: 'com.example.app',
      method: 'GET',
      url: `${url}?q=1#part`,
      status: 200,
      bytes: 15,
      ms: 0,
      error: undefined,
    },
  );
  assert.is((await fetch(`${API}/missing`)).ok, false);
});

test('no data of the user is sent, not even cookies of the server', async () => {
  const url = serve('/cookie', (_request, response) => {
    response.writeHead(302, { 'set-cookie': 'session=1', location: '/cookie-after' }).end();
  });
  serve('/cookie-after', (_request, response) => response.end());
  const { fetch } = network();
  await fetch(url);
  requests.length = 0;
  await fetch(url);
  assert.is(requests.length, 2);
  for (const { headers } of requests)
    assert.equal(Object.keys(headers).toSorted(), ['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
  assert.is(requests[0].headers['user-agent'], 'Waypost-MiniApp/1');
});

test('HEAD has no body, whatever the fields claim', async () => {
  const url = serve('/head', (_request, response) => {
    response.writeHead(200, { 'content-length': 99_999_999, 'content-encoding': 'gzip' }).end();
  });
  const result = await network().fetch(url, 'HEAD');
  assert.is(result.body, '');
  assert.is(result.headers['content-length'], '99999999');
});

test('bodies that are not UTF-8 are Base64', async () => {
  const bodies: readonly (readonly [Buffer, string, string])[] = [
    [Buffer.from('héllo 🌦'), 'utf-8', 'héllo 🌦'],
    [Buffer.from('\ufeffa'), 'utf-8', 'a'],
    [Buffer.from([0xff, 0xfe, 0x41]), 'base64', '//5B'],
    [Buffer.from([0xc3]), 'base64', 'ww=='],
    [Buffer.from([0xed, 0xa0, 0x80]), 'base64', '7aCA'],
    [Buffer.from([0]), 'utf-8', '\0'],
    [Buffer.alloc(0), 'utf-8', ''],
  ];
  for (const [body, encoding, text] of bodies) {
    const url = serve('/bytes', (_request, response) => response.end(body));
    const result = await network().fetch(url);
    assert.is(result.encoding, encoding);
    assert.is(result.body, text);
  }
});

test('codings are decoded, and others are errors', async () => {
  const text = 'sky '.repeat(1000);
  const codings: readonly (readonly [string, Buffer, string])[] = [
    ['gzip', gzipSync(text), text],
    ['GZIP', gzipSync(text), text],
    ['x-gzip', gzipSync(text), text],
    ['deflate', deflateSync(text), text],
    ['deflate', deflateRawSync(text), text],
    ['br', brotliCompressSync(text), text],
    ['identity', Buffer.from(text), text],
    ['gzip', Buffer.alloc(0), ''],
    ...(zstdCompressSync === undefined ? [] : [['zstd', zstdCompressSync(text), text] as const]),
  ];
  const respond = (coding: string, body: Buffer): string =>
    serve('/coded', (_request, response) => response.writeHead(200, { 'content-encoding': coding }).end(body));
  for (const [coding, body, decoded] of codings)
    assert.is((await network().fetch(respond(coding, body))).body, decoded, coding);
  const gzip = gzipSync(text);
  const broken: readonly (readonly [string, Buffer])[] = [
    ['gzip', gzip.subarray(0, 20)],
    ['gzip', Buffer.from('no gzip')],
    ['gzip, gzip', gzipSync(gzip)],
    ['compress', gzip],
  ];
  for (const [coding, body] of broken)
    assert.is(await network().codeOf(respond(coding, body)), 'network_error', coding);
});

test('a body past the limit is an error, declared, streamed or inflated', async () => {
  const limit = LIMITS.fetchBody;
  const { codeOf, log, fetch } = network();
  const exact = serve('/exact', (_request, response) => response.end(Buffer.alloc(limit, 65)));
  assert.is((await fetch(exact)).body.length, limit);
  const declared = serve('/declared', (_request, response) => {
    response.writeHead(200, { 'content-length': limit + 1 }).write('a');
  });
  assert.is(await codeOf(declared), 'network_error');
  const streamed = serve('/streamed', (_request, response) => {
    const chunk = Buffer.alloc(1 << 20);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  });
  assert.is(await codeOf(streamed), 'network_error');
  const zeros = Buffer.alloc(limit + 1);
  const bombs: [string, Buffer][] = [
    ['gzip', gzipSync(zeros)],
    ['br', brotliCompressSync(zeros)],
  ];
  if (zstdCompressSync !== undefined) bombs.push(['zstd', zstdCompressSync(zeros)]);
  for (const [coding, bomb] of bombs) {
    assert.ok(bomb.length < 10_000);
    const url = serve('/bomb', (_request, response) =>
      response.writeHead(200, { 'content-encoding': coding }).end(bomb),
    );
    assert.is(await codeOf(url), 'network_error');
  }
  assert.equal(
    log.slice(1).map(({ bytes }) => bytes),
    [0, 0, ...bombs.map(() => 0)],
  );
});

test('redirects are followed, at most five, and each is checked', async () => {
  const { codeOf, fetch, log } = network();
  for (let i = 0; i < 10; i++)
    serve(`/hop/${i}`, (_request, response) => response.writeHead(302, { location: `${i + 1}` }).end('x'));
  serve('/hop/5', (_request, response) => response.end('there'));
  const result = await fetch(`${API}/hop/0`);
  assert.is(result.body, 'there');
  assert.is(result.url, `${API}/hop/5`);
  serve('/hop/5', (_request, response) => response.writeHead(308, { location: '/hop/6' }).end());
  assert.is(await codeOf(`${API}/hop/0`), 'network_error');

  const before = connections;
  const targets = [
    `http://127.0.0.1:${port}/`,
    `http://[::1]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://0x7f.1:${port}/`,
    `http://localhost:${port}/`,
    `http://private.example.com:${port}/`,
    'http://user:password@api.example.com/',
    'ftp://api.example.com/',
    'file:///etc/passwd',
    'data:text/plain,a',
    'javascript:alert(1)',
    'http://',
    `http://api.example.com/${'x'.repeat(9000)}`,
  ];
  const hostile = network({ resolve: async () => ['127.0.0.1'] });
  for (const location of targets) {
    const url = serve('/redirect', (_request, response) => response.writeHead(301, { location }).end());
    assert.is(await hostile.codeOf(url), 'network_error', location);
  }
  assert.is(connections - before, targets.length);
  assert.match(hostile.log[0].error ?? '', '127.0.0.1');
  const secure = serve('/downgrade', (_request, response) => {
    response.writeHead(301, { location: 'http://api.example.com/hop/5' }).end();
  });
  assert.is(await codeOf(secure.replace('http:', 'https:')), 'network_error');
  assert.match(log.at(-1)?.error ?? '', 'from https to http');
  const without = serve('/no-location', (_request, response) => response.writeHead(302).end('kept'));
  assert.is((await fetch(without)).body, 'kept');
});

test('no connection is tried to an address that is not public', async () => {
  const before = connections;
  const found: readonly (readonly string[])[] = [
    ['127.0.0.1'],
    ['::1', '127.0.0.1', '10.0.0.1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['169.254.169.254'],
    ['0.0.0.0'],
    [],
    ['nonsense'],
  ];
  for (const addresses of found) {
    const { codeOf, fetch } = network({ resolve: async () => addresses });
    assert.is(await codeOf(`http://private.example.com:${port}/`), 'network_error', addresses.join());
    try {
      await fetch(`http://private.example.com:${port}/`);
      assert.unreachable();
    } catch (error) {
      // The app does not learn what the name led to.
      assert.not.match((error as Error).message, /\d/);
    }
  }
  const hosts = ['127.0.0.1', '[::1]', '2130706433', '0177.0.0.1', 'localhost', 'printer', 'router.local', '10.0.0.1'];
  for (const host of hosts) {
    const { codeOf } = network({ resolve: async () => ['127.0.0.1'] });
    assert.is(await codeOf(`http://${host}:${port}/`), 'network_error', host);
  }
  assert.is(connections, before);
});

test('the socket gets the addresses that were checked, and is checked when it is connected', async () => {
  const original = net.connect;
  let offered: unknown;
  let resolved = 0;
  const resolve = async (): Promise<readonly string[]> =>
    ++resolved === 1 ? ['127.0.0.1', '192.88.100.7'] : ['127.0.0.1'];
  // A network that leads the public address to this machine.
  net.connect = ((options: net.TcpNetConnectOpts) => {
    options.lookup?.('rebinding.example.com', { all: true }, (_error, addresses) => {
      offered = addresses;
    });
    return original({ port, host: '127.0.0.1' });
  }) as typeof net.connect;
  try {
    const { codeOf, log } = network({ resolve });
    requests.length = 0;
    assert.is(await codeOf(`http://rebinding.example.com:${port}/`), 'network_error');
    assert.match(log[0].error ?? '', 'led to 127.0.0.1');
  } finally {
    net.connect = original;
  }
  assert.is(resolved, 1);
  assert.equal(offered, [{ address: '192.88.100.7', family: 4 }]);
  assert.is(requests.length, 0);
});

test('the certificate of a server is checked for the name in the URL', async () => {
  const key = ecKey();
  const cert = certificate({ name: 'tls.example.com', key, dnsNames: ['tls.example.com'] });
  const secure = createSecureServer({ key: pemOfKey(key), cert }, (socket) => socket.on('error', () => {}));
  secure.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
  const original = tls.connect;
  const names: unknown[] = [];
  tls.connect = ((options: tls.ConnectionOptions) => {
    names.push(options.servername, options.session);
    return original({ ...options, host: '127.0.0.1', port: (secure.address() as AddressInfo).port, lookup: undefined });
  }) as typeof tls.connect;
  try {
    const { codeOf, log } = network({ resolve: async () => ['192.88.100.7'] });
    assert.is(await codeOf('https://tls.example.com/'), 'network_error');
    assert.match(log[0].error ?? '', 'self-signed certificate');
  } finally {
    tls.connect = original;
    secure.close();
  }
  assert.equal(names, ['tls.example.com', null]);
});

test('URLs that no app may request are refused before anything is resolved', async () => {
  const resolve = async (): Promise<readonly string[]> => {
    throw new Error('It was resolved.');
  };
  const { codeOf } = network({ resolve });
  for (const url of ['http://a:b@example.com/', 'ftp://example.com/', 'http://example.com:0/', 'nonsense'])
    assert.is(await codeOf(url), 'invalid_argument', url);
});

test('a slow server ends with a timeout, wherever it is slow', async () => {
  const silent = serve('/silent', () => {});
  const dripping = serve('/dripping', (_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 5);
    response.on('close', () => clearInterval(timer));
  });
  const { codeOf } = network({ timeoutMs: 40 });
  assert.equal(await Promise.all([codeOf(silent), codeOf(dripping)]), ['timeout', 'timeout']);
  const unresolved = network({ timeoutMs: 20, resolve: () => new Promise(() => {}) });
  assert.is(await unresolved.codeOf('http://slow.example.com/'), 'timeout');
});

test('malformed HTTP and large header sections are errors', async () => {
  const { codeOf } = network();
  const nonsense = serve('/nonsense', ({ socket }) => socket.end('SSH-2.0-OpenSSH\r\n\r\n'));
  assert.is(await codeOf(nonsense), 'network_error');
  const cut = serve('/cut', ({ socket }) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'));
  assert.is(await codeOf(cut), 'network_error');
  const fields = serve('/fields', ({ socket }) => {
    socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`);
  });
  assert.is(await codeOf(fields), 'network_error');
  const odd = serve('/odd', ({ socket }) => {
    socket.end('HTTP/1.1 200 OK\r\n__proto__: a\r\nconstructor: b\r\ncontent-length: 2\r\n\r\nab');
  });
  const { headers } = await network().fetch(odd);
  assert.is(Object.getOwnPropertyDescriptor(headers, '__proto__')?.value, 'a');
  assert.is(headers.constructor as unknown, 'b');
});

test('the conditions of the network apply to each request', async () => {
  let mode: 'online' | 'offline' | 'slow' | 'error' = 'offline';
  const { codeOf, fetch, log } = network({
    conditions: () => ({ mode, latencyMs: 20, bytesPerSecond: 100_000 }),
  });
  const url = serve('/sized', (_request, response) => response.end('x'.repeat(2000)));
  const before = connections;
  assert.is(await codeOf(url), 'network_error');
  mode = 'error';
  assert.is(await codeOf(url), 'network_error');
  assert.is(connections, before);
  assert.match(log[0].error ?? '', 'offline');
  mode = 'slow';
  await fetch(url);
  assert.ok(log[2].ms >= 35, `${log[2].ms} ms`);
  mode = 'online';
  assert.is(await codeOf(url), '200');
});

test('an app has six concurrent connections, and does not delay others', async () => {
  const held: ServerResponse[] = [];
  const url = serve('/held', (_request, response) => void held.push(response));
  const { apps } = network();
  const signal = new AbortController().signal;
  const running = Array.from({ length: 8 }, () => apps.fetch({ appId: 'a', signal }, { url, method: 'GET' }));
  const other = apps.fetch({ appId: 'b', signal }, { url: `${API}/missing`, method: 'GET' });
  assert.is((await other).status, 404);
  while (held.length < 6) await new Promise((resolve) => setTimeout(resolve, 2));
  assert.is(held.length, 6);
  while (held.length > 0) {
    held.shift()?.end();
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  assert.is((await Promise.all(running)).length, 8);
});

test('a request ends when its page is left, and when the network is closed', async () => {
  const held: ServerResponse[] = [];
  const url = serve('/left', (_request, response) => void held.push(response));
  const { apps, log, codeOf } = network();
  const page = openPage({ services: { fetch: (call, request) => apps.fetch(call, request) } });
  page.request('network.fetch', { url });
  while (held.length < 1) await new Promise((resolve) => setTimeout(resolve, 2));
  const ended = new Promise((resolve) => held[0].on('close', resolve));
  page.session.close();
  await ended;
  assert.is(page.sent.length, 1);
  const running = codeOf(url);
  while (held.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
  apps.close();
  assert.is(await running, 'cancelled');
  assert.is(await codeOf(url), 'cancelled');
  assert.is(log[0].error, 'The request was cancelled.');
});

test('a log that throws fails no request', async () => {
  const { fetch } = network({
    log: () => {
      throw new Error('of the log');
    },
  });
  assert.is((await fetch(`${API}/missing`)).status, 404);
});

test.after(() => {
  server.close();
  for (const socket of sockets) socket.destroy();
});
test.run();
