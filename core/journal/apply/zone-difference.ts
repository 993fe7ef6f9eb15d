/**
 * The difference between the served records of a zone before and after a group of entries, for IXFR
 * (RFC 1995) and NOTIFY.
 */

import { nsec3Owner } from '../../dns/dnssec/nsec3.ts';
import { latin1 } from '../../dns/wire/latin1.ts';
import { type Name, nameId, parentName } from '../../dns/wire/name.ts';
import { type ResourceRecord, type RRset, TYPE } from '../../dns/wire/types.ts';
import type { Id } from '../../store/keys.ts';
import { signaturesOf } from '../../store/node-signatures.ts';
import { entryRecords } from '../../store/nsec3-entries.ts';
import { followsNames, withSetsOfNode } from '../../zone/compile/node-sets.ts';
import type { ZoneRRset, ZoneView } from '../../zone/compile/view.ts';
import type { Nsec3Change } from './nsec3-chain.ts';

export interface ZoneDifference {
  /** Serials before and after. */
  readonly from: number;
  readonly to: number;
  /** Without the SOA, in which only the serial changes. */
  readonly removed: readonly ResourceRecord[];
  readonly added: readonly ResourceRecord[];
}

export interface ZoneChange {
  readonly domainId: Id;
  readonly apex: Name;
  /** 0: the zone was deleted. */
  readonly serial: number;
  /** Null: unknown, because no secondary follows the zone or too much has changed. */
  readonly difference: ZoneDifference | null;
}

/** Called for every zone that a group changes, once the group is on disk and served. */
export interface ZoneObserver {
  /** Whether differences of the zone are needed. Otherwise none are computed. */
  follows(domainId: Id): boolean;
  onChange(change: ZoneChange): void;
  /** The zone is not transferred until the reason is released: its answers are being written. */
  hold?(reason: object, domainId: Id): void;
  release?(reason: object): void;
}

/** If a group changes more names than this, a full transfer is as good. */
const MAX_NAMES = 5000;

/** The served records of changed names before a group changed them, for a zone with secondaries. */
export class ZoneSnapshot {
  /**
   * No difference can be computed. For example, the row of the domain or its proxy was written,
   * which affects all names.
   */
  isIncomplete = false;
  readonly #names = new Map<string, { readonly name: Name; readonly sets: readonly RRset[] }>();

  /** RRSIG and NSEC3 records by name, and members of a catalog. */
  readonly #signatures = new Map<string, { before: readonly ResourceRecord[]; after: readonly ResourceRecord[] }>();

  /**
   * `view` and `readNode` read from the store. A name is read when it is noted, so it must be noted
   * before it changes.
   */
  constructor(
    private readonly view: ZoneView,
    private readonly serial: number,
    private readonly readNode: (name: Name) => Buffer | undefined,
  ) {}

  /** The served records of the name are about to change, or may change. */
  note(name: Name): void {
    if (this.#names.size > MAX_NAMES) return;
    const id = nameId(name);
    if (this.#names.has(id)) return;
    this.#noteSets(id, name, () => this.readNode(name));
  }

  #noteSets(id: string, name: Name, readNode: () => Buffer | undefined): void {
    const current = servedSets(this.view, name, readNode);
    if (current === null) {
      this.isIncomplete = true;
      return;
    }
    // Rdata are views of larger buffers. Copies avoid keeping those in memory as long as the
    // difference.
    const sets = current.map((set) => ({ ...set, rdatas: set.rdatas.map((rdata) => copyOf(rdata)) }));
    this.#names.set(id, { name: copyOf(name), sets });
  }

  /**
   * The node of a name of a signed zone, or of RRsets that follow other names, has changed. Only
   * the first and the last node count.
   */
  noteNode(name: Name, before: Buffer | undefined, after: Buffer | null): void {
    const isApex = name.length === this.view.apex.length;
    const read = (node: Buffer | null | undefined): ResourceRecord[] =>
      node === null || node === undefined ? [] : signaturesOf(node, copyOf(name), isApex);
    const id = nameId(name);
    const noted = this.#signatures.get(id);
    if (noted === undefined) this.#signatures.set(id, { before: read(before), after: read(after) });
    else noted.after = read(after);
    // They may change with a node that is compiled for another reason.
    if (this.#names.has(id) || this.#names.size > MAX_NAMES) return;
    if (followsNames(this.view.rrsets(name))) this.#noteSets(id, name, () => before);
  }

  /** The signatures over the DS of a nested zone of ours, before and after the group. */
  noteDs(name: Name, before: readonly ResourceRecord[], after: readonly ResourceRecord[]): void {
    this.#signatures.set(`ds ${nameId(name)}`, { before, after });
  }

  /** The record of a domain in a catalog, before and after an entry. */
  noteMember(domainId: Id, before: readonly ResourceRecord[], after: readonly ResourceRecord[]): void {
    const id = `member ${domainId}`;
    const noted = this.#signatures.get(id);
    if (noted === undefined) this.#signatures.set(id, { before, after });
    else noted.after = after;
    if (this.#signatures.size > MAX_NAMES) this.isIncomplete = true;
  }

  /** NSEC3 records have changed. */
  noteChain(changes: readonly Nsec3Change[]): void {
    for (const { apex, hash, stored, before, isPresigned } of changes) {
      // The rows of the zone already contain these records.
      if (isPresigned === true) continue;
      if (hash === null) {
        this.isIncomplete = true;
        return;
      }
      const owner = nsec3Owner(hash, apex);
      const read = (entry: Buffer | null): ResourceRecord[] =>
        entry === null
          ? []
          : [...entryRecords(entry)].map((record) => ({ ...record, name: owner, rdata: copyOf(record.rdata) }));
      this.#signatures.set(`nsec3 ${nameId(owner)}`, { before: read(before), after: read(stored) });
    }
  }

  /** Returns the difference; null: it is unknown. */
  difference(after: ZoneView, serial: number): ZoneDifference | null {
    if (this.isIncomplete || this.#names.size > MAX_NAMES || this.serial === 0) return null;
    const removed: ResourceRecord[] = [];
    const added: ResourceRecord[] = [];
    for (const { name, sets } of this.#names.values()) {
      const current = servedSets(after, name, () => this.readNode(name));
      if (current === null) return null;
      addMissing(name, sets, current, removed);
      addMissing(name, current, sets, added);
    }
    for (const { before, after: now } of this.#signatures.values()) {
      removed.push(...missingIn(now, before));
      added.push(...missingIn(before, now));
    }
    return { from: this.serial, to: serial, removed, added };
  }
}

/**
 * The sent RRsets of a name. Those that follow other names are read from the node. Null: the name
 * is occluded, so it has no node and they have no addresses.
 */
function servedSets(view: ZoneView, name: Name, readNode: () => Buffer | undefined): readonly RRset[] | null {
  const sets = sentAt(view, name);
  if (!followsNames(sets)) return sets;
  const node = readNode();
  if (node === undefined) return null;
  return withSetsOfNode(node, name, sets);
}

/**
 * The RRsets of a name that a transfer contains: at the apex of a nested zone of ours only the DS,
 * and below it none. See core/nameserver/transfer/snapshot.ts.
 */
function sentAt(view: ZoneView, name: Name): readonly ZoneRRset[] {
  let outermost: Name | null = null;
  for (let above = name; above.length > view.apex.length; above = parentName(above))
    if (view.isNested(above)) outermost = above;
  const sets = view.rrsets(name);
  if (outermost === null) return sets;
  return outermost === name ? sets.filter(({ type }) => type === TYPE.DS) : [];
}

/**
 * Adds the records that are in `sets` and not in `others`. ALIAS records are skipped; their
 * addresses count instead. A changed TTL counts as another record, so that the whole RRset is
 * replaced: an RRset has one TTL.
 */
function addMissing(name: Name, sets: readonly RRset[], others: readonly RRset[], out: ResourceRecord[]): void {
  for (const { type, ttl, rdatas } of sets) {
    if (type === TYPE.SOA || type === TYPE.ALIAS) continue;
    const other = others.find((set) => set.type === type && set.ttl === ttl);
    const present = new Set(other?.rdatas.map(latin1));
    for (const rdata of rdatas) {
      const id = latin1(rdata);
      if (present.has(id)) continue;
      // Two rows may contain the same record. An RRset contains it only once (RFC 2181 section 5).
      present.add(id);
      out.push({ name, type, ttl, rdata: copyOf(rdata) });
    }
  }
}

/** The records that are not in `others`. All have the same owner. */
function missingIn(others: readonly ResourceRecord[], records: readonly ResourceRecord[]): ResourceRecord[] {
  const idOf = ({ type, ttl, rdata }: ResourceRecord): string => `${type} ${ttl} ${latin1(rdata)}`;
  const present = new Set(others.map(idOf));
  return records.filter((record) => !present.has(idOf(record)));
}

const copyOf = (bytes: Uint8Array): Uint8Array => Uint8Array.prototype.slice.call(bytes);
