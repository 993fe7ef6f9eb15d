/** Ids of rows that tests write themselves. */
import { IdTaker } from '../../core/journal/draft/id-taker.ts';
import type { Id } from '../../core/store/keys.ts';

/** Far above the ids that a journal leases. */
let last = 1_000_000_000;

export const newId = (): Id => ++last;

/** For a draft that takes no ids. */
export const noIds = (): IdTaker =>
  new IdTaker({
    take: () => undefined,
    lease: () => Promise.reject(new Error('no ids')),
    release: () => {},
  });
