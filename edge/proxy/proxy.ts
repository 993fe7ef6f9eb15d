/** The handler of a site: what a visitor asks for is fetched from the site's origin, or given from what is kept of it. */
import { type CacheOptions, createCacheFlow } from '../cache/cache.ts';
import type { CacheOutcome } from '../cache/outcome.ts';
import { fieldValue, withoutFields } from '../cache/rules/fields.ts';
import type { Done } from '../cache/visit.ts';
import { NO_BODY } from '../http/exchange/body-queue.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { Fetch, OriginResponse } from '../origin/origin.ts';
import type { Site } from '../sites/site.ts';
import type { Compression } from './coding.ts';
import type { ErrorPage } from './error-page.ts';
import { GRPC_UNIMPLEMENTED, isGrpc } from './grpc.ts';
import { FAULT_PAGES, METHOD_NOT_ALLOWED, NO_GRPC, NO_SUCH_PROTOCOL, NO_WEBSOCKET_KEY } from './pages.ts';
import { Passage, type PassageContext } from './passage.ts';
import type { ExchangeRecord, OnDone } from './record.ts';
import { mayGoNoFurther, visitedBy } from './request-fields.ts';
import { responseFields } from './response-fields.ts';
import { carry, isWebSocketKey, webSocketAccept, webSocketKey } from './tunnel.ts';

export interface ProxyOptions {
  readonly fetch: Fetch;
  /** What the edge calls itself in Via, CDN-Loop and Cache-Status: a token; `waypost` by default. Two services that stand behind each other need different ones. */
  readonly name?: string;
  /** Whether an address is that of a proxy in front of the edge that tells the truth about its clients; by default none is. */
  readonly trusts?: (address: string) => boolean;
  /** Without it responses are sent as they come. */
  readonly compression?: Compression;
  /** Without it each request goes to the origin. */
  readonly cache?: CacheOptions;
  /** Told of each exchange that has ended. */
  readonly onDone?: OnDone;
}

export type Proxy = (exchange: Exchange, site: Site) => void | Promise<void>;

export function createProxy(options: ProxyOptions): Proxy {
  const { fetch, name = 'waypost', trusts = () => false, compression, onDone } = options;
  const rules = { name, trusts };
  const context: PassageContext = { fetch, rules, compression, onDone };
  const open = (exchange: Exchange, site: Site, isBehind = false): Passage =>
    new Passage(context, exchange, site, isBehind);
  const cache =
    options.cache &&
    createCacheFlow({
      ...options.cache,
      name,
      open,
      schemeOf: (exchange) => visitedBy(exchange, rules).scheme,
      fieldsOf: (headers, site, exchange) => responseFields(headers, site, visitedBy(exchange, rules), name),
      onHit:
        onDone &&
        ((exchange, site, status, bytes, outcome) => onDone(hitRecord(exchange, site, status, bytes, outcome))),
    });

  return (exchange, site) => {
    // The usual request pays for two comparisons.
    if (exchange.method !== 'GET' || exchange.protocol !== '') {
      const page = refusalOf(exchange);
      if (page !== null) return open(exchange, site).refuse(page);
      if (exchange.protocol !== '') return webSocket(open(exchange, site));
      if (isGrpc(exchange)) return refuseGrpc(open(exchange, site));
      if (mayGoNoFurther(exchange)) return open(exchange, site).respondWhole(204, ALLOWED, NOTHING);
    }
    return cache === undefined ? open(exchange, site).bypassCache('', 'none') : cache(exchange, site);
  };
}

/** Of each hit: no spread, which costs ten times as much as the rest of it. */
const hitRecord = (
  exchange: Exchange,
  site: Site,
  status: number,
  bytes: number,
  cache: CacheOutcome,
): ExchangeRecord => ({
  exchange,
  site,
  requestId: '',
  status,
  bytes,
  cache,
  originMs: -1,
  fault: null,
  detail: '',
  isWhole: true,
});

const NOTHING = new Uint8Array(0);
const ALLOWED = METHOD_NOT_ALLOWED.headers ?? [];

/** What is for no origin. */
function refusalOf({ method, protocol }: Exchange): ErrorPage | null {
  // RFC 9110 section 9.3.8: would send a visitor's credentials back to whoever can make it ask.
  if (method === 'TRACE') return METHOD_NOT_ALLOWED;
  if (protocol !== '') return protocol === 'websocket' ? null : NO_SUCH_PROTOCOL;
  return method === 'CONNECT' ? METHOD_NOT_ALLOWED : null;
}

/** Clients of gRPC speak HTTP/2. Whatever asks for it by HTTP/1.1 reads a page. */
function refuseGrpc(passage: Passage): void {
  if (passage.exchange.version === '2') passage.giveReady(GRPC_UNIMPLEMENTED);
  else passage.refuse(NO_GRPC);
}

const OF_THE_OPENING: ReadonlySet<string> = new Set(['sec-websocket-key', 'sec-websocket-accept']);

/** The opening of a tunnel; over HTTP/2 the edge is the client of RFC 6455 (RFC 8441 section 5). */
function webSocket(passage: Passage): Done {
  const { exchange } = passage;
  const isHttp2 = exchange.version === '2';
  const key = isHttp2 ? webSocketKey() : (fieldValue(exchange.headers, 'sec-websocket-key') ?? '');
  if (!isWebSocketKey(key)) return passage.refuse(NO_WEBSOCKET_KEY);
  const fields = passage.fieldsForOrigin('');
  if (fields === undefined) return;
  const sent = isHttp2 ? [...withoutFields(fields, OF_THE_OPENING), 'sec-websocket-key', key] : fields;
  const onResponse = (response: OriginResponse): Done => opened(passage, response, key);
  return passage.fetch('GET', sent, NO_BODY, 'websocket', onResponse, (error) => passage.respondFailure(error));
}

/** `key`: the edge's own over HTTP/2, else the visitor's. */
async function opened(passage: Passage, response: OriginResponse, key: string): Promise<void> {
  const { exchange } = passage;
  const { tunnel, body, headers } = response;
  const isHttp2 = exchange.version === '2';
  if (tunnel === null) return notUpgraded(passage, response, isHttp2);
  try {
    // RFC 6455 section 4.1: without the proof the origin may not know what a WebSocket is, and read what follows as requests.
    const isProven = fieldValue(headers, 'sec-websocket-accept') === webSocketAccept(key);
    if (!isProven || exchange.isEnded) {
      tunnel.destroy();
      if (isProven) passage.done(499, false);
      else passage.refuse(FAULT_PAGES.malformed);
      return;
    }
    const answered = passage.visitorFields(headers);
    exchange.upgrade(isHttp2 ? withoutFields(answered, OF_THE_OPENING) : answered);
    const bytes = await carry(exchange, body, tunnel);
    passage.done(isHttp2 ? 200 : 101, true, bytes);
  } catch (error) {
    passage.respondFailure(error);
  }
}

/** As an answer to an extended CONNECT a 2xx would open a tunnel (RFC 9110 section 9.3.6). */
function notUpgraded(passage: Passage, response: OriginResponse, isHttp2: boolean): Done {
  const { status, headers, body } = response;
  if (status >= 300 || !isHttp2) return passage.respond(status, passage.visitorFields(headers), body);
  body.cancel();
  passage.refuse(FAULT_PAGES.malformed);
}
