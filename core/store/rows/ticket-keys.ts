/**
 * The keys of TLS session tickets, the same on every node, so that a visitor resumes at whichever
 * is next.
 */
import { jsonTable } from './table.ts';

/** One row: the newest key and the one before. */
export interface TicketKeysRow {
  /** Both keys behind one another, sealed (core/base/secrets.ts, `ticket-keys`), base64. */
  readonly sealed: string;
  /** Milliseconds since 1970 when the newest came. */
  readonly rotatedAt: number;
}

/** What they are sealed for. */
export const TICKET_KEYS_CONTEXT = 'ticket-keys';

const KEY = Buffer.alloc(8);

export const ticketKeys = jsonTable<TicketKeysRow>({
  number: 13,
  name: 'ticket_keys',
  key: () => KEY,
});
