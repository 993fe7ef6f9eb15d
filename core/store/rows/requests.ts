/**
 * What is stored about a request in addition to its changes: the audit entry, and the response for
 * its Idempotency-Key.
 */
import { type Id, idAt, idKey, LOOKUP, lookupKey } from '../keys.ts';
import { json, STAMP, stampOf, type Table, table, unjson } from './table.ts';

export interface Audit {
  /** The sequence of the commit, which increases with time on all nodes; 0 before the commit. */
  readonly id: Id;
  /** The account that owns the changed object. */
  readonly accountId: Id;
  /**
   * The account and token that made the change, with their names at that time. Null: the service.
   */
  readonly actor: {
    readonly accountId: Id;
    readonly username: string;
    readonly tokenId: Id | null;
    readonly tokenName: string | null;
  } | null;
  /** Such as `record.create`. */
  readonly action: string;
  /** Name of the domain; null: the change concerns none. */
  readonly domain: string | null;
  /** Id of the changed object; the id of an app is text. Null: none. */
  readonly target: Id | string | null;
  /** Details of the change, without secrets. */
  readonly detail: Readonly<Record<string, unknown>>;
  readonly requestId: string;
  readonly remoteAddress: string;
  /** Seconds since 1970. */
  readonly at: number;
  /** Sequence of the commit; 0 until it is made. */
  readonly revision: number;
}

/** account id (8) · id (8) */
export const audits: Table<Audit> = {
  number: 8,
  name: 'audit',
  quota: 'audit',
  key: (row) => Buffer.concat([idKey(row.accountId), idKey(row.id)]),
  // The fields are listed because every write encodes such a row. A rest object is three times as
  // slow to create and to serialise.
  encode: ({ accountId, actor, action, domain, target, detail, requestId, remoteAddress, at }) =>
    json({ accountId, actor, action, domain, target, detail, requestId, remoteAddress, at }),
  decode: (key, value) => ({
    ...unjson<Omit<Audit, 'id' | 'revision'>>(value, value.length - STAMP),
    id: idAt(key, 8),
    revision: stampOf(value),
  }),
  lookups: (key) => [lookupKey(LOOKUP.audit, key.subarray(8))],
  lookupsFromKey: true,
  stamped: true,
  numbered: true,
};

/** The stored response to a POST with an Idempotency-Key. */
export interface Replay {
  /** Hash of account and key (16 bytes, hexadecimal). */
  readonly id: string;
  /** The account whose quota includes the row; omitted in rows of older versions. */
  readonly accountId?: Id;
  /**
   * Hash of the request, which detects another request with the same key, and the response JSON.
   * Sealed (core/base/secrets.ts), base64.
   */
  readonly sealed: string;
  readonly createdAt: number;
  /** Sequence of the commit; 0 until it is made. */
  readonly revision: number;
}

export const replays = table<Replay>({
  number: 9,
  name: 'idempotency',
  quota: 'account',
  key: (row) => replayKey(row.id),
  encode: ({ revision: _, ...row }) => json(row),
  decode: (_key, value) => ({
    ...unjson<Omit<Replay, 'revision'>>(value, value.length - STAMP),
    revision: stampOf(value),
  }),
  stamped: true,
});

/** The key of a response, from the hash of its account and Idempotency-Key. */
export function replayKey(id: string): Buffer {
  return Buffer.from(id, 'hex');
}
