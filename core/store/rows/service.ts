/** Rows of the service itself: its history, keys of session tickets, counters, renumberings. */
import type { Id } from '../keys.ts';
import { jsonTable } from './table.ts';

/** The key in a table of a single row. */
export const SINGLE_KEY = Buffer.alloc(8);

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

/** What tells this installation from a copy of it. A single row. */
export interface InstallationRow {
  /** Id of the history of changes, 16 hexadecimal digits. A restored copy has another. */
  readonly history: string;
  /** The restore that made this copy; null: none. */
  readonly restored: RestoreSource | null;
  /** Webhooks, request logs and NOTIFY wait, since the original may run next to this copy. */
  readonly isPaused: boolean;
  /** A restore has written the row to the store, and no entry of the journal has it yet. */
  readonly isLocal: boolean;
}

export interface RestoreSource {
  /** The name of a backup, or of the node that wrote a snapshot. */
  readonly from: string;
  /** Sequence of the last change in the restored data. */
  readonly sequence: number;
  /** Seconds since 1970. */
  readonly at: number;
}

/** Written by the first backup, and by a restore. */
export const installations = jsonTable<InstallationRow>({
  number: 59,
  name: 'installation',
  level: 7,
  quota: { none: 'one row' },
  key: () => SINGLE_KEY,
});
