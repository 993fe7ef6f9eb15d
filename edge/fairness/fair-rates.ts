/**
 * How fast each site's requests begin on a thread, so that a site which is flooded leaves time for
 * the others. Nothing is limited while the thread has time left, or serves one site alone.
 *
 * Once the thread is busy, the sites share a part of what it can do (max-min fairness): sites that
 * ask for less than an equal share get all that they ask for, and the others share the rest. Their
 * requests wait for their turn. What the thread can do is measured: the cost of what it did, over
 * the part of the time that it was busy.
 *
 * Times are milliseconds. A cost of 1 is a small response.
 */

/** Above it, rates are set; below LOW they grow again. */
const HIGH = 0.8;
const LOW = 0.6;
/** The part of the thread's time that is shared out. The rest keeps waiting short for all. */
const TARGET = 0.7;
const GROWTH = 1.2;
/** A site whose last request is older does not count as one that others have to leave time for. */
export const ACTIVE_MS = 10_000;
/** A site without a limit of its rate has asked for less than its rate for so long. */
const CALM_MS = 1000;
/** Cost per millisecond. However small its share is, a site is served. */
const MIN_RATE = 0.05;
/** Milliseconds of its rate that a site may use at once. */
const BURST_MS = 2;
/** The same for handshakes. */
const HANDSHAKE_BURST_MS = 20;
/** A TLS handshake takes as long as so many small responses. */
export const HANDSHAKE_COST = 8;
/** The part of a site's rate that new connections may use besides. */
const HANDSHAKE_PART = 0.5;
/** Longer than that a client is not kept waiting for its handshake. */
const MAX_HANDSHAKE_DELAY_MS = 5000;
/** Milliseconds over which the work of the thread is averaged. */
const SMOOTHING_MS = 100;
/** However busy it seems, at least this part of what the thread once did is shared out. */
const FLOOR = 0.5;
/** Milliseconds in which what the thread once did counts for half. */
const MEMORY_MS = 60_000;
/** Bytes of a response that cost as much as the request itself. */
export const BYTES_OF_COST = 32_768;

export class SiteRate {
  /** Infinity: not limited. */
  rate = Number.POSITIVE_INFINITY;
  /** Of the window that is open. */
  cost = 0;
  /** Requests that wait for their turn. */
  waiting = 0;
  lastActive: number;
  /** Requests of the window that is open, and per second as of the last ones. */
  requests = 0;
  requestRate = 0;
  #credit = 0;
  #handshakes = 0;
  #filledAt: number;
  /** Since when the limit has not been met. */
  calmSince: number;

  constructor(now: number) {
    this.lastActive = now;
    this.#filledAt = now;
    this.calmSince = now;
  }

  get isLimited(): boolean {
    return this.rate !== Number.POSITIVE_INFINITY;
  }

  /** It has no requests. */
  get isIdle(): boolean {
    return this.waiting === 0;
  }

  /** Begins a request. False: it has to wait. */
  takeTurn(now: number): boolean {
    if (this.isLimited) {
      this.#fill(now);
      if (this.#credit < 1) return false;
      this.#credit--;
    }
    this.cost++;
    return true;
  }

  /** Milliseconds until a handshake may begin. Infinity: too many wait; it must not begin. */
  takeHandshake(now: number): number {
    let delay = 0;
    if (this.isLimited) {
      this.#fill(now);
      delay = Math.max(0, (HANDSHAKE_COST - this.#handshakes) / (this.rate * HANDSHAKE_PART));
      if (delay > MAX_HANDSHAKE_DELAY_MS) return Number.POSITIVE_INFINITY;
      this.#handshakes -= HANDSHAKE_COST;
    }
    this.cost += HANDSHAKE_COST;
    return delay;
  }

  /** A response has been sent, whose request was charged 1. */
  charge(cost: number): void {
    this.cost += cost;
    if (this.isLimited) this.#credit -= cost;
  }

  limit(rate: number, now: number): void {
    const isNew = !this.isLimited;
    if (!isNew) this.#fill(now);
    this.rate = Math.max(MIN_RATE, rate);
    this.calmSince = now;
    if (!isNew) return;
    this.#filledAt = now;
    this.#credit = 0;
    this.#handshakes = this.#mostHandshakes;
  }

  get #mostHandshakes(): number {
    return Math.max(HANDSHAKE_COST, this.rate * HANDSHAKE_PART * HANDSHAKE_BURST_MS);
  }

  #fill(now: number): void {
    const earned = this.rate * Math.max(0, now - this.#filledAt);
    this.#filledAt = now;
    this.#credit = Math.min(Math.max(1, this.rate * BURST_MS), this.#credit + earned);
    this.#handshakes = Math.min(this.#mostHandshakes, this.#handshakes + earned * HANDSHAKE_PART);
  }
}

export class FairRates<Site extends SiteRate> {
  readonly sites = new Map<string, Site>();
  readonly #create: (now: number) => Site;
  /** The site that was found last: most requests are of the same one. */
  #lastName = '';
  #lastSite: Site | undefined;
  #windowFrom = 0;
  /** Averages: the part of the time in which the thread works, and its cost per millisecond. */
  #busy = 0;
  #done = 0;
  /** The highest cost per millisecond that a busy thread could do, which fades. */
  #capacity = 0;

  constructor(create: (now: number) => Site) {
    this.#create = create;
  }

  find(name: string): Site | undefined {
    if (this.#lastSite === undefined || name !== this.#lastName) {
      this.#lastSite = this.sites.get(name);
      this.#lastName = name;
    }
    return this.#lastSite;
  }

  of(name: string, now: number): Site {
    let site = this.find(name);
    if (site === undefined) {
      site = this.#create(now);
      this.sites.set(name, site);
      this.#lastSite = site;
    }
    return site;
  }

  /** After a rest. */
  beginWindow(now: number): void {
    this.#windowFrom = now;
  }

  /**
   * Ends a window. `busy`: the part of it in which the thread worked, 0 to 1. Returns whether
   * anything happened.
   */
  endWindow(now: number, busy: number): boolean {
    const elapsed = Math.max(1, now - this.#windowFrom);
    this.#windowFrom = now;
    let total = 0;
    for (const site of this.sites.values()) {
      total += site.cost;
      if (site.cost > 0 || site.waiting > 0) site.lastActive = now;
    }
    const weight = Math.min(1, elapsed / SMOOTHING_MS);
    this.#busy += (busy - this.#busy) * weight;
    this.#done += (total / elapsed - this.#done) * weight;
    const capacity = this.#done / Math.max(this.#busy, LOW);
    this.#capacity = Math.max(capacity, this.#capacity * 0.5 ** (elapsed / MEMORY_MS));
    const active = [...this.sites.values()].filter(({ lastActive }) => now - lastActive < ACTIVE_MS);
    if (active.length < 2) for (const site of active) site.rate = Number.POSITIVE_INFINITY;
    else if (this.#busy > HIGH) this.#share(active, Math.max(capacity * TARGET, this.#capacity * FLOOR), elapsed, now);
    else if (this.#busy < LOW) for (const site of active) grow(site, site.cost / elapsed, now);
    for (const [name, site] of this.sites) {
      site.requestRate += ((site.requests * 1000) / elapsed - site.requestRate) * Math.min(1, elapsed / 1000);
      site.cost = 0;
      site.requests = 0;
      if (now - site.lastActive >= ACTIVE_MS && site.isIdle) this.#forget(name);
    }
    return total > 0;
  }

  #forget(name: string): void {
    this.sites.delete(name);
    if (name === this.#lastName) this.#lastSite = undefined;
  }

  /** Max-min fair: `budget` of cost per millisecond. */
  #share(active: readonly SiteRate[], budget: number, elapsed: number, now: number): void {
    // A site that waits wants more than it got, how much is not known.
    const demands = active
      .map((site) => ({ site, demand: site.waiting > 0 ? Number.POSITIVE_INFINITY : site.cost / elapsed }))
      .sort((a, b) => a.demand - b.demand);
    let left = budget;
    demands.forEach(({ site, demand }, i) => {
      const share = left / (demands.length - i);
      if (demand <= share) {
        left -= demand;
        if (site.isLimited && site.waiting === 0) grow(site, demand, now);
        return;
      }
      left -= share;
      site.limit(share, now);
    });
  }
}

function grow(site: SiteRate, demand: number, now: number): void {
  if (!site.isLimited) return;
  if (site.waiting > 0 || demand > site.rate * TARGET) site.calmSince = now;
  if (now - site.calmSince >= CALM_MS) site.rate = Number.POSITIVE_INFINITY;
  else if (site.waiting > 0) {
    const { calmSince } = site;
    site.limit(site.rate * GROWTH, now);
    site.calmSince = calmSince;
  }
}
