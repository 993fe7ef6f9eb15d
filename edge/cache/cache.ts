/**
 * The flow of the cache (RFC 9111): what is kept is looked up, judged, and given; else the origin is asked.
 *
 *     look up ─► fresh ───────────────► give
 *             ─► stale-while-revalidate ► give, and ask behind it
 *             ─► nothing, or stale ────► somebody asks already? wait for that, else ask (fill.ts) ─► keep and give
 *             ─► not for a cache ──────► past it; what it changes makes what is kept invalid
 *
 * The rules are pure functions (rules/), what is kept is in store/.
 */
import type { WholeCompressor } from '../compress/whole.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import type { Site } from '../sites/site.ts';
import { type Fill, type FillContext, fill, forwardedBecause, isNear } from './fill.ts';
import { type Flight, Flights } from './flights.ts';
import { giveStored } from './give-stored.ts';
import { CODINGS, codingFor, HotEntry } from './hot-entry.ts';
import type { CacheOutcome } from './outcome.ts';
import { cacheKey } from './rules/cache-key.ts';
import { cacheStatus } from './rules/cache-status.ts';
import type { Facts } from './rules/facts.ts';
import { invalidatedKeys } from './rules/invalidation.ts';
import { type CacheRequest, isCacheableMethod, readRequest } from './rules/request.ts';
import { judgeReuse, type Reuse } from './rules/reuse.ts';
import { isNewer, isSelected } from './rules/vary.ts';
import type { CacheStore, StoredCoding, StoredVariant } from './store/cache-store.ts';
import { Uncacheable } from './uncacheable.ts';
import type { Done, OpenVisit, Visit } from './visit.ts';

export interface CacheOptions {
  readonly store: CacheStore;
  /** Bytes of a body that may be kept. */
  readonly largest: number;
  /** Bytes of what is kept in other codings, too; undefined: nothing is. */
  readonly compressLeast?: number;
  readonly whole?: WholeCompressor;
  /** Whether a visitor may ask for newer than what is fresh (rules/request.ts). */
  readonly mayInsist?: boolean;
  /** Milliseconds for which a visitor waits for what another one has asked the origin for. */
  readonly collapseTimeout?: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

export interface CacheFlowOptions extends CacheOptions {
  /** In Cache-Status: a token. */
  readonly name: string;
  readonly open: OpenVisit;
  /** By which scheme a visitor asks, as far as the edge believes it. */
  schemeOf(exchange: Exchange): 'http' | 'https';
  /** Fields of the origin as visitors of a site get them. */
  fieldsOf(headers: FieldList, site: Site, exchange: Exchange): FieldList;
  /** Told of what was given without a `Visit`. */
  readonly onHit:
    | ((exchange: Exchange, site: Site, status: number, data: number, outcome: CacheOutcome) => void)
    | undefined;
}

export type CacheFlow = (exchange: Exchange, site: Site) => Done;

const COLLAPSE_TIMEOUT = 5000;
/** Requests at one time that nobody waits for. */
const MOST_BEHIND = 128;
/** Of the hits of an entry: it is worth more work from then on. */
const HOT = 2;

export function createCacheFlow(options: CacheFlowOptions): CacheFlow {
  const flow = new Flow(options);
  return (exchange, site) => flow.handle(exchange, site);
}

/** A request that the cache cannot answer by itself. */
interface Miss {
  readonly exchange: Exchange;
  readonly site: Site;
  readonly key: string;
  /** All that is kept of the URL, and the one of them that answers it, with its facts; undefined: none does. */
  readonly variants: readonly StoredVariant[];
  readonly stored: StoredVariant | undefined;
  readonly facts: Facts | undefined;
  readonly request: CacheRequest;
  readonly isConditional: boolean;
  readonly now: number;
  /** Has waited for another one already. */
  readonly isCollapsed: boolean;
}

class Flow implements FillContext {
  readonly store: CacheStore;
  readonly name: string;
  readonly largest: number;
  readonly least: number;
  readonly ahead = { bytes: 0 };
  readonly clock: () => number;
  readonly flights = new Flights();
  readonly uncacheable = new Uncacheable();
  readonly #options: CacheFlowOptions;
  readonly #mayInsist: boolean;
  #behind = 0;

  constructor(options: CacheFlowOptions) {
    this.store = options.store;
    this.name = options.name;
    this.largest = options.largest;
    this.clock = options.clock ?? Date.now;
    this.#options = options;
    this.#mayInsist = options.mayInsist ?? false;
    this.least = options.compressLeast ?? Number.POSITIVE_INFINITY;
  }

  handle(exchange: Exchange, site: Site): Done {
    // A GET with a body is one whose answer may depend on it.
    if (!isCacheableMethod(exchange.method) || exchange.body.length !== 0) return this.#past(exchange, site);
    const key = this.#keyOf(exchange);
    const found = this.store.lookup(site.domainId, key, exchange.memory);
    if (found instanceof Promise) return found.then((variants) => this.#found(exchange, site, key, variants));
    return this.#judge(exchange, site, key, found);
  }

  entryOf(variant: StoredVariant, { site, exchange }: Pick<Visit, 'site' | 'exchange'>): HotEntry {
    const { attached } = variant;
    if (attached instanceof HotEntry && attached.site === site) return attached;
    const fields = this.#options.fieldsOf(variant.response.headers, site, exchange);
    const entry = new HotEntry(variant, site, fields, this.name, this.least);
    if (variant.isHot) this.store.attach(variant, entry, entry.bytes);
    return entry;
  }

  #keyOf(exchange: Exchange): string {
    return cacheKey(this.#options.schemeOf(exchange), exchange.authority, exchange.path);
  }

  /** On the disk, which took its time. */
  #found(exchange: Exchange, site: Site, key: string, variants: readonly StoredVariant[]): Done {
    if (exchange.isEnded) return this.#options.open(exchange, site).abandon();
    return this.#judge(exchange, site, key, variants);
  }

  #judge(exchange: Exchange, site: Site, key: string, variants: readonly StoredVariant[], isCollapsed = false): Done {
    const request = readRequest(exchange.method, exchange.headers, this.#mayInsist);
    const stored = selected(variants, exchange.headers);
    const now = this.clock();
    const entry = stored && this.entryOf(stored, { site, exchange });
    const reuse = judgeReuse(entry?.facts, request, now);
    if (stored !== undefined && entry !== undefined && isGiven(reuse)) {
      if (reuse === 'stale-while-revalidate') this.#refresh(exchange, site, key, variants, stored);
      return this.#give(exchange, site, stored, entry, request, reuse, now);
    }
    if (reuse === 'gateway-timeout') {
      const visit = this.#options.open(exchange, site);
      visit.refuseNotCached(cacheStatus({ name: this.name, detail: 'only-if-cached' }));
      return;
    }
    const isConditional = reuse === 'validate';
    const facts = entry?.facts;
    return this.#ask({ exchange, site, key, variants, stored, facts, request, isConditional, now, isCollapsed });
  }

  /** The whole of what is in memory goes by the engine's fast path. */
  #give(
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
    const wantsLess = range !== undefined || ifNoneMatch !== undefined || ifModifiedSince !== undefined;
    const outcome: CacheOutcome = reuse === 'fresh' ? 'hit' : 'stale';
    const coding = entry.isCoded ? codingFor(exchange.headers) : 0;
    const isHere = !wantsLess && body.whole !== undefined;
    if (isHere && ++entry.hits >= HOT && coding !== 0) this.#codeWell(stored, entry, CODINGS[coding] as StoredCoding);
    if (!isHere || !entry.isReady(coding)) {
      const visit = this.#options.open(exchange, site);
      visit.outcome = outcome;
      return giveStored(visit, entry, request, now, entry.hitStatus(now));
    }
    const { bytes: data } = entry;
    const ready = entry.answer(coding, now);
    if (stored.isHot && entry.bytes !== data) this.store.attach(stored, entry, entry.bytes);
    exchange.answer(ready);
    this.#options.onHit?.(exchange, site, status, exchange.method === 'HEAD' ? 0 : ready.body.length, outcome);
  }

  /** Once, behind the visitors: what was coded at once, or not at all, becomes as small as it gets. */
  #codeWell(stored: StoredVariant, entry: HotEntry, coding: StoredCoding): void {
    const { whole } = this.#options;
    const body = entry.response.body.whole;
    if (whole === undefined || body === undefined || entry.settled.has(coding)) return;
    entry.settled.add(coding);
    if (stored.encoding(coding) !== undefined) return;
    void whole.compress(body, coding).then((bytes) => {
      if (bytes === undefined) entry.settled.delete(coding);
      else if (bytes === null) entry.leaveAsItIs(coding);
      else this.store.attachEncoding(stored, coding, bytes);
    });
  }

  #past(exchange: Exchange, site: Site): Done {
    const key = this.#keyOf(exchange);
    const visit = this.#options.open(exchange, site);
    const status = cacheStatus({ name: this.name, fwd: isCacheableMethod(exchange.method) ? 'bypass' : 'method' });
    return visit.pass(status, 'bypass', (answered, fields) => {
      for (const invalid of invalidatedKeys(exchange.method, key, answered, fields))
        this.store.remove(site.domainId, invalid);
    });
  }

  #ask(miss: Miss): Done {
    const { exchange, site, key, variants, stored, facts, request, isConditional, now, isCollapsed } = miss;
    const visit = this.#options.open(exchange, site);
    visit.outcome = 'miss';
    const fwd = forwardedBecause(variants.length > 0, facts, now);
    const { range } = request;
    const isKnown = this.uncacheable.has(key, now);
    const isOwn = request.isForOrigin || (range !== undefined && stored === undefined && !isNear(range));
    if (isOwn || (isKnown && wantsOwnAnswer(request)))
      return visit.pass(cacheStatus({ name: this.name, fwd: request.isForOrigin ? 'bypass' : fwd }), 'miss');

    const isShared = !isKnown && !isCollapsed && isForOthers(request);
    const other = isShared ? this.flights.get(key) : undefined;
    const flight = isShared && other === undefined ? this.flights.begin(key, holdingOn(visit)) : undefined;
    const one: Fill = { visit, request, key, variants, stored, isConditional, fwd, flight, isCollapsed };
    return other === undefined ? fill(this, one) : this.#follow(other, one);
  }

  async #follow(other: Flight, one: Fill): Promise<void> {
    const { visit, key } = one;
    const { exchange, site } = visit;
    const landing = await other.wait(this.#options.collapseTimeout ?? COLLAPSE_TIMEOUT);
    if (exchange.isEnded) return visit.abandon();
    if (landing !== 'kept') return fill(this, one);
    const found = await this.store.lookup(site.domainId, key);
    return this.#judge(exchange, site, key, found, true);
  }

  /** RFC 5861 section 3. */
  #refresh(
    exchange: Exchange,
    site: Site,
    key: string,
    variants: readonly StoredVariant[],
    stored: StoredVariant,
  ): void {
    if (this.#behind >= MOST_BEHIND || this.flights.get(key) !== undefined) return;
    this.#behind++;
    const visit = this.#options.open(exchange, site, true);
    const request = readRequest('GET', exchange.headers, false);
    const flight = this.flights.begin(key, () => {});
    const one: Fill = {
      ...{ visit, request, key, variants, stored, flight },
      isConditional: true,
      fwd: 'stale',
      isCollapsed: false,
    };
    const over = (): void => {
      this.#behind--;
    };
    // What is no fault of an origin has no exchange that it could be told to; the next visitor who is not answered from here meets it.
    Promise.resolve(fill(this, one)).then(over, over);
  }
}

/** The one that answers a request: of several the newest (rules/vary.ts). */
function selected(variants: readonly StoredVariant[], headers: FieldList): StoredVariant | undefined {
  let best: StoredVariant | undefined;
  for (const one of variants) {
    if (!isSelected(one.response.selecting, headers)) continue;
    if (best === undefined || isNewer(one.response, best.response)) best = one;
  }
  return best;
}

/** Of a visit that others wait for. */
const holdingOn = (visit: Visit) => (): void => {
  visit.holdsOn = true;
};

const isGiven = (reuse: Reuse): boolean => reuse === 'fresh' || reuse === 'stale' || reuse === 'stale-while-revalidate';

/** Asks something that the origin answers better where nothing is kept of it. */
const wantsOwnAnswer = ({ range, ifNoneMatch, ifModifiedSince }: CacheRequest): boolean =>
  range !== undefined || ifNoneMatch !== undefined || ifModifiedSince !== undefined;

/** Whether the answer may be one for others, too. */
const isForOthers = ({ method, hasAuthorization, directives }: CacheRequest): boolean =>
  method === 'GET' && !hasAuthorization && !directives.noStore;
