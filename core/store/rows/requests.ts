/**
 * What remains of a request in addition to its effect: who did it, and the answer under its
 * Idempotency-Key.
 */
import { type Id, idAt, idKey, LOOKUP, lookupKey } from '../keys.ts';
import { json, STAMP, stampOf, type Table, table, unjson } from './table.ts';

export interface Audit {
  /** The sequence of its commit, so it rises with time on all nodes; 0 until that is made. */
  readonly id: Id;
  /** Whose things were changed. */
  readonly accountId: Id;
  /** Who changed them; the names are those of that time. Null: the service itself. */
  readonly actor: {
    readonly accountId: Id;
    readonly username: string;
    readonly tokenId: Id | null;
    readonly tokenName: string | null;
  } | null;
  /** As `record.create`. */
  readonly action: string;
  /** The domain's name, when there is one. */
  readonly domain: string | null;
  /** Id of what was changed; an app's is text. */
  readonly target: Id | string | null;
  /** What a reader needs to know of the change; no secrets. */
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
  key: (row) => Buffer.concat([idKey(row.accountId), idKey(row.id)]),
  // Named one by one: each write has such a row, and what a rest gathers is three times as slow to
  // make and to write out.
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

/** The answer to a POST that was sent with an Idempotency-Key. */
export interface Replay {
  /** Hash of account and key (16 bytes, hexadecimal). */
  readonly id: string;
  /** Whose bytes it counts for; omitted in rows of older versions. */
  readonly accountId?: Id;
  /**
   * Hash of the request, by which another request with the same key is recognised, and the answer's
   * JSON; sealed (core/base/secrets.ts), base64.
   */
  readonly sealed: string;
  readonly createdAt: number;
  /** Sequence of the commit; 0 until it is made. */
  readonly revision: number;
}

export const replays = table<Replay>({
  number: 9,
  name: 'idempotency',
  key: (row) => replayKey(row.id),
  encode: ({ revision: _, ...row }) => json(row),
  decode: (_key, value) => ({
    ...unjson<Omit<Replay, 'revision'>>(value, value.length - STAMP),
    revision: stampOf(value),
  }),
  stamped: true,
});

/** Where a response is found by the hash of its account and key. */
export function replayKey(id: string): Buffer {
  return Buffer.from(id, 'hex');
}
