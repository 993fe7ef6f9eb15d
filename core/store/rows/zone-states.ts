/** What background tasks know about zones: the delegation in the parent, and the last transfer. */
import { type Id, idKey } from '../keys.ts';
import { json, jsonTable, table, unjson } from './table.ts';

/**
 * The delegation of a domain, as observed in its parent zone. Whether it is correct depends on the
 * domain's current nameservers, so it is not stored. All times are seconds since 1970.
 */
export interface DelegationRow {
  readonly domainId: Id;
  /** Time of the next check. */
  readonly dueAt: number;
  /** The parent zone, without the trailing dot; empty for the root; null: not found yet. */
  readonly zone: string | null;
  /**
   * The distinct NS sets of the parent's servers: sorted names without the trailing dot. Empty: no
   * server has answered yet.
   */
  readonly sets: readonly (readonly string[])[];
  /** When a server of the parent last answered. */
  readonly checkedAt: number | null;
  /** Why the last check failed, as the end of a sentence; null: it did not. */
  readonly trouble: string | null;
}

const HEAD_LENGTH = 5;

/** dueAt (5) · JSON. A scan finds due rows without decoding JSON. */
export const delegations = table<DelegationRow>({
  number: 31,
  name: 'delegations',
  quota: { none: 'one for each domain' },
  key: ({ domainId }) => idKey(domainId),
  encode({ dueAt, ...row }) {
    const head = Buffer.alloc(HEAD_LENGTH);
    head.writeUIntBE(dueAt, 0, HEAD_LENGTH);
    return Buffer.concat([head, json(row)]);
  },
  decode: (_key, value) => ({
    ...unjson<Omit<DelegationRow, 'dueAt'>>(value.subarray(HEAD_LENGTH)),
    dueAt: delegationDueAt(value),
  }),
  lookupsFromKey: true,
});

export function delegationDueAt(value: Uint8Array): number {
  return Buffer.from(value.buffer, value.byteOffset, HEAD_LENGTH).readUIntBE(0, HEAD_LENGTH);
}

/**
 * Refresh state of a secondary zone. Refreshes without changes are written at most once an hour,
 * together with those of other zones: see core/upkeep/secondary. All times are seconds since 1970.
 */
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
  /** Undefined in rows of earlier versions: none. */
  readonly warnings?: StoredWarnings;
}

/** What the primary sent that a zone should not have: see core/dns/wire/zone-content.ts. */
export interface StoredWarnings {
  readonly first: readonly { readonly code: string; readonly message: string }[];
  /** The number of further warnings. */
  readonly omitted: number;
}

export const NO_WARNINGS: StoredWarnings = { first: [], omitted: 0 };

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
