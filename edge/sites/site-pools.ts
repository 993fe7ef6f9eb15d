/** The pools of a domain's origins document, compiled once for all of its hosts. */

import { RecentMap } from '../../core/base/recent-map.ts';
import { checkedOrigins } from '../../core/site/pools/checks.ts';
import type { OriginsDocument, OriginsEntry } from '../../core/site/pools/document.ts';
import { entriesFor, matchesPath } from '../../core/site/pools/match.ts';
import type { Id } from '../../core/store/keys.ts';
import type { OriginHealth } from '../../core/store/rows.ts';
import type { OriginFault } from '../origin/origin.ts';
import { poolOrigin } from '../origin/origin-address.ts';
import { PoolRoute } from '../origin/pool-route.ts';

/** Dependencies that all pools of a thread share. */
export interface PoolTools {
  /** The same on every node. The first signs cookies; all of them verify. */
  readonly stickyKeys: readonly Uint8Array[];
  /** Decrypts the key of a client certificate. Throws WaypostError `unsealable`. */
  openKey(domainId: Id, sealed: string): string;
  /** `key`: of the origin's state (core/site/pools/checks.ts). */
  onEjected(domainId: Id, key: string, milliseconds: number): void;
  /** As PoolRoute reports it. */
  onFault(domainId: Id, key: string, fault: OriginFault | null): void;
  onRetry(): void;
  /** An entry cannot be used: its requests are answered with 503. */
  onUnusable(domain: string, reason: string): void;
}

/** Maximum number of hosts of a domain whose routes are cached. */
const MAX_HOSTS = 64;

export class SitePools {
  readonly #entries: readonly CompiledEntry[];
  readonly #hosts = new RecentMap<readonly PoolRoute[]>(MAX_HOSTS);
  readonly #isChecked: boolean;

  /** `domain`: without the last dot, in lower case. `before`: an earlier version. */
  constructor(
    document: OriginsDocument,
    readonly revision: number,
    domainId: Id,
    private readonly domain: string,
    tools: PoolTools,
    before: SitePools | null = null,
  ) {
    this.#isChecked = checkedOrigins(document).length > 0;
    this.#entries = document.origins.map((entry) => compileEntry(entry, domainId, domain, tools));
    const known = before === null ? [] : before.#entries;
    for (const compiled of this.#entries) {
      const earlier = known.find((entry) => keyOf(entry) === keyOf(compiled));
      if (earlier !== undefined) compiled.route.pool.continueFrom(earlier.route.pool, compiled.route.now());
    }
  }

  /** Undefined: the domain's own origin serves the request. `path`: with its query. */
  routeOf(host: string, path: string): PoolRoute | undefined {
    for (const route of this.#hosts.get(host) ?? this.#routesFor(host))
      if (matchesPath(route.prefix, path)) return route;
    return undefined;
  }

  /** The pool that a rule names. */
  labelled(label: string): PoolRoute | undefined {
    return this.#entries.find(({ route }) => route.label === label)?.route;
  }

  /** `health`: undefined: nothing was checked yet. */
  setHealth(health: OriginHealth | undefined): void {
    if (!this.#isChecked) return;
    const down = new Set(health?.origins.flatMap(({ key, isUp }) => (isUp ? [] : [key])));
    for (const { route } of this.#entries) route.setDown(down);
  }

  #routesFor(host: string): readonly PoolRoute[] {
    const name = host === this.domain ? '@' : host.slice(0, -this.domain.length - 1);
    const routes = entriesFor(this.#entries, name).map(({ route }) => route);
    this.#hosts.set(host, routes);
    return routes;
  }
}

interface CompiledEntry {
  readonly name?: string | null;
  readonly path?: string | null;
  readonly label?: string | null;
  readonly route: PoolRoute;
}

const keyOf = ({ name, path, label }: CompiledEntry): string => JSON.stringify([name, path, label]);

function compileEntry(entry: OriginsEntry, domainId: Id, domain: string, tools: PoolTools): CompiledEntry {
  const { name, path, label } = entry;
  const origins = entry.pool.map((origin) => {
    try {
      return poolOrigin(entry, origin, (sealed) => tools.openKey(domainId, sealed));
    } catch (error) {
      tools.onUnusable(domain, (error as Error).message);
      // The origin could treat a request without the client certificate as another client.
      return { host: domain, port: 443, protocol: 'https' as const, addresses: [] };
    }
  });
  const route = new PoolRoute({
    entry,
    origins,
    scope: String(domainId),
    stickyKeys: tools.stickyKeys,
    onEjected: (key, milliseconds) => tools.onEjected(domainId, key, milliseconds),
    onFault: (key, fault) => tools.onFault(domainId, key, fault),
    onRetry: () => tools.onRetry(),
    now: () => performance.now(),
  });
  return { name, path, label, route };
}
