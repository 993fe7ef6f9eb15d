/**
 * The last differences of zones that somebody transfers, for IXFR (RFC 1995). They are kept in
 * memory: writing them with each change would cost the write path, and all that a restart loses
 * is that those who were behind at that moment take the zone whole once. A zone that nobody has
 * asked for since the start has none.
 */

import { latin1 } from '../../dns/wire/latin1.ts';
import type { ResourceRecord } from '../../dns/wire/types.ts';
import type { ZoneChange, ZoneDifference } from '../../journal/apply/zone-difference.ts';
import type { Id } from '../../store/keys.ts';

export interface HistoryLimits {
  /** Differences of one zone; 0: none are kept. */
  readonly entries: number;
  /** Bytes of one zone, as they take memory. */
  readonly bytes: number;
  /** Bytes of all zones. */
  readonly total: number;
  /** Zones that are followed; those that were asked for longest ago make room. */
  readonly zones: number;
}

interface Kept {
  readonly difference: ZoneDifference;
  readonly bytes: number;
}

/** Differences that lead from one serial to the next without a gap. */
interface Line {
  kept: Kept[];
  bytes: number;
}

/** What an object with two byte arrays takes in addition to the bytes. */
const RECORD_OVERHEAD = 300;

export class ZoneHistories {
  readonly #limits: HistoryLimits;
  /** By domain id; who was asked for last is last. */
  readonly #lines = new Map<Id, Line>();
  #total = 0;

  constructor(limits: HistoryLimits) {
    this.#limits = limits;
  }

  /** Bytes of all zones, and how many are followed. */
  get size(): { readonly bytes: number; readonly zones: number } {
    return { bytes: this.#total, zones: this.#lines.size };
  }

  follows(domainId: Id): boolean {
    return this.#lines.has(domainId);
  }

  /** Somebody transfers the zone: from its next change on differences are kept. */
  follow(domainId: Id): void {
    if (this.#limits.entries === 0) return;
    const line = this.#lines.get(domainId) ?? { kept: [], bytes: 0 };
    this.#lines.delete(domainId);
    this.#lines.set(domainId, line);
    if (this.#lines.size > this.#limits.zones) this.#dropOldest();
  }

  onChange({ domainId, serial, difference }: ZoneChange): void {
    const line = this.#lines.get(domainId);
    if (line === undefined) return;
    if (serial === 0) {
      this.#cut(line, line.kept.length);
      this.#lines.delete(domainId);
      return;
    }
    const last = line.kept.at(-1);
    if (difference === null || (last !== undefined && last.difference.to !== difference.from))
      this.#cut(line, line.kept.length);
    if (difference === null) return;
    const bytes = sizeOf(difference.removed) + sizeOf(difference.added) + RECORD_OVERHEAD;
    line.kept.push({ difference, bytes });
    line.bytes += bytes;
    this.#total += bytes;
    const { entries, bytes: most, total } = this.#limits;
    let drop = Math.max(0, line.kept.length - entries);
    let rest = line.bytes;
    for (let i = 0; i < line.kept.length && (i < drop || rest > most); i++) {
      rest -= line.kept[i].bytes;
      drop = i + 1;
    }
    this.#cut(line, drop);
    while (this.#total > total) this.#dropOldest();
  }

  /**
   * What leads from one serial to another as one difference (RFC 1995 section 4, condensed); null
   * when that is not known any more.
   */
  between(domainId: Id, from: number, to: number): ZoneDifference | null {
    const line = this.#lines.get(domainId);
    if (line === undefined || line.kept.at(-1)?.difference.to !== to) return null;
    const first = line.kept.findIndex(({ difference }) => difference.from === from);
    return first < 0 ? null : condense(line.kept.slice(first).map(({ difference }) => difference));
  }

  #dropOldest(): void {
    for (const [domainId, line] of this.#lines) {
      this.#cut(line, line.kept.length);
      this.#lines.delete(domainId);
      return;
    }
  }

  /** Forgets the oldest `count` differences. */
  #cut(line: Line, count: number): void {
    for (const { bytes } of line.kept.splice(0, count)) {
      line.bytes -= bytes;
      this.#total -= bytes;
    }
  }
}

function sizeOf(records: readonly ResourceRecord[]): number {
  return records.reduce((bytes, { name, rdata }) => bytes + RECORD_OVERHEAD + name.length + rdata.length, 0);
}

/**
 * Many differences that follow one another become one: what was added and deleted again is in none
 * (RFC 1995 section 4).
 *
 * `differences`: one or more, each from the serial that the one before leads to.
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

/** Equal for equal records, the TTL among what makes them so. */
function recordId({ name, type, ttl, rdata }: ResourceRecord): string {
  return `${type} ${ttl} ${latin1(name)} ${latin1(rdata)}`;
}
