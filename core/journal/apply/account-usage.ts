/**
 * The domains, records and bytes that a group of journal entries adds to each account, or removes.
 * core/store/row-owner.ts defines which rows count for which account.
 */
import type { Environment } from '../../store/environment.ts';
import { type Id, idAt, idKey } from '../../store/keys.ts';
import { accountShare, rowOwner, rowSize } from '../../store/row-owner.ts';
import { type Domain, domains } from '../../store/rows.ts';
import { decodeUsage, decodeZoneState, encodeUsage, encodeZoneState } from '../../store/zone-state.ts';
import type { Change } from '../entry-codec.ts';
import type { DomainWrites } from './domain-state.ts';

interface Counts {
  domains: number;
  records: number;
  bytes: number;
  audit: number;
}

export class UsageChanges {
  readonly #accounts = new Map<Id, Counts>();
  /** Bytes of the changed zones after the entries so far. */
  readonly #zones = new Map<Id, number>();
  /** Bytes that the current entry adds to zones. */
  readonly #added = new Map<Id, number>();

  /** `storedBytes` returns the bytes of the rows of a zone before the group. */
  constructor(
    private readonly environment: Environment,
    private readonly storedBytes: (domainId: Id) => number,
  ) {}

  countsOf(accountId: Id): Counts {
    let counts = this.#accounts.get(accountId);
    if (counts === undefined) {
      counts = { domains: 0, records: 0, bytes: 0, audit: 0 };
      this.#accounts.set(accountId, counts);
    }
    return counts;
  }

  /** `old`: the stored row before the change. */
  add({ table, key, value }: Change, old: Buffer | undefined): void {
    const owner = rowOwner(table);
    if (owner === 'zone') {
      const before = old === undefined ? 0 : rowSize(table, key, old, true);
      const after = value === null ? 0 : rowSize(table, key, value, false);
      this.addToZone(idAt(key), after - before);
    } else if (owner === 'audit') {
      const counts = this.countsOf(idAt(key));
      counts.audit += value === null ? 0 : rowSize(table, key, value, false);
      counts.audit -= old === undefined ? 0 : rowSize(table, key, old, true);
    } else if (owner === 'account') {
      if (old !== undefined) this.#addShare(table, key, old, true, -1);
      if (value !== null) this.#addShare(table, key, value, false, 1);
    }
  }

  /** Adds bytes of rows of a zone. */
  addToZone(domainId: Id, bytes: number): void {
    this.#added.set(domainId, (this.#added.get(domainId) ?? 0) + bytes);
  }

  #addShare(table: number, key: Buffer, value: Buffer, isStored: boolean, sign: number): void {
    const { accountId, bytes } = accountShare(table, key, value, isStored);
    this.countsOf(accountId).bytes += sign * bytes;
  }

  /**
   * Ends an entry. A domain that moves to another account takes its bytes with it. A domain in the
   * bin has bytes, but they count for no account.
   */
  endEntry(
    writes: ReadonlyMap<Id, DomainWrites>,
    { domain: current, isInBin }: { domain(id: Id): Domain | undefined; isInBin(id: Id): boolean },
  ): void {
    /** Domains whose rows the entry wrote, with the account before. */
    const owners = new Map<Id, Id | undefined>();
    for (const [id, { tables, before }] of writes) {
      if (!tables.has(domains.number)) continue;
      const [then, now] = [before.domain?.accountId, current(id)?.accountId];
      owners.set(id, then);
      if (then !== undefined) this.countsOf(then).domains--;
      if (now !== undefined) this.countsOf(now).domains++;
      if (!this.#added.has(id)) this.#added.set(id, 0);
    }
    for (const [id, added] of this.#added) {
      const now = current(id)?.accountId;
      const then = owners.has(id) ? owners.get(id) : now;
      const bytes = this.#zones.get(id) ?? this.storedBytes(id);
      if (then !== undefined) this.countsOf(then).bytes -= bytes;
      if (now !== undefined) this.countsOf(now).bytes += bytes + added;
      this.#zones.set(id, now === undefined && !isInBin(id) ? 0 : bytes + added);
    }
    this.#added.clear();
  }

  /** The bytes of the rows of a zone after the entries so far; undefined: as stored. */
  zoneBytes(domainId: Id): number | undefined {
    return this.#zones.get(domainId);
  }

  /** Inside a write transaction. `writesState`: the state of the zone is written anyway. */
  write(writesState: (domainId: Id) => boolean): void {
    const { usage, zones } = this.environment;
    for (const [domainId, bytes] of this.#zones) {
      if (writesState(domainId)) continue;
      const key = idKey(domainId);
      const state = zones.get(key);
      if (state !== undefined) zones.put(key, encodeZoneState(decodeZoneState(state), bytes));
    }
    for (const [accountId, added] of this.#accounts) {
      if (Object.values(added).every((count) => count === 0)) continue;
      const key = idKey(accountId);
      const old = decodeUsage(usage.get(key));
      const updated = {
        domains: old.domains + added.domains,
        records: old.records + added.records,
        bytes: old.bytes + added.bytes,
        audit: old.audit + added.audit,
      };
      if (Object.values(updated).every((count) => count === 0)) usage.remove(key);
      else usage.put(key, encodeUsage(updated));
    }
  }
}
