/** Compiles the zones that a group of journal entries changes: nodes, and NSEC3 records. */
import type { Signer, SigningBatch, Steps } from '../../dns/dnssec/zone-signer.ts';
import { equalNames, isWithin, type Name, nameId, parentName } from '../../dns/wire/name.ts';
import { hasAutoHint } from '../../dns/wire/rdata/auto-hints.ts';
import { isServiceBinding, type ResourceRecord, TYPE } from '../../dns/wire/types.ts';
import { APEX_LENGTH_AT, NODE_HAS_BELOW, setSerial } from '../../store/answers.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, aliasOwnerKey, apexKey, type Id, nameKey, nameOfKey } from '../../store/keys.ts';
import { dsSignaturesOf, replaceSoaSignatures } from '../../store/node-signatures.ts';
import type { Domain } from '../../store/rows.ts';
import { affectedNames, type ChangedName } from '../../zone/compile/affected.ts';
import { negativeTtl } from '../../zone/compile/answer-parts.ts';
import { type KeyedNode, readNodes } from '../../zone/compile/bulk.ts';
import { compileNode } from '../../zone/compile/compile.ts';
import { MemoryZone } from '../../zone/compile/memory.ts';
import { followsNames } from '../../zone/compile/node-sets.ts';
import { originAliasKey } from '../../zone/compile/origin-apex.ts';
import { denialOfNode, isHidden, isSameDenial, PresignedSigner, PresignedView } from '../../zone/compile/presigned.ts';
import type { PresignedDenial } from '../../zone/compile/signer.ts';
import { steeredAliasOwners } from '../../zone/compile/steered.ts';
import { readBelowApex } from '../../zone/compile/stored.ts';
import { exists, findType, type ZoneView } from '../../zone/compile/view.ts';
import { walk } from '../../zone/compile/walk.ts';
import { aliasOwnersOf, deleteTargets, writeTargets } from '../record-targets.ts';
import type { UnservedCause } from './imported-zone.ts';
import { type NodeChange, type NodeWriter, typesOfNode } from './node-writer.ts';
import type { Notices } from './notices.ts';
import { Nsec3Chain, type Nsec3Change, removeAll, repeat } from './nsec3-chain.ts';
import { compilePresigned, PresignedChain } from './presigned-chain.ts';
import type { ServedZones } from './served-zones.ts';
import type { ZoneSnapshot } from './zone-difference.ts';
import type { ZoneFacts } from './zone-facts.ts';
import type { ZoneUpdate } from './zone-update.ts';

const EMPTY = Buffer.alloc(0);
/** Names compiled per step. */
const STEP_NAMES = 64;
/** Records from which on the answers of a zone that is deleted or restored come after the group. */
const STAGED_RECORDS = 2000;
const ADDRESSES: ReadonlySet<number> = new Set([TYPE.A]);
const TXT: ReadonlySet<number> = new Set([TYPE.TXT]);

/** The signatures of a zone over the DS of a nested zone. */
interface SignedDs {
  readonly snapshot: ZoneSnapshot;
  readonly apex: Name;
  readonly signatures: readonly ResourceRecord[];
}

interface ComparedNode {
  readonly domain: Domain;
  readonly name: Name;
  readonly node: Buffer | null;
  /** The previous node of the name, if a secondary follows the zone. */
  readonly before: Buffer | undefined;
}

/** A zone whose answers are not written: see import-steps.ts. */
export interface UnservedZone {
  readonly domain: Domain;
  readonly cause: UnservedCause;
  /** The id of the first record of the import; null: of none. */
  readonly firstId: Id | null;
}

interface ZoneCompilerParts {
  readonly environment: Environment;
  readonly served: ServedZones;
  readonly facts: ZoneFacts;
  readonly writer: NodeWriter;
  /** Null: no zone is signed. */
  readonly batch: SigningBatch | null;
  /** The zones that the group changes. */
  readonly zones: ReadonlyMap<Id, ZoneUpdate>;
  readonly notices: Pick<Notices, 'addAliasOwner'>;
}

/** Inside a write transaction, when all rows are written. */
export class ZoneCompiler {
  /** In the order in which the index must apply them. */
  readonly nsec3: Nsec3Change[] = [];
  /** The zone whose answers are written after the group. Null: there is none. */
  unserved: UnservedZone | null = null;
  /** Whether the answers of a plain zone that a large import replaces are written later. */
  defersImports = false;
  /** The same for a large zone that is moved to the bin, and a plain one that is restored. */
  defersMoves = false;
  readonly #environment: Environment;
  readonly #served: ServedZones;
  readonly #facts: ZoneFacts;
  readonly #writer: NodeWriter;
  readonly #batch: SigningBatch | null;
  readonly #zones: ReadonlyMap<Id, ZoneUpdate>;
  readonly #notices: ZoneCompilerParts['notices'];
  /** The nodes of signed zones, and of RRsets that follow other names, compiled one by one. */
  readonly #comparedNodes: ComparedNode[] = [];
  /** Zones with RRsets that follow other names, compiled as a whole. */
  readonly #wholeWithFollowers = new Set<Id>();
  /** The chains of signed zones that the group changes. */
  readonly #chains = new Map<Id, Nsec3Chain>();

  constructor({ environment, served, facts, writer, batch, zones, notices }: ZoneCompilerParts) {
    this.#notices = notices;
    this.#environment = environment;
    this.#served = served;
    this.#facts = facts;
    this.#writer = writer;
    this.#batch = batch;
    this.#zones = zones;
  }

  /** In the order in which the index must apply them. */
  get nodes(): readonly NodeChange[] {
    return this.#writer.changes;
  }

  /** The node of a name of a zone; undefined: it has none. */
  read({ apex }: Domain, name: Name): Buffer | undefined {
    return this.#writer.read(name, apex);
  }

  /** Repeats the writes of `earlier`, which has compiled the same rows. */
  repeat(earlier: ZoneCompiler): void {
    const nested = this.#signedDs();
    this.unserved = earlier.unserved;
    for (const update of this.#zones.values()) this.#moveOwners(update);
    for (const { domain, name, node } of earlier.#comparedNodes)
      this.#noteNode({ domain, name, node, before: this.#readBefore(domain, name) });
    for (const domainId of earlier.#wholeWithFollowers) this.#zones.get(domainId)?.discardDifference();
    for (const change of earlier.nsec3) this.#zones.get(change.domainId)?.before?.noteChain([change]);
    this.#writer.repeat(earlier.#writer);
    repeat(this.#environment, earlier.nsec3);
    this.nsec3.push(...earlier.nsec3);
    this.#noteDs(nested);
  }

  /**
   * Compiles the changes of the group. `changedDomains`: domains that were added or deleted; the
   * zones around them also change.
   */
  *compile(changedDomains: readonly Domain[]): Steps {
    const nested = this.#signedDs();
    for (const [domainId, update] of this.#zones) {
      if (update.domain !== null) yield* this.#compileUpdate(update.domain, update);
      else {
        if (this.#isLargeMove(update)) this.#defer(update.moved!.domain, 'deleted');
        this.#moveOwners(update);
        if (this.unserved?.domain.id === domainId) continue;
        this.#writer.replaceAll(update.apex, []);
        this.removeChain(domainId, update.apex);
      }
    }
    // One zone may have many new zones below it; it is compiled only once.
    const parents = new Map<Id, Domain>();
    for (const { apex } of changedDomains) {
      const parent = this.#facts.parentOf(apex);
      if (parent !== null) parents.set(parent.id, parent);
    }
    for (const parent of parents.values()) yield* this.compileWhole(parent);
    for (const { apex } of changedDomains) for (const child of this.#facts.childrenOf(apex)) this.#compileApex(child);
    if (this.#batch !== null) yield* this.#sign(this.#batch);
    for (const compared of this.#comparedNodes) this.#noteNode(compared);
    this.#noteDs(nested);
  }

  /**
   * The signatures over the DS of nested zones of ours, before the group. They are in the nodes of
   * the nested zones, which are compiled when either zone changes.
   */
  #signedDs(): SignedDs[] {
    const found: SignedDs[] = [];
    for (const { domain, before: snapshot } of this.#zones.values()) {
      if (domain === null || snapshot === null || snapshot.isIncomplete) continue;
      if (this.#facts.dnssec(domain.id) === undefined) continue;
      for (const { apex } of this.#facts.childrenOf(domain.apex))
        if (this.#facts.parentOf(apex)?.id === domain.id)
          found.push({ snapshot, apex, signatures: dsSignaturesOf(this.#writer.read(apex, apex), apex) });
    }
    return found;
  }

  #noteDs(nested: readonly SignedDs[]): void {
    for (const { snapshot, apex, signatures } of nested)
      snapshot.noteDs(apex, signatures, dsSignaturesOf(this.#writer.read(apex, apex), apex));
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

  removeChain(domainId: Id, apex: Name): void {
    if (removeAll(this.#environment, domainId) > 0)
      this.nsec3.push({ domainId, apex, hash: null, stored: null, before: null });
  }

  /** Compiles and writes the node of a name. */
  #compileName(domain: Domain, view: ZoneView, name: Name): void {
    const { apex } = domain;
    const denial = this.#served.denialOf(domain);
    if (denial !== null) {
      this.#compilePresigned(domain, view, name, denial);
      return;
    }
    const zoneSigner = this.#served.signerOf(domain);
    const signer = zoneSigner?.signs(name) === true ? zoneSigner : null;
    const parentSigner = equalNames(name, apex) ? this.#served.parentSignerOf(apex) : null;
    const node = compileNode(view, name, signer, parentSigner);
    if (zoneSigner !== null || followsNames(view.rrsets(name)))
      this.#comparedNodes.push({ domain, name, node, before: this.#readBefore(domain, name) });
    if (zoneSigner !== null) {
      const types = node === null ? this.#delegatedTypes(view, name) : typesOfNode(node);
      this.#chainOf(domain, view, zoneSigner).note(name, types);
    }
    this.#writer.put(name, node, apex);
  }

  /** Compiles and writes the node of a name in a zone that its primary has signed. */
  #compilePresigned({ apex }: Domain, view: ZoneView, name: Name, denial: PresignedDenial): void {
    const signer = new PresignedSigner(denial, (owner) => view.rrsets(owner));
    const parentSigner = equalNames(name, apex) ? this.#served.parentSignerOf(apex) : null;
    this.#writer.put(name, compileNode(new PresignedView(view), name, signer, parentSigner), apex);
  }

  /** Compiles all names of a zone that its primary has signed. */
  *#compileWholePresigned(domain: Domain, denial: PresignedDenial): Steps {
    const { apex } = domain;
    const { nodes, entries } = yield* compilePresigned(this.#environment, {
      domain,
      denial,
      apexSets: this.#served.atApex(domain).sets,
      nested: this.#served.nestedIn(apex),
      parentDs: this.#served.parentDs(apex),
      parentSigner: this.#served.parentSignerOf(apex),
    });
    this.#writer.replaceAll(apex, nodes);
    this.#replacePresignedChain(domain, entries);
  }

  #replacePresignedChain({ id, apex }: Domain, all: readonly Buffer[]): void {
    if (all.length === 0) {
      this.removeChain(id, apex);
      return;
    }
    const change = { domainId: id, apex, hash: null, stored: null, all, before: null, isPresigned: true };
    repeat(this.#environment, [change]);
    this.nsec3.push(change);
  }

  /** Updates the NSEC or NSEC3 records of changed names. False: all must be encoded again. */
  #updatePresignedChain(domain: Domain, view: ZoneView, denial: PresignedDenial, update: ZoneUpdate): boolean {
    const chain = new PresignedChain(this.#environment, domain, denial);
    const names = [...update.changed.values()].map(({ name }) => ({ name, sets: view.rrsets(name) }));
    const changes = chain.update(names);
    if (changes === null) return false;
    this.nsec3.push(...changes);
    return true;
  }

  /**
   * The types of the delegation to a nested zone of ours, which the nested zone answers. Null:
   * `name` is not the apex of a nested zone, or is occluded.
   */
  #delegatedTypes(view: ZoneView, name: Name): number[] | null {
    if (!view.isNested(name)) return null;
    const { kind } = walk(view, parentName(name));
    if (kind === 'outside' || kind === 'delegation' || kind === 'dname') return null;
    return this.#served.parentDs(name) === null ? [TYPE.NS] : [TYPE.NS, TYPE.DS, TYPE.RRSIG];
  }

  /** Reads the node of a name before it is written, if a secondary follows the zone. */
  #readBefore({ id, apex }: Domain, name: Name): Buffer | undefined {
    if (this.#zones.get(id)?.before == null) return undefined;
    const node = this.#writer.read(name, apex);
    return node && Buffer.from(node);
  }

  #noteNode({ domain, name, node, before }: ComparedNode): void {
    this.#zones.get(domain.id)?.before?.noteNode(name, before, node);
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

  /** Compiles all names of a zone from its rows. */
  *compileWhole(domain: Domain): Steps {
    const { apex } = domain;
    const denial = this.#served.denialOf(domain);
    if (denial !== null) {
      yield* this.#compileWholePresigned(domain, denial);
      return;
    }
    const { aliases } = this.#environment;
    const isImported = this.#zones.get(domain.id)?.importId != null;
    const stored = readBelowApex(this.#environment, domain, (target, key) => {
      aliases.put(aliasOwnerKey(target, key), EMPTY);
      if (isImported) this.#notices.addAliasOwner(Uint8Array.from(target), domain.id);
    });
    for (const steerings of this.#facts.steeringsOf(domain.id).values())
      for (const steering of steerings) for (const entry of steeredAliasOwners(steering)) aliases.put(entry.key, EMPTY);
    const { sets, proxied, origin } = this.#served.atApex(domain);
    if (origin?.type === TYPE.ALIAS) aliases.put(aliasOwnerKey(origin.rdatas[0], originAliasKey(domain)), EMPTY);
    for (const { type, ttl, rdatas } of sets)
      for (const rdata of rdatas) stored.push({ name: apex, type, ttl, rdata, proxied });
    // Any RRset that follows other names may change.
    const follows = ({ type, rdata }: { readonly type: number; readonly rdata: Uint8Array }): boolean =>
      type === TYPE.ALIAS || (isServiceBinding(type) && hasAutoHint(rdata));
    if (origin?.type === TYPE.ALIAS || stored.some(follows)) this.#discardFollowers(domain.id);
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
    for (const name of this.#challengeNames(domain, zone)) compile(name);
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
    if (chain === null || batch === null) this.removeChain(domain.id, apex);
    else {
      for (const entry of entries) batch.fill(entry);
      this.nsec3.push(chain.replaceAll(entries));
      this.#chains.delete(domain.id);
    }
  }

  /** Deletes what is derived from the records of a domain in the bin. */
  deleteAll({ id, apex }: Domain): void {
    deleteTargets(this.#environment, id);
    for (const { key } of aliasOwnersOf(this.#environment, id)) this.#environment.aliases.remove(key);
    this.#writer.replaceAll(apex, []);
    this.removeChain(id, apex);
  }

  /** All RRsets that follow other names were compiled, so the zone's difference is unknown. */
  #discardFollowers(domainId: Id): void {
    this.#wholeWithFollowers.add(domainId);
    this.#zones.get(domainId)?.discardDifference();
  }

  /**
   * The names of a zone's challenges. They exist without records, so they are treated as changed
   * together with every change of the zone.
   */
  #challengeChanges(domain: Domain): ChangedName[] {
    return this.#facts.challengesOf(domain).map(({ name }) => ({ name, types: TXT }));
  }

  /** The names that exist only because of challenges, and the empty non-terminals above them. */
  #challengeNames(domain: Domain, zone: MemoryZone): Iterable<Name> {
    const names = new Map<string, Name>();
    for (const { name } of this.#facts.challengesOf(domain))
      for (let at = name; at.length > domain.apex.length && !exists(zone, at); at = parentName(at))
        names.set(nameId(at), at);
    return names.values();
  }

  *#compileUpdate(domain: Domain, update: ZoneUpdate): Steps {
    // Precompiled nodes are valid only if no other entry of the group has changed the zone. They
    // were compiled without the proxy, without challenges, and without the address of the origin.
    const signer = this.#served.signerOf(domain);
    const denial = this.#served.denialOf(domain);
    const isPlain =
      signer === null &&
      denial === null &&
      !this.#facts.isProxied(domain.id) &&
      this.#facts.challengesOf(domain).length === 0 &&
      this.#facts.steeringsOf(domain.id).size === 0 &&
      this.#served.originAt(domain) === undefined;
    const { importId: firstId } = update;
    if (firstId !== null && this.defersImports && !update.isMixed && isPlain) this.#defer(domain, 'imported', firstId);
    else if (isPlain && firstId === null && this.#isLargeMove(update)) this.#defer(domain, 'restored');
    this.#moveOwners(update);
    if (this.unserved?.domain.id === domain.id) {
      // The steps after the group do the rest.
    } else if (update.compiled !== undefined && !update.isMixed && isPlain) {
      const nodes: [Buffer, Buffer][] = [];
      for (const { key, node } of readNodes(update.compiled.nodes)) nodes.push([key, node]);
      const apexNode = compileNode(this.#served.view(domain), domain.apex);
      if (apexNode !== null) nodes.push([apexKey(domain.apex), apexNode]);
      this.#writer.replaceAll(domain.apex, nodes);
      if (update.aliasOwners.size > 0) this.#discardFollowers(domain.id);
      this.#compileOwners(domain, update.aliasOwners.values());
    } else if (
      update.isWhole ||
      firstId !== null ||
      update.compiled !== undefined ||
      this.#changesDenial(domain, denial)
    )
      yield* this.compileWhole(domain);
    else if (denial !== null) yield* this.#compileChangedPresigned(domain, update, denial);
    else {
      const zone = this.#served.open(domain);
      const view = this.#served.viewOf(domain, zone);
      const { names, apex } = affectedNames(this.#environment, domain.id, zone, this.#facts.targetsOf(domain.id), [
        ...update.changed.values(),
        ...this.#challengeChanges(domain),
      ]);
      for (const name of names) this.#compileName(domain, view, name);
      const isApexUnchanged = !apex && !update.hasDeletions;
      const node = isApexUnchanged ? this.#copyWithSerial(domain.apex, view, update.state.serial, signer) : null;
      if (node === null) this.#compileName(domain, view, domain.apex);
      else {
        if (signer !== null) {
          const before = this.#readBefore(domain, domain.apex);
          this.#comparedNodes.push({ domain, name: domain.apex, node, before });
        }
        this.#writer.put(domain.apex, node, domain.apex);
      }
    }
    this.#compileChildren(domain.apex, update);
    // Compiling a whole zone also lists all its names.
    if (update.listing === null || signer === null || update.isWhole) return;
    if (firstId !== null || update.compiled !== undefined) return;
    const chain = this.#chainOf(domain, this.#served.view(domain), signer);
    for (const name of this.listedNames(domain, update.listing)) chain.list(name);
  }

  #defer(domain: Domain, cause: UnservedCause, firstId: Id | null = null): void {
    this.unserved = { domain, cause, firstId };
  }

  /** Whether a zone leaves or enters the bin whose answers are written after the group. */
  #isLargeMove({ moved, state, apex, domain }: ZoneUpdate): boolean {
    if (!this.defersMoves || this.unserved !== null) return false;
    if (moved?.domain.kind !== 'primary' || state.recordCount < STAGED_RECORDS) return false;
    if (domain === null && !this.#facts.isInBin(moved.domain.id)) return false;
    // The group may also delete and create domains of this name.
    for (const other of this.#zones.values()) if (other.moved !== moved && equalNames(other.apex, apex)) return false;
    return this.#facts.parentOf(apex) === null && this.#facts.childrenOf(apex).length === 0;
  }

  /** Targets and ALIAS owners of a zone that leaves or enters the bin, unless they come later. */
  #moveOwners({ moved }: ZoneUpdate): void {
    if (moved === null || this.unserved?.domain.id === moved.domain.id) return;
    const { domain, isRestored } = moved;
    const { aliases } = this.#environment;
    if (isRestored) writeTargets(this.#environment, domain);
    else deleteTargets(this.#environment, domain.id);
    this.#facts.invalidateTargets(domain.id);
    for (const { target, key } of aliasOwnersOf(this.#environment, domain.id)) {
      if (isRestored) aliases.put(key, EMPTY);
      else aliases.remove(key);
      this.#notices.addAliasOwner(target, domain.id);
    }
  }

  /** Whether the denial of a secondary zone differs from that of its compiled nodes. */
  #changesDenial({ apex, kind }: Domain, denial: PresignedDenial | null): boolean {
    return kind === 'secondary' && !isSameDenial(denialOfNode(this.#writer.read(apex, apex)), denial);
  }

  /** Compiles the names that an incremental transfer affects. */
  *#compileChangedPresigned(domain: Domain, update: ZoneUpdate, denial: PresignedDenial): Steps {
    const zone = this.#served.open(domain);
    const view = this.#served.viewOf(domain, zone);
    const answered = new PresignedView(view);
    // A name that owns only NSEC3 records does not exist.
    const isName = ({ name, types }: ChangedName): boolean =>
      [...types].some((type) => !isHidden(type)) || answered.rrsets(name).length > 0;
    const changes = [...update.changed.values()].filter(isName);
    const { names } = affectedNames(this.#environment, domain.id, zone, this.#facts.targetsOf(domain.id), changes);
    let count = 0;
    for (const name of names) {
      this.#compilePresigned(domain, view, name, denial);
      if (++count % STEP_NAMES === 0) yield;
    }
    this.#compilePresigned(domain, view, domain.apex, denial);
    if (!this.#updatePresignedChain(domain, view, denial, update)) yield* this.#compileWholePresigned(domain, denial);
  }

  /** The names to list in a zone that will be signed. */
  *listedNames(domain: Domain, { from, to }: NonNullable<ZoneUpdate['listing']>): Generator<Name> {
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
  #compileOwners(domain: Domain, aliasOwners: Iterable<Name>): void {
    const changes = Array.from(aliasOwners, (name) => ({ name, types: ADDRESSES }));
    if (changes.length === 0) return;
    const zone = this.#served.open(domain);
    const view = this.#served.viewOf(domain, zone);
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
  #compileChildren(apex: Name, update: ZoneUpdate): void {
    const isWhole = update.isWhole || update.importId !== null || update.compiled !== undefined;
    for (const child of this.#facts.childrenOf(apex)) {
      const affectsChild = ({ name, types }: ChangedName): boolean =>
        isWithin(child.apex, name) &&
        (types.has(TYPE.NS) ||
          types.has(TYPE.DNAME) ||
          // No types: the signature of the DS is due.
          ((types.has(TYPE.DS) || types.has(TYPE.RRSIG) || types.size === 0) && equalNames(name, child.apex)));
      if (isWhole || update.hasChange(affectsChild)) this.#compileApex(child);
    }
  }

  /** The nodes of names of a plain zone by their keys. They are not written. */
  *nodesOf(domain: Domain, names: Iterable<Name>): Generator<KeyedNode> {
    const view = this.#served.view(domain);
    for (const name of names) {
      const node = compileNode(view, name);
      if (node !== null) yield { key: nameKey(name), node };
    }
  }

  /** Compiles the apex, and the names that follow from ALIAS records at these. */
  compileNames(domain: Domain, aliasOwners: Iterable<Name>): void {
    this.#compileOwners(domain, aliasOwners);
    this.#compileApex(domain);
  }

  #compileApex(domain: Domain): void {
    this.#compileName(domain, this.#served.view(domain), domain.apex);
  }
}

/**
 * The names of a zone below its apex that have nodes, by key of the answers table in hex: from <
 * key ≤ to. Null: no limit.
 */
function* nodesBetween(
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
