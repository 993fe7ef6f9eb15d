/**
 * Refresh state of secondary zones. Refreshes without changes are written at most once an hour,
 * together with those of other zones: see core/upkeep/secondary.
 */
import { type Id, idKey } from '../keys.ts';
import { jsonTable } from './table.ts';

/** All times are seconds since 1970. */
export interface SecondaryRow {
  readonly domainId: Id;
  /** Serial of the last transfer; null: never transferred. */
  readonly serial: number | null;
  /** Time of the last transfer that changed the content; null: none. */
  readonly transferredAt: number | null;
  /** Lower bound of the last time that a primary confirmed the serial; null: never. */
  readonly refreshedAt: number | null;
  /** When the zone expires unless a primary confirms it; null: never transferred. */
  readonly expiresAt: number | null;
  /** SOA timers, in seconds. */
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  /** Why the last attempt failed; null: it did not. */
  readonly error: string | null;
}

/** The row of a zone that was never transferred. */
export function newSecondary(domainId: Id): SecondaryRow {
  return {
    domainId,
    serial: null,
    transferredAt: null,
    refreshedAt: null,
    expiresAt: null,
    refresh: 0,
    retry: 0,
    expire: 0,
    error: null,
  };
}

export type SecondaryState = 'pending' | 'current' | 'retrying' | 'expired';

/** `now`: seconds since 1970. */
export function secondaryState({ expiresAt, error }: SecondaryRow, now: number): SecondaryState {
  if (expiresAt === null) return 'pending';
  if (expiresAt <= now) return 'expired';
  return error === null ? 'current' : 'retrying';
}

export const secondaries = jsonTable<SecondaryRow>({
  number: 44,
  name: 'secondaries',
  quota: { none: 'one for each domain' },
  concerns: 'secondaries',
  key: ({ domainId }) => idKey(domainId),
  lookupsFromKey: true,
});
