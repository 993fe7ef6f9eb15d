/** A pool of origins in an edge thread: the target of requests for a label and a path prefix. */

import { healthKey } from '../../core/site/pools/checks.ts';
import { ejectionOf, type OriginsEntry, originKey, retriesOf } from '../../core/site/pools/document.ts';
import { DEFAULTS } from '../../core/site/pools/limits.ts';
import { pathOf } from '../../core/site/pools/match.ts';
import { Pool } from '../../core/site/pools/pool.ts';
import { RetryBudget } from '../../core/site/pools/retry-budget.ts';
import { cookieValue, stickyToken } from '../../core/site/pools/sticky.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import type { OriginFault } from './origin.ts';
import type { Origin } from './origin-address.ts';

interface PoolRouteOptions {
  readonly entry: OriginsEntry;
  /** One for each origin of the entry, in its order. */
  readonly origins: readonly Origin[];
  /** The id of the domain. */
  readonly scope: string;
  /** The first key signs new cookies; cookies of all keys are accepted. */
  readonly stickyKeys: readonly Uint8Array[];
  /** `key`: of the origin's state (`healthKey`). */
  onEjected(key: string, milliseconds: number): void;
  /** Requests to the origin fail, with the fault of the latest; null: it has responded again. */
  onFault(key: string, fault: OriginFault | null): void;
  onRetry(): void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** Minimum milliseconds between two reports of faults of an origin, and of the same one. */
const REPORT_INTERVAL = 1000;
const REPEAT_INTERVAL = 60_000;

export class PoolRoute {
  readonly prefix: string;
  readonly label: string | null;
  readonly origins: readonly Origin[];
  readonly pool: Pool;
  readonly budget: RetryBudget;
  /** Maximum attempts of a request, including the first. */
  readonly attempts: number;
  readonly isByClient: boolean;
  readonly servesStaleWhenDown: boolean;
  readonly onRetry: () => void;
  readonly now: () => number;
  readonly #keys: readonly string[];
  readonly #onFault: PoolRouteOptions['onFault'];
  /** The reported fault of each origin, and when it was reported. */
  readonly #faults: (OriginFault | null)[];
  readonly #reportedAt: Float64Array;
  /** Null: no cookie. */
  readonly #cookie: StickyCookie | null;

  constructor({ entry, origins, scope, stickyKeys, onEjected, onFault, onRetry, now }: PoolRouteOptions) {
    const { sticky } = entry;
    const { attempts, budget } = retriesOf(entry);
    this.prefix = pathOf(entry);
    this.label = entry.label ?? null;
    this.origins = origins;
    this.#keys = entry.pool.map((origin) => healthKey(entry, origin));
    const targets = entry.pool.map((origin) => ({ key: originKey(origin), weight: origin.weight ?? 1 }));
    this.pool = new Pool(targets, ejectionOf(entry), {
      onEjected: (target, milliseconds) => onEjected(this.#keys[target], milliseconds),
    });
    this.#onFault = onFault;
    this.#faults = origins.map(() => null);
    this.#reportedAt = new Float64Array(origins.length).fill(Number.NEGATIVE_INFINITY);
    this.attempts = attempts;
    this.budget = new RetryBudget(budget, now());
    this.isByClient = sticky?.by === 'client';
    this.servesStaleWhenDown = entry.stale_when_down ?? true;
    this.onRetry = onRetry;
    this.now = now;
    this.#cookie = sticky?.by === 'cookie' ? new StickyCookie(entry, scope, stickyKeys) : null;
  }

  /** `keys`: of the states of origins that are down. */
  setDown(keys: ReadonlySet<string>): void {
    this.pool.setDown(new Set(this.#keys.flatMap((key, i) => (keys.has(key) ? [this.pool.targets[i].key] : []))));
  }

  /** Reports that a request to an origin has failed, unless that was just reported. */
  reportFault(target: number, fault: OriginFault): void {
    const now = this.now();
    if (now - this.#reportedAt[target] < (fault === this.#faults[target] ? REPEAT_INTERVAL : REPORT_INTERVAL)) return;
    this.#faults[target] = fault;
    this.#reportedAt[target] = now;
    this.#onFault(this.#keys[target], fault);
  }

  /** Reports the first response of an origin after a reported fault. */
  reportResponse(target: number): void {
    if (this.#faults[target] === null) return;
    this.#faults[target] = null;
    this.#onFault(this.#keys[target], null);
  }

  /** Records a truncated response body. */
  recordBroken(target: number): void {
    this.pool.recordBroken(target, this.now());
  }

  /** The origin that the visitor's cookie names; -1: none. */
  preferredOf(headers: FieldList): number {
    return this.#cookie === null ? -1 : this.#cookie.targetOf(headers);
  }

  /** Whether requests of a visitor stay at one origin. */
  get isSticky(): boolean {
    return this.isByClient || this.#cookie !== null;
  }

  /** The Set-Cookie that keeps the visitor at an origin; empty: none is used. */
  cookieFor(target: number, isSecure: boolean): string {
    return this.#cookie === null ? '' : this.#cookie.setFor(target, isSecure);
  }
}

class StickyCookie {
  readonly #name: string;
  readonly #targets = new Map<string, number>();
  readonly #values: readonly string[];
  readonly #attributes: string;

  constructor(entry: OriginsEntry, scope: string, stickyKeys: readonly Uint8Array[]) {
    const { cookie = DEFAULTS.sticky.cookie, max_age = null } = entry.sticky ?? {};
    const tokens = stickyKeys.map((key) => entry.pool.map((origin) => stickyToken(key, scope, originKey(origin))));
    for (const values of tokens.toReversed()) for (const [i, value] of values.entries()) this.#targets.set(value, i);
    this.#name = cookie;
    this.#values = tokens[0];
    const age = max_age === null ? '' : `; Max-Age=${max_age}`;
    this.#attributes = `; Path=${pathOf(entry)}${age}; HttpOnly; SameSite=Lax`;
  }

  targetOf(headers: FieldList): number {
    const value = cookieValue(headers, this.#name);
    return value === undefined ? -1 : (this.#targets.get(value) ?? -1);
  }

  setFor(target: number, isSecure: boolean): string {
    return `${this.#name}=${this.#values[target]}${this.#attributes}${isSecure ? '; Secure' : ''}`;
  }
}
