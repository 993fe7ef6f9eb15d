/**
 * Zones as they are answered: their rows, the serial that they have in this group, the zones around them, the answers to ACME's challenges, the addresses of ALIAS targets beside
 * the ALIAS, and over all that the proxy's addresses where that is on.
 */
import type { Environment } from '../../store/environment.ts';
import type { Domain } from '../../store/rows.ts';
import type { Name } from '../../wire/name.ts';
import type { RRset } from '../../wire/types.ts';
import { AliasedZone } from '../../zone/aliased.ts';
import { withSerial } from '../../zone/apex.ts';
import { ChallengedZone, challengeName } from '../../zone/challenged.ts';
import type { MemoryZone } from '../../zone/memory.ts';
import { ProxiedZone } from '../../zone/proxied.ts';
import type { ZoneSettings } from '../../zone/settings.ts';
import { type AtApex, readParentDs, StoredZone } from '../../zone/stored.ts';
import type { ZoneView } from '../../zone/view.ts';
import type { ZoneFacts } from './zone-facts.ts';

export class ServedZones {
  readonly #environment: Environment;
  readonly #defaults: ZoneSettings;
  readonly #facts: ZoneFacts;
  readonly #serialOf: (domainId: string) => number;

  /** `serialOf`: of the zone as the group leaves it. */
  constructor(
    environment: Environment,
    defaults: ZoneSettings,
    facts: ZoneFacts,
    serialOf: (domainId: string) => number,
  ) {
    this.#environment = environment;
    this.#defaults = defaults;
    this.#facts = facts;
    this.#serialOf = serialOf;
  }

  /** A domain's zone, read from the store name by name. */
  view(domain: Domain): ZoneView {
    return this.through(domain, this.open(domain));
  }

  /** What `zone`, which holds the domain's own rows, is answered as. */
  through(domain: Domain, zone: StoredZone | MemoryZone): ZoneView {
    const aliased = new AliasedZone(this.#challenged(domain, zone), (target) => this.#facts.aliasAnswers(target));
    return this.#facts.isProxied(domain.id) ? new ProxiedZone(aliased, this.#defaults.cluster) : aliased;
  }

  /** Only around a zone that has challenges, which few have at a time. */
  #challenged(domain: Domain, zone: StoredZone | MemoryZone): StoredZone | MemoryZone | ChallengedZone {
    const rdatas = this.#facts.challengesOf(domain.id);
    const name = rdatas.length > 0 ? challengeName(domain.apex) : null;
    return name === null ? zone : new ChallengedZone(zone, name, rdatas);
  }

  /** The domain's own rows. */
  open(domain: Domain): StoredZone {
    const { id, apex } = domain;
    return new StoredZone(this.#environment, id, apex, this.atApex(domain), this.nestedIn(apex), this.parentDs(apex));
  }

  atApex(domain: Domain): AtApex {
    const { sets, proxied } = this.#facts.atApex(domain, this.#defaults);
    return { sets: withSerial(sets, this.#serialOf(domain.id)), proxied };
  }

  /** Apexes of the zones of ours that are within. */
  nestedIn(apex: Name): Name[] {
    return this.#facts.childrenOf(apex).map((domain) => domain.apex);
  }

  /** What the zone above, if it is ours, holds as DS of this one; null: nothing. */
  parentDs(apex: Name): RRset | null {
    const parent = this.#facts.parentOf(apex);
    return parent && readParentDs(this.#environment, parent, apex);
  }
}
