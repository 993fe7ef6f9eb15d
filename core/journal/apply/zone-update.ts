/** What a group of journal entries does to one zone. */
import { idKey, nameKey, nameOfKey } from '../../store/keys.ts';
import type { ZoneState } from '../../store/reader.ts';
import type { Domain } from '../../store/rows.ts';
import type { Name } from '../../wire/name.ts';
import { TYPE } from '../../wire/types.ts';
import type { ChangedName } from '../../zone/affected.ts';
import type { Entry } from '../entry-codec.ts';
import type { CompiledZone } from '../journal.ts';
import type { Before } from './zone-difference.ts';

/** More changed names than this, and the whole zone is compiled from memory. */
const BULK = 500;

export class ZoneUpdate {
  /** Of the zone's state. */
  readonly key: Buffer;
  readonly apex: Name;
  /** Whose the records are that `state` counts. */
  accountId: string;
  /** Where the name ends in the keys of records at the apex. */
  readonly apexEnd: number;
  domain: Domain | null;
  state: ZoneState;
  compiled: CompiledZone | undefined;
  /** Compile every name of the zone. */
  whole = false;
  /** By the name's canonical key, as long as not the whole zone is compiled. */
  readonly changed = new Map<string, ChangedName & { readonly types: Set<number> }>();
  delta = 0;
  /** What names were served as, when somebody follows the zone. */
  before: Before | null = null;
  hasDeletions = false;
  /** Sequence of the last entry that changed the zone, 0 for none; `mixed`: others of the group did, too. */
  #changedBy = 0;
  mixed = false;
  touched = false;
  /** Whether somebody has changed the zone, and not only the addresses of a target its answers. */
  revised = false;
  /** Names of ALIAS records that come with `compiled`: what these answer is not known where that is made. */
  readonly aliasOwners = new Map<string, Name>();

  constructor(domain: Domain, state: ZoneState) {
    this.key = idKey(domain.id);
    this.apex = domain.apex;
    this.accountId = domain.accountId;
    this.apexEnd = 8 + nameKey(domain.apex).length;
    this.domain = domain;
    this.state = state;
  }

  touch(entry: Entry, revises = true): void {
    this.revised ||= revises;
    this.mixed ||= this.#changedBy !== 0 && this.#changedBy !== entry.sequence;
    this.#changedBy = entry.sequence;
    this.touched = true;
  }

  /** More changes than records: every name is compiled anew, and nobody can be told what differs. */
  reframe(): void {
    this.whole = true;
    if (this.before !== null) this.before.reframed = true;
  }

  /** Its records are those that they were, and may be answered with others than this node knows of: nobody can be told what differs. */
  resettle(): void {
    if (this.before !== null) this.before.reframed = true;
  }

  /** Before the record comes or goes. */
  noteRecord(key: Buffer, nameEnd: number, type: number, delta: number): void {
    this.before?.note(nameOfKey(key, 8, nameEnd));
    this.delta += delta;
    this.hasDeletions ||= delta < 0;
    if (this.compiled !== undefined && type === TYPE.ALIAS && delta > 0) this.#noteOwner(nameOfKey(key, 8, nameEnd));
    if (this.whole || this.compiled !== undefined) return;
    const id = key.toString('latin1', 8, nameEnd);
    const known = this.changed.get(id);
    if (known !== undefined) known.types.add(type);
    else this.#add(id, nameOfKey(key, 8, nameEnd), type);
  }

  /** A name that mail or another service points at, or no more, is taken out of the proxy or put into it. */
  noteTarget(target: Name): void {
    this.before?.note(target);
    if (this.whole || this.compiled !== undefined) return;
    const id = nameKey(target).toString('latin1');
    if (!this.changed.has(id)) this.#add(id, target, TYPE.A);
  }

  /** The TXT of a challenge comes to a name (`delta` 1) or goes (-1). To be told before that. */
  noteChallenge(name: Name, delta: number): void {
    this.before?.note(name);
    // The apex may lose the only name below it.
    this.hasDeletions ||= delta < 0;
    if (this.whole || this.compiled !== undefined) return;
    const id = nameKey(name).toString('latin1');
    const known = this.changed.get(id);
    if (known === undefined) this.#add(id, name, TYPE.TXT);
    else known.types.add(TYPE.TXT);
  }

  /** What the ALIAS at a name stands for has changed. */
  noteAlias(owner: Name): void {
    this.before?.note(owner);
    if (this.compiled !== undefined) this.#noteOwner(owner);
    if (this.whole || this.compiled !== undefined) return;
    const id = nameKey(owner).toString('latin1');
    const known = this.changed.get(id);
    if (known === undefined) this.#add(id, owner, TYPE.A);
    else known.types.add(TYPE.A);
  }

  #noteOwner(owner: Name): void {
    this.aliasOwners.set(nameKey(owner).toString('latin1'), owner);
  }

  #add(id: string, name: Name, type: number): void {
    if (this.changed.size === BULK) this.whole = true;
    else this.changed.set(id, { name, types: new Set([type]) });
  }
}
