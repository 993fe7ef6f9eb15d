/**
 * The delegation of a domain, as observed in its parent zone. Whether it is correct depends on the
 * domain's current nameservers, so it is not stored.
 *
 * dueAt (5) · JSON. A scan finds due rows without decoding JSON.
 */
import { type Id, idKey } from '../keys.ts';
import { json, table, unjson } from './table.ts';

/** All times are seconds since 1970. */
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
