/** Commits the transferred records of a zone and its state in one entry. */

import type { Logger } from '../../base/log/index.ts';
import { Steps } from '../../base/steps.ts';
import { latin1 } from '../../dns/wire/latin1.ts';
import { type Name, nameId, parentName } from '../../dns/wire/name.ts';
import type { ResourceRecord } from '../../dns/wire/types.ts';
import { assignIds } from '../../journal/draft/assign-ids.ts';
import { type Draft, write } from '../../journal/draft/draft.ts';
import { ChangeWriter } from '../../journal/entry-codec.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, type Id, idKey, recordKeyParts } from '../../store/keys.ts';
import type { Reader } from '../../store/reader.ts';
import {
  type Domain,
  newRecord,
  newSecondary,
  type RecordRow,
  records,
  type SecondaryRow,
  secondaries,
} from '../../store/rows.ts';
import { type Difference, SIGNED, type WholeZone } from './content.ts';
import { soaNumbers } from './transfer-stream.ts';

/** Milliseconds for which rows are collected. */
const GATHER_MS = 500;
const RETRY_MS = 5000;
/** Records read between two looks at the clock. */
const PAGE = 256;
/** Maximum of rows per entry, which take a few milliseconds to apply. */
const MAX_ROWS = 200;

interface StoreParts {
  readonly environment: Environment;
  readonly journal: Journal;
}

export interface CommitParts extends StoreParts {
  /** Bounds of the refresh and retry timers, in seconds. */
  readonly minRefresh: number;
  readonly maxRefresh: number;
  /** The EXPIRE option of the primary's response (RFC 7314). */
  readonly expiry?: { readonly seconds: number | null };
}

/** The time at which a zone expires that a primary has confirmed at `now`. */
export function expiryOf({ expiry }: Pick<CommitParts, 'expiry'>, expire: number, now: number): number {
  return now + Math.min(expire, expiry?.seconds ?? expire);
}

/** A timer of an SOA record within its bounds. */
export function boundedTimer(
  { minRefresh, maxRefresh }: Pick<CommitParts, 'minRefresh' | 'maxRefresh'>,
  seconds: number,
): number {
  return Math.min(maxRefresh, Math.max(minRefresh, seconds));
}

/** Author of the entries. */
const BY = 'secondary';

/** The zone was deleted, or another node has transferred it, before the commit. */
export class SupersededError extends Error {}

/** The difference does not match the stored records. */
export class UnfitError extends Error {}

/** The row of a zone after a transfer. `now`: seconds since 1970. */
function transferredRow(
  parts: CommitParts,
  domainId: Id,
  { soa, warnings }: Pick<WholeZone, 'soa' | 'warnings'>,
  now: number,
): SecondaryRow {
  const [serial, refresh, retry, ownExpire] = soaNumbers(soa);
  // As BIND: there is time for a refresh and a retry, also with an expire of 0.
  const expire = Math.max(ownExpire, boundedTimer(parts, refresh) + boundedTimer(parts, retry));
  return {
    domainId,
    serial,
    refresh,
    retry,
    expire,
    transferredAt: now,
    refreshedAt: now,
    expiresAt: expiryOf(parts, expire, now),
    error: null,
    warnings,
  };
}

/** `from`: the serial that must be stored; undefined: any. Throws SupersededError. */
function requireSerial(reader: Reader, domainId: Id, from: number | null | undefined): Domain {
  const domain = reader.domain(domainId);
  if (domain?.kind !== 'secondary') throw new SupersededError('the zone was deleted meanwhile');
  const row = reader.row(secondaries, idKey(domainId)) ?? newSecondary(domainId);
  if (from !== undefined && row.serial !== from)
    throw new SupersededError('another node has transferred the zone meanwhile');
  return domain;
}

/**
 * Replaces all records of a secondary zone. Rejects with SupersededError, and like a commit.
 * `from`: the serial that is replaced; undefined: any.
 */
export async function commitWholeZone(
  parts: CommitParts,
  domainId: Id,
  zone: WholeZone,
  from: number | null | undefined,
  now: number,
): Promise<SecondaryRow> {
  const { environment, journal } = parts;
  const row = transferredRow(parts, domainId, zone, now);
  await write(environment, journal, BY, async (draft) => {
    const { apex } = requireSerial(draft, domainId, from);
    const { deletions, isSigned } = await deleteZone(environment, draft, domainId);
    // A copy, since the ids are written into it, and a conflicting commit runs again.
    const changes = Buffer.from(zone.changes);
    const firstId = draft.newId(records, zone.count);
    await assignIds(changes, domainId, firstId);
    draft.put(secondaries, row);
    const { nodes, count } = zone;
    // The nodes were compiled without regard to domains above or below.
    const isPlain = nodes !== null && !hasRelatedDomain(draft, apex);
    // The denial of a signed zone is replaced in the commit, as a whole.
    if (isPlain && !isSigned) draft.compiled = { domainId, nodes, rows: { changes, apex, firstId, count }, deletions };
    else {
      if (isPlain) draft.compiled = { domainId, nodes };
      draft.append(deletions);
      draft.append(changes);
    }
  });
  return row;
}

/** Encoded deletes of all records of a zone, and whether some are of DNSSEC. */
async function deleteZone(
  { records: table }: Environment,
  draft: Draft,
  domainId: Id,
): Promise<{ deletions: Buffer; isSigned: boolean }> {
  const end = afterPrefix(idKey(domainId));
  draft.addReadRange({ table: records.number, start: idKey(domainId), end });
  const out = new ChangeWriter();
  const steps = new Steps();
  let isSigned = false;
  for (let start: Buffer | null = idKey(domainId); start !== null; await steps.next()) {
    let last: Buffer | null = null;
    for (const key of table.getKeys({ start, end, limit: PAGE }) as Iterable<Buffer>) {
      out.delete(records.number, key);
      isSigned ||= SIGNED.has(recordKeyParts(key).type);
      last = key;
    }
    start = last && Buffer.concat([last, Uint8Array.of(0)]);
  }
  return { deletions: out.content, isSigned };
}

function hasRelatedDomain(reader: Reader, apex: Name): boolean {
  for (let above = apex; above.length > 1; ) {
    above = parentName(above);
    if (reader.domainByApex(above) !== undefined) return true;
  }
  return reader.domainsBelow(apex, 1).length > 0;
}

/**
 * Commits a difference from serial `from`. Rejects with SupersededError, UnfitError, and like a
 * commit.
 */
export async function commitDifference(
  parts: CommitParts,
  domainId: Id,
  { removed, added, ...content }: Difference,
  from: number,
  now: number,
): Promise<SecondaryRow> {
  const { environment, journal } = parts;
  const row = transferredRow(parts, domainId, content, now);
  await write(environment, journal, BY, (draft) => {
    requireSerial(draft, domainId, from);
    const sets = new Map<string, Map<string, RecordRow>>();
    const setOf = ({ name, type }: ResourceRecord): Map<string, RecordRow> => {
      const id = `${type} ${nameId(name)}`;
      let set = sets.get(id);
      if (set === undefined) {
        set = new Map(draft.recordsOfType(domainId, name, type).map((stored) => [latin1(stored.rdata), stored]));
        sets.set(id, set);
      }
      return set;
    };
    const deleted = new Map<string, RecordRow>();
    for (const record of removed) {
      const set = setOf(record);
      const rdata = latin1(record.rdata);
      const stored = set.get(rdata);
      if (stored === undefined) throw new UnfitError('a record that is to be removed is not there');
      set.delete(rdata);
      deleted.set(`${record.type} ${nameId(record.name)} ${rdata}`, stored);
    }
    const puts: RecordRow[] = [];
    const inserts: ResourceRecord[] = [];
    for (const record of added) {
      const set = setOf(record);
      const rdata = latin1(record.rdata);
      const id = `${record.type} ${nameId(record.name)} ${rdata}`;
      const stored = deleted.get(id) ?? set.get(rdata);
      if (stored === undefined) inserts.push(record);
      else if (stored.ttl !== record.ttl) puts.push({ ...stored, ttl: record.ttl, updatedAt: now });
      deleted.delete(id);
    }
    for (const stored of deleted.values()) draft.delete(records, stored);
    for (const stored of puts) draft.put(records, stored);
    if (inserts.length > 0) {
      let id = draft.newId(records, inserts.length);
      for (const record of inserts) draft.insert(records, newRecord(id++, domainId, record, now));
    }
    draft.put(secondaries, row);
  });
  return row;
}

/** The difference between stored records and `zone`, which has fewer changes than the zone. */
export function differenceTo(
  stored: readonly RecordRow[],
  zone: readonly ResourceRecord[],
  content: Pick<Difference, 'soa' | 'warnings'>,
): Difference {
  const idOf = ({ name, type, ttl, rdata }: ResourceRecord): string =>
    `${type} ${ttl} ${latin1(name)} ${latin1(rdata)}`;
  const before = new Set(stored.map(idOf));
  const after = new Set(zone.map(idOf));
  return {
    removed: stored.filter((record) => !after.has(idOf(record))),
    added: zone.filter((record) => !before.has(idOf(record))),
    ...content,
  };
}

/**
 * Writes the rows of many refreshes in one entry: 10,000 zones without changes must not write
 * 10,000 entries.
 */
export class RowBatch {
  readonly #rows = new Map<Id, SecondaryRow>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;
  #isStopped = false;

  constructor(private readonly parts: StoreParts & { readonly log: Logger }) {}

  add(row: SecondaryRow): void {
    this.#rows.set(row.domainId, row);
    this.#later(GATHER_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#writing;
  }

  #later(ms: number): void {
    if (this.#isStopped || this.#timer !== null || this.#writing !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#writing = this.#write().then((isDone) => {
        this.#writing = null;
        if (this.#rows.size > 0) this.#later(isDone ? 0 : RETRY_MS);
      });
    }, ms);
    this.#timer.unref();
  }

  /** Never rejects; returns whether rows were written. */
  async #write(): Promise<boolean> {
    const { environment, journal, log } = this.parts;
    const rows = [...this.#rows.values()].slice(0, MAX_ROWS);
    try {
      await write(environment, journal, BY, (draft) => {
        for (const row of rows) {
          const stored = draft.row(secondaries, idKey(row.domainId));
          // The zone was deleted, or transferred or confirmed by another node.
          if (stored === undefined || stored.serial !== row.serial) continue;
          if ((stored.refreshedAt ?? 0) > (row.refreshedAt ?? 0)) continue;
          draft.put(secondaries, row);
        }
      });
    } catch (error) {
      // For example without a quorum. The rows stay queued.
      log.debug('cannot store the states of secondary zones; retrying', { error: error as Error });
      return false;
    }
    for (const row of rows) if (this.#rows.get(row.domainId) === row) this.#rows.delete(row.domainId);
    return true;
  }
}
