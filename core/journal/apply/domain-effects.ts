/**
 * The effects of the difference of a domain (domain-state.ts): on the zone, on zones around it, and
 * on catalogs. They mark zones and names; all is compiled once, at the end of the group.
 */
import { hashName, hashPrefix } from '../../dns/dnssec/nsec3.ts';
import type { Name } from '../../dns/wire/name.ts';
import { type ResourceRecord, type RRset, TYPE } from '../../dns/wire/types.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, aliasOwnerKey, aliasOwnerParts, aliasOwners, type Id } from '../../store/keys.ts';
import { type AliasTarget, type Domain, entryOf, type Spread } from '../../store/rows.ts';
import { isListed, memberRecord } from '../../zone/compile/catalog.ts';
import { originAliasKey } from '../../zone/compile/origin-apex.ts';
import { isWebName } from '../../zone/compile/proxied.ts';
import { steeredAliasOwners } from '../../zone/compile/steered.ts';
import type { DomainDifference, DomainState, DomainWrites, SigningDifference } from './domain-state.ts';
import type { Notices } from './notices.ts';
import { namesBetween } from './nsec3-chain.ts';
import type { ServedZones } from './served-zones.ts';
import type { ZoneCompiler } from './zone-compiler.ts';
import type { ZoneFacts } from './zone-facts.ts';
import type { ZoneUpdate } from './zone-update.ts';

const EMPTY = Buffer.alloc(0);

interface EffectParts {
  readonly environment: Environment;
  readonly facts: ZoneFacts;
  readonly served: ServedZones;
  readonly compiler: ZoneCompiler;
  readonly notices: Notices;
  /** See ZoneUpdates. */
  readonly zone: (domainId: Id, revises?: boolean) => ZoneUpdate;
}

/** Inside a write transaction. */
export class DomainEffects {
  readonly #environment: Environment;
  readonly #facts: ZoneFacts;
  readonly #served: ServedZones;
  readonly #compiler: ZoneCompiler;
  readonly #notices: Notices;
  readonly #zone: EffectParts['zone'];

  constructor({ environment, facts, served, compiler, notices, zone }: EffectParts) {
    this.#environment = environment;
    this.#facts = facts;
    this.#served = served;
    this.#compiler = compiler;
    this.#notices = notices;
    this.#zone = zone;
  }

  /** Does what the difference asks for. All rows of the entry are written. */
  carryOut({ id, before }: DomainWrites, after: DomainState, found: DomainDifference): void {
    if (found.deleted !== null || found.added !== null) this.#zone(id).domain = after.domain;
    if (found.moved !== null) this.#moveOwners(found.moved);
    if (found.isWhole) this.#zone(id).markWhole();
    if (found.signing !== null) this.#updateSigning(after.domain!, found.signing);
    if (found.origin !== null) this.#updateOrigin((after.domain ?? before.domain)!, after.domain, found.origin);
    if (found.changesDelegation)
      for (const domain of [before.domain, after.domain]) if (domain !== null) this.#updateParent(domain);
    if (found.changesListing) this.#updateCatalogs(id, before.domain, after.domain);
  }

  /**
   * The records stay in the bin, but no lookup finds them: neither owners of ALIAS records nor
   * names with targets.
   */
  #moveOwners(moved: NonNullable<DomainDifference['moved']>): void {
    const { id } = moved.domain;
    const { isRestored } = moved;
    const { aliases } = this.#environment;
    // The compiler moves those of records, maybe in steps.
    this.#zone(id).moved = moved;
    const steered = [...this.#facts.steeringsOf(id).values()].flat().flatMap(steeredAliasOwners);
    for (const { target, key } of steered) {
      if (isRestored) aliases.put(key, EMPTY);
      else aliases.remove(key);
      this.#notices.addAliasOwner(target, id);
    }
  }

  /** Marks only the names whose signatures change with the new row. */
  #updateSigning(domain: Domain, { isWhole, isApexDue, due, listing, endsChain }: SigningDifference): void {
    const { id, apex } = domain;
    const update = this.#zone(id, false);
    if (isWhole) update.markWhole();
    if (isApexDue) update.markDue(apex);
    if (endsChain) {
      update.listing = null;
      this.#compiler.removeChain(id, apex);
      // The signatures at the apex disappear, and differences are noted only for a signed zone.
      update.discardDifference();
    }
    if (listing !== null) update.listing = { from: update.listing?.from ?? listing.from, to: listing.to };
    for (const { first, last } of due)
      for (const name of namesBetween(this.#environment, id, first, last)) update.markDue(name);
    // Names listed by this group are not in the table yet.
    if (due.length > 0 && update.listing !== null && !update.isWhole)
      for (const name of this.#compiler.listedNames(domain, update.listing)) {
        const prefix = hashPrefix(hashName(name));
        if (due.some(({ first, last }) => prefix >= first && prefix <= last)) update.markDue(name);
      }
  }

  /**
   * The apex serves another RRset for the origin. An ALIAS is also an owner of its target, so that
   * its addresses are resolved. `current` null: the domain was deleted.
   */
  #updateOrigin(
    domain: Domain,
    current: Domain | null,
    { before, after }: { readonly before: RRset | null; readonly after: RRset | null },
  ): void {
    const { aliases } = this.#environment;
    for (const set of [before, after]) {
      if (set?.type !== TYPE.ALIAS) continue;
      const [target] = set.rdatas;
      const entry = aliasOwnerKey(target, originAliasKey(domain));
      if (set === after) aliases.put(entry, EMPTY);
      else aliases.remove(entry);
      this.#notices.addAliasOwner(target, domain.id);
    }
    if (current === null) return;
    const update = this.#zone(current.id);
    update.markAlias(current.apex);
    update.discardDifference();
  }

  /** The delegation in our zone that encloses the domain changes: that zone gets a new serial. */
  #updateParent({ apex }: Domain): void {
    const parent = this.#facts.parentOf(apex);
    if (parent !== null) this.#zone(parent.id, false).discardDifference();
  }

  /** Updates the catalogs that list a domain now, or no longer. Their own rows do not change. */
  #updateCatalogs(domainId: Id, before: Domain | null, after: Domain | null): void {
    const catalogs = new Map<Id, Domain>();
    for (const domain of [before, after])
      if (domain !== null)
        for (const catalog of this.#facts.catalogsFor(domain.accountId)) catalogs.set(catalog.id, catalog);
    for (const catalog of catalogs.values()) {
      const listed = (domain: Domain | null): ResourceRecord[] =>
        domain !== null && isListed(catalog, domain) ? [memberRecord(catalog.apex, domain.id, domain.apex)] : [];
      const [old, current] = [listed(before), listed(after)];
      if (old.length !== current.length) this.#zone(catalog.id, false).before?.noteMember(domainId, old, current);
    }
  }

  /** Marks the owners that the row of an ALIAS target names: see Spread. */
  markAliasOwners(row: AliasTarget): void {
    const { name, spread, own = {} } = row;
    if (entryOf(row, null) !== null) this.#markSpread(name, spread, (account) => own[account] === undefined);
    for (const [id, entry] of Object.entries(own))
      this.#markSpread(name, entry.spread, (account) => account === Number(id));
  }

  #markSpread(name: Name, spread: Spread | null, concerns: (account: Id) => boolean): void {
    if (spread === null) return;
    const prefix = aliasOwners(name);
    const start = Buffer.concat([prefix, Buffer.from(spread.from, 'hex')]);
    const end = spread.to === null ? afterPrefix(prefix) : Buffer.concat([prefix, Buffer.from(spread.to, 'hex')]);
    for (const key of this.#environment.aliases.getKeys({ start, end })) {
      const { domainId, owner } = aliasOwnerParts(key as Buffer);
      const domain = this.#facts.domain(domainId);
      if (domain === undefined || !concerns(domain.accountId) || this.#isBehindProxy(domain, owner)) continue;
      this.#zone(domainId, false).markAlias(owner);
      if (this.#served.hasGlueAt(domain, owner)) this.#updateParent(domain);
    }
  }

  /**
   * Whether the name is answered with the addresses of the cluster, regardless of its ALIAS. Then a
   * change of the target does not affect secondaries. When the proxy is turned off, the name counts
   * as changed anyway.
   */
  #isBehindProxy(domain: Domain, name: Name): boolean {
    return this.#facts.isProxied(domain.id) && isWebName(this.#served.open(domain), name);
  }
}
