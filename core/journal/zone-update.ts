/** What a group of journal entries does to one zone. */
import { nameKey, nameOfKey } from '../store/keys.ts';
import type { ZoneState } from '../store/reader.ts';
import type { Domain } from '../store/rows.ts';
import type { Name } from '../wire/name.ts';
import { TYPE } from '../wire/types.ts';
import type { ChangedName } from '../zone/affected.ts';
import type { Entry } from './changes.ts';
import type { CompiledZone } from './journal.ts';

/** More changed names than this, and the whole zone is compiled from memory. */
const BULK = 500;

export class ZoneUpdate {
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
  hasDeletions = false;
  /** Sequence of the last entry that changed the zone, 0 for none; `mixed`: others of the group did, too. */
  private changedBy = 0;
  mixed = false;
  touched = false;

  constructor(domain: Domain, state: ZoneState) {
    this.apex = domain.apex;
    this.accountId = domain.accountId;
    this.apexEnd = 8 + nameKey(domain.apex).length;
    this.domain = domain;
    this.state = state;
  }

  touch(entry: Entry): void {
    this.mixed ||= this.changedBy !== 0 && this.changedBy !== entry.sequence;
    this.changedBy = entry.sequence;
    this.touched = true;
  }

  noteRecord(key: Buffer, nameEnd: number, type: number, delta: number): void {
    this.delta += delta;
    this.hasDeletions ||= delta < 0;
    if (this.whole || this.compiled !== undefined) return;
    const id = key.toString('latin1', 8, nameEnd);
    const known = this.changed.get(id);
    if (known !== undefined) known.types.add(type);
    else this.add(id, nameOfKey(key, 8, nameEnd), type);
  }

  /** A name that mail or another service points at, or no more, is taken out of the proxy or put into it. */
  noteTarget(target: Name): void {
    if (this.whole || this.compiled !== undefined) return;
    const id = nameKey(target).toString('latin1');
    if (!this.changed.has(id)) this.add(id, target, TYPE.A);
  }

  private add(id: string, name: Name, type: number): void {
    if (this.changed.size === BULK) this.whole = true;
    else this.changed.set(id, { name, types: new Set([type]) });
  }
}
