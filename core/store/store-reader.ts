/** Reads of the last committed state, also of derived tables, and in descending order. */
import type { RangeOptions } from 'lmdb';
import type { Environment } from './environment.ts';
import { isHidden } from './hidden-rows.ts';
import { afterPrefix, type Id, idAt, idKey, LOOKUP, lookupKey } from './keys.ts';
import { type Entry, LOOKUPS, rawReader, startAfter } from './raw-reader.ts';
import { Reader } from './reader.ts';
import { type Account, type Audit, accounts, audits, comments, type RRsetComments, zoneLabels } from './rows.ts';
import { decodeUsage, decodeZoneState, hasZoneBytes, type Usage, type ZoneState } from './zone-state.ts';

/** Reads of the last committed state, on the calling thread's snapshot. */
export class StoreReader extends Reader {
  readonly environment: Environment;

  constructor(environment: Environment) {
    super(rawReader(environment));
    this.environment = environment;
  }

  zoneState(domainId: Id): ZoneState {
    return decodeZoneState(this.environment.zones.get(idKey(domainId)));
  }

  /**
   * Name keys of the apexes of an account's domains, as Latin-1 in canonical order, after the key
   * `after`. Reads only lookups.
   */
  apexKeysOf(accountId: Id, after: string | null, limit: number): { readonly key: string; readonly id: Id }[] {
    const prefix = lookupKey(LOOKUP.accountDomain, idKey(accountId));
    const start = startAfter(prefix, after === null ? null : Buffer.from(after, 'latin1'));
    return this.raw
      .range(LOOKUPS, start, afterPrefix(prefix), limit)
      .map(({ key, value }) => ({ key: key.toString('latin1', prefix.length), id: idAt(value) }));
  }

  /** Whether any domain has labels. */
  haveZoneLabels(): boolean {
    return this.raw.range(zoneLabels.number, idKey(0), undefined, 1).length > 0;
  }

  /** The RRsets of a domain that have comments. */
  commentsOf(domainId: Id): RRsetComments[] {
    const start = idKey(domainId);
    return this.raw
      .range(comments.number, start, afterPrefix(start))
      .map(({ key, value }) => comments.decode(key, value));
  }

  /** Whether an RRset of the domain has comments. */
  hasComments(domainId: Id): boolean {
    const start = idKey(domainId);
    return this.raw.range(comments.number, start, afterPrefix(start), 1).length > 0;
  }

  /**
   * Whether a record of the domain is hidden by an import (hidden-rows.ts); null: none is. There
   * may be a million next to each other, so a long list reads them, too, and leaves them out in
   * steps.
   */
  hiddenIn(domainId: Id): ((key: Uint8Array) => boolean) | null {
    const ranges = this.environment.hidden.read().filter((range) => range.domainId === domainId);
    return ranges.length === 0 ? null : (key) => ranges.some((range) => isHidden(range, key));
  }

  /** Records whose keys start with `prefix`, encoded, after the record whose key is `after`. */
  recordEntries(
    prefix: Uint8Array,
    after: Uint8Array | null,
    limit: number,
    { withHidden = false }: { readonly withHidden?: boolean } = {},
  ): Entry[] {
    // `after` may be any key. The range must not start before the prefix.
    const next = after === null ? prefix : startAfter(NOTHING, after);
    const start = Buffer.compare(next, prefix) < 0 ? prefix : next;
    return this.#readRecords({ start, end: afterPrefix(prefix), limit }, withHidden);
  }

  /** Like `recordEntries`, in descending order, before the record whose key is `before`. */
  recordEntriesBefore(
    prefix: Uint8Array,
    before: Uint8Array | null,
    limit: number,
    { withHidden = false }: { readonly withHidden?: boolean } = {},
  ): Entry[] {
    const end = afterPrefix(prefix);
    const isInside = before !== null && (end === undefined || Buffer.compare(before, end) < 0);
    const start = isInside ? before : end;
    const range = { start, end: prefix, reverse: true, limit: limit + 1 };
    return this.#readRecords(range, withHidden)
      .filter(({ key }) => Buffer.compare(key, start ?? NOTHING) !== 0)
      .slice(0, limit);
  }

  #readRecords(range: RangeOptions, withHidden: boolean): Entry[] {
    const { records: table, allRecords } = this.environment;
    return [...(withHidden ? allRecords(range) : table.getRange(range))] as Entry[];
  }

  countAccounts(): number {
    const { entryCount } = this.environment.rows.get(accounts.number)!.getStats() as { entryCount: number };
    return entryCount;
  }

  /** Accounts with ids below `before`, in descending order. */
  accountsBefore(before: Id | null, limit: number): Account[] {
    const table = this.environment.rows.get(accounts.number)!;
    const start = before === null ? undefined : idKey(before);
    const found: Account[] = [];
    for (const { key, value } of table.getRange({ start, reverse: true, limit: limit + 1 }))
      if (found.length < limit && !(start?.equals(key as Buffer) ?? false))
        found.push(accounts.decode(key as Buffer, value));
    return found;
  }

  /** Usernames and e-mail addresses with their accounts, sorted by bytes. */
  logins(
    after: Uint8Array | null,
    limit: number,
    descending: boolean,
  ): { readonly login: Buffer; readonly account: Account | undefined }[] {
    const prefix = lookupKey(LOOKUP.login);
    const last = afterPrefix(prefix);
    const at = after === null ? null : Buffer.concat([prefix, after]);
    const found: { login: Buffer; account: Account | undefined }[] = [];
    const range = descending
      ? { start: at ?? last, end: prefix, reverse: true }
      : { start: at ?? prefix, end: last, reverse: false };
    for (const { key, value } of this.environment.lookups.getRange({ ...range, limit: limit + 1 }))
      if (found.length < limit && !(at?.equals(key as Buffer) ?? false))
        found.push({ login: (key as Buffer).subarray(prefix.length), account: this.row(accounts, value) });
    return found;
  }

  usage(accountId: Id): Usage {
    return decodeUsage(this.environment.usage.get(idKey(accountId)));
  }

  oldestAudits(accountId: Id, limit: number): Audit[] {
    const start = idKey(accountId);
    return this.raw
      .range(audits.number, start, afterPrefix(start), limit)
      .map(({ key, value }) => audits.decode(key, value));
  }

  /** Whether the stored totals include bytes. False: an earlier version wrote the store. */
  hasCounts(): boolean {
    for (const { value } of this.environment.zones.getRange({ limit: 1 })) return hasZoneBytes(value);
    return true;
  }

  /**
   * Audit entries of an account (null: of all accounts), newest first, older than the entry
   * `before`.
   */
  audits(accountId: Id | null, before: Id | null, limit: number): Audit[] {
    return this.scanAudits(accountId, before, limit, () => true).entries;
  }

  /** The same of `limit` entries, without those whose stored bytes `mayMatch` refuses. */
  scanAudits(
    accountId: Id | null,
    before: Id | null,
    limit: number,
    mayMatch: (stored: Buffer) => boolean,
  ): { readonly entries: Audit[]; readonly last: Id | null; readonly isEnd: boolean } {
    const { lookups, rows } = this.environment;
    const prefix = accountId === null ? lookupKey(LOOKUP.audit) : idKey(accountId);
    const start = before === null ? afterPrefix(prefix)! : Buffer.concat([prefix, idKey(before)]);
    const entries: Audit[] = [];
    const table = rows.get(audits.number)!;
    let last = before;
    let scanned = 0;
    for (const found of (accountId === null ? lookups : table).getRange({ start, end: prefix, reverse: true })) {
      const key = found.key as Buffer;
      if (before !== null && key.equals(start)) continue;
      if (scanned === limit) return { entries, last, isEnd: false };
      scanned++;
      last = idAt(key, prefix.length);
      const rowKey = accountId === null ? found.value : key;
      const value = accountId === null ? (table.get(rowKey) as Buffer | undefined) : found.value;
      if (value !== undefined && mayMatch(value)) entries.push(audits.decode(rowKey, value));
    }
    return { entries, last, isEnd: true };
  }
}

const NOTHING = Buffer.alloc(0);
