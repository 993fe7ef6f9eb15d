/** Ids for rows that tests write directly. */
import { IdTaker } from '../../core/journal/draft/id-taker.ts';
import type { Id } from '../../core/store/keys.ts';

/** Far above any id that a journal leases. */
let last = 1_000_000_000;

export const newId = (): Id => ++last;

/** For drafts that need no ids. */
export const noIds = (): IdTaker =>
  new IdTaker({
    take: () => undefined,
    lease: () => Promise.reject(new Error('no ids')),
    release: () => {},
  });
