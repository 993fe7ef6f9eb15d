/**
 * What the handler of a site costs by itself: exchanges without a connection, an origin that answers at once. µs a request by the clock, which on one
 * busy thread is that of CPU, and bytes of heap that each leaves behind.
 *
 *     node --expose-gc dist/bench/edge/proxy-path.js
 */
import { openCache } from '../../edge/cache/store/node-cache.ts';
import { openCacheStore } from '../../edge/cache/store/store.ts';
import { NO_BODY } from '../../edge/http/exchange/body-queue.ts';
import { THREAD_MEMORY } from '../../edge/http/exchange/client-memory.ts';
import type { Exchange } from '../../edge/http/exchange/exchange.ts';
import type { FieldList } from '../../edge/http/exchange/field-list.ts';
import type { Fetch, OriginBody } from '../../edge/origin/origin.ts';
import { OriginPlace } from '../../edge/origin/place.ts';
import { createProxy } from '../../edge/proxy/proxy.ts';
import type { Site } from '../../edge/sites/site.ts';

const MB = 1024 * 1024;
const BODY = Buffer.alloc(2000, 'x');

/** As a browser sends them. */
const BROWSER: FieldList = [
  ...['user-agent', 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'],
  ...['accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'],
  ...['accept-language', 'en-GB,en;q=0.5'],
  ...['accept-encoding', 'gzip, deflate, br, zstd'],
  ...['referer', 'https://www.example.com/'],
  ...['cookie', 'session=0123456789abcdef0123456789abcdef; theme=dark'],
  ...['sec-fetch-dest', 'document', 'sec-fetch-mode', 'navigate', 'sec-fetch-site', 'same-origin'],
  ...['upgrade-insecure-requests', '1', 'priority', 'u=0, i'],
];

const SITE: Site = {
  domainId: 'd1',
  domain: 'example.com',
  origin: { host: '203.0.113.9', port: 8080, protocol: 'http' },
  hasCertificate: true,
  hsts: 'max-age=31536000',
  documents: null,
};

const MEMORY = THREAD_MEMORY.enter('198.51.100.7');

class Silent implements Exchange {
  readonly version = '2';
  readonly client = { address: '198.51.100.7', port: 1, serverName: 'www.example.com', isEncrypted: true };
  readonly method = 'GET';
  readonly scheme = 'https';
  readonly targetScheme = 'https';
  readonly authority = 'www.example.com';
  readonly headers = BROWSER;
  readonly protocol = '';
  readonly body = NO_BODY;
  readonly memory = MEMORY;
  isEnded = false;
  status = 0;
  constructor(readonly path: string) {}
  inform(): void {}
  answer({ status }: { status: number }): void {
    this.status = status;
    this.isEnded = true;
  }
  respond(status: number): void {
    this.status = status;
  }
  reserve(bytes: number): number {
    return bytes;
  }
  write(): boolean {
    return true;
  }
  lend(): boolean {
    return true;
  }
  end(): void {
    this.isEnded = true;
  }
  onDrain(): void {}
  onAbort(): void {}
  upgrade(): void {}
  abort(): void {}
}

class OnePart implements OriginBody {
  readonly length = BODY.length;
  readonly trailers = [];
  #isTaken = false;
  readNow(): Uint8Array | null {
    if (this.#isTaken) return null;
    this.#isTaken = true;
    return BODY;
  }
  async read(): Promise<Uint8Array | null> {
    return this.readNow();
  }
  cancel(): void {}
}

const HEADERS: FieldList = [
  ...['content-type', 'application/octet-stream', 'content-length', '2000', 'server', 'nginx/1.22.1'],
  ...['last-modified', 'Sun, 01 Mar 2026 12:00:00 GMT', 'etag', '"65e1c0a0-7d0"'],
  ...['date', 'Sun, 01 Mar 2026 12:00:00 GMT', 'accept-ranges', 'bytes'],
];

const PLACE = new OriginPlace(SITE.origin, [SITE.origin.host]);

/** `isCacheable`: else the origin forbids it. */
const origin =
  (isCacheable: boolean): Fetch =>
  async () => ({
    status: 200,
    headers: [...HEADERS, 'cache-control', isCacheable ? 'max-age=1000000000' : 'no-store'],
    body: new OnePart(),
    tunnel: null,
    requestTime: Date.now(),
    responseTime: Date.now(),
    place: PLACE,
  });

type Handle = (path: string) => void | Promise<void>;

async function measured(name: string, count: number, path: (i: number) => string, handle: Handle): Promise<void> {
  const round = async (): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const handled = handle(path(i));
      if (handled !== undefined) await handled;
    }
  };
  await round();
  await round();
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i++) {
    const begin = process.hrtime.bigint();
    await round();
    best = Math.min(best, Number(process.hrtime.bigint() - begin) / 1000 / count);
  }
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 1000; i++) await handle(path(i));
  const data = globalThis.gc === undefined ? Number.NaN : (process.memoryUsage().heapUsed - before) / 1000;
  console.log(`${name.padEnd(44)} ${best.toFixed(2).padStart(7)} µs ${data.toFixed(0).padStart(8)} bytes`);
}

const node = await openCache({
  ...{ folder: '', disk: 0, threads: 1 },
  ...{ memory: 64 * MB, memoryObject: MB, largestObject: MB },
});
const store = openCacheStore(node.handle);
const cached = createProxy({ fetch: origin(true), cache: { store, maxBodyBytes: MB } });
const forbidden = createProxy({ fetch: origin(false), cache: { store, maxBodyBytes: MB } });
const uncached = createProxy({ fetch: origin(false) });
const one = (): string => '/one';
const of =
  (count: number) =>
  (i: number): string =>
    `/${i % count}`;

const run = (handle: typeof cached) => (path: string) => handle(new Silent(path), SITE);
await measured('hit of one object', 200_000, one, run(cached));
await measured('hits of 1,000 objects', 200_000, of(1000), run(cached));
await measured('hits of 20,000 objects', 100_000, of(20_000), run(cached));
await measured('proxied, no cache', 50_000, one, run(uncached));
await measured('proxied, not to be kept', 50_000, one, run(forbidden));
await store.close();
