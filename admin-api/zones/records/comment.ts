/** The comment of a record, which all records of its RRset share. */
import type { Transaction } from 'lmdb';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Environment } from '../../../core/store/environment.ts';
import { afterPrefix, idKey } from '../../../core/store/keys.ts';
import type { Entry } from '../../../core/store/raw-reader.ts';
import { type Comment, comments, type Domain, type RecordRow } from '../../../core/store/rows.ts';
import { nowSeconds } from '../../http/time.ts';

type Owner = Pick<RecordRow, 'domainId' | 'name' | 'type'>;

/** Clients of the PowerDNS API may set several comments; null: there is none. */
export const textOf = (all: readonly Comment[]): string | null =>
  all.length === 0 ? null : all.map(({ content }) => content).join('\n');

/** Null: the RRset has none. */
export const commentOf = (draft: Draft, { domainId, name, type }: Owner): string | null =>
  textOf(draft.comments(domainId, name, type));

/** Sets the comment of an RRset; null or empty: deletes it. `author`: the name of an account. */
export function writeComment(draft: Draft, owner: Owner, comment: string | null, author: string): void {
  const { domainId, name, type } = owner;
  const before = textOf(draft.comments(domainId, name, type));
  const after = comment === '' ? null : comment;
  if (after === before) return;
  const row = { domainId, name, type, comments: [{ content: after ?? '', account: author, modifiedAt: nowSeconds() }] };
  if (after === null) draft.delete(comments, row);
  else draft.put(comments, row);
}

/** The comment of a stored record. */
export type FindComment = (entry: Pick<Entry, 'key'>) => string | null;

/**
 * For the records of a domain in key order: reads the comments of each RRset once, as of
 * `transaction`; omitted: the current ones.
 */
export function commentFinder({ rows }: Environment, { id }: Domain, transaction?: Transaction): FindComment {
  const table = rows.get(comments.number)!;
  const start = idKey(id);
  const [any] = table.getKeys({ start, end: afterPrefix(start), limit: 1, transaction });
  if (any === undefined) return () => null;
  let last: Buffer | null = null;
  let text: string | null = null;
  return ({ key }) => {
    const owner = key.subarray(0, key.length - RECORD_ID);
    if (last === null || !owner.equals(last)) {
      last = Buffer.from(owner);
      const value = table.get(last, { transaction });
      text = value === undefined ? null : textOf(comments.decode(last, value).comments);
    }
    return text;
  };
}

/** Bytes of the id at the end of the key of a record. */
const RECORD_ID = 8;
