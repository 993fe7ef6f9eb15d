/** A pool of origins in an edge thread: the target of requests for a label and a path prefix. */

import { healthKey } from '../../core/site/pools/checks.ts';
import { type CompleteEntry, completeEntry, type OriginsEntry, originKey } from '../../core/site/pools/document.ts';
import { pathOf } from '../../core/site/pools/match.ts';
import { Pool } from '../../core/site/pools/pool.ts';
import { RetryBudget } from '../../core/site/pools/retry-budget.ts';
import { cookieValue, hashText, stickyToken } from '../../core/site/pools/sticky.ts';
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

type CountedOrigin = Origin & Required<Pick<Origin, 'load'>>;
type Sticky = NonNullable<CompleteEntry['sticky']>;

/** Minimum milliseconds between two reports of faults of an origin, and of the same one. */
const REPORT_INTERVAL = 1000;
const REPEAT_INTERVAL = 60_000;

export class PoolRoute {
  readonly prefix: string;
  readonly label: string | null;
  readonly origins: readonly CountedOrigin[];
  readonly pool: Pool;
  readonly budget: RetryBudget;
  /** Maximum attempts of a request, including the first. */
  readonly attempts: number;
  readonly servesStaleWhenDown: boolean;
  readonly onRetry: () => void;
  readonly now: () => number;
  readonly #keys: readonly string[];
  readonly #onFault: PoolRouteOptions['onFault'];
  /** The reported fault of each origin, and when it was reported. */
  readonly #faults: (OriginFault | null)[];
  readonly #reportedAt: Float64Array;
  readonly #sticky: Sticky | null;
  /** Null: no cookie. */
  readonly #cookie: StickyCookie | null;

  constructor({ entry, origins, scope, stickyKeys, onEjected, onFault, onRetry, now }: PoolRouteOptions) {
    const complete = completeEntry(entry);
    const { sticky, retries } = complete;
    this.prefix = pathOf(entry);
    this.label = entry.label ?? null;
    this.origins = origins.map((origin) => ({ ...origin, load: { inFlight: 0 } }));
    this.#keys = entry.pool.map((origin) => healthKey(entry, origin));
    const targets = complete.pool.map((origin, i) => ({
      key: originKey(origin),
      weight: origin.weight,
      load: this.origins[i].load,
    }));
    this.pool = new Pool(targets, complete, {
      onEjected: (target, milliseconds) => onEjected(this.#keys[target], milliseconds),
    });
    this.#onFault = onFault;
    this.#faults = origins.map(() => null);
    this.#reportedAt = new Float64Array(origins.length).fill(Number.NEGATIVE_INFINITY);
    this.attempts = retries.attempts;
    this.budget = new RetryBudget(retries.budget, now());
    this.servesStaleWhenDown = complete.stale_when_down;
    this.onRetry = onRetry;
    this.now = now;
    this.#sticky = sticky && { ...sticky, header: sticky.header?.toLowerCase() ?? null };
    this.#cookie = sticky?.by === 'cookie' ? new StickyCookie(complete, sticky, scope, stickyKeys) : null;
  }

  /** `keys`: of the states of origins that are down. */
  setDown(keys: ReadonlySet<string>): void {
    const down = new Set(this.#keys.flatMap((key, i) => (keys.has(key) ? [this.pool.targets[i].key] : [])));
    this.pool.setDown(down, this.now());
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

  /**
   * The hash that keeps a request at one origin; -1: none. `client`: the visitor's network.
   * `authority`: the Host field.
   */
  hashOf(client: string, authority: string, headers: FieldList): number {
    if (this.#sticky === null) return -1;
    const text = hashedText(this.#sticky, client, authority, headers);
    return text === undefined ? -1 : hashText(text);
  }

  /** Whether requests of a visitor stay at one origin. */
  get isSticky(): boolean {
    return this.#sticky !== null;
  }

  /** The Set-Cookie that keeps the visitor at an origin; empty: none is used. */
  cookieFor(target: number, isSecure: boolean): string {
    return this.#cookie === null ? '' : this.#cookie.setFor(target, isSecure);
  }
}

/** Undefined: the request does not have it, or nothing is hashed. */
function hashedText(
  { by, header, cookie }: Sticky,
  client: string,
  authority: string,
  headers: FieldList,
): string | undefined {
  switch (by) {
    case 'client':
      return client;
    case 'header':
      // A request has one host (RFC 9113 section 8.3.1), which may be no field of the list.
      return header === 'host' ? authority : headerOf(headers, header);
    case 'cookie_hash':
      return cookieValue(headers, cookie);
    case 'cookie':
      return undefined;
    default:
      return by satisfies never;
  }
}

/** The first field of the name. */
function headerOf(headers: FieldList, name: string | null): string | undefined {
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return headers[i + 1];
  return undefined;
}

class StickyCookie {
  readonly #name: string;
  readonly #targets = new Map<string, number>();
  readonly #values: readonly string[];
  readonly #attributes: string;

  constructor(entry: CompleteEntry, { cookie, max_age }: Sticky, scope: string, stickyKeys: readonly Uint8Array[]) {
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
