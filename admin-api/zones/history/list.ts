/** Lists the changes of a domain in pages, newest first. Long work yields to the event loop. */

import { Steps } from '../../../core/base/steps.ts';
import type { HistoryRow } from '../../../core/store/history.ts';
import { idKey } from '../../../core/store/keys.ts';
import type { Domain } from '../../../core/store/rows.ts';
import type { Services } from '../../change/services.ts';
import type { Search } from '../../http/lists.ts';
import { type DomainChange, readChanges, readTimeline } from './timeline.ts';
import { hasText, viewChange } from './view.ts';

/** Characters of the contents in one page. A page that exceeds it has fewer changes. */
const MAX_PAGE_SIZE = 1 << 20;
/** Records that a search compares for one page. Such a page may have fewer changes. */
const MAX_SEARCHED = 50_000;
/** Bytes of contents that a search compares for one page. */
const MAX_SEARCHED_BYTES = 4 << 20;
/** Attempts while concurrent writes change the domain. */
const MAX_ATTEMPTS = 3;

interface HistoryQuery {
  readonly limit: number;
  /** The page begins with the last change before this one. */
  readonly before: number;
  /** Null: all changes. */
  readonly matches: Search | null;
  /** Whether the caller may read the proxy. */
  readonly showsProxy: boolean;
}

export async function listChanges(services: Services, domain: Domain, query: HistoryQuery) {
  for (let attempt = 1; ; attempt++) {
    const { revision } = services.reader.zoneState(domain.id);
    const page = await readPage(services, domain, query);
    // A concurrent write may have changed a record, whose value is then of a later change.
    const isCurrent = services.reader.zoneState(domain.id).revision === revision;
    if (isCurrent || attempt === MAX_ATTEMPTS) return page;
  }
}

async function readPage(services: Services, domain: Domain, { limit, before, matches, showsProxy }: HistoryQuery) {
  const { rows, begin, isComplete } = readTimeline(services, domain);
  const older = rows.filter(({ sequence }) => sequence < before);
  const candidates = matches === null ? older.slice(0, limit) : older;
  const steps = new Steps();
  const changes: Awaited<ReturnType<typeof viewChange>>[] = [];
  let size = 0;
  let last: HistoryRow | undefined;
  const searched = { records: 0, bytes: 0 };
  for await (const { row, change } of readChanges(services, domain, rows, candidates, steps)) {
    if (matches === null || (await hasText(domain, change, matches, steps))) {
      const view = await viewChange(domain, change, { showsProxy, steps });
      changes.push(view);
      size += sizeOf(view.records);
    }
    last = row;
    searched.records += change.records.length;
    searched.bytes += bytesOf(change);
    const isOver = searched.records >= MAX_SEARCHED || searched.bytes >= MAX_SEARCHED_BYTES;
    if (changes.length === limit || size >= MAX_PAGE_SIZE || (matches !== null && isOver)) break;
  }
  const hasMore = last !== undefined && last !== older.at(-1);
  return {
    rows: changes,
    last: hasMore && last !== undefined ? idKey(last.sequence) : null,
    total: matches === null ? rows.length : null,
    more: { begin, is_complete: isComplete },
  };
}

type Listed = Awaited<ReturnType<typeof viewChange>>['records'];

const sizeOf = (records: Listed): number =>
  records.reduce((sum, { before, after }) => sum + (before?.content.length ?? 0) + (after?.content.length ?? 0), 0);

const bytesOf = ({ records }: DomainChange): number =>
  records.reduce((sum, { before, after }) => sum + (before?.rdata.length ?? 0) + (after?.rdata.length ?? 0), 0);
