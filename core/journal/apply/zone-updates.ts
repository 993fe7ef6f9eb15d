/**
 * The effects of a group of journal entries: on the derived state of zones (serial, revision,
 * record count), on their answers, and on the listeners of the journal. For each entry of the
 * group:
 *
 *   1. `begin`
 *   2. `beforeWrite` for each change, before its row is written. It reads the state of the domain
 *      (domain-state.ts) and marks the names of records.
 *   3. `endEntry` reads the state of these domains again, and does what the difference asks for.
 *
 * Then `compile` writes everything that is derived from the rows.
 */
import type { Steps } from '../../dns/dnssec/zone-signer.ts';
import { equalNames, isWithin, type Name } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, type Id, idAt, idKey, nameOfKey, recordKeyParts, recordsOfType } from '../../store/keys.ts';
import {
  type AliasTarget,
  acmeChallenges,
  aliasTargets,
  comments,
  type Domain,
  deletedDomains,
  disabledRecords,
  dnssec,
  domains,
  type ImportRow,
  keptPtrs,
  proxies,
  records,
  renumberings,
  steerings,
} from '../../store/rows.ts';
import { decodeZoneState, encodeZoneState, type ZoneState } from '../../store/zone-state.ts';
import type { KeyedNode } from '../../zone/compile/bulk.ts';
import { challengeOwner } from '../../zone/compile/challenged.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { steeredAliasOwners } from '../../zone/compile/steered.ts';
import type { ZoneView } from '../../zone/compile/view.ts';
import type { Change, Entry } from '../entry-codec.ts';
import type { CompiledZone } from '../journal.ts';
import { hasTarget } from '../record-targets.ts';
import { UsageChanges } from './account-usage.ts';
import { DomainEffects } from './domain-effects.ts';
import { OrderChanges } from './domain-orders.ts';
import { type DomainState, type DomainWrites, difference } from './domain-state.ts';
import { type NodeChange, NodeWriter } from './node-writer.ts';
import { Notices, updateSite } from './notices.ts';
import type { Nsec3Change } from './nsec3-chain.ts';
import { ServedZones } from './served-zones.ts';
import type { GroupSigning } from './signers.ts';
import { type UnservedZone, ZoneCompiler } from './zone-compiler.ts';
import { type ZoneChange, type ZoneObserver, ZoneSnapshot } from './zone-difference.ts';
import { ZoneFacts } from './zone-facts.ts';
import { ZoneUpdate } from './zone-update.ts';

export class ZoneUpdates {
  readonly notices = new Notices();
  /** One change for each zone that the group changed, for the observer. */
  readonly changes: ZoneChange[] = [];
  readonly #served: ServedZones;
  readonly #compiler: ZoneCompiler;
  readonly #effects: DomainEffects;
  readonly #facts: ZoneFacts;
  readonly #usage: UsageChanges;
  readonly #orders: OrderChanges;
  /** The zones that the group changes. */
  readonly #zones = new Map<Id, ZoneUpdate>();
  /** Deleted domains whose last row the group deletes. */
  readonly #purged: Id[] = [];

  // The current entry.
  #entry: Entry | null = null;
  #compiled: CompiledZone | undefined;
  readonly #writes = new Map<Id, DomainWrites>();
  /** ALIAS targets whose addresses it writes. */
  readonly #resolved: AliasTarget[] = [];
  /** Zones whose served records depend on settings that changed, on this node or another. */
  readonly #renumbered: Id[] = [];
  /** Zones that it changes. */
  readonly #touched: ZoneUpdate[] = [];

  constructor(
    private readonly environment: Environment,
    defaults: ZoneSettings,
    isAmbiguous: (name: Name) => boolean,
    facts = new ZoneFacts(environment),
    private readonly observer?: ZoneObserver,
    signing: GroupSigning | null = null,
  ) {
    this.#usage = new UsageChanges(environment, (domainId) => this.#stateOf(domainId).bytes);
    this.#orders = new OrderChanges(environment);
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
      notices: this.notices,
    });
    const { notices } = this;
    const zone = this.zone.bind(this);
    this.#effects = new DomainEffects({ environment, facts, served, compiler: this.#compiler, notices, zone });
  }

  begin(entry: Entry, compiled: CompiledZone | undefined): void {
    this.#entry = entry;
    this.#compiled = compiled;
  }

  /** `old`: the stored row, if the table counts or has lookups that depend on the value. */
  beforeWrite(change: Change, old: Buffer | undefined): void {
    const { table, key, value } = change;
    this.#usage.add(change, old);
    this.notices.add(change);
    switch (table) {
      case records.number:
        this.#beforeRecord(change);
        break;
      case domains.number:
        this.#beforeDomain(change);
        this.#facts.clear();
        break;
      case deletedDomains.number:
        this.#writesOf(idAt(key)).tables.add(table);
        this.notices.siteIds.add(idAt(key));
        break;
      case proxies.number:
        this.#orders.addProxy(key, old);
        this.#writesOf(idAt(key)).tables.add(table);
        this.#facts.clear();
        break;
      case dnssec.number:
        this.#beforeDnssec(idAt(key));
        this.#facts.clear();
        break;
      case comments.number:
      case keptPtrs.number:
      case disabledRecords.number:
        // Clients read them together with records, so revision and serial increase.
        if (!this.isInBin(idAt(key))) this.zone(idAt(key));
        break;
      case acmeChallenges.number:
        this.#beforeChallenge(change);
        break;
      case steerings.number:
        this.#beforeSteering(change);
        break;
      case aliasTargets.number:
        this.#facts.invalidateAlias(key);
        if (value !== null) this.#resolved.push(aliasTargets.decode(key, value));
        break;
      case renumberings.number:
        if (value !== null) this.#renumbered.push(...renumberings.decode(key, value).domainIds);
    }
  }

  /** Whether the domain was deleted and its rows are still there: nothing is derived from them. */
  isInBin(domainId: Id): boolean {
    return this.#facts.isInBin(domainId);
  }

  /** `revises`: the zone's own rows change. */
  zone(domainId: Id, revises = true): ZoneUpdate {
    const update = this.#zones.get(domainId) ?? this.#track(domainId);
    if (!update.isTouched) this.#touched.push(update);
    update.touch(this.#entry!, revises);
    return update;
  }

  #track(domainId: Id): ZoneUpdate {
    const writes = this.#writes.get(domainId);
    const domain = this.#facts.domain(domainId);
    if (domain === undefined)
      throw new Error(`journal entry ${this.#entry?.sequence} changes records of the unknown domain ${domainId}`);
    const update = new ZoneUpdate(domain, this.#stateOf(domainId), writes?.before.isInBin);
    this.#zones.set(domainId, update);
    if (this.observer?.follows(domainId) === true)
      update.before = new ZoneSnapshot(this.#served.view(domain), update.state.serial, (name) =>
        this.#compiler.read(domain, name),
      );
    // The entry has written the proxy already, so the view differs from the served records.
    if (writes?.tables.has(proxies.number)) update.discardDifference();
    return update;
  }

  /** Reads the state of the domain before the first write to it. */
  #writesOf(id: Id): DomainWrites {
    let writes = this.#writes.get(id);
    if (writes === undefined) {
      writes = { id, before: this.#readState(id), tables: new Set() };
      this.#writes.set(id, writes);
    }
    return writes;
  }

  #readState(id: Id): DomainState {
    const domain = this.#facts.domain(id) ?? null;
    const hasOrigin = domain !== null && this.#facts.originHost(id) !== null;
    return {
      domain,
      isInBin: domain === null && this.#facts.isInBin(id),
      isProxied: this.#facts.isProxied(id),
      signing: this.#facts.dnssec(id) ?? null,
      origin: hasOrigin ? (this.#served.originAt(domain) ?? null) : null,
      delegation: domain === null ? null : this.#served.delegationOf(domain),
    };
  }

  #beforeRecord({ key, value }: Change): void {
    const domainId = idAt(key);
    if (this.isInBin(domainId)) return;
    const { nameEnd, type } = recordKeyParts(key);
    const { tables } = this.#writesOf(domainId);
    const zone = this.zone(domainId);
    if (this.#compiled?.domainId === domainId) zone.compiled = this.#compiled;
    const isAtApex = nameEnd === zone.apexEnd;
    zone.markRecord(key, nameEnd, type, value);
    if (isAtApex) {
      tables.add(records.number);
      this.#facts.invalidateApex(domainId);
    }
    if (hasTarget(type)) this.#facts.invalidateTargets(domainId);
  }

  /** The records of an import are revealed, and those that it replaces are hidden. */
  reveal(row: ImportRow): void {
    const { domainId, end } = row;
    const { bytes, replaced } = end!;
    const { tables } = this.#writesOf(domainId);
    const zone = this.zone(domainId);
    zone.markImport(row);
    if (zone.domain?.kind === 'secondary') {
      const start = recordsOfType(domainId, zone.apex, TYPE.SOA);
      for (const { value } of this.environment.records.getRange({ start, end: afterPrefix(start) }))
        zone.markSoa(value);
    }
    tables.add(records.number);
    this.#facts.invalidateApex(domainId);
    this.#facts.invalidateTargets(domainId);
    this.#usage.addToZone(domainId, bytes - replaced.bytes);
    this.notices.addRecords(domainId);
  }

  #beforeDomain({ key, value }: Change): void {
    const domainId = idAt(key);
    const { before, tables } = this.#writesOf(domainId);
    tables.add(domains.number);
    // Its records count for the account in the row before.
    if (before.domain !== null) this.zone(domainId);
    // Nameservers of the zone around it may be inside this one.
    const domain = value === null ? before.domain : domains.decode(key, value);
    const parent = domain === null ? null : this.#facts.parentOf(domain.apex);
    if (parent !== null) this.#writesOf(parent.id);
  }

  #beforeDnssec(domainId: Id): void {
    const { tables } = this.#writesOf(domainId);
    const domain = this.#facts.domain(domainId);
    if (domain === undefined) return;
    tables.add(dnssec.number);
    this.notices.signing.add(domainId);
    // The DNSSEC records at the apex may change.
    this.zone(domainId, false).before?.note(domain.apex);
  }

  /** The answer to a dns-01 challenge is added or deleted. The zone's own rows do not change. */
  #beforeChallenge({ key, value }: Change): void {
    const row = value ?? this.environment.rows.get(acmeChallenges.number)!.get(key);
    if (row === undefined) return;
    const domainId = idAt(key);
    const domain = this.#facts.domain(domainId);
    const name = domain === undefined ? null : challengeOwner(domain.apex, acmeChallenges.decode(key, row));
    if (name !== null) this.zone(domainId, false).markChallenge(name, value === null ? -1 : 1);
    this.#facts.invalidateChallenges(domainId);
  }

  #beforeSteering({ key, value }: Change): void {
    const domainId = idAt(key);
    this.#replaceAliasOwners(domainId, key, value);
    const typeAt = key.length - 2;
    // The rows of a deleted domain are deleted with it.
    if (this.#facts.domain(domainId) !== undefined) {
      // The addresses of a steered ALIAS may be glue in the zone around this one.
      this.#writesOf(domainId);
      this.zone(domainId).markSteering(nameOfKey(key, 8, typeAt - 1), key.readUInt16BE(typeAt));
    }
    this.#facts.invalidateSteerings(domainId);
  }

  /** A steered ALIAS is an owner of all its targets, so that their addresses are resolved. */
  #replaceAliasOwners(domainId: Id, key: Buffer, value: Buffer | null): void {
    const { aliases, rows } = this.environment;
    const before = rows.get(steerings.number)!.get(key) as Buffer | undefined;
    const ownersIn = (row: Buffer | null | undefined) =>
      row == null ? [] : steeredAliasOwners(steerings.decode(key, row));
    const [old, current] = [ownersIn(before), ownersIn(value)];
    for (const owner of old) aliases.remove(owner.key);
    for (const owner of current) aliases.put(owner.key, Buffer.alloc(0));
    for (const { target } of [...old, ...current]) this.notices.addAliasOwner(target, domainId);
  }

  /** All rows of the entry are written. Serials increase with every entry: see nextSerial. */
  endEntry(): void {
    const { time, sequence } = this.#entry!;
    for (const row of this.#resolved.splice(0)) this.#effects.markAliasOwners(row);
    // The domain may be deleted already.
    for (const id of this.#renumbered.splice(0))
      if (this.#facts.domain(id) !== undefined) this.zone(id, false).discardDifference();
    const added: Domain[] = [];
    for (const writes of this.#writes.values()) {
      const isUnchanged = writes.tables.size === 0 && writes.before.delegation === null;
      const after = isUnchanged ? writes.before : this.#readState(writes.id);
      const found = difference(writes, after);
      this.#effects.carryOut(writes, after, found);
      if (found.deleted !== null) this.notices.domainChanges.push({ domain: found.deleted, present: false });
      if (found.added !== null) added.push(found.added);
      if (found.isPurged) this.#purged.push(writes.id);
    }
    for (const domain of added) this.notices.domainChanges.push({ domain, present: true });
    this.#usage.endEntry(this.#writes, {
      domain: (id) => this.#facts.domain(id),
      isInBin: (id) => this.#facts.isInBin(id),
    });
    this.#writes.clear();
    const seconds = Math.floor(time / 1000);
    for (const update of this.#touched.splice(0)) {
      this.#usage.countsOf(update.accountId).records -= update.countedRecords;
      update.endEntry(sequence, seconds);
      this.#usage.countsOf(update.accountId).records += update.countedRecords;
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
    this.#orders.write(this.#zones, (domainId) => this.#facts.domain(domainId));
    for (const domainId of this.notices.siteIds) updateSite(this.environment, domainId);
    for (const [domainId, { key, domain, state }] of this.#zones) {
      // A deleted domain that is restored goes on with its serial.
      if (domain === null && !this.isInBin(domainId)) this.environment.zones.remove(key);
      else this.environment.zones.put(key, encodeZoneState(state, this.#usage.zoneBytes(domainId)));
    }
    for (const domainId of this.#purged) this.environment.zones.remove(idKey(domainId));
    if (rehearsed === undefined) yield* this.#compiler.compile(this.notices.domainChanges.map(({ domain }) => domain));
    else {
      this.#compiler.repeat(rehearsed.#compiler);
      this.#facts.adopt(rehearsed.#facts);
    }
    if (this.observer !== undefined) this.#compareZones();
  }

  #compareZones(): void {
    for (const [domainId, { domain, apex, state, before }] of this.#zones) {
      if (domain === null) this.changes.push({ domainId, apex, serial: 0, difference: null });
      else {
        const served = before?.difference(this.#served.view(domain), state.serial) ?? null;
        this.changes.push({ domainId, apex, serial: state.serial, difference: served });
      }
    }
  }

  /** Compiles all names of a zone from its rows. */
  compileAll(domain: Domain): void {
    for (const _ of this.#compiler.compileWhole(domain));
  }

  /** Deletes all that is derived from the records of a domain in the bin. */
  deleteAll(domain: Domain): void {
    this.#compiler.deleteAll(domain);
  }

  /** Compiles the apex of a zone and other names from its rows. */
  compileNames(domain: Domain, names: Iterable<Name>): void {
    this.#compiler.compileNames(domain, names);
  }

  /** See ZoneCompiler. */
  nodesOf(domain: Domain, names: Iterable<Name>): Iterable<KeyedNode> {
    return this.#compiler.nodesOf(domain, names);
  }

  /** Answers of a large import are written after the group. Called before `compile`. */
  deferImports(): void {
    this.#compiler.defersImports = true;
  }

  /** Whether the same is true of large zones that are deleted or restored. Set before `compile`. */
  get defersMoves(): boolean {
    return this.#compiler.defersMoves;
  }

  set defersMoves(defers) {
    this.#compiler.defersMoves = defers;
  }

  /**
   * Which answers of a zone `compile` may change: those of `names`, or of the `whole` zone. Called
   * after the last `endEntry`.
   */
  concern(domain: Domain): 'none' | 'names' | 'whole' {
    const { apex } = domain;
    const isRelated = ({ apex: other }: Domain): boolean => isWithin(other, apex) || isWithin(apex, other);
    if (this.notices.domainChanges.some(({ domain: changed }) => isRelated(changed))) return 'whole';
    // Afterwards, nothing has the name of a deleted domain.
    if (this.#purged.includes(domain.id)) return 'whole';
    const update = this.#zones.get(domain.id);
    if (update === undefined) return 'none';
    const { isWhole, importId, compiled } = update;
    const isOfNames = !isWhole && importId === null && compiled === undefined && update.domain !== null;
    return isOfNames && this.#facts.dnssec(domain.id) === undefined && domain.kind !== 'secondary' ? 'names' : 'whole';
  }

  /** The zone of the group whose answers are not written. Null: there is none. */
  get unserved(): UnservedZone | null {
    return this.#compiler.unserved;
  }

  /** The zone as it is served. Names are read from the store one at a time. */
  view(domain: Domain): ZoneView {
    return this.#served.view(domain);
  }

  /** In the order in which the index must apply them. */
  get nodes(): readonly NodeChange[] {
    return this.#compiler.nodes;
  }

  /** In the order in which the index must apply them. */
  get nsec3(): readonly Nsec3Change[] {
    return this.#compiler.nsec3;
  }

  /** See AnswerChanges. */
  get apexes(): readonly Name[] {
    const apexes: Name[] = [];
    for (const update of this.#zones.values()) {
      const { isWhole, importId, compiled, apex, domain } = update;
      if (
        isWhole ||
        domain === null ||
        importId !== null ||
        compiled !== undefined ||
        update.hasChange(({ name, types }) => types.has(TYPE.DNAME) && equalNames(name, apex))
      )
        apexes.push(apex);
    }
    return apexes;
  }

  /** Secondary zones that were added, and not transferred yet, or deleted. */
  *secondaryChanges(): Generator<{ readonly apex: Name; readonly isUnavailable: boolean }> {
    for (const { domain } of this.notices.domainChanges) {
      const update = this.#zones.get(domain.id);
      if (domain.kind !== 'secondary' || update === undefined) continue;
      // A replaced row is deleted and put: only the state after the group counts.
      if (update.domain === null) yield { apex: domain.apex, isUnavailable: false };
      else if (update.state.recordCount === 0) yield { apex: domain.apex, isUnavailable: true };
    }
  }

  #stateOf(domainId: Id): ZoneState {
    return this.#zones.get(domainId)?.state ?? decodeZoneState(this.environment.zones.get(idKey(domainId)));
  }
}
