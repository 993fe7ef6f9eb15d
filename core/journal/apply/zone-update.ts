/** The effects of a group of journal entries on one zone. */

import type { Name } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import { SOA_NUMBERS } from '../../store/answers.ts';
import { type Id, idKey, nameKey, nameOfKey } from '../../store/keys.ts';
import type { Domain, ImportRow } from '../../store/rows.ts';
import type { ZoneState } from '../../store/zone-state.ts';
import type { ChangedName } from '../../zone/compile/affected.ts';
import { nextSerial } from '../../zone/compile/serial.ts';
import type { Entry } from '../entry-codec.ts';
import type { CompiledZone } from '../journal.ts';
import type { DomainDifference } from './domain-state.ts';
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
  /** Before the group; null: the domain is new, or was in the bin. */
  readonly stored: { readonly domain: Domain; readonly state: ZoneState } | null;
  /** The account whose usage includes the records that `state` counts. */
  accountId: Id;
  /** The records that count for the account. */
  countedRecords: number;
  /** Offset of the end of the name in the keys of records at the apex. */
  readonly apexEnd: number;
  domain: Domain | null;
  compiled: CompiledZone | undefined;
  /** The id of the first record of a large import that the group reveals; null: there is none. */
  importId: Id | null = null;
  /**
   * The group moves the domain to the bin, or restores it. Then the targets and the ALIAS owners of
   * its records must be deleted, or written.
   */
  moved: DomainDifference['moved'] = null;
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
  #isRevised = false;
  /**
   * Names of ALIAS records in `compiled`. An import compiles the zone without the addresses of
   * ALIAS targets, so these names are compiled again.
   */
  readonly aliasOwners = new Map<string, Name>();

  /** The serial of the SOA record that was put last in a secondary zone; null: none was put. */
  #soaSerial: number | null = null;

  /** Names that are listed in the nsec3 table: by key of the answers table, from < key ≤ to. */
  listing: { readonly from: string; readonly to: string | null } | null = null;

  constructor(
    domain: Domain,
    public state: ZoneState,
    /** The domain was in the bin before the group. */
    isRestored = false,
  ) {
    this.key = idKey(domain.id);
    this.apex = domain.apex;
    this.stored = state.revision === 0 || isRestored ? null : { domain, state };
    this.accountId = domain.accountId;
    this.countedRecords = isRestored ? 0 : state.recordCount;
    this.apexEnd = 8 + nameKey(domain.apex).length;
    this.domain = domain;
    this.#maxChanged = Math.max(MAX_CHANGED, state.recordCount * MAX_SHARE);
  }

  touch(entry: Entry, revises = true): void {
    this.#isRevised ||= revises;
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

  /** Called before the record is added, or deleted: `value` null. */
  markRecord(key: Buffer, nameEnd: number, type: number, value: Buffer | null): void {
    this.before?.note(nameOfKey(key, 8, nameEnd));
    this.delta += value === null ? -1 : 1;
    this.hasDeletions ||= value === null;
    if (type === TYPE.SOA && value !== null) this.markSoa(value);
    if (this.compiled !== undefined && type === TYPE.ALIAS && value !== null)
      this.#addAliasOwner(nameOfKey(key, 8, nameEnd));
    // An import has a million records.
    if (this.#marksNames) this.#mark(key.toString('latin1', 8, nameEnd), type, () => nameOfKey(key, 8, nameEnd));
  }

  /** Called instead of `markRecord` for each record of a large import. */
  markImport({ firstId, count, end }: ImportRow): void {
    this.importId = firstId;
    this.discardDifference();
    this.delta += count - end!.replaced.count;
  }

  /** Called for a put of the SOA record of a secondary zone. */
  markSoa(value: Buffer): void {
    this.#soaSerial = value.readUInt32BE(value.length - SOA_NUMBERS);
  }

  get #marksNames(): boolean {
    return !this.isWhole && this.importId === null && this.compiled === undefined;
  }

  /**
   * Marks the target of an added or deleted record. The record decides whether the target is
   * proxied: targets of mail and other services are not.
   */
  markTarget(target: Name): void {
    this.before?.note(target);
    const id = idOf(target);
    if (!this.changed.has(id)) this.#mark(id, TYPE.A, () => target);
  }

  /** The TXT of a challenge is added to a name (`delta` 1) or deleted (-1). Called before that. */
  markChallenge(name: Name, delta: number): void {
    this.before?.note(name);
    // The apex may lose the only name below it.
    this.hasDeletions ||= delta < 0;
    this.#mark(idOf(name), TYPE.TXT, () => name);
  }

  /** The addresses of the ALIAS at a name have changed. */
  markAlias(owner: Name): void {
    this.before?.note(owner);
    if (this.compiled !== undefined) this.#addAliasOwner(owner);
    this.#mark(idOf(owner), TYPE.A, () => owner);
  }

  /** The steering of a record set changes; its records may stay the same. */
  markSteering(name: Name, type: number): void {
    this.before?.note(name);
    this.#mark(idOf(name), type, () => name);
  }

  /** The signatures at a name are due; its records stay the same. */
  markDue(name: Name): void {
    this.#mark(idOf(name), null, () => name);
  }

  #mark(id: string, type: number | null, readName: () => Name): void {
    if (!this.#marksNames) return;
    const changed = this.changed.get(id);
    if (changed === undefined && this.changed.size >= this.#maxChanged) this.isWhole = true;
    else if (changed === undefined)
      this.changed.set(id, { name: readName(), types: new Set(type === null ? [] : [type]) });
    else if (type !== null) changed.types.add(type);
  }

  #addAliasOwner(owner: Name): void {
    this.aliasOwners.set(idOf(owner), owner);
  }

  /** The state after the current entry. `seconds`: its time since 1970. */
  endEntry(sequence: number, seconds: number): void {
    const { state, domain } = this;
    this.accountId = domain?.accountId ?? this.accountId;
    this.state = {
      serial: this.#serialAfter(seconds),
      revision: this.#isRevised ? sequence : state.revision,
      recordCount: state.recordCount + this.delta,
      updatedAt: this.#isRevised ? seconds : state.updatedAt,
      bytes: state.bytes,
    };
    this.countedRecords = domain === null ? 0 : this.state.recordCount;
    this.delta = 0;
    this.isTouched = false;
    this.#isRevised = false;
  }

  /** The serial of a secondary zone is that of its primary, and nothing else increases it. */
  #serialAfter(seconds: number): number {
    const { serial } = this.state;
    if (this.domain?.kind === 'secondary') return this.#soaSerial ?? serial;
    return nextSerial(serial, seconds, this.domain?.kept?.serial ?? 0);
  }
}

/** The canonical key of a name in Latin-1. */
const idOf = (name: Name): string => nameKey(name).toString('latin1');
