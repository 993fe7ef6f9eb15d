/** What a group of journal entries does to zones: their derived state (serial, revision, count) and their answers. */
import { NODE_HAS_BELOW, setSerial } from '../../store/answers.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, aliasOwnerKey, aliasOwnerParts, aliasOwners, apexKey, idKey, nameKey } from '../../store/keys.ts';
import { decodeZoneState, encodeZoneState, type ZoneState } from '../../store/reader.ts';
import type { AliasTarget, Domain } from '../../store/rows.ts';
import { equalNames, isWithin, type Name, nameId } from '../../wire/name.ts';
import { TYPE } from '../../wire/types.ts';
import { affectedNames, type ChangedName } from '../../zone/affected.ts';
import { readNodes } from '../../zone/bulk.ts';
import { challengeName } from '../../zone/challenged.ts';
import { compileNode } from '../../zone/compile.ts';
import { MemoryZone } from '../../zone/memory.ts';
import { isWebName } from '../../zone/proxied.ts';
import { nextSerial } from '../../zone/serial.ts';
import type { ZoneSettings } from '../../zone/settings.ts';
import { readBelowApex } from '../../zone/stored.ts';
import { exists, type ZoneView } from '../../zone/view.ts';
import type { Entry } from '../entry-codec.ts';
import type { CompiledZone } from '../journal.ts';
import { UsageChanges } from './account-usage.ts';
import { EdgeNotes } from './edge-notices.ts';
import { keepSite } from './edge-sites.ts';
import { type NodeChange, NodeWriter } from './node-writer.ts';
import { ServedZones } from './served-zones.ts';
import { Before, type ZoneChange, type ZoneObserver } from './zone-difference.ts';
import { ZoneFacts } from './zone-facts.ts';
import { ZoneUpdate } from './zone-update.ts';

const EMPTY = Buffer.alloc(0);
const ADDRESSES: ReadonlySet<number> = new Set([TYPE.A]);
const TXT: ReadonlySet<number> = new Set([TYPE.TXT]);

export class ZoneUpdates {
  /** Whether accounts or tokens are other than before. */
  credentialsChanged = false;
  readonly #environment: Environment;
  readonly #served: ServedZones;
  readonly #writer: NodeWriter;
  readonly #observer: ZoneObserver | undefined;
  readonly #facts: ZoneFacts;
  readonly #zones = new Map<string, ZoneUpdate>();
  /** Domains that came or went. What encloses them changes. */
  readonly comingAndGoing: { readonly domain: Domain; readonly present: boolean }[] = [];
  /** Targets of ALIAS records that come or go, by nameId. */
  readonly aliasTargets = new Map<string, { readonly target: Name; readonly domainIds: Set<string> }>();
  readonly edge = new EdgeNotes();
  /** Of each zone that the group changed, for the observer. */
  readonly changes: ZoneChange[] = [];
  readonly #usage = new UsageChanges();
  /** Of the entry that is being applied: domains whose proxy it writes, and whether that was on before. */
  readonly #proxiesBefore = new Map<string, boolean>();
  readonly #touched: ZoneUpdate[] = [];
  #entry: Entry | null = null;
  #compiled: CompiledZone | undefined;

  constructor(
    environment: Environment,
    defaults: ZoneSettings,
    isAmbiguous: (name: Name) => boolean,
    facts = new ZoneFacts(environment),
    observer?: ZoneObserver,
  ) {
    this.#environment = environment;
    this.#writer = new NodeWriter(environment, isAmbiguous);
    this.#facts = facts;
    this.#served = new ServedZones(environment, defaults, facts, (domainId) => this.#stateOf(domainId).serial);
    this.#observer = observer;
  }

  /** In the order in which the index must learn them. */
  get nodes(): readonly NodeChange[] {
    return this.#writer.changes;
  }

  /** See AnswerChanges. */
  get apexes(): readonly Name[] {
    const apexes: Name[] = [];
    for (const { whole, compiled, apex, changed } of this.#zones.values())
      if (
        whole ||
        compiled !== undefined ||
        any(changed.values(), ({ name, types }) => types.has(TYPE.DNAME) && equalNames(name, apex))
      )
        apexes.push(apex);
    return apexes;
  }

  begin(entry: Entry, compiled: CompiledZone | undefined): void {
    this.#entry = entry;
    this.#compiled = compiled;
  }

  /** `revises`: the zone's own rows change. */
  zone(domainId: string, revises = true): ZoneUpdate {
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
  zonesChanged(): void {
    this.#facts.clear();
  }

  /** A record comes or goes: at the apex, or one that leads to another name. */
  recordChanged(domainId: string, atApex: boolean, leads: boolean): void {
    if (atApex) this.#facts.apexChanged(domainId);
    if (leads) this.#facts.targetsChanged(domainId);
    this.edge.noteRecord(domainId);
  }

  /** Records of ALIAS with this target come or go. */
  ownersChanged(target: Name, domainId: string): void {
    const id = nameId(target);
    const known = this.aliasTargets.get(id);
    if (known === undefined) this.aliasTargets.set(id, { target, domainIds: new Set([domainId]) });
    else known.domainIds.add(domainId);
  }

  /** What is known of the target with this key changes. */
  aliasChanged(key: Uint8Array): void {
    this.#facts.aliasChanged(key);
  }

  /** The answer to a dns-01 challenge comes or goes. The zone's own rows stay as they are. */
  challengeChanged(domainId: string, delta: number): void {
    const domain = this.#facts.domain(domainId);
    const name = domain === undefined ? null : challengeName(domain.apex);
    if (name !== null) this.zone(domainId, false).noteChallenge(name, delta);
    this.#facts.challengesChanged(domainId);
  }

  /** Makes anew what the owners answer that the row names: see Spread. */
  aliasPut({ name, spread }: AliasTarget): void {
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
   * Whether the name is answered with the cluster's addresses, whatever its ALIAS leads to: then secondaries have nothing to learn of a change there. When
   * that ends, the name counts as changed itself.
   */
  #isBehindProxy(domain: Domain, name: Name): boolean {
    return this.#facts.isProxied(domain.id) && isWebName(this.#served.open(domain), name);
  }

  /** What zones serve of the configuration has changed, at this node or another; some may be gone by now. */
  renumber(domainIds: readonly string[]): void {
    for (const domainId of domainIds)
      if (this.#facts.domain(domainId) !== undefined) this.zone(domainId, false).resettle();
  }

  domainPut(domain: Domain): void {
    const known = this.#zones.get(domain.id);
    const isNew = known === undefined ? !this.#environment.zones.doesExist(idKey(domain.id)) : known.domain === null;
    const update = known ?? this.#track(domain);
    update.domain = domain;
    this.#touch(update);
    if (isNew) {
      this.comingAndGoing.push({ domain, present: true });
      this.#usage.of(domain.accountId).domains++;
    }
    // A row that is replaced goes and comes: its answers were made with the old one, names that lead to the apex among them.
    update.reframe();
  }

  domainGone(domain: Domain): void {
    const update = this.#zones.get(domain.id) ?? this.#track(domain);
    update.domain = null;
    this.#touch(update);
    this.#usage.of(domain.accountId).domains--;
    this.comingAndGoing.push({ domain, present: false });
  }

  /** The entry writes a domain's proxy, which was on before or off. Only what it is after the entry counts: a row that is replaced goes and comes. */
  proxyWritten(domainId: string, before: boolean): void {
    if (!this.#proxiesBefore.has(domainId)) this.#proxiesBefore.set(domainId, before);
  }

  /** The serial rises with every entry: see nextSerial. */
  endEntry(): void {
    const { time, sequence } = this.#entry!;
    // What any name of the domain answers may change. The domain itself may be gone.
    for (const [domainId, before] of this.#proxiesBefore)
      if (this.#facts.isProxied(domainId) !== before && this.#facts.domain(domainId) !== undefined)
        this.zone(domainId).reframe();
    this.#proxiesBefore.clear();
    const seconds = Math.floor(time / 1000);
    for (const update of this.#touched.splice(0)) {
      update.touched = false;
      this.#usage.of(update.accountId).records -= update.state.recordCount;
      update.accountId = update.domain?.accountId ?? update.accountId;
      update.state = {
        serial: nextSerial(update.state.serial, seconds, update.domain?.kept?.serial ?? 0),
        revision: update.revised ? sequence : update.state.revision,
        recordCount: update.state.recordCount + update.delta,
        updatedAt: update.revised ? seconds : update.state.updatedAt,
      };
      update.revised = false;
      this.#usage.of(update.accountId).records += update.state.recordCount;
      update.delta = 0;
    }
  }

  /** Writes what follows from the entries: usage, rows of sites, the zones' state, nodes. `rehearsed`: of the same entries on the same rows, so that nothing need be compiled again. */
  compile(rehearsed?: ZoneUpdates): void {
    this.#usage.write(this.#environment);
    for (const domainId of this.edge.siteIds) keepSite(this.#environment, domainId);
    for (const { key, domain, state } of this.#zones.values()) {
      if (domain === null) this.#environment.zones.remove(key);
      else this.#environment.zones.put(key, encodeZoneState(state));
    }
    if (rehearsed === undefined) this.#compileNodes();
    else {
      this.#writer.repeat(rehearsed.#writer);
      this.#facts.adopt(rehearsed.#facts);
    }
    if (this.#observer !== undefined) this.#noteChanges();
  }

  #compileNodes(): void {
    for (const update of this.#zones.values()) {
      if (update.domain === null) this.#writer.replaceAll(update.apex, []);
      else this.#compileUpdate(update.domain, update);
    }
    // Many may come below one zone at once; it is compiled once.
    const parents = new Map<string, Domain>();
    for (const { domain } of this.comingAndGoing) {
      const parent = this.#facts.parentOf(domain.apex);
      if (parent !== null) parents.set(parent.id, parent);
    }
    for (const parent of parents.values()) this.compileAll(parent);
    for (const { domain } of this.comingAndGoing)
      for (const child of this.#facts.childrenOf(domain.apex)) this.#compileApex(child);
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

  /** A domain's zone as it is answered, read from the store name by name. */
  view(domain: Domain): ZoneView {
    return this.#served.view(domain);
  }

  /** Compiles a zone anew from its rows. */
  compileAll(domain: Domain): void {
    const { apex } = domain;
    const { aliases } = this.#environment;
    const stored = readBelowApex(this.#environment, domain, (target, key) => {
      aliases.put(aliasOwnerKey(target, key), EMPTY);
    });
    const { sets, proxied } = this.#served.atApex(domain);
    for (const { type, ttl, rdatas } of sets)
      for (const rdata of rdatas) stored.push({ name: apex, type, ttl, rdata, proxied });
    const zone = new MemoryZone(apex, stored, this.#served.nestedIn(apex), this.#served.parentDs(apex));
    const view = this.#served.through(domain, zone);
    const nodes: [Buffer, Buffer][] = [];
    for (const owner of zone.names()) {
      const node = compileNode(view, owner);
      if (node !== null) nodes.push([owner.length === apex.length ? apexKey(owner) : nameKey(owner), node]);
    }
    for (const { name } of this.#challenged(domain)) {
      const node = exists(zone, name) ? null : compileNode(view, name);
      if (node !== null) nodes.push([nameKey(name), node]);
    }
    this.#writer.replaceAll(apex, nodes);
  }

  /** The name of a zone's challenges, if it has any: there though no record says so, it counts as changed with whatever changes around it. */
  #challenged({ id, apex }: Domain): ChangedName[] {
    const name = this.#facts.challengesOf(id).length > 0 ? challengeName(apex) : null;
    return name === null ? [] : [{ name, types: TXT }];
  }

  /** An entry changes the zone. */
  #touch(update: ZoneUpdate, revises = true): void {
    if (!update.touched) this.#touched.push(update);
    update.touch(this.#entry!, revises);
  }

  #track(domain: Domain): ZoneUpdate {
    const update = new ZoneUpdate(domain, this.#stateOf(domain.id));
    this.#zones.set(domain.id, update);
    if (this.#observer?.follows(domain.id) === true)
      update.before = new Before(this.#served.view(domain), update.state.serial);
    return update;
  }

  #stateOf(domainId: string): ZoneState {
    return this.#zones.get(domainId)?.state ?? decodeZoneState(this.#environment.zones.get(idKey(domainId)));
  }

  #compileUpdate(domain: Domain, update: ZoneUpdate): void {
    // Nodes made beforehand are good only when no other entry of the group has changed the zone, and are those of a zone without proxy and challenges.
    const isPlain = !this.#facts.isProxied(domain.id) && this.#facts.challengesOf(domain.id).length === 0;
    if (update.compiled !== undefined && !update.mixed && isPlain) {
      const nodes: [Buffer, Buffer][] = [];
      for (const { key, node } of readNodes(update.compiled.nodes)) nodes.push([key, node]);
      const apexNode = compileNode(this.#served.view(domain), domain.apex);
      if (apexNode !== null) nodes.push([apexKey(domain.apex), apexNode]);
      this.#writer.replaceAll(domain.apex, nodes);
      this.#compileOwners(domain, update);
    } else if (update.whole || update.compiled !== undefined) this.compileAll(domain);
    else {
      const zone = this.#served.open(domain);
      const view = this.#served.through(domain, zone);
      const { names, apex } = affectedNames(this.#environment, domain.id, zone, this.#facts.targetsOf(domain.id), [
        ...update.changed.values(),
        ...this.#challenged(domain),
      ]);
      for (const name of names) this.#writer.put(name, compileNode(view, name), domain.apex);
      const node = apex || update.hasDeletions ? null : this.#renumbered(domain.apex, update.state.serial);
      this.#writer.put(domain.apex, node ?? compileNode(view, domain.apex), domain.apex);
    }
    this.#compileChildren(domain.apex, update);
  }

  /** The names whose answers hang on ALIAS records, which were not resolved when the zone was compiled. */
  #compileOwners(domain: Domain, { aliasOwners }: ZoneUpdate): void {
    if (aliasOwners.size === 0) return;
    const zone = this.#served.open(domain);
    const view = this.#served.through(domain, zone);
    const changes = [...aliasOwners.values()].map((name) => ({ name, types: ADDRESSES }));
    const { names } = affectedNames(this.#environment, domain.id, zone, this.#facts.targetsOf(domain.id), changes);
    for (const name of names) this.#writer.put(name, compileNode(view, name), domain.apex);
  }

  /** The node of an apex of which nothing but the serial has changed; null when it has to be compiled. */
  #renumbered(apex: Name, serial: number): Buffer | null {
    const old = this.#environment.answers.get(apexKey(apex));
    // With its first name below an apex gets another flag.
    if (old === undefined || (old[4] & NODE_HAS_BELOW) === 0) return null;
    const node = Buffer.from(old);
    return setSerial(node, serial) ? node : null;
  }

  /** The apexes of nested zones whose DS, which this zone holds, may have changed. */
  #compileChildren(apex: Name, update: ZoneUpdate): void {
    const all = update.whole || update.compiled !== undefined;
    for (const child of this.#facts.childrenOf(apex)) {
      const concerns = ({ name, types }: ChangedName): boolean =>
        isWithin(child.apex, name) &&
        (types.has(TYPE.NS) || types.has(TYPE.DNAME) || (types.has(TYPE.DS) && equalNames(name, child.apex)));
      if (all || any(update.changed.values(), concerns)) this.#compileApex(child);
    }
  }

  #compileApex(domain: Domain): void {
    this.#writer.put(domain.apex, compileNode(this.#served.view(domain), domain.apex), domain.apex);
  }
}

function any<T>(items: Iterable<T>, holds: (item: T) => boolean): boolean {
  for (const item of items) if (holds(item)) return true;
  return false;
}
