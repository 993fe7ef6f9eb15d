/**
 * Decides which names of a domain are proxied: the names that the nameserver answers with the
 * addresses of the cluster while the proxy is on.
 */

import type { Name } from '../../dns/wire/name.ts';
import type { Environment } from '../../store/environment.ts';
import { rawReader } from '../../store/raw-reader.ts';
import { Reader } from '../../store/reader.ts';
import type { Domain } from '../../store/rows.ts';
import { apexSets } from './apex.ts';
import { isWebName, WEB_TYPES } from './proxied.ts';
import type { ZoneSettings } from './settings.ts';
import { type AtApex, readHeld, StoredZone } from './stored.ts';
import { walk } from './walk.ts';

/**
 * Lookups after which the view of the zone is replaced. It caches every name, and clients can
 * request any name.
 */
const MAX_LOOKUPS = 256;

export class WebNames {
  readonly #environment: Environment;
  readonly #domain: Domain;
  readonly #atApex: AtApex;
  readonly #nested: readonly Name[];
  #zone: StoredZone;
  #lookups = 0;

  /** Valid until a row of the domain, or of a domain above or below it, changes. */
  constructor(environment: Environment, domain: Domain, settings: ZoneSettings) {
    const reader = new Reader(rawReader(environment));
    const { sets, proxied } = readHeld(environment, domain.id, domain.apex);
    // Copied, because lmdb reuses the memory of the rows.
    const kept = sets.map((set) => ({ ...set, rdatas: set.rdatas.map((rdata) => Uint8Array.from(rdata)) }));
    this.#environment = environment;
    this.#domain = domain;
    const originHost = reader.proxy(domain.id)?.originHost ?? null;
    this.#atApex = { proxied, sets: apexSets(kept, domain, settings, 0, originHost) };
    this.#nested = reader.domainsBelow(domain.apex).map(({ apex }) => apex);
    this.#zone = this.open();
  }

  /** Whether a name is proxied, by its own records or by a wildcard (RFC 4592). */
  has(name: Name): boolean {
    if (this.#lookups++ >= MAX_LOOKUPS) {
      this.#zone = this.open();
      this.#lookups = 1;
    }
    const outcome = walk(this.#zone, name);
    if (outcome.kind !== 'found' && outcome.kind !== 'wildcard') return false;
    const source = outcome.kind === 'wildcard' ? outcome.source : name;
    return outcome.sets.some(({ type }) => WEB_TYPES.has(type)) && isWebName(this.#zone, source);
  }

  /** A new view of the zone, with nothing cached. */
  open(): StoredZone {
    const { id, apex } = this.#domain;
    return new StoredZone(this.#environment, id, apex, this.#atApex, this.#nested, null);
  }
}
