/**
 * Keys of TLS session tickets. All nodes share them, so that a client can resume a session at any
 * node.
 */
import { jsonTable } from './table.ts';

/** A single row with the current and the previous key. */
export interface TicketKeysRow {
  /** Both keys concatenated, sealed (core/base/secrets.ts, `ticket-keys`), base64. */
  readonly sealed: string;
  /** When the current key was created, in milliseconds since 1970. */
  readonly rotatedAt: number;
}

/** The context for sealing the keys. */
export const TICKET_KEYS_CONTEXT = 'ticket-keys';

const KEY = Buffer.alloc(8);

export const ticketKeys = jsonTable<TicketKeysRow>({
  number: 13,
  name: 'ticket_keys',
  quota: { none: 'one row' },
  concerns: 'tickets',
  key: () => KEY,
});
