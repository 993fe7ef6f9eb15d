/**
 * Purges by the API of the daemon: what was purged is given by no thread from the answer on, nor
 * after a restart or a kill; all else stays.
 */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../../support/daemon.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { freePort } from '../../../support/ports.ts';
import { untilPasses } from '../../../support/until.ts';

/**
 * Connections that stay open, each with one of the two threads: all with one by a chance of 2^-15.
 */
const CONNECTIONS = 16;
const DOMAINS = ['one.test', 'two.test'];
const PATHS = ['/news/a', '/news/b?c=d', '/newsletter', '/shop/x', '/shop/y'];

interface Context {
  daemon: Daemon;
  origin: Server;
  httpPort: number;
  ids: Record<string, string>;
  /** What the origin says now. */
  version: number;
  /** What prefetches have requested. */
  prefetched: string[];
  /** Requests to the origin for slow URLs. */
  slow: string[];
  /** Whether responses to slow URLs are stale at once. */
  isStale: boolean;
  agents: Agent[];
}

const test = suite<Context>('purges of the daemon');

test.before(async (context) => {
  Object.assign(context, { version: 1, prefetched: [], slow: [], isStale: false });
  const origin = createServer(
    ({ headers: { host, 'user-agent': agent, 'if-none-match': condition }, url = '' }, reply) => {
      if (agent === 'waypost-prefetch') context.prefetched.push(`${host}${url}`);
      const tags = url.startsWith('/shop/') ? 'shop, all-of-it' : 'news';
      reply.setHeader('cache-control', 'max-age=3600').setHeader('cache-tag', tags);
      const body = `${host}${url} ${context.version}`;
      if (!url.startsWith('/slow/')) return reply.end(body);
      context.slow.push(url);
      reply.setHeader('etag', `"${context.version}"`).setHeader('vary', 'x-kind');
      if (context.isStale) reply.setHeader('age', '3600');
      if (condition === `"${context.version}"`) reply.statusCode = 304;
      setTimeout(() => reply.end(body), 100);
    },
  );
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
  const httpPort = await freePort();
  const daemon = await startDaemon({
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${httpPort}`,
    WAYPOST_EDGE_WORKERS: '2',
    WAYPOST_EDGE_CACHE_DISK: '64MB',
    // As long as it may be.
    WAYPOST_EDGE_CACHE_WAIT: '600000',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
    WAYPOST_CLUSTER_IPV4: '127.0.0.1',
  });
  const { api } = daemon;
  await api.logIn('admin', ADMIN_PASSWORD);
  const ids: Record<string, string> = {};
  for (const domain of DOMAINS) {
    const id = await api.createDomain(domain);
    await api.createRecord(id, '@', 'A', '192.0.2.7');
    const { port } = origin.address() as AddressInfo;
    await api.call('PUT', `/api/v1/domains/${id}/proxy`, { origin: '127.0.0.1', port, protocol: 'http' });
    await api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
    ids[domain] = id;
  }
  Object.assign(context, { origin, httpPort, daemon, ids });
  connectAnew(context);
});
test.after(async ({ daemon, origin, agents }) => {
  for (const agent of agents ?? []) agent.destroy();
  await daemon?.close();
  origin?.closeAllConnections();
  origin?.close();
});

function connectAnew(context: Context): void {
  for (const agent of context.agents ?? []) agent.destroy();
  context.agents = Array.from({ length: CONNECTIONS }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
}

interface Seen {
  readonly status: number;
  readonly text: string;
  readonly isHit: boolean;
}

async function visit(
  { httpPort: port }: Context,
  agent: Agent,
  url: string,
  isKept = false,
  kind = 'none',
): Promise<Seen> {
  const [host, path] = [url.slice(0, url.indexOf('/')), url.slice(url.indexOf('/'))];
  const headers = { host, 'x-kind': kind, ...(isKept ? { 'cache-control': 'only-if-cached' } : {}) };
  const outgoing = request({ host: '127.0.0.1', port, path, agent, headers });
  outgoing.end();
  const [message] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  for await (const part of message.setEncoding('latin1')) text += part;
  return { status: message.statusCode ?? 0, text, isHit: /; hit/.test(String(message.headers['cache-status'])) };
}

const ALL = DOMAINS.flatMap((domain) => PATHS.map((path) => domain + path));

/**
 * Each connection sees this version of all, which each thread then has; where it is not said by
 * `others`, the newest.
 */
async function seesAll(context: Context, versionOf: (url: string) => number): Promise<void> {
  for (const url of ALL)
    for (const agent of context.agents) {
      const { status, text } = await visit(context, agent, url);
      assert.equal([status, text], [200, `${url} ${versionOf(url)}`]);
    }
}

/** A site is served once the threads have heard of it. */
async function untilServed(context: Context): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  for (const domain of DOMAINS)
    for (const agent of context.agents)
      while ((await visit(context, agent, `${domain}/`)).status !== 200) {
        if (Date.now() > end) throw new Error(`${domain} is never served`);
        await sleep(10);
      }
}

const purge = ({ daemon, ids }: Context, body: Record<string, string[] | boolean>) =>
  daemon.api.call('POST', `/api/v1/domains/${ids['one.test']}/proxy/purge`, body);

test('by URL, prefix, tag and all: at once, in each thread, and nothing else', async (context) => {
  await untilServed(context);
  const versions = new Map(ALL.map((url) => [url, 1]));
  const versionOf = (url: string): number => versions.get(url)!;
  // The third time it is hot.
  for (let i = 0; i < 3; i++) await seesAll(context, versionOf);
  const purges: [Record<string, string[]>, (path: string) => boolean][] = [
    [{ urls: ['http://one.test/news/b?c=d'] }, (path) => path === '/news/b?c=d'],
    [{ prefixes: ['one.test/news/'] }, (path) => path.startsWith('/news/')],
    [{ tags: ['all-of-it'] }, (path) => path.startsWith('/shop/')],
    [{ tags: ['nothing-has-it'], urls: ['http://one.test/newsletter'] }, (path) => path === '/newsletter'],
    [{}, () => true],
  ];
  for (const [body, fits] of purges) {
    context.version++;
    await purge(context, body);
    for (const path of PATHS) if (fits(path)) versions.set(`one.test${path}`, context.version);
    for (let i = 0; i < 3; i++) await seesAll(context, versionOf);
  }
  const [agent] = context.agents;
  for (const url of ALL) assert.ok((await visit(context, agent, url)).isHit, url);
});

test('a purge with prefetch fetches listed and popular URLs, once for all threads', async (context) => {
  // The test before has made all paths hot, in both threads.
  const { prefetched, agents } = context;
  context.version++;
  await purge(context, { urls: ['http://one.test/news/a'], prefixes: ['one.test/shop/'], prefetch: true });
  const expected = ['/news/a', '/shop/x', '/shop/y'].map((path) => `one.test${path}`);
  await untilPasses(() => assert.equal([...prefetched].sort(), expected));
  for (const url of expected)
    await untilPasses(async () => {
      for (const agent of agents) {
        const { status, text } = await visit(context, agent, url, true);
        assert.equal([status, text], [200, `${url} ${context.version}`]);
      }
    });
  assert.is(prefetched.length, expected.length);
  const { text } = await context.daemon.api.call('GET', '/metrics');
  assert.match(text, /cache_prefetches_total\{result="stored"\} 3\n/);
});

test('threads that miss at the same moment cost the origin one request, also after a purge', async (context) => {
  const urls = Array.from({ length: 8 }, (_, i) => `one.test/slow/${i}`);
  for (let round = 1; round <= 2; round++) {
    context.slow.length = 0;
    for (const url of urls) {
      const seen = await Promise.all(context.agents.map((agent) => visit(context, agent, url)));
      assert.equal(new Set(seen.map(({ text }) => text)), new Set([`${url} ${context.version}`]));
    }
    assert.equal(
      context.slow,
      urls.map((url) => url.slice('one.test'.length)),
    );
    context.version++;
    await purge(context, { prefixes: ['one.test/slow/'] });
  }
});

test('threads that have a stale response, or lack a variant, cost the origin one request', async (context) => {
  const url = 'one.test/slow/stale';
  const visitAll = async (kind: string): Promise<void> => {
    context.slow.length = 0;
    const seen = await Promise.all(context.agents.map((agent) => visit(context, agent, url, false, kind)));
    assert.equal(new Set(seen.map(({ text }) => text)), new Set([`${url} ${context.version}`]));
    assert.equal(context.slow, ['/slow/stale'], kind);
  };
  for (const isReplaced of [false, true]) {
    context.isStale = true;
    await visit(context, context.agents[0], url);
    context.isStale = false;
    if (isReplaced) context.version++;
    await visitAll('none');
    await visitAll(`variant ${isReplaced}`);
    await purge(context, { prefixes: ['one.test/slow/'] });
  }
});

test('an origin of a pool that refuses connections is found by its check, and returns', async (context) => {
  const { api } = context.daemon;
  const id = await api.createDomain('pool.test');
  await api.createRecord(id, '@', 'A', '192.0.2.7');
  await api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
  const ports = [(context.origin.address() as AddressInfo).port, await freePort()];
  const pool = ports.map((port) => ({ origin: '127.0.0.1', port, protocol: 'http' }));
  const health = { path: '/up', interval: 2, fall: 1, rise: 1 };
  await api.call('PUT', `/api/v1/domains/${id}/proxy/origins`, {
    origins: [{ pool, health, sticky: { by: 'cookie' } }],
  });
  const states = async (): Promise<string> => {
    const { body } = await api.call('GET', `/api/v1/domains/${id}/proxy/origins/health`);
    const [{ origins }] = body.entries as { origins: { state: string }[] }[];
    return origins.map(({ state }) => state).join();
  };
  const [agent] = context.agents;
  // Whatever the checks have found so far, no request is lost.
  const failures: string[] = [];
  await untilPasses(async () => {
    const { status, text } = await visit(context, agent, 'pool.test/news/a');
    if (status !== 404 && text !== `pool.test/news/a ${context.version}`) failures.push(`${status} ${text}`);
    assert.is(await states(), 'up,down');
  });
  assert.equal(failures, []);
  const second = createServer((_, reply) => reply.setHeader('cache-control', 'no-store').end('second'));
  second.listen(ports[1], '127.0.0.1');
  await once(second, 'listening');
  try {
    await untilPasses(async () => assert.is(await states(), 'up,up'));
    let number = 0;
    await untilPasses(async () => assert.is((await visit(context, agent, `pool.test/${number++}`)).text, 'second'));
  } finally {
    second.closeAllConnections();
    second.close();
  }
});

for (const end of ['stop', 'kill'] as const)
  test(`not after a restart either: ${end}`, async (context) => {
    const { daemon } = context;
    const before = await visit(context, context.agents[0], 'two.test/shop/x');
    context.version++;
    await purge(context, { tags: ['shop'], prefixes: ['one.test/news/'] });
    connectAnew(context);
    await daemon[end]();
    await daemon.start();
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    await untilServed(context);
    const { agents } = context;
    // What is on the disk is read in the background.
    const limit = Date.now() + PATIENCE_MS;
    const gone = ALL.filter((url) => /^one\.test\/(?:shop|news)\//.test(url));
    for (const url of ALL.filter((text) => !gone.includes(text)))
      while ((await visit(context, agents[0], url, true)).status !== 200) {
        if (Date.now() > limit) throw new Error(`${url} is never found again`);
        await sleep(10);
      }
    for (const url of gone)
      for (const agent of agents) assert.is((await visit(context, agent, url, true)).status, 504, url);
    for (const url of gone)
      for (const agent of agents) assert.is((await visit(context, agent, url)).text, `${url} ${context.version}`);
    assert.is((await visit(context, agents[1], 'two.test/shop/x')).text, before.text);
  });

test.run();
