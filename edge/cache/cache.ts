/**
 * The flow of the cache (RFC 9111): look up, judge, and serve the stored response or ask the
 * origin.
 *
 *     look up ─► fresh ──────────────────► serve
 *             ─► stale-while-revalidate ─► serve, and revalidate in the background
 *             ─► missing, or stale ──────► wait for a fetch in flight, in this thread or another,
 *                                          or fetch (fill.ts); store and serve
 *             ─► not cacheable ──────────► bypass; an unsafe method invalidates stored responses
 *
 * The rules are pure functions (rules/). The store keeps the responses (store/).
 */
import type { Changes } from '../../core/site/rules/index.ts';
import type { WholeCompressor } from '../compress/whole.ts';
import { siteHost } from '../http/exchange/authority.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import type { Site } from '../sites/site.ts';
import { acceptsEarlyHints } from './early-hints.ts';
import { type Fill, type FillContext, forwardReason, hasLeft, runFill, startsNear } from './fill.ts';
import { type Flight, Flights, UncacheableKeys } from './flights.ts';
import { CODINGS, codingFor, HotEntry } from './hot-entry.ts';
import { cacheKey, invalidatedKeys } from './rules/cache-key.ts';
import { cacheStatus } from './rules/cache-status.ts';
import type { Facts } from './rules/facts.ts';
import { type CacheRequest, isCacheableMethod, readRequest } from './rules/request.ts';
import { judgeReuse, mayShareFetch, type Reuse } from './rules/reuse.ts';
import { isNewer, isSelected } from './rules/vary.ts';
import { serveStored } from './serve-stored.ts';
import type { CacheStore, StoredCoding, StoredVariant } from './store/cache-store.ts';
import type { Claim, NodeFlightResult, NodeFlights } from './store/node-flights.ts';
import type { StoredResponse } from './stored-response.ts';
import type { CacheOutcome, Done, OpenVisit, Visit } from './visit.ts';

export interface CacheOptions {
  readonly store: CacheStore;
  /** Maximum size of a stored body in bytes. */
  readonly maxBodyBytes: number;
  /** Bodies of fewer bytes are not compressed. Undefined: none is compressed. */
  readonly minCompressBytes?: number;
  readonly whole?: WholeCompressor;
  /** Whether request directives may bypass a fresh response (rules/request.ts). */
  readonly mayForceRevalidation?: boolean;
  /** Milliseconds that a request waits for another visitor's fetch of the same URL. */
  readonly collapseTimeout?: number;
  /** Undefined: fetches are not shared with other threads. */
  readonly nodeFlights?: NodeFlights;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

interface CacheFlowOptions extends CacheOptions {
  /** The name of this cache in Cache-Status: a token. */
  readonly name: string;
  readonly open: OpenVisit;
  /** The scheme of the visitor's request, from a trusted source. */
  schemeOf(exchange: Exchange): 'http' | 'https';
  /** The origin's fields as visitors of a site receive them. */
  fieldsOf(headers: FieldList, site: Site, exchange: Exchange): FieldList;
  /** Called for each response that was served without a `Visit`. */
  readonly onHit:
    | ((exchange: Exchange, site: Site, status: number, data: number, outcome: CacheOutcome) => void)
    | undefined;
}

/** How the flow treats requests from peers, for keys that this node owns. */
interface PeerFlowOptions {
  readonly open: OpenVisit;
  /** Whether the peer may use a stored response. */
  isUsable(exchange: Exchange, response: StoredResponse): boolean;
}

/** Properties of a prefetch, which has no visitor's request to read them from. */
export interface PrefetchTerms {
  /** Whether visitors send credentials for the URL (RFC 9111 section 3.5). */
  readonly hasCredentials: boolean;
  /** Called with the key before the fetch. */
  mayFetch(key: string): boolean;
}

type CacheFlow = (exchange: Exchange, site: Site) => Done;

/** The flow for visitors, and the flow for peers, which request keys that this node owns. */
export interface CacheFlows {
  readonly serve: CacheFlow;
  /** Fetches a missing response. `visit`: a background visit. Rejects for internal errors only. */
  prefetch(visit: Visit, terms: PrefetchTerms): Promise<'stored' | 'not-stored' | 'present' | 'refused'>;
  /** `site`: created for this request. */
  servePeer(exchange: Exchange, site: Site, key: string): Done;
}

const DEFAULT_COLLAPSE_TIMEOUT = 5000;
/** Maximum number of concurrent background fetches. */
const MAX_BACKGROUND_FETCHES = 128;
/** The timeout of a prefetch in milliseconds. */
const PREFETCH_TIMEOUT = 120_000;
/** Number of hits from which a body is compressed in the background. */
const HOT_HITS = 2;

/** Peers receive the stored fields unchanged. They share fetches in flight with visitors. */
export function createCacheFlows(options: CacheFlowOptions, peers: PeerFlowOptions): CacheFlows {
  const flow = new Flow(options);
  const peerFlow = new Flow(
    { ...options, open: peers.open, fieldsOf: (headers) => headers, minCompressBytes: undefined, onHit: undefined },
    { ...peers, visitors: flow },
  );
  return {
    serve: (exchange, site) => flow.handle(exchange, site),
    prefetch: (visit, terms) => flow.prefetch(visit, terms),
    servePeer: (exchange, site, key) => peerFlow.handleKey(exchange, site, key),
  };
}

/** A request that no stored response satisfies. */
interface Miss {
  readonly exchange: Exchange;
  readonly site: Site;
  readonly key: string;
  /** All stored variants of the URL. */
  readonly variants: readonly StoredVariant[];
  /** The variant that the request selects, and its facts; undefined: none. */
  readonly stored: StoredVariant | undefined;
  readonly facts: Facts | undefined;
  readonly request: CacheRequest;
  readonly isConditional: boolean;
  readonly now: number;
  /** The request has already waited for another visitor's fetch. */
  readonly isCollapsed: boolean;
}

interface Selection {
  readonly reuse: Reuse;
  readonly fill: Pick<Fill, 'variants' | 'stored' | 'isConditional' | 'fwd'>;
}

class Flow implements FillContext {
  readonly store: CacheStore;
  readonly name: string;
  readonly maxBodyBytes: number;
  readonly minCompressBytes: number;
  readonly readAheadBudget = { bytes: 0 };
  readonly clock: () => number;
  readonly flights: Flights;
  readonly uncacheable: UncacheableKeys;
  /** Null: this flow is for visitors. */
  readonly #peers: PeerFlowOptions | null;
  readonly #options: CacheFlowOptions;
  readonly #mayForceRevalidation: boolean;
  #backgroundFetches = 0;

  /** `peers`: for requests from peers. The flow shares the fetches of `visitors`. */
  constructor(options: CacheFlowOptions, peers?: PeerFlowOptions & { readonly visitors: Flow }) {
    this.#peers = peers ?? null;
    this.flights = peers?.visitors.flights ?? new Flights();
    this.uncacheable = peers?.visitors.uncacheable ?? new UncacheableKeys();
    this.store = options.store;
    this.name = options.name;
    this.maxBodyBytes = options.maxBodyBytes;
    this.clock = options.clock ?? Date.now;
    this.#options = options;
    this.#mayForceRevalidation = options.mayForceRevalidation ?? false;
    this.minCompressBytes = options.minCompressBytes ?? Number.POSITIVE_INFINITY;
  }

  handle(exchange: Exchange, site: Site): Done {
    // The response to a GET with a body may depend on the body. The response to a visitor with a
    // client certificate may depend on the certificate.
    if (!isCacheableMethod(exchange.method) || exchange.body.length !== 0 || hasCertificate(exchange))
      return this.#bypass(exchange, site);
    return this.handleKey(exchange, site, this.#keyOf(exchange, site));
  }

  handleKey(exchange: Exchange, site: Site, key: string): Done {
    const found = this.store.lookup(site.domainId, key, exchange.memory);
    if (found instanceof Promise)
      return found.then((variants) => this.#resumeAfterLookup(exchange, site, key, variants));
    return this.#judge(exchange, site, key, found);
  }

  entryOf(variant: StoredVariant, { site, exchange }: Pick<Visit, 'site' | 'exchange'>): HotEntry {
    // Never attached: visitors must not receive the stored fields.
    if (this.#peers !== null)
      return new HotEntry(variant, site, variant.response.headers, this.name, Number.POSITIVE_INFINITY);
    const { attached } = variant;
    if (attached instanceof HotEntry && attached.site === site) return attached;
    const fields = this.#options.fieldsOf(variant.response.headers, site, exchange);
    const minBytes = site.changes?.isUncompressed === true ? Number.POSITIVE_INFINITY : this.minCompressBytes;
    const entry = new HotEntry(variant, site, fields, this.name, minBytes);
    if (variant.isHot) this.store.attach(variant, entry, entry.bytes);
    return entry;
  }

  #keyOf(exchange: Exchange, { changes }: Site): string {
    const scheme = this.#options.schemeOf(exchange);
    const path = changes === undefined ? exchange.path : keyPath(changes, scheme, exchange);
    return cacheKey(scheme, exchange.authority, path);
  }

  /** Continues after a lookup on disk, during which the visitor may have left. */
  #resumeAfterLookup(exchange: Exchange, site: Site, key: string, variants: readonly StoredVariant[]): Done {
    if (exchange.isEnded) return this.#options.open(exchange, site).abandon();
    return this.#judge(exchange, site, key, variants);
  }

  #judge(exchange: Exchange, site: Site, key: string, found: readonly StoredVariant[], isCollapsed = false): Done {
    const variants = this.#usableBy(exchange, found);
    const request = readRequest(exchange.method, exchange.headers, this.#mayForceRevalidation);
    const stored = selectVariant(variants, exchange.headers);
    const now = this.clock();
    const entry = stored && this.entryOf(stored, { site, exchange });
    const reuse = judgeReuse(entry?.facts, request, now);
    if (stored !== undefined && entry !== undefined && isServed(reuse)) {
      if (reuse === 'stale-while-revalidate') this.#refresh(exchange, site, key, variants, stored);
      return this.#serve(exchange, site, stored, entry, request, reuse, now);
    }
    if (reuse === 'gateway-timeout') {
      const visit = this.#options.open(exchange, site);
      visit.refuseNotCached(cacheStatus({ name: this.name, detail: 'only-if-cached' }));
      return;
    }
    if (entry !== undefined && !isCollapsed && acceptsEarlyHints(exchange)) sendEarlyHints(exchange, entry);
    const isConditional = reuse === 'validate';
    const facts = entry?.facts;
    return this.#forward({ exchange, site, key, variants, stored, facts, request, isConditional, now, isCollapsed });
  }

  /** Serves a whole body from memory on the engine's fast path. */
  #serve(
    exchange: Exchange,
    site: Site,
    stored: StoredVariant,
    entry: HotEntry,
    request: CacheRequest,
    reuse: Reuse,
    now: number,
  ): Done {
    const { status, body } = entry.response;
    const { range, ifNoneMatch, ifModifiedSince } = request;
    const isPartialOrConditional = range !== undefined || ifNoneMatch !== undefined || ifModifiedSince !== undefined;
    const outcome: CacheOutcome = reuse === 'fresh' ? 'hit' : 'stale';
    const coding = entry.isCompressible ? codingFor(exchange.headers) : 0;
    const isWholeInMemory = this.#peers === null && !isPartialOrConditional && body.whole !== undefined;
    if (isWholeInMemory && ++entry.hits >= HOT_HITS && coding !== 0)
      this.#compressWhole(site, stored, entry, CODINGS[coding] as StoredCoding);
    if (!isWholeInMemory || !entry.hasEncoding(coding)) {
      const visit = this.#options.open(exchange, site);
      visit.outcome = outcome;
      return serveStored(visit, entry, request, now, entry.hitStatus(now));
    }
    const { bytes: data } = entry;
    const ready = entry.readyAnswer(coding, now);
    if (stored.isHot && entry.bytes !== data) this.store.attach(stored, entry, entry.bytes);
    exchange.answer(ready);
    this.#options.onHit?.(exchange, site, status, exchange.method === 'HEAD' ? 0 : ready.body.length, outcome);
  }

  /** Compresses a popular body once, in the background, at a high level. */
  #compressWhole({ domainId }: Site, stored: StoredVariant, entry: HotEntry, coding: StoredCoding): void {
    const { whole } = this.#options;
    const body = entry.response.body.whole;
    if (whole === undefined || body === undefined || entry.triedCodings.has(coding)) return;
    entry.triedCodings.add(coding);
    if (stored.encoding(coding) !== undefined) return;
    void whole.compress(body, coding, domainId).then((bytes) => {
      if (bytes === undefined) entry.triedCodings.delete(coding);
      else if (bytes === null) entry.markIncompressible(coding);
      else this.store.attachEncoding(stored, coding, bytes);
    });
  }

  #bypass(exchange: Exchange, site: Site): Done {
    const key = this.#keyOf(exchange, site);
    const visit = this.#options.open(exchange, site);
    const status = cacheStatus({ name: this.name, fwd: isCacheableMethod(exchange.method) ? 'bypass' : 'method' });
    return visit.bypassCache(status, 'bypass', (responseStatus, fields) => {
      for (const invalidKey of invalidatedKeys(exchange.method, key, responseStatus, fields)) {
        this.store.remove(site.domainId, invalidKey);
        visit.onInvalidated?.(invalidKey);
      }
    });
  }

  #forward(miss: Miss): Done {
    const { exchange, site, key, variants, stored, facts, request, isConditional, now, isCollapsed } = miss;
    const visit = this.#options.open(exchange, site);
    visit.outcome = 'miss';
    const fwd = forwardReason(variants.length > 0, facts, now);
    const { range } = request;
    const isUncacheable = this.uncacheable.has(key, now);
    const isForVisitorOnly =
      request.requiresOrigin || (range !== undefined && stored === undefined && !startsNear(range));
    if (isForVisitorOnly || (isUncacheable && hasRangeOrCondition(request)))
      return visit.bypassCache(cacheStatus({ name: this.name, fwd: request.requiresOrigin ? 'bypass' : fwd }), 'miss');

    const isShared = !isUncacheable && !isCollapsed && isShareable(request);
    const leader = isShared ? this.flights.get(key) : undefined;
    const flight = isShared && leader === undefined ? this.flights.start(key, keepFetching(visit)) : undefined;
    const job: Fill = { visit, request, key, variants, stored, isConditional, fwd, flight, isCollapsed };
    if (leader !== undefined) return this.#follow(leader, job);
    const claim = flight && mayShareFetch(facts, request, now) ? this.#claim(site.domainId, key) : undefined;
    if (flight === undefined || claim === undefined) return runFill(this, job);
    flight.share(claim);
    return claim.isOwn ? runFill(this, job) : this.#followThread(claim, flight, job);
  }

  /** Claims a URL for all threads. Undefined: threads do not share fetches. */
  #claim(domainId: string, key: string): Claim | undefined {
    return this.store.sharesResponses ? this.#options.nodeFlights?.claim(domainId, key) : undefined;
  }

  /** All variants for a visitor; for a peer, the variants that it may use. */
  #usableBy(exchange: Exchange, found: readonly StoredVariant[]): readonly StoredVariant[] {
    const peers = this.#peers;
    return peers === null ? found : found.filter(({ response }) => peers.isUsable(exchange, response));
  }

  /** Judges the variants that a lookup found for a request. */
  #select({ exchange, site }: Visit, request: CacheRequest, found: readonly StoredVariant[]): Selection {
    const variants = this.#usableBy(exchange, found);
    const stored = selectVariant(variants, exchange.headers);
    const facts = stored && this.entryOf(stored, { site, exchange }).facts;
    const now = this.clock();
    const reuse = judgeReuse(facts, request, now);
    const fwd = forwardReason(variants.length > 0, facts, now);
    return { reuse, fill: { variants, stored, isConditional: reuse === 'validate', fwd } };
  }

  get #collapseTimeout(): number {
    return this.#options.collapseTimeout ?? DEFAULT_COLLAPSE_TIMEOUT;
  }

  /** Waits for another thread's fetch. Later requests of this thread follow `flight`. */
  async #followThread(claim: Claim, flight: Flight, job: Fill): Promise<void> {
    const { visit, key } = job;
    const { exchange, site } = visit;
    let next = job;
    try {
      visit.onWait?.();
      const end = performance.now() + this.#collapseTimeout;
      let result: NodeFlightResult;
      for (let waits = 1; ; waits++) {
        result = await claim.wait(Math.ceil(end - performance.now()));
        const found = await this.store.lookup(site.domainId, key);
        const { reuse, fill } = this.#select(visit, job.request, found);
        if (isServed(reuse)) {
          this.flights.end(key, flight, 'stored');
          return exchange.isEnded ? visit.abandon() : await this.#judge(exchange, site, key, found, true);
        }
        next = { ...job, ...fill };
        // The shared response was purged, or it is from an earlier fetch. Another thread may be
        // fetching it again.
        const waitsAgain = result === 'shared' && (next.variants.length === 0 || waits === 1);
        if (!waitsAgain || claim.take()) break;
      }
      if (hasLeft(visit)) {
        this.flights.end(key, flight, 'failed');
        return visit.abandon();
      }
      if (result === 'passed') {
        this.flights.end(key, flight, 'passed');
        return await runFill(this, { ...next, flight: undefined });
      }
      // This thread sends at most one request to the origin, as if there were no other threads.
      if (claim.isOwn || claim.take()) flight.share(claim);
      await runFill(this, next);
    } catch (error) {
      this.flights.end(key, flight, 'failed');
      throw error;
    }
  }

  async #follow(leader: Flight, job: Fill): Promise<void> {
    const { visit, key } = job;
    const { exchange, site } = visit;
    visit.onWait?.();
    const result = await leader.wait(this.#collapseTimeout);
    if (exchange.isEnded) return visit.abandon();
    if (result !== 'stored') return runFill(this, job);
    const found = await this.store.lookup(site.domainId, key);
    return this.#judge(exchange, site, key, found, true);
  }

  async prefetch(visit: Visit, { hasCredentials, mayFetch }: PrefetchTerms): ReturnType<CacheFlows['prefetch']> {
    const { exchange, site } = visit;
    const key = this.#keyOf(exchange, site);
    if (!mayFetch(key)) return 'refused';
    const variants = await this.store.lookup(site.domainId, key);
    const request = { ...readRequest('GET', exchange.headers, false), hasAuthorization: hasCredentials };
    const { reuse, fill } = this.#select(visit, request, variants);
    // A visitor's request has already stored the response, or is fetching it.
    if (reuse === 'fresh' || this.flights.get(key) !== undefined) return 'present';
    if (this.uncacheable.has(key, this.clock())) return 'not-stored';
    const claim = this.#claim(site.domainId, key);
    if (claim?.isOwn === false && !claim.take()) return 'present';
    const flight = this.flights.start(key, () => {});
    if (claim !== undefined) flight.share(claim);
    const result = flight.wait(PREFETCH_TIMEOUT);
    await runFill(this, { ...fill, visit, request, key, flight, isConditional: false, isCollapsed: false });
    return (await result) === 'stored' ? 'stored' : 'not-stored';
  }

  /** Revalidates in the background (RFC 5861 section 3). */
  #refresh(
    exchange: Exchange,
    site: Site,
    key: string,
    variants: readonly StoredVariant[],
    stored: StoredVariant,
  ): void {
    if (this.#backgroundFetches >= MAX_BACKGROUND_FETCHES || this.flights.get(key) !== undefined) return;
    const claim = this.#claim(site.domainId, key);
    // Another thread revalidates the response.
    if (claim?.isOwn === false && !claim.take()) return;
    this.#backgroundFetches++;
    const visit = this.#options.open(exchange, site, true);
    const request = readRequest('GET', exchange.headers, false);
    const flight = this.flights.start(key, () => {});
    if (claim !== undefined) flight.share(claim);
    const job: Fill = {
      visit,
      request,
      key,
      variants,
      stored,
      flight,
      isConditional: true,
      fwd: 'stale',
      isCollapsed: false,
    };
    const onEnd = (): void => {
      this.#backgroundFetches--;
    };
    // There is no exchange to report an unexpected error on. The next miss of this URL hits the
    // same error.
    Promise.resolve(runFill(this, job)).then(onEnd, onEnd);
  }
}

/** The path and query for the key, after the changes by rules. */
const keyPath = (changes: Changes, scheme: string, { authority, path, headers }: Exchange): string =>
  changes.keyPathOf(changes.targetOf(scheme, siteHost(authority), path), headers);

/** The newest of the variants that a request selects (rules/vary.ts). */
function selectVariant(variants: readonly StoredVariant[], headers: FieldList): StoredVariant | undefined {
  let best: StoredVariant | undefined;
  for (const variant of variants) {
    if (!isSelected(variant.response.selecting, headers)) continue;
    if (best === undefined || isNewer(variant.response, best.response)) best = variant;
  }
  return best;
}

function sendEarlyHints(exchange: Exchange, { response, earlyHints }: HotEntry): void {
  if (response.status === 200 && earlyHints.length > 0) exchange.inform(103, earlyHints);
}

/** Lets the fetch of a visit continue for its followers when the visitor leaves. */
const keepFetching = (visit: Visit) => (): void => {
  visit.outlivesVisitor = true;
};

const isServed = (reuse: Reuse): boolean =>
  reuse === 'fresh' || reuse === 'stale' || reuse === 'stale-while-revalidate';

/** The origin may answer such a request with less than the whole representation. */
const hasRangeOrCondition = ({ range, ifNoneMatch, ifModifiedSince }: CacheRequest): boolean =>
  range !== undefined || ifNoneMatch !== undefined || ifModifiedSince !== undefined;

const hasCertificate = ({ client: { certificate } }: Exchange): boolean =>
  certificate !== undefined && certificate !== '';

/** Whether other visitors may wait for the response to this request. */
const isShareable = ({ method, hasAuthorization, directives }: CacheRequest): boolean =>
  method === 'GET' && !hasAuthorization && !directives.noStore;
