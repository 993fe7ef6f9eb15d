/**
 * Writes the history of the domains that an entry changes (core/store/history.ts). The history
 * depends only on the entries, including its limits, so it is the same on all nodes.
 */
import type { Environment } from '../../store/environment.ts';
import {
  type ChangeAbout,
  encodedSize,
  encodeHistory,
  encodeRecordBefore,
  historyKey,
  type PastComments,
  type PastDnssec,
  type PastProxy,
  pastDnssec,
  pastOwner,
  pastProxy,
} from '../../store/history.ts';
import { afterPrefix, type Id, idAt, idKey, writeId } from '../../store/keys.ts';
import { unjson } from '../../store/rows/table.ts';
import {
  type Audit,
  audits,
  type Comment,
  comments,
  deletedDomains,
  dnssec,
  domains,
  type ImportRow,
  proxies,
  records,
} from '../../store/rows.ts';
import type { Change, Entry } from '../entry-codec.ts';

/** Maximum number of changes kept per domain. */
const MAX_CHANGES = 1000;
/** Maximum bytes of changes kept per domain. A larger change is kept without its values. */
export const MAX_BYTES = 4 << 20;
/** Excess that triggers a deletion, so that the oldest changes are deleted in batches. */
const SLACK_CHANGES = 16;
const SLACK_BYTES = 64 * 1024;

const WRITTEN = Buffer.from('history');
const NO_RECORDS = Buffer.alloc(0);

/** Inside a write transaction. Stores that the histories contain all changes up to `sequence`. */
export function noteHistoryWritten({ meta }: Pick<Environment, 'meta'>, sequence: number): void {
  const value = Buffer.allocUnsafe(6);
  value.writeUIntBE(sequence, 0, 6);
  meta.put(WRITTEN, value);
}

/**
 * Deletes all histories unless they contain all changes up to `head`. An earlier version may have
 * applied entries in between; a restore across this gap would be wrong.
 */
export function discardBrokenHistories({ meta, history }: Environment, head: number): void {
  if ((meta.get(WRITTEN)?.readUIntBE(0, 6) ?? 0) !== head) history.clearSync();
}

/** The changes of an entry to one domain. */
class DomainChange {
  isCreation = false;
  isDeletion = false;
  /** The row of the bin was put or deleted. */
  bin: 'put' | 'deleted' | null = null;
  proxy: { before: PastProxy | null; after: PastProxy | null } | null = null;
  dnssec: { before: PastDnssec | null; after: PastDnssec | null } | null = null;
  /** By owner; empty for a large change. */
  readonly comments = new Map<string, PastComments>();
  /** Encoded records by id; empty for a large change. */
  readonly records = new Map<Id, Buffer>();
  /** Encoded records that an import replaced and created, in addition to `records`. */
  replaced: readonly Buffer[] = [];
  created: Buffer = NO_RECORDS;
  #importedCount = 0;
  #bytes = 0;
  /** Number of records of a large change. */
  #count = 0;

  get isLarge(): boolean {
    return this.#bytes > MAX_BYTES;
  }

  get recordCount(): number {
    return this.isLarge ? this.#count : this.records.size + this.#importedCount;
  }

  addRecord(id: Id, encoded: Buffer): void {
    this.records.set(id, encoded);
    this.#grow(encoded.length);
  }

  /** Adds records with consecutive ids that the entry created. */
  addCreated(firstId: Id, count: number): void {
    if (this.isLarge) {
      this.#count += count;
      return;
    }
    this.#importedCount += count;
    const each = encodeRecordBefore(firstId, null);
    if (this.#bytes + count * each.length <= MAX_BYTES) {
      this.created = Buffer.alloc(count * each.length, each);
      for (let i = 0; i < count; i++) writeId(firstId + i, this.created, i * each.length);
    }
    this.#grow(count * each.length);
  }

  /** Adds the encoded records that an import deletes. */
  addReplaced(encoded: readonly Buffer[]): void {
    this.#importedCount += encoded.length;
    this.replaced = encoded;
    this.#grow(encoded.reduce((sum, { length }) => sum + length, 0));
  }

  /** Adds records of a large change without their values. False: the change is not large. */
  addLarge(count: number, bytes: number): boolean {
    if (this.#bytes + bytes <= MAX_BYTES) return false;
    this.#grow(bytes);
    this.#count += count;
    return true;
  }

  setComments(owner: string, before: readonly Comment[] | null, after: Buffer | null): void {
    if (this.isLarge) return;
    this.comments.set(owner, { owner, before, after: after && unjson<Comment[]>(after) });
    this.#grow(owner.length + JSON.stringify(before).length + (after?.length ?? 0));
  }

  #grow(bytes: number): void {
    const wasLarge = this.isLarge;
    this.#bytes += bytes;
    if (!this.isLarge || wasLarge) return;
    this.#count = this.records.size + this.#importedCount;
    this.replaced = [];
    this.created = NO_RECORDS;
    this.records.clear();
    this.comments.clear();
  }

  countRecords(count: number): void {
    this.#count += count;
  }

  get isEmpty(): boolean {
    return (
      this.recordCount === 0 &&
      this.bin === null &&
      !this.isCreation &&
      !isDifferent(this.proxy) &&
      !isDifferent(this.dnssec) &&
      ![...this.comments.values()].some(isDifferent)
    );
  }
}

export class DomainHistory {
  readonly #domains = new Map<Id, DomainChange>();
  #audit: Buffer | null = null;

  constructor(
    private readonly environment: Environment,
    private readonly entry: Entry,
  ) {}

  /** Called before the change is applied. */
  note({ table, key, value }: Change): void {
    if (table === records.number) this.#noteRecord(key, value !== null);
    else if (table === comments.number) this.#noteComments(key, value);
    else if (table === audits.number) this.#audit = value;
    else if (table === domains.number) this.#noteDomain(key, value);
    else if (table === deletedDomains.number) this.#noteBin(key, value);
    else if (table === proxies.number) {
      const change = this.#domain(idAt(key));
      const read = (stored: Buffer): PastProxy => pastProxy(proxies.decode(key, stored));
      change.proxy = { before: this.#before(change.proxy, table, key, read), after: value && read(value) };
    } else if (table === dnssec.number) {
      const change = this.#domain(idAt(key));
      const read = (stored: Buffer): PastDnssec => pastDnssec(dnssec.decode(key, stored));
      change.dnssec = { before: this.#before(change.dnssec, table, key, read), after: value && read(value) };
    }
  }

  /** Returns the part before the entry. A replaced row is deleted and put. */
  #before<Part>(
    noted: { readonly before: Part | null } | null,
    table: number,
    key: Buffer,
    read: (stored: Buffer) => Part,
  ): Part | null {
    if (noted !== null) return noted.before;
    const stored = this.#stored(table, key);
    return stored === undefined ? null : read(stored);
  }

  /** Called after all changes of the entry were noted. */
  store(): void {
    for (const [domainId, change] of this.#domains) {
      const isMoved = change.bin !== null && (change.isCreation || change.isDeletion);
      if (isMoved) {
        change.isCreation = false;
        change.dnssec = null;
      }
      if (isMoved || this.#stored(domains.number, idKey(domainId)) !== undefined) {
        if (!change.isEmpty) this.#storeChange(domainId, change);
      } else if (change.isDeletion || change.bin === 'deleted') this.#deleteHistory(domainId);
    }
  }

  /** A replaced row is deleted and put. */
  #noteDomain(key: Buffer, value: Buffer | null): void {
    const change = this.#domain(idAt(key));
    if (value !== null && !change.isDeletion && this.#stored(domains.number, key) === undefined)
      change.isCreation = true;
    change.isDeletion = value === null;
  }

  /** A replaced row is deleted and put. */
  #noteBin(key: Buffer, value: Buffer | null): void {
    this.#domain(idAt(key)).bin = value === null ? 'deleted' : 'put';
  }

  #noteRecord(key: Buffer, isWritten: boolean): void {
    const change = this.#domain(idAt(key));
    const id = idAt(key, key.length - 8);
    if (change.isLarge) {
      change.countRecords(1);
      return;
    }
    const value = this.environment.records.get(key);
    // A renamed record has two keys, and only the old key is stored.
    if (value === undefined && (!isWritten || change.records.has(id))) return;
    change.addRecord(id, encodeRecordBefore(id, value === undefined ? null : { key, value }));
  }

  /**
   * Like `note`, for an import: deletes of all stored records of a domain, and puts of others.
   * `readStored`: encodes the stored ones. Not called if the change is too large to be kept with
   * its values.
   */
  noteImport({ domainId, firstId, count, end }: ImportRow, readStored: () => readonly Buffer[]): void {
    const { replaced } = end!;
    const change = this.#domain(domainId);
    const created = count * encodeRecordBefore(firstId, null).length;
    if (!change.addLarge(replaced.count, encodedSize(replaced.count, replaced.bytes) + created))
      change.addReplaced(readStored());
    change.addCreated(firstId, count);
  }

  #noteComments(key: Buffer, value: Buffer | null): void {
    const change = this.#domain(idAt(key));
    const owner = pastOwner(key);
    const noted = change.comments.get(owner) ?? null;
    const read = (stored: Buffer): readonly Comment[] => unjson<Comment[]>(stored);
    change.setComments(owner, this.#before(noted, comments.number, key, read), value);
  }

  #storeChange(domainId: Id, change: DomainChange): void {
    const { sequence, time } = this.entry;
    const { isCreation, isLarge, recordCount, replaced, created, records: changed } = change;
    const value = encodeHistory({
      sequence,
      time,
      isCreation,
      isLarge,
      recordCount,
      about: this.#about(change),
      encodedRecords: Buffer.concat([...changed.values(), ...replaced, created]),
    });
    const { history } = this.environment;
    // A change without values is a gap. Changes before it can never be restored.
    if (isLarge) this.#deleteHistory(domainId);
    const stored = readSize(history.get(historyKey(domainId, 0)));
    history.put(historyKey(domainId, sequence), value);
    const size = { changes: stored.changes + 1, bytes: stored.bytes + value.length };
    const isOver = size.changes > MAX_CHANGES + SLACK_CHANGES || size.bytes > MAX_BYTES + SLACK_BYTES;
    history.put(historyKey(domainId, 0), encodeSize(isOver ? this.#trim(domainId, size) : size));
  }

  #about({ proxy, dnssec: signing, comments: noted }: DomainChange): ChangeAbout {
    const { actor = null, action = null } = this.#audit === null ? {} : unjson<Partial<Audit>>(this.#audit);
    const changed = [...noted.values()].filter(isDifferent);
    return {
      actor: actor && { accountId: actor.accountId, username: actor.username, tokenName: actor.tokenName },
      action,
      ...(proxy !== null && isDifferent(proxy) ? { proxy } : {}),
      ...(signing !== null && isDifferent(signing) ? { dnssec: signing } : {}),
      ...(changed.length > 0 ? { comments: changed } : {}),
    };
  }

  /**
   * Deletes the oldest changes above the limits, but never the last change. Returns the remaining
   * size.
   */
  #trim(domainId: Id, { changes, bytes }: Size): Size {
    const { history } = this.environment;
    const old: Buffer[] = [];
    for (const { key, value } of history.getRange({ start: historyKey(domainId, 1), end: endOf(domainId) })) {
      if (changes === 1 || (changes <= MAX_CHANGES && bytes <= MAX_BYTES)) break;
      old.push(key as Buffer);
      changes--;
      bytes -= value.length;
    }
    for (const key of old) history.remove(key);
    return { changes, bytes };
  }

  #deleteHistory(domainId: Id): void {
    const { history } = this.environment;
    const keys = [...history.getKeys({ start: historyKey(domainId, 0), end: endOf(domainId) })];
    for (const key of keys) history.remove(key);
  }

  #domain(domainId: Id): DomainChange {
    let change = this.#domains.get(domainId);
    if (change === undefined) {
      change = new DomainChange();
      this.#domains.set(domainId, change);
    }
    return change;
  }

  #stored(table: number, key: Buffer): Buffer | undefined {
    return this.environment.rows.get(table)?.get(key);
  }
}

/** Size of the stored history of a domain. */
interface Size {
  readonly changes: number;
  readonly bytes: number;
}

function encodeSize({ changes, bytes }: Size): Buffer {
  const value = Buffer.allocUnsafe(10);
  value.writeUInt32BE(changes, 0);
  value.writeUIntBE(bytes, 4, 6);
  return value;
}

const readSize = (value: Buffer | undefined): Size =>
  value === undefined ? { changes: 0, bytes: 0 } : { changes: value.readUInt32BE(0), bytes: value.readUIntBE(4, 6) };

const endOf = (domainId: Id): Buffer | undefined => afterPrefix(idKey(domainId));

/** Most writes to these rows concern certificates and keys only. */
const isDifferent = (part: { readonly before: unknown; readonly after: unknown } | null): boolean =>
  part !== null && JSON.stringify(part.before) !== JSON.stringify(part.after);
