/**
 * Zones as they are served: their rows, the serial after this group, the zones around them, answers
 * to ACME challenges, and the addresses of ALIAS targets in addition to the ALIAS. If the proxy is
 * on, its addresses replace the addresses of the zone.
 */

import type { Signer } from '../../dns/dnssec/zone-signer.ts';
import { latin1 } from '../../dns/wire/latin1.ts';
import { equalNames, type Name } from '../../dns/wire/name.ts';
import { type RRset, TYPE } from '../../dns/wire/types.ts';
import type { Environment } from '../../store/environment.ts';
import { type Id, nameKey } from '../../store/keys.ts';
import type { Domain } from '../../store/rows.ts';
import { type Host, hostsOf } from '../../zone/compile/additional.ts';
import { AliasedZone } from '../../zone/compile/aliased.ts';
import { withDnssec, withSerial } from '../../zone/compile/apex.ts';
import { ChallengedZone } from '../../zone/compile/challenged.ts';
import { HintedZone } from '../../zone/compile/hinted.ts';
import type { MemoryZone } from '../../zone/compile/memory.ts';
import { denialOf, PresignedSigner } from '../../zone/compile/presigned.ts';
import { ProxiedZone } from '../../zone/compile/proxied.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import type { PresignedDenial, ZoneSigner } from '../../zone/compile/signer.ts';
import { SteeredZone } from '../../zone/compile/steered.ts';
import { type AtApex, readParentDs, StoredZone } from '../../zone/compile/stored.ts';
import { findType, type ZoneView } from '../../zone/compile/view.ts';
import type { GroupSigning } from './signers.ts';
import type { ZoneFacts } from './zone-facts.ts';

export class ServedZones {
  /**
   * Signers by domain. Correct only if compiling starts after all rows of the group are written.
   */
  readonly #signerOf = new Map<Id, Signer | null>();

  /** `serialOf`: the serial of a zone after the group. `signing` null: no zone is signed. */
  constructor(
    private readonly environment: Environment,
    private readonly defaults: ZoneSettings,
    private readonly facts: ZoneFacts,
    private readonly serialOf: (domainId: Id) => number,
    private readonly signing: GroupSigning | null,
  ) {}

  /** The zone as it is served. Names are read from the store one at a time. */
  view(domain: Domain): ZoneView {
    return this.viewOf(domain, this.open(domain));
  }

  /** The view that answers are compiled from; `zone` has the domain's own rows. */
  viewOf(domain: Domain, zone: StoredZone | MemoryZone): ZoneView {
    const aliased = new AliasedZone(this.#addChallenges(domain, zone), (target) =>
      this.facts.aliasAnswers(target, domain.accountId),
    );
    const steered = this.#addSteering(domain, aliased);
    const proxied = this.facts.isProxied(domain.id) ? new ProxiedZone(steered, this.defaults.cluster) : steered;
    // The records of a secondary zone are served as its primary has sent them.
    return domain.kind === 'secondary' ? proxied : new HintedZone(proxied);
  }

  /** Wraps a zone only if it has steered record sets; few zones do. */
  #addSteering(domain: Domain, zone: AliasedZone): AliasedZone | SteeredZone {
    const steerings = this.facts.steeringsOf(domain.id);
    if (steerings.size === 0) return zone;
    return new SteeredZone(
      zone,
      (name) => steerings.get(latin1(nameKey(name))) ?? [],
      (target) => this.facts.aliasAnswers(target, domain.accountId),
    );
  }

  /** Wraps a zone only if it has challenges; few zones do at the same time. */
  #addChallenges(domain: Domain, zone: StoredZone | MemoryZone): StoredZone | MemoryZone | ChallengedZone {
    const challenges = this.facts.challengesOf(domain);
    return challenges.length === 0 ? zone : new ChallengedZone(zone, challenges);
  }

  /** The domain's own rows. */
  open(domain: Domain): StoredZone {
    const { id, apex } = domain;
    return new StoredZone(this.environment, id, apex, this.atApex(domain), this.nestedIn(apex), this.parentDs(apex));
  }

  /** The RRset at the apex for the origin of the domain; undefined: there is none. */
  originAt(domain: Domain): RRset | undefined {
    return this.facts.atApex(domain, this.defaults).origin;
  }

  /**
   * The delegation to the zone in transfers of our zone around it (core/nameserver/transfer/
   * snapshot.ts), as text: NS and glue. Null: no zone of ours is around it.
   */
  delegationOf(domain: Domain): string | null {
    if (this.facts.parentOf(domain.apex) === null) return null;
    const { ns, hosts } = this.#nameserversOf(domain);
    const glue = hosts.flatMap(({ name, sets }) => sets.map((set) => ({ name, set })));
    const delegation = [{ name: domain.apex, set: ns }, ...glue];
    return JSON.stringify(delegation.map(({ name, set }) => [latin1(name), set.type, set.ttl, set.rdatas.map(latin1)]));
  }

  /** Whether the delegation has the addresses that are stored at `owner`, maybe a wildcard. */
  hasGlueAt(domain: Domain, owner: Name): boolean {
    if (this.facts.parentOf(domain.apex) === null) return false;
    return this.#nameserversOf(domain).hosts.some(({ source }) => equalNames(source, owner));
  }

  #nameserversOf(domain: Domain): { readonly ns: RRset; readonly hosts: readonly Host[] } {
    const view = this.view(domain);
    const ns = findType(view.rrsets(domain.apex), TYPE.NS)!;
    return { ns, hosts: [...hostsOf(view, ns, 0)] };
  }

  atApex(domain: Domain): AtApex {
    const atApex = this.facts.atApex(domain, this.defaults);
    const row = this.signing === null ? undefined : this.facts.dnssec(domain.id);
    const sets = withSerial(atApex.sets, this.serialOf(domain.id));
    return { ...atApex, sets: row === undefined ? sets : withDnssec(sets, domain.apex, row) };
  }

  /** Null: the zone is not signed. Call it after all rows of the group are written. */
  signerOf(domain: Domain): Signer | null {
    let signer = this.#signerOf.get(domain.id);
    if (signer === undefined) {
      const row = this.facts.dnssec(domain.id);
      const signing = this.signing;
      signer = row === undefined || signing === null ? null : signing.signers.signer(domain, row, signing.batch);
      this.#signerOf.set(domain.id, signer);
    }
    return signer;
  }

  /** The denial of a zone that its primary has signed; null: the zone is not presigned. */
  denialOf(domain: Domain): PresignedDenial | null {
    if (domain.kind !== 'secondary') return null;
    return denialOf(this.facts.atApex(domain, this.defaults).sets);
  }

  /**
   * The signer of our zone that encloses a zone; null: there is none, or it does not sign the DS of
   * the zone, or not yet.
   */
  parentSignerOf(apex: Name): ZoneSigner | null {
    const parent = this.facts.parentOf(apex);
    if (parent === null) return null;
    const denial = this.denialOf(parent);
    if (denial === null) {
      const signer = this.signerOf(parent);
      return signer?.signs(apex) === true ? signer : null;
    }
    const view = this.view(parent);
    return new PresignedSigner(denial, (owner) => view.rrsets(owner));
  }

  /** Apexes of our zones inside this zone. */
  nestedIn(apex: Name): Name[] {
    return this.facts.childrenOf(apex).map((domain) => domain.apex);
  }

  /** The DS of this zone in the parent zone, if the parent is ours; null: none. */
  parentDs(apex: Name): RRset | null {
    const parent = this.facts.parentOf(apex);
    return parent && readParentDs(this.environment, parent, apex);
  }
}
