/** Rows of the service itself: keys of session tickets, counters of ids, renumberings. */
import type { Id } from '../keys.ts';
import { jsonTable } from './table.ts';

/** The key in a table of a single row. */
const SINGLE_KEY = Buffer.alloc(8);

/**
 * Keys of TLS session tickets. All nodes share them, so that a client can resume a session at any
 * node. A single row with the current and the previous key.
 */
export interface TicketKeysRow {
  /** Both keys concatenated, sealed (core/base/secrets.ts, `ticket-keys`), base64. */
  readonly sealed: string;
  /** When the current key was created, in milliseconds since 1970. */
  readonly rotatedAt: number;
}

/** The context for sealing the keys. */
export const TICKET_KEYS_CONTEXT = 'ticket-keys';

export const ticketKeys = jsonTable<TicketKeysRow>({
  number: 13,
  name: 'ticket_keys',
  quota: { none: 'one row' },
  concerns: 'tickets',
  key: () => SINGLE_KEY,
});

/** A single row. Each write of it increases the serials of these zones. */
export interface Renumbering {
  readonly domainIds: readonly Id[];
}

/**
 * Zones whose serials increase without a change of their records, because a served setting of the
 * configuration changed.
 */
export const renumberings = jsonTable<Renumbering>({
  number: 17,
  name: 'renumberings',
  quota: { none: 'written by the service when settings change' },
  key: () => SINGLE_KEY,
});

export interface IdCounter {
  /** Number of the table. */
  readonly table: number;
  /** The first id that no node has leased. */
  readonly next: Id;
  /**
   * Random text of the latest lease, which makes every lease a distinct entry. Otherwise two nodes
   * that lease the same block concurrently could both take one entry in the log for their own.
   */
  readonly lease: string;
}

/** Counters of ids, one for each table whose rows have their own ids. */
export const idCounters = jsonTable<IdCounter>({
  number: 22,
  name: 'ids',
  quota: { none: 'one for each table' },
  key: ({ table }) => Buffer.of(table),
  lookupsFromKey: true,
});
