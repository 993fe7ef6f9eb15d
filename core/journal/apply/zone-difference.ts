/** What the served records of a zone became in one group of entries: what IXFR sends (RFC 1995), and NOTIFY tells of. */

import { latin1 } from '../../wire/latin1.ts';
import { type Name, nameId } from '../../wire/name.ts';
import { type ResourceRecord, type RRset, TYPE } from '../../wire/types.ts';
import { findType, type ZoneView } from '../../zone/view.ts';

export interface ZoneDifference {
  /** Serials before and after. */
  readonly from: number;
  readonly to: number;
  /** Without the SOA, of which nothing but the serial changes. */
  readonly removed: readonly ResourceRecord[];
  readonly added: readonly ResourceRecord[];
}

export interface ZoneChange {
  readonly domainId: string;
  readonly apex: Name;
  /** 0: the zone is gone. */
  readonly serial: number;
  /** Null: not known, since nobody follows the zone or too much has changed. */
  readonly difference: ZoneDifference | null;
}

/** Is told of every zone that a group changes, once that is on disk and served. */
export interface ZoneObserver {
  /** Whether differences of the zone are wanted. What is not costs nothing. */
  follows(domainId: string): boolean;
  changed(change: ZoneChange): void;
}

/** More names than this in one group, and a whole transfer serves as well. */
const MOST_NAMES = 5000;

/** Of a zone that is followed: what its names answered before a group changed them. */
export class Before {
  /** Other than by its records: its row or its proxy is written, which concerns all names. */
  reframed = false;
  readonly #view: ZoneView;
  readonly #serial: number;
  readonly #names = new Map<string, { readonly name: Name; readonly sets: readonly RRset[] }>();

  /** `view`: reads what is stored at a name when it is asked for it, which is before the name is changed. */
  constructor(view: ZoneView, serial: number) {
    this.#view = view;
    this.#serial = serial;
  }

  /** What the name is served as is about to change, or may be. */
  note(name: Name): void {
    if (this.#names.size > MOST_NAMES) return;
    const id = nameId(name);
    if (this.#names.has(id)) return;
    // What is read is in larger buffers, which would be held as long as the difference is.
    const held = this.#view.rrsets(name);
    // What an ALIAS answers becomes another in pieces, some names before others: what its name was served as is not known from the records.
    if (findType(held, TYPE.ALIAS) !== undefined) this.reframed = true;
    const sets = held.map((set) => ({ ...set, rdatas: set.rdatas.map((rdata) => copyOf(rdata)) }));
    this.#names.set(id, { name: copyOf(name), sets });
  }

  /** Null when it is not known. */
  difference(after: ZoneView, serial: number): ZoneDifference | null {
    if (this.reframed || this.#names.size > MOST_NAMES || this.#serial === 0) return null;
    const removed: ResourceRecord[] = [];
    const added: ResourceRecord[] = [];
    for (const { name, sets } of this.#names.values()) {
      const now = after.rrsets(name);
      if (findType(now, TYPE.ALIAS) !== undefined) return null;
      collect(name, sets, now, removed);
      collect(name, now, sets, added);
    }
    return { from: this.#serial, to: serial, removed, added };
  }
}

/** Records in `sets` and not in `others`, in place of ALIAS the addresses that it stands for. A record with another TTL is another one: an RRset has one TTL, so that it changes whole. */
function collect(name: Name, sets: readonly RRset[], others: readonly RRset[], out: ResourceRecord[]): void {
  for (const { type, ttl, rdatas } of sets) {
    if (type === TYPE.SOA || type === TYPE.ALIAS) continue;
    const other = others.find((set) => set.type === type && set.ttl === ttl);
    const there = new Set(other?.rdatas.map(latin1));
    for (const rdata of rdatas) {
      const id = latin1(rdata);
      if (there.has(id)) continue;
      // Two rows may hold the same record, which an RRset has once (RFC 2181 5).
      there.add(id);
      out.push({ name, type, ttl, rdata: copyOf(rdata) });
    }
  }
}

const copyOf = (bytes: Uint8Array): Uint8Array => Uint8Array.prototype.slice.call(bytes);
