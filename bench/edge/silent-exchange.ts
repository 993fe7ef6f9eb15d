/**
 * Exchanges without a connection, and an origin that answers at once: for measurements of the
 * handler of a site.
 */
import { NO_BODY } from '../../edge/http/exchange/body-queue.ts';
import { THREAD_MEMORY } from '../../edge/http/exchange/client-memory.ts';
import type { Exchange, VisitedSite } from '../../edge/http/exchange/exchange.ts';
import type { FieldList } from '../../edge/http/exchange/field-list.ts';
import type { Fetch, OriginBody } from '../../edge/origin/origin.ts';
import { OriginPlace } from '../../edge/origin/spellings.ts';
import type { Site } from '../../edge/sites/site.ts';

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

export const SITE: Site = {
  domainId: 'd1',
  domain: 'example.com',
  origin: { host: '203.0.113.9', port: 8080, protocol: 'http' },
  hasCertificate: true,
  hsts: 'max-age=31536000',
  documents: null,
};

const MEMORY = THREAD_MEMORY.enter('198.51.100.7');

export class Silent implements Exchange {
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
  inFlightAt = -1;
  visited: VisitedSite | null = null;
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
export const origin =
  (isCacheable: boolean): Fetch =>
  async () => ({
    status: 200,
    headers: [...HEADERS, 'cache-control', isCacheable ? 'max-age=1000000000' : 'no-store'],
    body: new OnePart(),
    tunnel: null,
    requestTime: Date.now(),
    responseTime: Date.now(),
    identity: PLACE,
  });
