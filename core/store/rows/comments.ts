/**
 * Comments of RRsets. They are deleted with the last record of the RRset: see applyRows in
 * core/journal/apply/apply-entries.ts.
 */
import type { Name } from '../../dns/wire/name.ts';
import { type Id, idAt, nameOfKey, recordsOfType } from '../keys.ts';
import { json, table, unjson } from './table.ts';

export interface Comment {
  readonly content: string;
  /** The author, as free text. */
  readonly account: string;
  /** Seconds since 1970. */
  readonly modifiedAt: number;
}

export interface RRsetComments {
  readonly domainId: Id;
  /** Wire form in lower case. */
  readonly name: Name;
  readonly type: number;
  /** At least one. */
  readonly comments: readonly Comment[];
}

export const comments = table<RRsetComments>({
  number: 40,
  name: 'comments',
  quota: 'zone',
  key: ({ domainId, name, type }) => recordsOfType(domainId, name, type),
  encode: ({ comments: all }) => json(all),
  decode(key, value) {
    const typeAt = key.length - 2;
    return {
      domainId: idAt(key),
      name: nameOfKey(key, 8, typeAt - 1),
      type: (key[typeAt] << 8) | key[typeAt + 1],
      comments: unjson<Comment[]>(value),
    };
  },
  lookupsFromKey: true,
});
