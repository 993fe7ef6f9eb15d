/** The request handler of sites: responds from the cache or forwards to the site's origin. */
import { type CacheOptions, createCacheFlows } from '../cache/cache.ts';
import { cacheStatus } from '../cache/rules/cache-status.ts';
import { isCacheableMethod } from '../cache/rules/request.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { Fetch, Send } from '../origin/origin.ts';
import type { RequestTraces } from '../origin/traces/request-traces.ts';
import type { CachePeers } from '../peers/cache-peers.ts';
import type { PeerCall } from '../peers/peer-call.ts';
import type { ServePeer } from '../peers/peer-requests.ts';
import { type PrefetchPlan, RuleRunner, type RuleTools } from '../policy/rules/run-rules.ts';
import type { ErrorPage } from '../sites/error-page.ts';
import type { ServeSite, Site } from '../sites/site.ts';
import type { Compression } from './coding.ts';
import { decide } from './decision.ts';
import { isGrpc } from './grpc.ts';
import { serveGrpc } from './grpc-call.ts';
import { METHOD_NOT_ALLOWED, NO_SUCH_PROTOCOL } from './pages.ts';
import { Passage, type PassageContext } from './passage.ts';
import { isUsableBy, PeerPassage, peerContext, siteForPeer } from './peer-passage.ts';
import { type Prefetch, PrefetchPassage, type PrefetchRequest, prefetchContext, prefetchInto } from './prefetch.ts';
import { exchangeRecord, type OnDone } from './record.ts';
import { hasNoForwardsLeft } from './request-fields.ts';
import { responseFields } from './response-fields.ts';
import { serveTunnel } from './tunnel.ts';
import { normalAuthority, visitedSiteOf, visitorAddress } from './visitor.ts';

export interface ProxyOptions {
  readonly fetch: Fetch;
  /** `fetch` with callbacks instead of a promise. Omitted: derived from `fetch`. */
  readonly send?: Send;
  /**
   * The name of the edge in Via, CDN-Loop and Cache-Status: a token; default `waypost`. If one
   * service forwards to another, their names must differ.
   */
  readonly name?: string;
  /**
   * Whether an address belongs to a proxy whose statements about its clients are trusted. Default:
   * none.
   */
  readonly trusts?: (address: string) => boolean;
  /** If omitted, responses are not compressed. */
  readonly compression?: Compression;
  /** If omitted, nothing is cached. */
  readonly cache?: CacheOptions;
  /** Other nodes, which own cache keys. If omitted, the cache is not shared. */
  readonly peers?: CachePeers;
  /** If omitted, rules of sites are not run. */
  readonly rules?: RuleTools;
  /** Whether the visitor has passed the challenge. False: the exchange has been answered. */
  readonly challenge?: (exchange: Exchange, site: Site) => boolean;
  /** Receives the record of each exchange that has ended. */
  readonly onDone?: OnDone;
  /** If omitted or null, nothing is traced. */
  readonly traces?: RequestTraces | null;
}

interface SiteProxy {
  readonly serve: ServeSite;
  /** For requests of other nodes. Null: nothing is cached. */
  readonly servePeer: ServePeer | null;
  /** Fetches a purged response again. Null: nothing is cached. */
  readonly prefetch: Prefetch | null;
}

export function createSiteProxy(options: ProxyOptions): SiteProxy {
  const {
    fetch,
    send = sendBy(fetch),
    name = 'waypost',
    trusts = () => false,
    compression,
    onDone,
    traces = null,
  } = options;
  const rules = { name, trusts };
  const context: PassageContext = { send, rules, compression, onDone, traces, peers: options.peers ?? null };
  const forPeers = peerContext(context);
  const peerCalls = new WeakMap<Exchange, PeerCall>();
  const open = (exchange: Exchange, site: Site, isBackground = false): Passage =>
    new Passage(context, exchange, site, isBackground);
  const flows =
    options.cache &&
    createCacheFlows(
      {
        ...options.cache,
        name,
        open,
        schemeOf: (exchange) => visitedSiteOf(exchange, rules).scheme,
        fieldsOf: (headers, site, exchange) => responseFields(headers, site, visitedSiteOf(exchange, rules), name),
        onHit:
          onDone &&
          ((exchange, site, status, bytes, outcome) =>
            onDone(exchangeRecord(exchange, site, site.changes?.requestId ?? '', status, bytes, outcome))),
      },
      {
        open: (exchange, site, isBackground = false) => new PeerPassage(forPeers, exchange, site, isBackground),
        isUsable: (exchange, response) => isUsableBy(peerCalls.get(exchange), response),
      },
    );
  const cache = flows?.serve;
  const servePeer: ServePeer | null =
    flows === undefined
      ? null
      : (exchange, site, call) => {
          peerCalls.set(exchange, call);
          return flows.servePeer(exchange, siteForPeer(site, call), call.key);
        };

  const serve: ServeSite = (exchange, site) => {
    // A plain GET costs only these two comparisons.
    if (exchange.method !== 'GET' || exchange.protocol !== '') {
      const page = refusalOf(exchange);
      if (page !== null) return open(exchange, site).refuse(page);
      if (exchange.protocol !== '') return serveTunnel(open(exchange, site));
      if (isGrpc(exchange)) return serveGrpc(open(exchange, site));
      if (hasNoForwardsLeft(exchange)) return open(exchange, site).respondWhole(204, ALLOW_FIELDS, EMPTY_BODY);
    }
    return cache === undefined ? open(exchange, site).bypassCache('', 'none') : cache(exchange, site);
  };

  const runner =
    options.rules &&
    new RuleRunner(
      options.rules,
      {
        addressOf: (exchange) => visitorAddress(exchange, rules),
        schemeOf: (exchange) => visitedSiteOf(exchange, rules).scheme,
        visitedSiteOf: (exchange) => ({
          scheme: visitedSiteOf(exchange, rules).scheme,
          authority: normalAuthority(exchange, rules),
        }),
        // The certificate of a trusted proxy is not the visitor's.
        certificateOf: ({ client }) => (trusts(client.address) ? '' : (client.certificate ?? '')),
        serve,
        serveUncached: (exchange, site) =>
          isCacheableMethod(exchange.method) && exchange.protocol === ''
            ? open(exchange, site).bypassCache(cacheStatus({ name, fwd: 'bypass' }), 'bypass')
            : serve(exchange, site),
        refuse: (exchange, site, page) => open(exchange, site).refuse(page),
        respond: (exchange, site, status, fields, body) =>
          open(exchange, site).respondWhole(status, [...fields, 'content-length', String(body.length)], body),
        challenge: options.challenge,
        decide: (exchange, site, decider) => decide(open(exchange, site), decider, rules),
      },
      fetch,
    );
  const forPrefetch = prefetchContext(context);
  const prefetch: Prefetch | null =
    flows === undefined
      ? null
      : (request) => {
          const plan = planOf(request, runner);
          if (plan === null) return Promise.resolve('excluded');
          const visit = new PrefetchPassage(forPrefetch, request.exchange, plan.site);
          return prefetchInto(flows, visit, { hasCredentials: plan.hasCredentials, mayFetch: request.mayFetch });
        };
  if (runner === undefined) return { serve, servePeer, prefetch };
  return {
    serve: (exchange, site) => {
      if (site.documents === null || site.documents.rules === null) return serve(exchange, site);
      return runner.serve(exchange, site, site.documents.rules);
    },
    servePeer,
    prefetch,
  };
}

/** Null: the rules or the protection of the site exclude a prefetch. */
function planOf({ exchange, site }: PrefetchRequest, runner: RuleRunner | undefined): PrefetchPlan | null {
  // A site that requires client certificates has no cached responses.
  if (site.documents?.protection?.tls?.clients?.isRequired) return null;
  const rules = site.documents?.rules ?? null;
  if (runner === undefined || rules === null) return { site, hasCredentials: false };
  return runner.planPrefetch(exchange, site, rules);
}

const sendBy =
  (fetch: Fetch): Send =>
  (request, receiver) =>
    void fetch(request).then(
      (response) => receiver.onResponse(response),
      (error: Error) => receiver.onFailure(error),
    );

const EMPTY_BODY = new Uint8Array(0);
const ALLOW_FIELDS = METHOD_NOT_ALLOWED.headers ?? [];

/** The error page for a request that is never forwarded. Null: it may be forwarded. */
function refusalOf({ method, protocol, version }: Exchange): ErrorPage | null {
  // RFC 9110 section 9.3.8: TRACE would return the visitor's credentials to the script that sent
  // it.
  if (method === 'TRACE') return METHOD_NOT_ALLOWED;
  // RFC 8441 section 4, and RFC 9220 section 3: 501 for an unknown protocol of an extended CONNECT.
  if (protocol !== '') return protocol === 'websocket' || version !== '2' ? null : NO_SUCH_PROTOCOL;
  return method === 'CONNECT' ? METHOD_NOT_ALLOWED : null;
}
