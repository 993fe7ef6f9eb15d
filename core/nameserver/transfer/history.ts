/**
 * The latest differences of zones that clients transfer, for IXFR (RFC 1995). They are kept in
 * memory, since writing them with each change would slow down the write path. After a restart,
 * clients that are behind transfer the whole zone once. A zone has no history until a client
 * requests a transfer.
 */

import { latin1 } from '../../dns/wire/latin1.ts';
import type { ResourceRecord } from '../../dns/wire/types.ts';
import type { ZoneChange, ZoneDifference } from '../../journal/apply/zone-difference.ts';
import type { Id } from '../../store/keys.ts';

export interface HistoryLimits {
  /** Maximum differences of a zone; 0: none are kept. */
  readonly entries: number;
  /** Maximum bytes of memory for a zone. */
  readonly bytes: number;
  /** Bytes of all zones. */
  readonly total: number;
  /** Maximum zones with a history. The zone with the least recent request is evicted first. */
  readonly zones: number;
}

interface Kept {
  readonly difference: ZoneDifference;
  readonly bytes: number;
}

/** Differences that lead from one serial to the next without a gap. */
interface History {
  kept: Kept[];
  bytes: number;
}

/** Bytes of an object with two byte arrays, in addition to the bytes in them. */
const RECORD_OVERHEAD = 300;

export class ZoneHistories {
  /** By domain id, in order of the latest request. */
  readonly #histories = new Map<Id, History>();
  #total = 0;

  constructor(private readonly limits: HistoryLimits) {}

  /** Bytes of all zones, and the number of zones with a history. */
  get size(): { readonly bytes: number; readonly zones: number } {
    return { bytes: this.#total, zones: this.#histories.size };
  }

  follows(domainId: Id): boolean {
    return this.#histories.has(domainId);
  }

  /**
   * Keeps the differences of a zone from its next change on. Called when a client requests a
   * transfer.
   */
  follow(domainId: Id): void {
    if (this.limits.entries === 0) return;
    const history = this.#histories.get(domainId) ?? { kept: [], bytes: 0 };
    this.#histories.delete(domainId);
    this.#histories.set(domainId, history);
    if (this.#histories.size > this.limits.zones) this.#dropOldest();
  }

  onChange({ domainId, serial, difference }: ZoneChange): void {
    const history = this.#histories.get(domainId);
    if (history === undefined) return;
    if (serial === 0) {
      this.#cut(history, history.kept.length);
      this.#histories.delete(domainId);
      return;
    }
    const last = history.kept.at(-1);
    if (difference === null || (last !== undefined && last.difference.to !== difference.from))
      this.#cut(history, history.kept.length);
    if (difference === null) return;
    const bytes = sizeOf(difference.removed) + sizeOf(difference.added) + RECORD_OVERHEAD;
    history.kept.push({ difference, bytes });
    history.bytes += bytes;
    this.#total += bytes;
    const { entries, bytes: most, total } = this.limits;
    let drop = Math.max(0, history.kept.length - entries);
    let rest = history.bytes;
    for (let i = 0; i < history.kept.length && (i < drop || rest > most); i++) {
      rest -= history.kept[i].bytes;
      drop = i + 1;
    }
    this.#cut(history, drop);
    while (this.#total > total) this.#dropOldest();
  }

  /**
   * The changes between two serials as one condensed difference (RFC 1995 section 4). Null: the
   * history does not reach back to `from`, or does not end at `to`.
   */
  between(domainId: Id, from: number, to: number): ZoneDifference | null {
    const history = this.#histories.get(domainId);
    if (history === undefined || history.kept.at(-1)?.difference.to !== to) return null;
    const first = history.kept.findIndex(({ difference }) => difference.from === from);
    return first < 0 ? null : condense(history.kept.slice(first).map(({ difference }) => difference));
  }

  #dropOldest(): void {
    for (const [domainId, history] of this.#histories) {
      this.#cut(history, history.kept.length);
      this.#histories.delete(domainId);
      return;
    }
  }

  /** Deletes the oldest `count` differences. */
  #cut(history: History, count: number): void {
    for (const { bytes } of history.kept.splice(0, count)) {
      history.bytes -= bytes;
      this.#total -= bytes;
    }
  }
}

function sizeOf(records: readonly ResourceRecord[]): number {
  return records.reduce((bytes, { name, rdata }) => bytes + RECORD_OVERHEAD + name.length + rdata.length, 0);
}

/**
 * Condenses consecutive differences to one. Records that were added and later deleted are omitted
 * (RFC 1995 section 4).
 *
 * `differences`: at least one; each starts at the serial where the previous one ends.
 */
export function condense(differences: readonly ZoneDifference[]): ZoneDifference {
  if (differences.length === 1) return differences[0];
  const removed = new Map<string, ResourceRecord>();
  const added = new Map<string, ResourceRecord>();
  for (const difference of differences) {
    for (const record of difference.removed) {
      const id = recordId(record);
      if (!added.delete(id)) removed.set(id, record);
    }
    for (const record of difference.added) {
      const id = recordId(record);
      if (!removed.delete(id)) added.set(id, record);
    }
  }
  const last = differences[differences.length - 1];
  return { from: differences[0].from, to: last.to, removed: [...removed.values()], added: [...added.values()] };
}

/** Identifies a record, including its TTL. */
function recordId({ name, type, ttl, rdata }: ResourceRecord): string {
  return `${type} ${ttl} ${latin1(name)} ${latin1(rdata)}`;
}
