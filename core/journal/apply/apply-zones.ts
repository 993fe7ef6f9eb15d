/**
 * The effects of a group of journal entries on zones: their derived state (serial, revision, record
 * count) and their answers.
 */

import { hashName, hashPrefix } from '../../dns/dnssec/nsec3.ts';
import type { Steps } from '../../dns/dnssec/zone-signer.ts';
import { equalNames, type Name, nameId } from '../../dns/wire/name.ts';
import { type ResourceRecord, type RRset, TYPE } from '../../dns/wire/types.ts';
import type { Environment } from '../../store/environment.ts';
import {
  afterPrefix,
  aliasOwnerKey,
  aliasOwnerParts,
  aliasOwners,
  type Id,
  idKey,
  nameOfKey,
  recordKeyParts,
} from '../../store/keys.ts';
import { type AliasTarget, type DnssecRow, type Domain, entryOf, type Spread } from '../../store/rows.ts';
import { decodeZoneState, encodeZoneState, type ZoneState } from '../../store/zone-state.ts';
import { isListed, memberRecord } from '../../zone/compile/catalog.ts';
import { challengeName } from '../../zone/compile/challenged.ts';
import { originAliasKey } from '../../zone/compile/origin-apex.ts';
import { isWebName } from '../../zone/compile/proxied.ts';
import { nextSerial } from '../../zone/compile/serial.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { findType, type ZoneView } from '../../zone/compile/view.ts';
import type { Change, Entry } from '../entry-codec.ts';
import type { CompiledZone } from '../journal.ts';
import { UsageChanges } from './account-usage.ts';
import { changesApex, dueSignatures } from './due-signatures.ts';
import { EdgeNotices } from './edge-notices.ts';
import { updateSite } from './edge-sites.ts';
import { type NodeChange, NodeWriter } from './node-writer.ts';
import { type Nsec3Change, namesBetween } from './nsec3-chain.ts';
import { ServedZones } from './served-zones.ts';
import type { GroupSigning } from './signers.ts';
import { ZoneCompiler } from './zone-compiler.ts';
import { type ZoneChange, type ZoneObserver, ZoneSnapshot } from './zone-difference.ts';
import { ZoneFacts } from './zone-facts.ts';
import { ZoneUpdate } from './zone-update.ts';

const EMPTY = Buffer.alloc(0);

export class ZoneUpdates {
  /** Whether accounts or tokens have changed. */
  credentialsChanged = false;
  /** Ids of apps that were added, changed or deleted. */
  readonly apps = new Set<string>();
  readonly #environment: Environment;
  readonly #served: ServedZones;
  readonly #compiler: ZoneCompiler;
  readonly #observer: ZoneObserver | undefined;
  readonly #facts: ZoneFacts;
  readonly #zones = new Map<Id, ZoneUpdate>();
  /** Domains that were added or deleted. The zones around them also change. */
  readonly domainChanges: { readonly domain: Domain; readonly present: boolean }[] = [];
  /** The number of them that belong to earlier entries. */
  #notedChanges = 0;
  /** Targets of added or deleted ALIAS records, by nameId. */
  readonly aliasTargets = new Map<string, { readonly target: Name; readonly domainIds: Set<Id> }>();
  readonly edge = new EdgeNotices();
  /** One change for each zone that the group changed, for the observer. */
  readonly changes: ZoneChange[] = [];
  readonly #usage: UsageChanges;
  /** For the current entry: domains whose proxy it writes, and whether that proxy was on before. */
  readonly #proxiesBefore = new Map<Id, boolean>();
  /**
   * For the current entry: domains whose address of the origin at the apex may change, and the
   * previous RRset.
   */
  readonly #originsBefore = new Map<Id, { readonly domain: Domain; readonly origin: RRset | undefined }>();
  /** For the current entry: see `noteDelegation`. */
  readonly #delegations = new Map<Id, Buffer[] | null>();
  readonly #touched: ZoneUpdate[] = [];
  #entry: Entry | null = null;
  #compiled: CompiledZone | undefined;
  /** Domains whose row of a secondary zone was written or deleted. */
  readonly secondaries = new Set<Id>();
  /** Domains whose signing changes. */
  readonly signing = new Set<Id>();
  /** For the current entry: domains whose signing it changes, and the rows before it. */
  readonly #dnssecBefore = new Map<Id, DnssecRow | null>();

  constructor(
    environment: Environment,
    defaults: ZoneSettings,
    isAmbiguous: (name: Name) => boolean,
    facts = new ZoneFacts(environment),
    observer?: ZoneObserver,
    signing: GroupSigning | null = null,
  ) {
    this.#environment = environment;
    this.#usage = new UsageChanges(environment, (domainId) => this.#stateOf(domainId).bytes);
    this.#facts = facts;
    const served = new ServedZones(environment, defaults, facts, (domainId) => this.#stateOf(domainId).serial, signing);
    this.#served = served;
    const writer = new NodeWriter(environment, isAmbiguous);
    this.#compiler = new ZoneCompiler({
      environment,
      served,
      facts,
      writer,
      batch: signing?.batch ?? null,
      zones: this.#zones,
    });
    this.#observer = observer;
  }

  /** For the current entry: domains whose rows it writes, and the rows before it. */
  readonly #membersBefore = new Map<Id, Domain | null>();

  /** In the order in which the index must apply them. */
  get nodes(): readonly NodeChange[] {
    return this.#compiler.nodes;
  }

  /** Secondary zones that were added, and not transferred yet, or deleted. */
  *secondaryChanges(): Generator<{ readonly apex: Name; readonly isUnavailable: boolean }> {
    for (const { domain } of this.domainChanges) {
      const update = this.#zones.get(domain.id);
      if (domain.kind !== 'secondary' || update === undefined) continue;
      // A replaced row is deleted and put: only the state after the group counts.
      if (update.domain === null) yield { apex: domain.apex, isUnavailable: false };
      else if (update.state.recordCount === 0) yield { apex: domain.apex, isUnavailable: true };
    }
  }

  /** In the order in which the index must apply them. */
  get nsec3(): readonly Nsec3Change[] {
    return this.#compiler.nsec3;
  }

  /** See AnswerChanges. */
  get apexes(): readonly Name[] {
    const apexes: Name[] = [];
    for (const update of this.#zones.values()) {
      const { isWhole, compiled, apex } = update;
      if (
        isWhole ||
        compiled !== undefined ||
        update.hasChange(({ name, types }) => types.has(TYPE.DNAME) && equalNames(name, apex))
      )
        apexes.push(apex);
    }
    return apexes;
  }

  begin(entry: Entry, compiled: CompiledZone | undefined): void {
    this.#entry = entry;
    this.#compiled = compiled;
  }

  /** `revises`: the zone's own rows change. */
  zone(domainId: Id, revises = true): ZoneUpdate {
    let update = this.#zones.get(domainId);
    if (update === undefined) {
      const domain = this.#facts.domain(domainId);
      if (domain === undefined)
        throw new Error(`journal entry ${this.#entry?.sequence} changes records of the unknown domain ${domainId}`);
      update = this.#track(domain);
    }
    this.#touch(update, revises);
    if (this.#compiled?.domainId === domainId) update.compiled = this.#compiled;
    return update;
  }

  /** A row is written or deleted. `old`: the stored row before it. */
  noteRow(change: Change, old: Buffer | undefined): void {
    this.#usage.noteRow(change, old);
  }

  /** A row of a domain or a proxy is written. */
  invalidateFacts(): void {
    this.#facts.clear();
  }

  /** A record is added or deleted. `isWithTarget`: it has a target. */
  noteRecord(domainId: Id, atApex: boolean, isWithTarget: boolean): void {
    if (atApex && this.#facts.originHost(domainId) !== null) this.#noteOrigin(this.#facts.domain(domainId));
    if (atApex) this.#facts.invalidateApex(domainId);
    if (isWithTarget) this.#facts.invalidateTargets(domainId);
    this.edge.noteRecord(domainId);
  }

  /**
   * Notes that the record at `key` changes. If it is an NS record or an address of a nameserver,
   * the delegation in an enclosing zone of ours changes. Null: the delegation changes.
   */
  noteDelegation(domainId: Id, key: Buffer | null): void {
    const keys = this.#delegations.get(domainId);
    if (keys === null) return;
    if (key === null || keys === undefined) this.#delegations.set(domainId, key && [key]);
    else keys.push(key);
  }

  /** The serial of the enclosing zone increases if its delegation changes. */
  #updateDelegation(domain: Domain, keys: readonly Buffer[] | null): void {
    const parent = this.#facts.parentOf(domain.apex);
    if (parent === null) return;
    const nameservers = findType(this.#served.atApex(domain).sets, TYPE.NS)?.rdatas ?? [];
    const concerns = (key: Buffer): boolean => {
      const { nameEnd, type } = recordKeyParts(key);
      if (type === TYPE.NS) return true;
      const name = nameOfKey(key, 8, nameEnd);
      return nameservers.some((nameserver) => equalNames(nameserver, name));
    };
    if (keys === null || keys.some(concerns)) this.zone(parent.id, false).discardDifference();
  }

  /** ALIAS records with this target are added or deleted. */
  noteAliasOwner(target: Name, domainId: Id): void {
    const id = nameId(target);
    const entry = this.aliasTargets.get(id);
    if (entry === undefined) this.aliasTargets.set(id, { target, domainIds: new Set([domainId]) });
    else entry.domainIds.add(domainId);
  }

  /** The cached answers of the ALIAS target with this key are out of date. */
  noteAliasTarget(key: Uint8Array): void {
    this.#facts.invalidateAlias(key);
  }

  /** The answer to a dns-01 challenge is added or deleted. The zone's own rows do not change. */
  noteChallenge(domainId: Id, delta: number): void {
    const domain = this.#facts.domain(domainId);
    const name = domain === undefined ? null : challengeName(domain.apex);
    if (name !== null) this.zone(domainId, false).noteChallenge(name, delta);
    this.#facts.invalidateChallenges(domainId);
  }

  /** Compiles the answers of the owners that the row names: see Spread. */
  noteAliasAddresses(row: AliasTarget): void {
    const { name, spread, own = {} } = row;
    if (entryOf(row, null) !== null) this.#noteAliasOwners(name, spread, (account) => own[account] === undefined);
    for (const [id, entry] of Object.entries(own))
      this.#noteAliasOwners(name, entry.spread, (account) => account === Number(id));
  }

  #noteAliasOwners(name: Name, spread: Spread | null, concerns: (account: Id) => boolean): void {
    if (spread === null) return;
    const prefix = aliasOwners(name);
    const start = Buffer.concat([prefix, Buffer.from(spread.from, 'hex')]);
    const end = spread.to === null ? afterPrefix(prefix) : Buffer.concat([prefix, Buffer.from(spread.to, 'hex')]);
    for (const key of this.#environment.aliases.getKeys({ start, end })) {
      const { domainId, owner } = aliasOwnerParts(key as Buffer);
      const domain = this.#facts.domain(domainId);
      if (domain === undefined || !concerns(domain.accountId) || this.#isBehindProxy(domain, owner)) continue;
      this.zone(domainId, false).noteAlias(owner);
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

  /**
   * Served records that depend on the configuration have changed, on this node or another. Some of
   * the domains may be deleted already.
   */
  renumber(domainIds: readonly Id[]): void {
    for (const domainId of domainIds)
      if (this.#facts.domain(domainId) !== undefined) this.zone(domainId, false).discardDifference();
  }

  /**
   * Called before the signing row of a zone is written or deleted. `before`: the row. Only the
   * state after the entry counts, since a replaced row is deleted and put.
   */
  noteDnssec(domainId: Id, before: DnssecRow | null): void {
    const domain = this.#facts.domain(domainId);
    if (domain === undefined || this.#dnssecBefore.has(domainId)) return;
    this.#dnssecBefore.set(domainId, before);
    this.signing.add(domainId);
    // The DNSSEC records at the apex may change.
    this.zone(domainId, false).before?.note(domain.apex);
  }

  /** Marks only the names whose signatures change with the new row. */
  #updateSigning(domainId: Id, before: DnssecRow | null): void {
    if (this.#facts.domain(domainId) === undefined) return;
    const after = this.#facts.dnssec(domainId) ?? null;
    const update = this.zone(domainId, false);
    const due = dueSignatures(before, after);
    if (before === null || after === null) {
      // At the first and last row of a signing in pieces, no names are due.
      if (due.length > 0) update.markWhole();
      else {
        update.noteDue(update.apex);
        if (after === null) {
          update.listing = null;
          this.#compiler.removeChain(domainId, update.apex);
          // The signatures at the apex disappear, and differences are noted only for a signed zone.
          update.discardDifference();
        }
      }
      return;
    }
    const listed = after.progress?.listedTo;
    if (before.progress?.listedTo != null && listed !== undefined)
      update.listing = { from: update.listing?.from ?? before.progress.listedTo, to: listed };
    if (changesApex(before, after)) update.noteDue(update.apex);
    for (const { first, last } of due)
      for (const name of namesBetween(this.#environment, domainId, first, last)) update.noteDue(name);
    // Names listed by this group are not in the table yet.
    if (due.length > 0 && update.listing !== null && !update.isWhole)
      for (const name of this.#compiler.listedNames(this.#facts.domain(domainId)!, update.listing)) {
        const prefix = hashPrefix(hashName(name));
        if (due.some(({ first, last }) => prefix >= first && prefix <= last)) update.noteDue(name);
      }
  }

  /**
   * Called before the row of a domain is written or deleted. `before`: the row. Only the state
   * after the entry counts, since a replaced row is deleted and put.
   */
  noteMember(domainId: Id, before: Domain | null): void {
    if (!this.#membersBefore.has(domainId)) this.#membersBefore.set(domainId, before);
  }

  /** Updates the catalogs that list a domain now, or no longer. Their own rows do not change. */
  #updateCatalogs(domainId: Id, before: Domain | null): void {
    const after = this.#facts.domain(domainId) ?? null;
    if (before?.accountId === after?.accountId && before?.kind === after?.kind && before?.consumes === after?.consumes)
      return;
    const catalogs = new Map<Id, Domain>();
    for (const domain of [before, after])
      if (domain !== null)
        for (const catalog of this.#facts.catalogsFor(domain.accountId)) catalogs.set(catalog.id, catalog);
    for (const catalog of catalogs.values()) {
      const listed = (domain: Domain | null): ResourceRecord[] =>
        domain !== null && isListed(catalog, domain) ? [memberRecord(catalog.apex, domain.id, domain.apex)] : [];
      const [old, current] = [listed(before), listed(after)];
      if (old.length === current.length || this.#facts.domain(catalog.id) === undefined) continue;
      this.zone(catalog.id, false).before?.noteMember(domainId, old, current);
    }
  }

  noteDomain(domain: Domain): void {
    const tracked = this.#zones.get(domain.id);
    const isNew =
      tracked === undefined ? !this.#environment.zones.doesExist(idKey(domain.id)) : tracked.domain === null;
    const update = tracked ?? this.#track(domain);
    update.domain = domain;
    this.#touch(update);
    if (isNew) {
      if (!this.#originsBefore.has(domain.id)) this.#originsBefore.set(domain.id, { domain, origin: undefined });
      this.domainChanges.push({ domain, present: true });
      this.#usage.countsOf(domain.accountId).domains++;
    } else this.noteDelegation(domain.id, null);
    // A replaced row is deleted and put. All answers were compiled with the old row, including
    // answers of names that point to the apex.
    update.markWhole();
  }

  noteDeletedDomain(domain: Domain): void {
    this.#noteOrigin(domain);
    const update = this.#zones.get(domain.id) ?? this.#track(domain);
    update.domain = null;
    this.#touch(update);
    this.#usage.countsOf(domain.accountId).domains--;
    this.domainChanges.push({ domain, present: false });
  }

  /**
   * The entry writes the proxy of a domain. `before`: whether it was on. Only the state after the
   * entry counts, since a replaced row is deleted and put.
   */
  noteProxyWrite(domainId: Id, before: boolean): void {
    if (!this.#proxiesBefore.has(domainId)) this.#proxiesBefore.set(domainId, before);
    this.#noteOrigin(this.#facts.domain(domainId));
  }

  /** Called before the entry changes the RRset that the apex serves for the origin. */
  #noteOrigin(domain: Domain | undefined): void {
    if (domain === undefined || this.#originsBefore.has(domain.id)) return;
    this.#originsBefore.set(domain.id, { domain, origin: this.#served.originAt(domain) });
  }

  /**
   * Updates an apex whose address of the origin was added, removed or changed. An ALIAS also
   * becomes an owner of its target, so that its addresses are resolved.
   */
  #updateOrigin(before: Domain, origin: RRset | undefined): void {
    const { id } = before;
    const domain = this.#facts.domain(id);
    const current = domain && this.#served.originAt(domain);
    if (isSameSet(origin, current)) return;
    const { aliases } = this.#environment;
    for (const [set, isServed] of [[origin, false] as const, [current, true] as const]) {
      if (set?.type !== TYPE.ALIAS) continue;
      const [target] = set.rdatas;
      const entry = aliasOwnerKey(target, originAliasKey(before));
      if (isServed) aliases.put(entry, EMPTY);
      else aliases.remove(entry);
      this.noteAliasOwner(target, id);
    }
    if (domain === undefined) return;
    const update = this.zone(id);
    update.noteAlias(domain.apex);
    update.discardDifference();
  }

  /** The serial increases with every entry: see nextSerial. */
  endEntry(): void {
    const { time, sequence } = this.#entry!;
    // The answer of every name of the domain may change. The domain itself may be deleted already.
    for (const [domainId, before] of this.#proxiesBefore)
      if (this.#facts.isProxied(domainId) !== before && this.#facts.domain(domainId) !== undefined)
        this.zone(domainId).markWhole();
    this.#proxiesBefore.clear();
    for (const [domainId, before] of this.#dnssecBefore) this.#updateSigning(domainId, before);
    this.#dnssecBefore.clear();
    for (const { domain, origin } of this.#originsBefore.values()) this.#updateOrigin(domain, origin);
    this.#originsBefore.clear();
    for (const [domainId, keys] of this.#delegations) {
      const domain = this.#facts.domain(domainId);
      if (domain !== undefined) this.#updateDelegation(domain, keys);
    }
    this.#delegations.clear();
    // The delegation in the enclosing zone is added or removed.
    for (const { domain } of this.domainChanges.slice(this.#notedChanges)) {
      const parent = this.#facts.parentOf(domain.apex);
      if (parent !== null) this.zone(parent.id, false).discardDifference();
    }
    this.#notedChanges = this.domainChanges.length;
    for (const [domainId, before] of this.#membersBefore) this.#updateCatalogs(domainId, before);
    this.#usage.endEntry(this.#membersBefore, (domainId) => this.#facts.domain(domainId));
    this.#membersBefore.clear();
    const seconds = Math.floor(time / 1000);
    for (const update of this.#touched.splice(0)) {
      update.isTouched = false;
      this.#usage.countsOf(update.accountId).records -= update.state.recordCount;
      update.accountId = update.domain?.accountId ?? update.accountId;
      update.state = {
        serial: serialAfter(update, seconds),
        revision: update.isRevised ? sequence : update.state.revision,
        recordCount: update.state.recordCount + update.delta,
        updatedAt: update.isRevised ? seconds : update.state.updatedAt,
        bytes: update.state.bytes,
      };
      update.isRevised = false;
      this.#usage.countsOf(update.accountId).records += update.state.recordCount;
      update.delta = 0;
    }
  }

  /**
   * Writes everything that is derived from the entries: usage, rows of sites, zone states, nodes.
   * `rehearsed`: the updates of a rehearsal of the same entries on the same rows, whose nodes are
   * reused.
   */
  compile(rehearsed?: ZoneUpdates): void {
    for (const _ of this.compileSteps(rehearsed));
  }

  /** Like `compile`, in steps of about a millisecond. */
  *compileSteps(rehearsed?: ZoneUpdates): Steps {
    this.#usage.write((domainId) => this.#zones.has(domainId));
    for (const domainId of this.edge.siteIds) updateSite(this.#environment, domainId);
    for (const [domainId, { key, domain, state }] of this.#zones) {
      if (domain === null) this.#environment.zones.remove(key);
      else this.#environment.zones.put(key, encodeZoneState(state, this.#usage.zoneBytes(domainId)));
    }
    if (rehearsed === undefined) yield* this.#compiler.compile(this.domainChanges.map(({ domain }) => domain));
    else {
      this.#compiler.repeat(rehearsed.#compiler);
      this.#facts.adopt(rehearsed.#facts);
    }
    if (this.#observer !== undefined) this.#noteChanges();
  }

  #noteChanges(): void {
    for (const [domainId, { domain, apex, state, before }] of this.#zones) {
      if (domain === null) this.changes.push({ domainId, apex, serial: 0, difference: null });
      else {
        const difference = before?.difference(this.#served.view(domain), state.serial) ?? null;
        this.changes.push({ domainId, apex, serial: state.serial, difference });
      }
    }
  }

  /** The zone as it is served. Names are read from the store one at a time. */
  view(domain: Domain): ZoneView {
    return this.#served.view(domain);
  }

  /** Compiles all names of a zone from its rows. */
  compileAll(domain: Domain): void {
    for (const _ of this.#compiler.compileWhole(domain));
  }

  /** An entry changes the zone. */
  #touch(update: ZoneUpdate, revises = true): void {
    if (!update.isTouched) this.#touched.push(update);
    update.touch(this.#entry!, revises);
  }

  #track(domain: Domain): ZoneUpdate {
    const update = new ZoneUpdate(domain, this.#stateOf(domain.id));
    this.#zones.set(domain.id, update);
    if (this.#observer?.follows(domain.id) === true)
      update.before = new ZoneSnapshot(this.#served.view(domain), update.state.serial, (name) =>
        this.#compiler.read(domain, name),
      );
    // The entry has written the proxy already, so the view differs from the served records.
    if (this.#proxiesBefore.has(domain.id)) update.discardDifference();
    return update;
  }

  #stateOf(domainId: Id): ZoneState {
    return this.#zones.get(domainId)?.state ?? decodeZoneState(this.#environment.zones.get(idKey(domainId)));
  }
}

/** The serial of a secondary zone is that of its primary, and nothing else increases it. */
function serialAfter({ domain, state, soaSerial }: ZoneUpdate, seconds: number): number {
  if (domain?.kind === 'secondary') return soaSerial ?? state.serial;
  return nextSerial(state.serial, seconds, domain?.kept?.serial ?? 0);
}

function isSameSet(a: RRset | undefined, b: RRset | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.type === b.type && Buffer.compare(a.rdatas[0], b.rdatas[0]) === 0;
}
