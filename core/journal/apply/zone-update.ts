/** The effects of a group of journal entries on one zone. */

import type { Name } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import { type Id, idKey, nameKey, nameOfKey } from '../../store/keys.ts';
import type { Domain } from '../../store/rows.ts';
import type { ZoneState } from '../../store/zone-state.ts';
import type { ChangedName } from '../../zone/compile/affected.ts';
import type { Entry } from '../entry-codec.ts';
import type { CompiledZone } from '../journal.ts';
import type { ZoneSnapshot } from './zone-difference.ts';

/**
 * If more names change than this, and more than this share of the zone's records, the whole zone is
 * compiled in memory.
 */
const MAX_CHANGED = 500;
const MAX_SHARE = 1 / 8;

export class ZoneUpdate {
  /** The key of the zone's state. */
  readonly key: Buffer;
  readonly apex: Name;
  /** The account whose usage includes the records that `state` counts. */
  accountId: Id;
  /** Offset of the end of the name in the keys of records at the apex. */
  readonly apexEnd: number;
  domain: Domain | null;
  state: ZoneState;
  compiled: CompiledZone | undefined;
  /** Compile every name of the zone. */
  isWhole = false;
  /** By the name's canonical key. Not filled if the whole zone is compiled. */
  readonly changed = new Map<string, ChangedName & { readonly types: Set<number> }>();
  delta = 0;
  /** The records before the group, if a secondary follows the zone. */
  before: ZoneSnapshot | null = null;
  hasDeletions = false;
  /**
   * Sequence of the last entry that changed the zone, 0 for none. `isMixed`: several entries of the
   * group changed it.
   */
  #changedBy = 0;
  readonly #maxChanged: number;
  isMixed = false;
  isTouched = false;
  /** The zone's own rows changed, not only the addresses of an ALIAS target. */
  isRevised = false;
  /**
   * Names of ALIAS records in `compiled`. An import compiles the zone without the addresses of
   * ALIAS targets, so these names are compiled again.
   */
  readonly aliasOwners = new Map<string, Name>();

  /** The serial of the SOA record that was put last in a secondary zone; null: none was put. */
  soaSerial: number | null = null;

  /** Names that are listed in the nsec3 table: by key of the answers table, from < key ≤ to. */
  listing: { readonly from: string; readonly to: string | null } | null = null;

  constructor(domain: Domain, state: ZoneState) {
    this.key = idKey(domain.id);
    this.apex = domain.apex;
    this.accountId = domain.accountId;
    this.apexEnd = 8 + nameKey(domain.apex).length;
    this.domain = domain;
    this.state = state;
    this.#maxChanged = Math.max(MAX_CHANGED, state.recordCount * MAX_SHARE);
  }

  touch(entry: Entry, revises = true): void {
    this.isRevised ||= revises;
    this.isMixed ||= this.#changedBy !== 0 && this.#changedBy !== entry.sequence;
    this.#changedBy = entry.sequence;
    this.isTouched = true;
  }

  hasChange(holds: (change: ChangedName) => boolean): boolean {
    for (const change of this.changed.values()) if (holds(change)) return true;
    return false;
  }

  /** Compiles every name. No difference can be computed for secondaries. */
  markWhole(): void {
    this.isWhole = true;
    if (this.before !== null) this.before.isIncomplete = true;
  }

  /**
   * The records did not change, but other nodes may serve them differently. No difference can be
   * computed for secondaries.
   */
  discardDifference(): void {
    if (this.before !== null) this.before.isIncomplete = true;
  }

  /** Called before the record is added or deleted. */
  noteRecord(key: Buffer, nameEnd: number, type: number, delta: number): void {
    this.before?.note(nameOfKey(key, 8, nameEnd));
    this.delta += delta;
    this.hasDeletions ||= delta < 0;
    if (this.compiled !== undefined && type === TYPE.ALIAS && delta > 0) this.#noteOwner(nameOfKey(key, 8, nameEnd));
    if (this.isWhole || this.compiled !== undefined) return;
    const id = key.toString('latin1', 8, nameEnd);
    const changed = this.changed.get(id);
    if (changed !== undefined) changed.types.add(type);
    else this.#add(id, nameOfKey(key, 8, nameEnd), type);
  }

  /**
   * Marks the target of an added or deleted record. The record decides whether the target is
   * proxied: targets of mail and other services are not.
   */
  noteTarget(target: Name): void {
    this.before?.note(target);
    if (this.isWhole || this.compiled !== undefined) return;
    const id = nameKey(target).toString('latin1');
    if (!this.changed.has(id)) this.#add(id, target, TYPE.A);
  }

  /** The TXT of a challenge is added to a name (`delta` 1) or deleted (-1). Called before that. */
  noteChallenge(name: Name, delta: number): void {
    this.before?.note(name);
    // The apex may lose the only name below it.
    this.hasDeletions ||= delta < 0;
    if (this.isWhole || this.compiled !== undefined) return;
    const id = nameKey(name).toString('latin1');
    const changed = this.changed.get(id);
    if (changed === undefined) this.#add(id, name, TYPE.TXT);
    else changed.types.add(TYPE.TXT);
  }

  /** The addresses of the ALIAS at a name have changed. */
  noteAlias(owner: Name): void {
    this.before?.note(owner);
    if (this.compiled !== undefined) this.#noteOwner(owner);
    if (this.isWhole || this.compiled !== undefined) return;
    const id = nameKey(owner).toString('latin1');
    const changed = this.changed.get(id);
    if (changed === undefined) this.#add(id, owner, TYPE.A);
    else changed.types.add(TYPE.A);
  }

  /** The signatures at a name are due; its records stay the same. */
  noteDue(name: Name): void {
    if (this.isWhole || this.compiled !== undefined) return;
    const id = nameKey(name).toString('latin1');
    if (this.changed.has(id)) return;
    if (this.changed.size >= this.#maxChanged) this.isWhole = true;
    else this.changed.set(id, { name, types: new Set() });
  }

  #noteOwner(owner: Name): void {
    this.aliasOwners.set(nameKey(owner).toString('latin1'), owner);
  }

  #add(id: string, name: Name, type: number): void {
    if (this.changed.size >= this.#maxChanged) this.isWhole = true;
    else this.changed.set(id, { name, types: new Set([type]) });
  }
}
