/**
 * Which nameservers the parent zone of a domain has for it. Only what was seen: whether that is
 * right depends on the nameservers that the domain should have now.
 *
 * dueAt (5) · JSON, so that a scan finds what is due without decoding.
 */
import { type Id, idKey } from '../keys.ts';
import { json, table, unjson } from './table.ts';

/** All times are seconds since 1970. */
export interface DelegationRow {
  readonly domainId: Id;
  /** When the parent is asked again. */
  readonly dueAt: number;
  /** The parent zone, without the last dot; empty for the root; null: never found. */
  readonly zone: string | null;
  /**
   * The different sets of nameservers that servers of the parent have: sorted names without the
   * last dot. Empty: no server ever answered.
   */
  readonly sets: readonly (readonly string[])[];
  /** When a server of the parent last answered. */
  readonly checkedAt: number | null;
  /** Why the last look failed, as the end of a sentence. */
  readonly trouble: string | null;
}

const HEAD_LENGTH = 5;

export const delegations = table<DelegationRow>({
  number: 31,
  name: 'delegations',
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
