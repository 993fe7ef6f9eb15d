/**
 * The application of an edge thread. It reads sites and certificates from the store, and handles
 * all requests.
 */
import { threadId } from 'node:worker_threads';
import { LogThrottle } from '../../core/base/log/throttle.ts';
import { openSecrets } from '../../core/base/secrets.ts';
import { parseExemptions } from '../../core/net/address/index.ts';
import { trustOf } from '../../core/net/address/visitor.ts';
import { SharedLoad } from '../../core/os/protection/levels.ts';
import { RULES } from '../../core/site/rules/index.ts';
import { MAX_PURGED } from '../cache/store/memory.ts';
import { challengeResponse } from '../certificates/acme/http-challenge.ts';
import { Staples } from '../certificates/ocsp/staples.ts';
import { siteHost } from '../http/exchange/authority.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { Application, ThreadContext } from '../http/server/application.ts';
import { limitsFromConfig } from '../http/server/limits.ts';
import type { TlsCertificate } from '../http/tls/certificate.ts';
import { quickUnsealing } from '../http/tls/native/unsealing.ts';
import { requestId } from '../origin/origin.ts';
import { RequestTraces } from '../origin/traces/request-traces.ts';
import { SpanSender } from '../origin/traces/span-sender.ts';
import { PEER_SERVER_NAME } from '../peers/identity.ts';
import { PeerRequests } from '../peers/peer-requests.ts';
import { PurgePositions } from '../peers/shared-marks.ts';
import { Challenge } from '../policy/challenge/challenge.ts';
import { SiteConnections } from '../policy/fairness/site-connections.ts';
import { SiteGates } from '../policy/fairness/site-gates.ts';
import { SiteTurns } from '../policy/fairness/site-turns.ts';
import { Countries } from '../policy/rules/countries.ts';
import { RuleCounting } from '../policy/rules/counts.ts';
import { RateTable } from '../policy/rules/rate-table.ts';
import { type Prefetch, type PrefetchResult, prefetchExchange } from '../proxy/prefetch.ts';
import { type ExchangeRecord, exchangeRecord } from '../proxy/record.ts';
import { networkOf, visitedSiteOf, visitorAddress } from '../proxy/visitor.ts';
import type { CertificateLog } from '../sites/certificates.ts';
import { answerError, type ErrorPage } from '../sites/error-page.ts';
import type { Site, SiteLookup } from '../sites/site.ts';
import { Sites } from '../sites/sites.ts';
import { AccessLog } from './access-log.ts';
import { createAdminForward } from './admin.ts';
import { GatewayCounters } from './counters.ts';
import { createGateway } from './gateway.ts';
import { LogLines } from './log-lines.ts';
import type { FromGateway, GatewayData, ToGateway } from './messages.ts';
import { Observer } from './observer.ts';
import { poolTools } from './origins.ts';
import { PrefetchClaims, Prefetcher, type PrefetchTask } from './prefetcher.ts';
import { openResponses } from './responses.ts';
import { ServedCertificates } from './served-certificates.ts';
import { SiteCounts } from './site-counts.ts';
import { TailSampler } from './tail-sampler.ts';

/** Milliseconds between two reports of the cache's statistics. */
const STATS_MS = 5000;

type Warn = (message: string, fields: { readonly [key: string]: string | number }) => void;

/** Throttled: a client can cause many reads by requesting the names of many domains. */
function certificateLog(warn: Warn): CertificateLog {
  const throttle = new LogThrottle();
  return {
    expired(domain, at) {
      const count = throttle.due('expired');
      const expired = new Date(at * 1000).toISOString();
      if (count > 0) warn('serving an expired certificate', { domain, expired, count });
    },
    unusable(domain, reason) {
      const count = throttle.due('unusable');
      if (count > 0) warn('cannot serve a certificate', { domain, reason, count });
    },
  };
}

function stapled({ cert, key }: TlsCertificate, staples: Staples): TlsCertificate {
  const certificate: TlsCertificate = {
    cert,
    key,
    get staple() {
      return staples.of(certificate);
    },
  };
  return certificate;
}

/** Sends an error page instead of a site's response. */
function refuse(exchange: Exchange, site: Site, page: ErrorPage): ExchangeRecord {
  const id = requestId();
  const bytes = answerError(exchange, page, id, site.documents?.errorPages);
  return exchangeRecord(exchange, site, id, page.status, bytes);
}

/** `isRedirected`: whether the gateway redirects visitors of a URL, instead of serving its site. */
function prefetch(
  { domainId, response, mayFetch }: PrefetchTask,
  fetch: Prefetch | null,
  isRedirected: (scheme: string, host: string, site: Site) => boolean,
  siteOf: SiteLookup,
): Promise<PrefetchResult> {
  const exchange = prefetchExchange(response);
  const host = exchange === undefined ? '' : siteHost(exchange.authority);
  const site = siteOf(host);
  // The host may belong to another domain, or to none any more.
  if (fetch === null || exchange === undefined || site?.domainId !== domainId) return Promise.resolve('excluded');
  return isRedirected(exchange.scheme, host, site) ? Promise.resolve('excluded') : fetch({ exchange, site, mayFetch });
}

export function createApplication(data: unknown, context: ThreadContext): Application {
  const { edge, cache, ...options } = data as GatewayData;
  const send = (message: FromGateway): void => context.send(message);
  const warn: Warn = (message, fields) => send({ kind: 'log', message, fields });

  const staples = new Staples(send);
  const counters = new GatewayCounters(context.counters);
  const secrets = openSecrets(options.keyFile, quickUnsealing());
  const sites = new Sites({
    directory: options.storeDirectory,
    zoneSettings: options.zoneSettings,
    exemptions: parseExemptions(edge.allowPrivateOrigins),
    certificates: edge.maxCertificates,
    secrets,
    documents: { pools: poolTools(secrets, counters, send, warn) },
    region: options.region,
    servesOrderedRsa: options.servesOrderedRsa,
    log: certificateLog(warn),
    stapleOf: (certificate) => staples.of(certificate),
  });
  const trusts = trustOf(edge.trustedProxies);
  const addressOf = (exchange: Exchange): string => visitorAddress(exchange, { trusts });
  const log =
    edge.accessLog === 0
      ? null
      : new AccessLog({
          every: edge.accessLog,
          addressOf,
          send: (batch, writtenBatches) => send({ kind: 'access-log', lines: batch, writtenBatches }),
          onDropped: (dropped) => counters.countDroppedLines(dropped),
        });
  const tail = new TailSampler({ addressOf, send: (samples) => send({ kind: 'requests', samples }) });
  const siteCounts = options.countsSites
    ? new SiteCounts({
        send: (counts, added) => send({ kind: 'site-counts', counts, added }),
        onLost: (requests) => counters.countLostRequests(requests),
      })
    : null;
  const spans = new SpanSender({
    send: (finished, taken) => send({ kind: 'spans', spans: finished, taken }),
    onDropped: (count) => counters.countDroppedSpans(count),
  });
  const traces =
    options.traces === null
      ? null
      : new RequestTraces({
          ...options.traces,
          trusts: edge.trustedProxies.length === 0 ? null : trusts,
          addressOf,
          sender: spans,
        });
  const lines = new LogLines({
    nodeName: options.nodeName,
    addressOf,
    send: (domainLines, processed) => send({ kind: 'log-lines', lines: domainLines, processed }),
    onDropped: (count) => counters.countDroppedLines(count),
  });
  const observer = new Observer(
    counters,
    log,
    (fault, count, domain, detail) => warn('request to an origin failed', { reason: fault, count, domain, detail }),
    tail,
    siteCounts,
    traces,
    lines,
  );
  const { cluster } = options.zoneSettings;
  const ownAddresses = [...cluster.ipv4, ...cluster.ipv6];
  const countries = new Countries();
  countries.load(options.countries);
  const counting = new RuleCounting((counts) => send({ kind: 'rule-counts', counts }));
  const logins = {
    keys: secrets.derive('logins of visitors', 32),
    openSecret: (domainId: string, sealed: string) => RULES.unseal(secrets, Number(domainId), sealed).toString(),
  };
  const rules = { countries, rates: new RateTable(options.rates), counting, logins };
  const { loop } = context;
  const { peers } = options;
  const challenge = new Challenge({
    keys: secrets.derive('challenge', 32),
    networkOf: (exchange) => networkOf(exchange, { trusts }),
    schemeOf: (exchange) => visitedSiteOf(exchange, { trusts }).scheme,
    onAnswer: (exchange, site, status, bytes, id) =>
      observer.recordProxied(exchangeRecord(exchange, site, id, status, bytes)),
  });
  const challengeVisitor = (exchange: Exchange, site: Site): boolean => challenge.demand(exchange, site);
  const load = options.load === null ? null : new SharedLoad(options.load);
  const claims = new PrefetchClaims(options.prefetches);
  const prefetcher = new Prefetcher({
    fetch: (task) => prefetch(task, responses.prefetch, isRedirected, (host) => sites.siteOf(host)),
    isBusy: () => turns.isWaiting || load?.refusesRequests === true,
    owns: (key) => responses.owns(key),
    claim: (response, sequence) => claims.claim(response, sequence),
    share: () => Math.ceil(MAX_PURGED / responses.nodes / edge.workers),
    onEnd: (end, count) => counters.countPrefetches(end, count),
  });
  const responses = openResponses(
    edge,
    cache,
    {
      ownAddresses,
      trusts,
      loop,
      rules,
      challenge: challengeVisitor,
      traces,
      nodeName: options.nodeName,
      peers,
      onPeerResult: (result) => counters.countPeerResult(result),
      onPurged: prefetcher.add,
    },
    (record) => {
      turns.ended(record.exchange, record.site.domainId);
      observer.recordProxied(record);
    },
  );
  const turns = new SiteTurns({
    serve: (exchange, site) =>
      challenge.isSolution(exchange) ? challenge.takeSolution(exchange, site) : responses.serve(exchange, site),
    challenge: (exchange, site, isPressed) => {
      const mode = site.documents?.protection?.challenge.mode ?? 'off';
      const isOn = mode === 'on' || (mode === 'auto' && isPressed);
      return isOn && !challenge.isSolution(exchange) && !challenge.demand(exchange, site);
    },
    refuse: (exchange, site, page) => observer.recordProxied(refuse(exchange, site, page)),
    networkOf: (exchange) => networkOf(exchange, { trusts }),
    maxInFlight: edge.maxRequestsInFlight / edge.workers,
    threads: edge.workers,
    loop,
  });
  const gates = new SiteGates({
    connections: new SiteConnections(options.siteConnections, context.thread, edge.maxConnections),
    turns,
    limits: limitsFromConfig(edge),
  });
  const timer = setInterval(
    () => send({ kind: 'cache-stats', worker: threadId, stats: responses.stats() }),
    STATS_MS,
  ).unref();
  const adminCertificate = options.adminCertificate && stapled(options.adminCertificate, staples);
  const admin = createAdminForward({ ...options.adminTarget, addressOf }, observer, traces);
  const peerRequests =
    peers === null || responses.servePeer === null
      ? null
      : new PeerRequests({
          self: options.nodeName,
          identity: peers.identity,
          serve: responses.servePeer,
          positions: new PurgePositions(peers.positions),
          siteOf: (host) => sites.siteOf(host),
          onServed: () => counters.countServedPeer(),
        });
  const adminHosts = new Set(options.adminHosts);
  const certificates = new ServedCertificates({
    sites,
    adminHosts,
    admin: adminCertificate,
    defaultName: edge.defaultServerName,
    defaultFile: options.defaultCertificate && stapled(options.defaultCertificate, staples),
  });
  // The gateway does not serve the site for such a URL.
  const isRedirected = (scheme: string, host: string, site: Site): boolean =>
    adminHosts.has(host) || (scheme === 'http' && options.httpsPort !== null && site.hasCertificate);

  return {
    handler: createGateway({
      siteOf: (host) => sites.siteOf(host),
      isShared: (serverName, host) => certificates.isShared(serverName, host),
      proxy: turns.serve,
      adminHosts,
      admin: admin.handler,
      challenge(host, token) {
        const domainId = sites.domainIdOf(host);
        return domainId === undefined ? undefined : challengeResponse(sites.reader, domainId, token);
      },
      httpPorts: new Set(options.httpPorts.map(String)),
      httpsPort: options.httpsPort,
      peers: peerRequests,
      load,
      trusts,
      observer,
    }),
    gateFor(name) {
      // The operators still reach the admin API.
      const found = adminHosts.has(name) ? undefined : sites.protectionOf(name);
      return found === undefined ? null : gates.gateOf(String(found.domainId), found.protection);
    },
    sendsProxyHeader: edge.proxyProtocol.length === 0 ? null : trustOf(edge.proxyProtocol),
    certificateFor: (name) =>
      name === PEER_SERVER_NAME ? peers?.identity.certificate : certificates.certificateFor(name),
    onMessage(message) {
      const received = message as ToGateway;
      if (received.kind === 'staple') staples.store(received);
      else if (received.kind === 'watched') tail.watch(received.domainIds);
      else if (received.kind === 'countries') countries.load(received.content);
      else if (received.kind === 'peers') responses.setPeers(received.others);
      else sites.changed(received.changed);
    },
    async close() {
      clearInterval(timer);
      prefetcher.close();
      await admin.close();
      await responses.close();
      spans.close();
      log?.close();
      tail.flush();
      counting.flush();
      lines.close();
      siteCounts?.close();
      await sites.close();
    },
  };
}
