/** The stored history of one domain, with the values before and after each change. */

import type { Steps } from '../../../core/base/steps.ts';
import {
  type ChangeAbout,
  type HistoryRow,
  type RecordBefore,
  readHistory,
  recordsBefore,
} from '../../../core/store/history.ts';
import type { Id } from '../../../core/store/keys.ts';
import type { Domain, RecordRow } from '../../../core/store/rows.ts';
import type { Services } from '../../change/services.ts';

/** Null: there was, or is, no row. */
export interface RecordChange {
  readonly before: RecordRow | null;
  readonly after: RecordRow | null;
}

export interface DomainChange {
  readonly seq: number;
  /** Seconds since 1970. */
  readonly at: number;
  readonly isCreation: boolean;
  readonly about: ChangeAbout;
  readonly records: readonly RecordChange[];
  readonly recordCount: number;
  /** False: the change was too large for its values to be stored. */
  readonly isComplete: boolean;
}

export interface Timeline {
  /** Newest first. */
  readonly rows: readonly HistoryRow[];
  /** The states after this change and all later ones are stored. */
  readonly begin: number;
  /** Whether the history begins with the creation of the domain. */
  readonly isComplete: boolean;
}

export function readTimeline(
  { environment, reader }: Pick<Services, 'environment' | 'reader'>,
  { id }: Domain,
): Timeline {
  const rows = readHistory(environment, id);
  const oldest = rows.at(-1);
  // Without a stored change, only the current state is known.
  if (oldest === undefined) return { rows, begin: Math.max(1, reader.zoneState(id).revision), isComplete: false };
  const isFirst = oldest.isCreation || oldest.isLarge;
  return { rows, begin: isFirst ? oldest.sequence : oldest.sequence - 1, isComplete: oldest.isCreation };
}

/** A change, with its row. */
interface ReadChange {
  readonly row: HistoryRow;
  readonly change: DomainChange;
}

/** Decodes the changes of `page`, a subset of `rows` in order. Yields to the event loop. */
export async function* readChanges(
  { reader }: Pick<Services, 'reader'>,
  domain: Domain,
  rows: readonly HistoryRow[],
  page: readonly HistoryRow[],
  steps: Steps,
): AsyncGenerator<ReadChange> {
  const wanted = new Set(page);
  const wantedIds = new Set<Id>();
  for (const row of page)
    for (const { id } of recordsBefore(domain.id, row)) {
      wantedIds.add(id);
      await steps.next();
    }
  // Records by id, before the previously read change. This is also their state after an older one.
  const later = new Map<Id, RecordBefore>();
  let count = 0;
  for (const row of rows) {
    if (count === page.length) return;
    const isWanted = wanted.has(row);
    const records: RecordChange[] = [];
    for (const record of recordsBefore(domain.id, row)) {
      await steps.next();
      const { id } = record;
      if (!wantedIds.has(id)) continue;
      const next = later.get(id);
      later.set(id, record);
      if (!isWanted) continue;
      const after = next === undefined ? currentRecord(reader, domain, id) : next.decode();
      records.push({ before: record.decode(), after });
    }
    if (!isWanted) continue;
    count++;
    const { sequence, time, isCreation, about, recordCount, isLarge } = row;
    const at = Math.floor(time / 1000);
    yield { row, change: { seq: sequence, at, isCreation, about, records, recordCount, isComplete: !isLarge } };
  }
}

export function currentRecord(reader: Services['reader'], { id: domainId }: Domain, id: Id): RecordRow | null {
  const row = reader.record(id);
  return row === undefined || row.domainId !== domainId ? null : row;
}
