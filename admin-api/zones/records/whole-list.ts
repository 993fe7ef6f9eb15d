/**
 * Streams a whole list of records at the speed of its client. The list shows one state of the
 * domain, and its ETag is of that state.
 */
import { createHash } from 'node:crypto';
import type { RangeOptions, Transaction } from 'lmdb';
import { Steps } from '../../../core/base/steps.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import type { Environment } from '../../../core/store/environment.ts';
import { afterPrefix, recordKeyParts, recordsAt, recordsOfZone } from '../../../core/store/keys.ts';
import type { Entry } from '../../../core/store/raw-reader.ts';
import { type Domain, records } from '../../../core/store/rows.ts';
import type { AliasStates } from '../../../core/upkeep/alias/index.ts';
import { etag } from '../../change/owned-domain.ts';
import type { Services } from '../../change/services.ts';
import { ListText } from '../../http/list-reply.ts';
import { cursorOf, MAX_WHOLE } from '../../http/lists.ts';
import type { StreamSource } from '../../http/stream-slots.ts';
import { type DomainTargets, recordOf } from '../targets/target-warnings.ts';
import { commentFinder, type FindComment } from './comment.ts';
import { createMatcher, type Filter } from './list.ts';
import { type FindPtr, ptrFinder } from './ptrs.ts';
import { RecordSerializer } from './text.ts';

/** Records read between two yields to other streams. */
const BATCH = 100;

interface WholeList extends StreamSource {
  readonly tag: string;
  /** Key of the last record, if there are more; null: none, or unknown because of a filter. */
  readonly last: Buffer | null;
}

interface Snapshot {
  readonly environment: Environment;
  readonly aliases: AliasStates;
  readonly targets: DomainTargets;
  readonly domain: Domain;
  readonly transaction: Transaction;
  /** Returns a new object each time, because LMDB modifies its options. */
  range(): RangeOptions;
  /** Null: every record matches. */
  readonly matches: ((entry: Entry) => boolean) | null;
  readonly findComment: FindComment;
  readonly findPtr: FindPtr;
  /** Null: not counted. */
  readonly total: number | null;
}

/** Yields to the event loop. */
export async function openWholeList(
  { environment, reader, aliases }: Services,
  targets: DomainTargets,
  domain: Domain,
  filter: Filter,
  descending: boolean,
): Promise<WholeList> {
  // Kept open until the end, so that LMDB does not reuse the pages of this state.
  const transaction = environment.root.useReadTransaction();
  const close = (): void => transaction.done();
  try {
    const { revision, recordCount } = reader.zoneState(domain.id);
    const scope = filter.name === null ? recordsOfZone(domain.id) : recordsAt(domain.id, filter.name);
    const [start, end] = descending ? [afterPrefix(scope), scope] : [scope, afterPrefix(scope)];
    const findComment = commentFinder(environment, domain, transaction);
    const matches = createMatcher(domain, filter, findComment);
    const snapshot: Snapshot = {
      environment,
      aliases,
      targets,
      domain,
      transaction,
      range: () => ({ start, end, reverse: descending, transaction }),
      matches,
      findComment,
      findPtr: ptrFinder(environment, domain, transaction),
      total: matches === null && filter.name === null ? recordCount : null,
    };
    const hasNoTarget = filter.type !== null && !targets.mayWarn(filter.type);
    const { states, last } = hasNoTarget ? NOT_LOOKED_THROUGH : await lookThrough(snapshot);
    return { tag: etag(revision, states), last, chunks: chunksOf(snapshot), close };
  } catch (error) {
    close();
    throw error;
  }
}

const NOT_LOOKED_THROUGH = { states: undefined, last: null };

/**
 * Computes a digest of the target states in the list, which change without a new revision. Without
 * a filter, also finds the end of the list.
 */
async function lookThrough({ environment, aliases, targets, domain, transaction, range, matches }: Snapshot) {
  const table = environment.rows.get(records.number)!;
  const steps = new Steps();
  const digest = createHash('sha256');
  let hasTarget = false;
  let count = 0;
  let last: Buffer | null = null;
  let hasMore = false;
  for (const key of table.getKeys(range()) as Iterable<Buffer>) {
    if (matches === null && count === MAX_WHOLE) {
      hasMore = true;
      break;
    }
    last = key;
    const { type } = recordKeyParts(key);
    if (targets.mayWarn(type)) {
      hasTarget = true;
      const record = recordOf(key, table.get(key, { transaction })!);
      const state = type === TYPE.ALIAS ? aliases.of(record.rdata, domain.accountId) : null;
      digest.update(JSON.stringify([state, targets.find(record)]));
    }
    if (++count % BATCH === 0) await steps.next();
  }
  return { states: hasTarget ? digest.digest() : undefined, last: hasMore ? last : null };
}

async function* chunksOf(snapshot: Snapshot): AsyncGenerator<string> {
  const { environment, aliases, targets, domain, range, matches, findComment, findPtr, total } = snapshot;
  const texts = new RecordSerializer(domain, aliases, targets, findComment, findPtr);
  const table = environment.rows.get(records.number)!;
  const steps = new Steps();
  const text = new ListText('records');
  let scanned = 0;
  let last: Buffer | null = null;
  let hasMore = false;
  for (const entry of table.getRange(range()) as Iterable<Entry>) {
    if (matches === null || matches(entry)) {
      if (text.count === MAX_WHOLE) {
        hasMore = true;
        break;
      }
      text.add(texts.serialize(entry));
      last = entry.key;
    }
    const { isFull } = text;
    if (isFull || ++scanned % BATCH === 0) {
      yield isFull ? text.take() : '';
      await steps.next();
    }
  }
  const counted = total ?? (hasMore ? null : text.count);
  yield text.end({ next_cursor: cursorOf(hasMore ? last : null), total: counted });
}
