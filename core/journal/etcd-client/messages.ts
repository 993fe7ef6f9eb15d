/**
 * The messages of etcd's v3 API in the format of its JSON gateway: bytes in base64, 64-bit integers
 * as text, zero values omitted.
 */

export interface KeyValue {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly modRevision: number;
  /** "0": none. */
  readonly lease: string;
}

interface RangeRequest {
  readonly key: string;
  readonly range_end?: string;
  readonly limit?: string;
  readonly keys_only?: boolean;
}

interface RangeAnswer {
  readonly items: readonly KeyValue[];
  /** The range has more keys than the limit. */
  readonly more: boolean;
}

export type Compare = { readonly key: string; readonly range_end?: string; readonly result: 'EQUAL' | 'LESS' } & (
  | { readonly target: 'MOD'; readonly mod_revision: string }
  | { readonly target: 'VALUE'; readonly value: string }
);

export type Operation =
  | { readonly request_range: RangeRequest }
  | { readonly request_put: { readonly key: string; readonly value: string; readonly lease?: string } }
  | { readonly request_delete_range: { readonly key: string; readonly range_end?: string } };

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
const keyOf = (key: string): string => Buffer.from(key).toString('base64');

/** `revision` 0: the key does not exist. */
export const hasRevision = (key: string, revision: number): Compare => ({
  key: keyOf(key),
  target: 'MOD',
  result: 'EQUAL',
  mod_revision: String(revision),
});

/**
 * Holds if no existing key from `key` up to `end` was written after `revision`. Deletions do not
 * count.
 */
export const unwrittenSince = (key: string, end: string, revision: number): Compare => ({
  key: keyOf(key),
  range_end: keyOf(end),
  target: 'MOD',
  result: 'LESS',
  mod_revision: String(revision + 1),
});

/** Does not hold if the key does not exist. */
export const hasValue = (key: string, value: Uint8Array): Compare => ({
  key: keyOf(key),
  target: 'VALUE',
  result: 'EQUAL',
  value: base64(value),
});

interface RangeOptions {
  readonly limit?: number;
  readonly keysOnly?: boolean;
}

/** `end`: the first key after the range; undefined: `key` alone. */
export const range = (key: string, end?: string, { limit, keysOnly }: RangeOptions = {}): Operation => ({
  request_range: {
    key: keyOf(key),
    ...(end !== undefined && { range_end: keyOf(end) }),
    ...(limit !== undefined && { limit: String(limit) }),
    ...(keysOnly && { keys_only: true }),
  },
});

export const put = (key: string, value: Uint8Array, lease?: string): Operation => ({
  request_put: { key: keyOf(key), value: base64(value), ...(lease !== undefined && { lease }) },
});

export const remove = (key: string, end?: string): Operation => ({
  request_delete_range: { key: keyOf(key), ...(end !== undefined && { range_end: keyOf(end) }) },
});

interface JsonKeyValue {
  readonly key?: string;
  readonly value?: string;
  readonly mod_revision?: string;
  readonly lease?: string;
}

interface JsonRange {
  readonly kvs?: readonly JsonKeyValue[];
  readonly more?: boolean;
}

const keyValue = ({ key = '', value = '', mod_revision = '0', lease = '0' }: JsonKeyValue): KeyValue => ({
  key: Buffer.from(key, 'base64'),
  value: Buffer.from(value, 'base64'),
  modRevision: Number(mod_revision),
  lease,
});

interface Header {
  readonly revision?: string;
}

export interface TransactionAnswer {
  readonly succeeded: boolean;
  /** The revision of the store. If the transaction has written, the revision of its writes. */
  readonly revision: number;
  /** For each operation that was carried out: the result of a range, or null. */
  readonly ranges: readonly (RangeAnswer | null)[];
}

export function readTransaction(json: unknown): TransactionAnswer {
  const { header, succeeded, responses } = json as {
    header?: Header;
    succeeded?: boolean;
    responses?: readonly { readonly response_range?: JsonRange }[];
  };
  return {
    succeeded: succeeded === true,
    revision: Number(header?.revision ?? 0),
    ranges: (responses ?? []).map(({ response_range: found }) =>
      found === undefined ? null : { items: (found.kvs ?? []).map(keyValue), more: found.more === true },
    ),
  };
}

export interface WatchAnswer {
  /** All writes up to this revision were reported. */
  readonly revision: number;
  readonly puts: readonly KeyValue[];
  readonly deleted: readonly KeyValue[];
  readonly isCancelled: boolean;
  /** Greater than 0 if the start revision of the watch is compacted. */
  readonly compactRevision: number;
}

/** Throws Error for a line that is not a watch response. */
export function readWatch(line: string): WatchAnswer {
  const { result, error } = JSON.parse(line) as {
    result?: {
      header?: Header;
      canceled?: boolean;
      compact_revision?: string;
      events?: readonly { readonly type?: string; readonly kv?: JsonKeyValue }[];
    };
    error?: unknown;
  };
  if (result === undefined) throw new Error(`the watch ended: ${JSON.stringify(error ?? null).slice(0, 200)}`);
  const events = result.events ?? [];
  const ofType = (isDeleted: boolean): KeyValue[] =>
    events.filter(({ type }) => (type === 'DELETE') === isDeleted).map(({ kv = {} }) => keyValue(kv));
  return {
    revision: Number(result.header?.revision ?? 0),
    puts: ofType(false),
    deleted: ofType(true),
    isCancelled: result.canceled === true,
    compactRevision: Number(result.compact_revision ?? 0),
  };
}

export interface EtcdStorage {
  /** Bytes of the database file, and bytes in use. Defragmentation frees the difference. */
  readonly size: number;
  readonly used: number;
  /** Bytes; null: etcd does not report it (before 3.6). */
  readonly quota: number | null;
  /**
   * A member has reached its quota. etcd accepts no writes until space is freed and the alarm is
   * disarmed.
   */
  readonly isFull: boolean;
}

/** Decodes the responses to `maintenance/status` and `maintenance/alarm`. */
export function readStorage(status: unknown, alarms: unknown): EtcdStorage {
  const { dbSize = '0', dbSizeInUse = dbSize, dbSizeQuota } = status as Record<string, string | undefined>;
  const list = (alarms as { alarms?: readonly { readonly alarm?: string }[] }).alarms ?? [];
  return {
    size: Number(dbSize),
    used: Number(dbSizeInUse),
    quota: dbSizeQuota === undefined ? null : Number(dbSizeQuota),
    isFull: list.some(({ alarm }) => alarm === 'NOSPACE'),
  };
}

/** An entry of the member list of etcd. */
export interface EtcdMemberEntry {
  /** Empty: the member was added and has not started yet. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly clientUrls: readonly string[];
}

/** Decodes the response to `cluster/member/list`. */
export function readMemberList(answer: unknown): EtcdMemberEntry[] {
  const { members = [] } = answer as {
    members?: readonly { name?: string; peerURLs?: string[]; clientURLs?: string[] }[];
  };
  return members.map(({ name = '', peerURLs: peerUrls = [], clientURLs: clientUrls = [] }) => ({
    name,
    peerUrls,
    clientUrls,
  }));
}
