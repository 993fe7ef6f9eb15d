/**
 * The effects of a group of journal entries on zones: their derived state (serial, revision, record
 * count) and their answers.
 */

import { hashName, hashPrefix } from '../../dnssec/nsec3.ts';
import type { Signer, SigningBatch, Steps } from '../../dnssec/zone-signer.ts';
import { APEX_LENGTH_AT, NODE_HAS_BELOW, setSerial } from '../../store/answers.ts';
import type { Environment } from '../../store/environment.ts';
import {
  afterPrefix,
  aliasOwnerKey,
  aliasOwnerParts,
  aliasOwners,
  apexKey,
  type Id,
  idKey,
  nameKey,
  nameOfKey,
} from '../../store/keys.ts';
import { replaceSoaSignatures } from '../../store/node-signatures.ts';
import { decodeZoneState, encodeZoneState, type ZoneState } from '../../store/reader.ts';
import type { AliasTarget, DnssecRow, Domain } from '../../store/rows.ts';
import { equalNames, isWithin, type Name, nameId, parentName } from '../../wire/name.ts';
import { type RRset, TYPE } from '../../wire/types.ts';
import { affectedNames, type ChangedName } from '../../zone/affected.ts';
import { negativeTtl } from '../../zone/answer-parts.ts';
import { readNodes } from '../../zone/bulk.ts';
import { challengeName } from '../../zone/challenged.ts';
import { compileNode } from '../../zone/compile.ts';
import { MemoryZone } from '../../zone/memory.ts';
import { typesOfNode } from '../../zone/node-types.ts';
import { originAliasKey } from '../../zone/origin-apex.ts';
import { isWebName } from '../../zone/proxied.ts';
import { nextSerial } from '../../zone/serial.ts';
import type { ZoneSettings } from '../../zone/settings.ts';
import { readBelowApex } from '../../zone/stored.ts';
import { exists, findType, type ZoneView } from '../../zone/view.ts';
import { walk } from '../../zone/walk.ts';
import type { Entry } from '../entry-codec.ts';
import type { CompiledZone } from '../journal.ts';
import { UsageChanges } from './account-usage.ts';
import { changesApex, dueSignatures } from './due-signatures.ts';
import { EdgeNotices } from './edge-notices.ts';
import { updateSite } from './edge-sites.ts';
import { type NodeChange, NodeWriter } from './node-writer.ts';
import { Nsec3Chain, type Nsec3Change, namesBetween, removeAll, repeat } from './nsec3-chain.ts';
import { ServedZones } from './served-zones.ts';
import type { GroupSigning } from './signers.ts';
import { type ZoneChange, type ZoneObserver, ZoneSnapshot } from './zone-difference.ts';
import { ZoneFacts } from './zone-facts.ts';
import { ZoneUpdate } from './zone-update.ts';

const EMPTY = Buffer.alloc(0);
/** Names that are compiled in a step. */
const STEP_NAMES = 64;
const ADDRESSES: ReadonlySet<number> = new Set([TYPE.A]);
const TXT: ReadonlySet<number> = new Set([TYPE.TXT]);

interface ComparedNode {
  /** The zone that signs. */
  readonly domain: Domain;
  /** The apex of a nested zone of ours: the zone signs the DS there. */
  readonly isNested: boolean;
  readonly name: Name;
  readonly node: Buffer | null;
  /** What the name had before, if a secondary follows the zone. */
  readonly before: Buffer | undefined;
}

export class ZoneUpdates {
  /** Whether accounts or tokens have changed. */
  credentialsChanged = false;
  readonly #environment: Environment;
  readonly #served: ServedZones;
  readonly #writer: NodeWriter;
  readonly #observer: ZoneObserver | undefined;
  readonly #facts: ZoneFacts;
  readonly #zones = new Map<Id, ZoneUpdate>();
  /** Domains that were added or deleted. The zones around them change, too. */
  readonly domainChanges: { readonly domain: Domain; readonly present: boolean }[] = [];
  /** How many of them belong to earlier entries. */
  #notedChanges = 0;
  /** Targets of added or deleted ALIAS records, by nameId. */
  readonly aliasTargets = new Map<string, { readonly target: Name; readonly domainIds: Set<Id> }>();
  readonly edge = new EdgeNotices();
  /** One change for each zone that the group changed, for the observer. */
  readonly changes: ZoneChange[] = [];
  readonly #usage = new UsageChanges();
  /** For the current entry: domains whose proxy it writes, and whether that proxy was on before. */
  readonly #proxiesBefore = new Map<Id, boolean>();
  /**
   * For the current entry: domains whose apex may serve the address of the origin now, or no
   * longer, and what it served before.
   */
  readonly #originsBefore = new Map<Id, { readonly domain: Domain; readonly origin: RRset | undefined }>();
  readonly #touched: ZoneUpdate[] = [];
  #entry: Entry | null = null;
  #compiled: CompiledZone | undefined;
  /** In the order in which the index must apply them. */
  readonly nsec3: Nsec3Change[] = [];
  /** The nodes of signed zones, and of ALIAS records, that were compiled one by one. */
  readonly #comparedNodes: ComparedNode[] = [];
  /** Zones with ALIAS records that were compiled as a whole. */
  readonly #wholeWithAliases = new Set<Id>();
  /** Domains whose signing changes. */
  readonly signing = new Set<Id>();
  /** Null: no zone is signed. */
  readonly #batch: SigningBatch | null;
  /** For the current entry: domains whose signing it changes, and the rows before it. */
  readonly #dnssecBefore = new Map<Id, DnssecRow | null>();
  /** Of signed zones that the group changes. */
  readonly #chains = new Map<Id, Nsec3Chain>();

  constructor(
    environment: Environment,
    defaults: ZoneSettings,
    isAmbiguous: (name: Name) => boolean,
    facts = new ZoneFacts(environment),
    observer?: ZoneObserver,
    signing: GroupSigning | null = null,
  ) {
    this.#environment = environment;
    this.#writer = new NodeWriter(environment, isAmbiguous);
    this.#facts = facts;
    this.#batch = signing?.batch ?? null;
    this.#served = new ServedZones(environment, defaults, facts, (domainId) => this.#stateOf(domainId).serial, signing);
    this.#observer = observer;
  }

  /** In the order in which the index must apply them. */
  get nodes(): readonly NodeChange[] {
    return this.#writer.changes;
  }

  /** See AnswerChanges. */
  get apexes(): readonly Name[] {
    const apexes: Name[] = [];
    for (const { isWhole, compiled, apex, changed } of this.#zones.values())
      if (
        isWhole ||
        compiled !== undefined ||
        some(changed.values(), ({ name, types }) => types.has(TYPE.DNAME) && equalNames(name, apex))
      )
        apexes.push(apex);
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
  noteAliasAddresses({ name, spread }: AliasTarget): void {
    if (spread === null) return;
    const prefix = aliasOwners(name);
    const start = Buffer.concat([prefix, Buffer.from(spread.from, 'hex')]);
    const end = spread.to === null ? afterPrefix(prefix) : Buffer.concat([prefix, Buffer.from(spread.to, 'hex')]);
    for (const key of this.#environment.aliases.getKeys({ start, end })) {
      const { domainId, owner } = aliasOwnerParts(key as Buffer);
      const domain = this.#facts.domain(domainId);
      if (domain === undefined || this.#isBehindProxy(domain, owner)) continue;
      this.zone(domainId, false).noteAlias(owner);
    }
  }

  /**
   * Whether the name is answered with the cluster's addresses, whatever its ALIAS resolves to. Then
   * a change of the target does not concern secondaries. When the proxy is turned off, the name
   * counts as changed anyway.
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
   * Called before the row that says how a zone is signed is written or deleted. `before`: the row.
   * Only the state after the entry counts, since a replaced row is deleted and put.
   */
  noteDnssec(domainId: Id, before: DnssecRow | null): void {
    const domain = this.#facts.domain(domainId);
    if (domain === undefined || this.#dnssecBefore.has(domainId)) return;
    this.#dnssecBefore.set(domainId, before);
    this.signing.add(domainId);
    // Its records of DNSSEC may change.
    this.zone(domainId, false).before?.note(domain.apex);
  }

  /** Only the names whose signatures the new row changes are compiled. */
  #updateSigning(domainId: Id, before: DnssecRow | null): void {
    if (this.#facts.domain(domainId) === undefined) return;
    const after = this.#facts.dnssec(domainId) ?? null;
    const update = this.zone(domainId, false);
    const due = dueSignatures(before, after);
    if (before === null || after === null) {
      // A row that signs or unsigns in pieces begins and ends without names that are due.
      if (due.length > 0) update.markWhole();
      else {
        update.noteDue(update.apex);
        if (after === null) {
          update.listing = null;
          this.#removeChain(domainId, update.apex);
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
    // Names that this group lists are not in the table yet.
    if (due.length > 0 && update.listing !== null && !update.isWhole)
      for (const name of this.#listedNames(this.#facts.domain(domainId)!, update.listing)) {
        const prefix = hashPrefix(hashName(name));
        if (due.some(({ first, last }) => prefix >= first && prefix <= last)) update.noteDue(name);
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
    }
    // A replaced row is deleted and put. All answers were compiled with the old row, including
    // those of names that lead to the apex.
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
   * The entry writes the proxy of a domain; `before`: whether it was on. Only the state after the
   * entry counts, since a replaced row is deleted and put.
   */
  noteProxyWrite(domainId: Id, before: boolean): void {
    if (!this.#proxiesBefore.has(domainId)) this.#proxiesBefore.set(domainId, before);
    this.#noteOrigin(this.#facts.domain(domainId));
  }

  /** Called before the entry changes what the apex serves for the origin. */
  #noteOrigin(domain: Domain | undefined): void {
    if (domain === undefined || this.#originsBefore.has(domain.id)) return;
    this.#originsBefore.set(domain.id, { domain, origin: this.#served.originAt(domain) });
  }

  /**
   * The apex serves the address of the origin now, or no longer, or another one. An ALIAS is also
   * an owner of its target, so that its addresses are resolved.
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

  /** The serial rises with every entry: see nextSerial. */
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
    // The delegation in the enclosing zone comes or goes.
    for (const { domain } of this.domainChanges.slice(this.#notedChanges)) {
      const parent = this.#facts.parentOf(domain.apex);
      if (parent !== null) this.zone(parent.id, false).discardDifference();
    }
    this.#notedChanges = this.domainChanges.length;
    const seconds = Math.floor(time / 1000);
    for (const update of this.#touched.splice(0)) {
      update.isTouched = false;
      this.#usage.countsOf(update.accountId).records -= update.state.recordCount;
      update.accountId = update.domain?.accountId ?? update.accountId;
      update.state = {
        serial: nextSerial(update.state.serial, seconds, update.domain?.kept?.serial ?? 0),
        revision: update.isRevised ? sequence : update.state.revision,
        recordCount: update.state.recordCount + update.delta,
        updatedAt: update.isRevised ? seconds : update.state.updatedAt,
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

  /** The same in steps of a millisecond or so. */
  *compileSteps(rehearsed?: ZoneUpdates): Steps {
    this.#usage.write(this.#environment);
    for (const domainId of this.edge.siteIds) updateSite(this.#environment, domainId);
    for (const { key, domain, state } of this.#zones.values()) {
      if (domain === null) this.#environment.zones.remove(key);
      else this.#environment.zones.put(key, encodeZoneState(state));
    }
    if (rehearsed === undefined) yield* this.#compileNodes();
    else {
      for (const { before: _before, ...signed } of rehearsed.#comparedNodes)
        this.#noteNode({ ...signed, before: this.#readBefore(signed.domain, signed.name, signed.isNested) });
      for (const domainId of rehearsed.#wholeWithAliases) this.#zones.get(domainId)?.discardDifference();
      for (const change of rehearsed.nsec3) this.#zones.get(change.domainId)?.before?.noteChain([change]);
      this.#writer.repeat(rehearsed.#writer);
      repeat(this.#environment, rehearsed.nsec3);
      this.nsec3.push(...rehearsed.nsec3);
      this.#facts.adopt(rehearsed.#facts);
    }
    if (this.#observer !== undefined) this.#noteChanges();
  }

  *#compileNodes(): Steps {
    for (const [domainId, update] of this.#zones) {
      if (update.domain !== null) yield* this.#compileUpdate(update.domain, update);
      else {
        this.#writer.replaceAll(update.apex, []);
        this.#removeChain(domainId, update.apex);
      }
    }
    // One zone may have many new zones below it; it is compiled only once.
    const parents = new Map<Id, Domain>();
    for (const { domain } of this.domainChanges) {
      const parent = this.#facts.parentOf(domain.apex);
      if (parent !== null) parents.set(parent.id, parent);
    }
    for (const parent of parents.values()) yield* this.#compileWhole(parent);
    for (const { domain } of this.domainChanges)
      for (const child of this.#facts.childrenOf(domain.apex)) this.#compileApex(child);
    if (this.#batch !== null) yield* this.#sign(this.#batch);
    for (const compared of this.#comparedNodes) this.#noteNode(compared);
  }

  *#sign(batch: SigningBatch): Steps {
    for (const chain of this.#chains.values()) chain.link();
    yield* batch.signSteps();
    this.#writer.fill(batch);
    for (const [domainId, chain] of this.#chains) {
      const changes = chain.write(batch);
      this.nsec3.push(...changes);
      this.#zones.get(domainId)?.before?.noteChain(changes);
    }
  }

  #removeChain(domainId: Id, apex: Name): void {
    if (removeAll(this.#environment, domainId) > 0)
      this.nsec3.push({ domainId, apex, hash: null, stored: null, before: null });
  }

  /** Compiles and writes the node of a name. */
  #compileName(domain: Domain, view: ZoneView, name: Name): Buffer | null {
    const { apex } = domain;
    const zoneSigner = this.#served.signerOf(domain);
    const signer = zoneSigner?.signs(name) === true ? zoneSigner : null;
    const parentSigner = equalNames(name, apex) ? this.#served.parentSignerOf(apex) : null;
    const node = compileNode(view, name, signer, parentSigner);
    if (zoneSigner !== null || findType(view.rrsets(name), TYPE.ALIAS) !== undefined)
      this.#comparedNodes.push({ domain, isNested: false, name, node, before: this.#readBefore(domain, name) });
    if (zoneSigner !== null) {
      const types = node === null ? this.#delegatedTypes(view, name) : typesOfNode(node);
      this.#chainOf(domain, view, zoneSigner).note(name, types);
    }
    this.#writer.put(name, node, apex);
    return node;
  }

  /**
   * What the zone has at the apex of a nested zone of ours, which answers there itself: a
   * delegation. Null: the name is none, or is occluded.
   */
  #delegatedTypes(view: ZoneView, name: Name): number[] | null {
    if (!view.isNested(name)) return null;
    const { kind } = walk(view, parentName(name));
    if (kind === 'outside' || kind === 'delegation' || kind === 'dname') return null;
    return this.#served.parentDs(name) === null ? [TYPE.NS] : [TYPE.NS, TYPE.DS, TYPE.RRSIG];
  }

  /** The node of a name before it is written, if a secondary follows the zone. */
  #readBefore({ id, apex }: Domain, name: Name, isNested = false): Buffer | undefined {
    if (this.#zones.get(id)?.before == null) return undefined;
    const node = this.#writer.read(name, isNested ? name : apex);
    return node && Buffer.from(node);
  }

  #noteNode({ domain, isNested, name, node, before }: ComparedNode): void {
    this.#zones.get(domain.id)?.before?.noteNode(name, isNested, before, node);
  }

  #chainOf({ id, apex }: Domain, view: ZoneView, signer: Signer): Nsec3Chain {
    let chain = this.#chains.get(id);
    if (chain === undefined) {
      const ttl = negativeTtl(findType(view.rrsets(apex), TYPE.SOA)!);
      chain = new Nsec3Chain(this.#environment, { domainId: id, apex, signer, ttl });
      this.#chains.set(id, chain);
    }
    return chain;
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

  /** The zone as it is answered. Names are read from the store one at a time. */
  view(domain: Domain): ZoneView {
    return this.#served.view(domain);
  }

  /** Compiles all names of a zone from its rows. */
  compileAll(domain: Domain): void {
    for (const _ of this.#compileWhole(domain));
  }

  *#compileWhole(domain: Domain): Steps {
    const { apex } = domain;
    const { aliases } = this.#environment;
    const stored = readBelowApex(this.#environment, domain, (target, key) => {
      aliases.put(aliasOwnerKey(target, key), EMPTY);
    });
    const { sets, proxied, origin } = this.#served.atApex(domain);
    if (origin?.type === TYPE.ALIAS) aliases.put(aliasOwnerKey(origin.rdatas[0], originAliasKey(domain)), EMPTY);
    for (const { type, ttl, rdatas } of sets)
      for (const rdata of rdatas) stored.push({ name: apex, type, ttl, rdata, proxied });
    // Any of them may get other addresses now.
    if (origin?.type === TYPE.ALIAS || stored.some(({ type }) => type === TYPE.ALIAS)) this.#discardAliases(domain.id);
    const zone = new MemoryZone(apex, stored, this.#served.nestedIn(apex), this.#served.parentDs(apex));
    const view = this.#served.viewOf(domain, zone);
    const nodes: [Buffer, Buffer][] = [];
    const signed: [Name, readonly number[]][] = [];
    const signer = this.#served.signerOf(domain);
    const parentSigner = this.#served.parentSignerOf(apex);
    const compile = (name: Name): void => {
      const node = compileNode(view, name, signer?.signs(name) === true ? signer : null, parentSigner);
      if (node === null) return;
      nodes.push([name.length === apex.length ? apexKey(name) : nameKey(name), node]);
      if (signer !== null) signed.push([name, typesOfNode(node)]);
    };
    let names = 0;
    for (const owner of zone.names()) {
      compile(owner);
      if (++names % STEP_NAMES === 0) yield;
    }
    for (const { name } of this.#challengeChanges(domain)) if (!exists(zone, name)) compile(name);
    if (signer !== null)
      for (const name of this.#served.nestedIn(apex)) {
        const types = this.#delegatedTypes(view, name);
        if (types !== null) signed.push([name, types]);
      }
    const chain = signer && this.#chainOf(domain, view, signer);
    const entries = chain === null ? [] : yield* chain.encodeAll(signed);
    const batch = this.#batch;
    if (batch !== null) {
      yield* batch.signSteps();
      for (const [i, [, node]] of nodes.entries()) {
        batch.fill(node);
        if (i % STEP_NAMES === 0) yield;
      }
    }
    this.#writer.replaceAll(apex, nodes);
    if (chain === null || batch === null) this.#removeChain(domain.id, apex);
    else {
      for (const entry of entries) batch.fill(entry);
      this.nsec3.push(chain.replaceAll(entries));
      this.#chains.delete(domain.id);
    }
  }

  /** The difference of a zone is not known, since all its ALIAS records were compiled. */
  #discardAliases(domainId: Id): void {
    this.#wholeWithAliases.add(domainId);
    this.#zones.get(domainId)?.discardDifference();
  }

  /**
   * The name of a zone's challenges, if there are any. It exists without records, so it is treated
   * as changed together with every change of the zone.
   */
  #challengeChanges({ id, apex }: Domain): ChangedName[] {
    const name = this.#facts.challengesOf(id).length > 0 ? challengeName(apex) : null;
    return name === null ? [] : [{ name, types: TXT }];
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
        this.#writer.read(name, domain.apex),
      );
    // The entry has written the proxy already, so the view is not what was served before.
    if (this.#proxiesBefore.has(domain.id)) update.discardDifference();
    return update;
  }

  #stateOf(domainId: Id): ZoneState {
    return this.#zones.get(domainId)?.state ?? decodeZoneState(this.#environment.zones.get(idKey(domainId)));
  }

  *#compileUpdate(domain: Domain, update: ZoneUpdate): Steps {
    // Precompiled nodes are valid only if no other entry of the group has changed the zone. They
    // were compiled without the proxy, without challenges, and without the address of the origin.
    const signer = this.#served.signerOf(domain);
    const isPlain =
      signer === null &&
      !this.#facts.isProxied(domain.id) &&
      this.#facts.challengesOf(domain.id).length === 0 &&
      this.#served.originAt(domain) === undefined;
    if (update.compiled !== undefined && !update.isMixed && isPlain) {
      const nodes: [Buffer, Buffer][] = [];
      for (const { key, node } of readNodes(update.compiled.nodes)) nodes.push([key, node]);
      const apexNode = compileNode(this.#served.view(domain), domain.apex);
      if (apexNode !== null) nodes.push([apexKey(domain.apex), apexNode]);
      this.#writer.replaceAll(domain.apex, nodes);
      if (update.aliasOwners.size > 0) this.#discardAliases(domain.id);
      this.#compileOwners(domain, update);
    } else if (update.isWhole || update.compiled !== undefined) yield* this.#compileWhole(domain);
    else {
      const zone = this.#served.open(domain);
      const view = this.#served.viewOf(domain, zone);
      const { names, apex } = affectedNames(this.#environment, domain.id, zone, this.#facts.targetsOf(domain.id), [
        ...update.changed.values(),
        ...this.#challengeChanges(domain),
      ]);
      for (const name of names) this.#compileName(domain, view, name);
      const isSame = !apex && !update.hasDeletions;
      const node = isSame ? this.#copyWithSerial(domain.apex, view, update.state.serial, signer) : null;
      if (node === null) this.#compileName(domain, view, domain.apex);
      else {
        if (signer !== null) {
          const before = this.#readBefore(domain, domain.apex);
          this.#comparedNodes.push({ domain, isNested: false, name: domain.apex, node, before });
        }
        this.#writer.put(domain.apex, node, domain.apex);
      }
    }
    this.#compileChildren(domain, update);
    // All names of a zone that is compiled as a whole are listed.
    if (update.listing === null || signer === null || update.isWhole || update.compiled !== undefined) return;
    const chain = this.#chainOf(domain, this.#served.view(domain), signer);
    for (const name of this.#listedNames(domain, update.listing)) chain.list(name);
  }

  /** The names that are listed, of a zone that is to be signed. */
  *#listedNames(domain: Domain, { from, to }: NonNullable<ZoneUpdate['listing']>): Generator<Name> {
    const { apex } = domain;
    yield* nodesBetween(this.#environment, apex, from, to);
    if (to !== null) return;
    yield apex;
    const view = this.#served.view(domain);
    for (const name of this.#served.nestedIn(apex)) if (this.#delegatedTypes(view, name) !== null) yield name;
  }

  /**
   * Compiles the names whose answers depend on ALIAS records. These records were not resolved when
   * the zone was compiled.
   */
  #compileOwners(domain: Domain, { aliasOwners }: ZoneUpdate): void {
    if (aliasOwners.size === 0) return;
    const zone = this.#served.open(domain);
    const view = this.#served.viewOf(domain, zone);
    const changes = [...aliasOwners.values()].map((name) => ({ name, types: ADDRESSES }));
    const { names } = affectedNames(this.#environment, domain.id, zone, this.#facts.targetsOf(domain.id), changes);
    for (const name of names) this.#compileName(domain, view, name);
  }

  /** Returns the apex's node with a new serial; null if the apex must be compiled. */
  #copyWithSerial(apex: Name, view: ZoneView, serial: number, signer: Signer | null): Buffer | null {
    const old = this.#environment.answers.get(apexKey(apex));
    // The first name below an apex changes the apex's flags.
    if (old === undefined || (old[4] & NODE_HAS_BELOW) === 0) return null;
    const node = Buffer.from(old);
    if (!setSerial(node, serial)) return null;
    if (signer === null) return node;
    const soa = findType(view.rrsets(apex), TYPE.SOA)!;
    return replaceSoaSignatures(node, signer.sign(apex, soa).rdatas) ? node : null;
  }

  /** Compiles the apexes of nested zones whose DS, which this zone stores, may have changed. */
  #compileChildren(domain: Domain, update: ZoneUpdate): void {
    const isWhole = update.isWhole || update.compiled !== undefined;
    const isSigned = this.#served.signerOf(domain) !== null;
    for (const child of this.#facts.childrenOf(domain.apex)) {
      const concerns = ({ name, types }: ChangedName): boolean =>
        isWithin(child.apex, name) &&
        (types.has(TYPE.NS) ||
          types.has(TYPE.DNAME) ||
          // Without types: the signature of the DS is due.
          ((types.has(TYPE.DS) || types.size === 0) && equalNames(name, child.apex)));
      if (!isWhole && !some(update.changed.values(), concerns)) continue;
      const before = this.#readBefore(domain, child.apex, true);
      const node = this.#compileApex(child);
      const signsDs = isSigned && this.#facts.parentOf(child.apex)?.id === domain.id;
      if (signsDs) this.#comparedNodes.push({ domain, isNested: true, name: child.apex, node, before });
    }
  }

  #compileApex(domain: Domain): Buffer | null {
    return this.#compileName(domain, this.#served.view(domain), domain.apex);
  }
}

/**
 * The names of a zone below its apex that have nodes, by key of the answers table in hex: from <
 * key ≤ to. Null: no limit.
 */
export function* nodesBetween(
  { answers }: Pick<Environment, 'answers'>,
  apex: Name,
  from: string,
  to: string | null,
): Generator<Name> {
  const prefix = nameKey(apex);
  const start = from === '' ? prefix : Buffer.from(`${from}00`, 'hex');
  const end = to === null ? afterPrefix(prefix) : Buffer.from(`${to}00`, 'hex');
  for (const { key, value } of answers.getRange({ start, end }))
    if (value[APEX_LENGTH_AT] === apex.length) yield nameOfKey(key as Buffer, 0, (key as Buffer).length);
}

function isSameSet(a: RRset | undefined, b: RRset | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.type === b.type && Buffer.compare(a.rdatas[0], b.rdatas[0]) === 0;
}

function some<T>(items: Iterable<T>, holds: (item: T) => boolean): boolean {
  for (const item of items) if (holds(item)) return true;
  return false;
}
