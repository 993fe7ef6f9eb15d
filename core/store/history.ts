/**
 * The history of a domain: the author of each change and the previous values. The values after a
 * change are the previous values of the next change, or the current ones. The history is derived
 * from journal entries, and remains when these are deleted.
 *
 *   domain id (8) · sequence (8) ─► time (6) · flags (1) · count (4) · length (4) · JSON · records
 *   domain id (8) · 0 (8)        ─► changes (4) · bytes (6): totals of the stored changes
 *
 * A record is: id (8) · key length (2) · value length (4) · its key without the domain · its value
 * before the change. A created record has no key and no value.
 */
import type { Environment } from './environment.ts';
import { afterPrefix, type Id, idAt, idKey, writeId } from './keys.ts';
import { json } from './rows/table.ts';
import {
  type Audit,
  type Comment,
  comments,
  type DnssecRow,
  type ProxyConfig,
  type ProxySettings,
  proxySettings,
  type RecordRow,
  type RRsetComments,
  records,
} from './rows.ts';

/** The author of a change, and its changes other than records. */
export interface ChangeAbout {
  /** Null: the service. */
  readonly actor: Omit<NonNullable<Audit['actor']>, 'tokenId'> | null;
  /** As in the audit log; null: the service. */
  readonly action: string | null;
  readonly proxy?: Difference<PastProxy>;
  readonly dnssec?: Difference<PastDnssec>;
  readonly comments?: readonly PastComments[];
}

/** The comments of an RRset. */
export interface PastComments extends Difference<readonly Comment[]> {
  /** The key of their row without the domain, in Base64. */
  readonly owner: string;
}

/** Null: there was no row before the change, or none after it. */
interface Difference<Part> {
  readonly before: Part | null;
  readonly after: Part | null;
}

/** The settings of a proxy, without the state of its certificate. */
export type PastProxy = Pick<ProxyConfig, 'enabled' | 'originHost' | 'originPort' | 'originProtocol'> &
  // A history of an earlier version can lack some.
  Partial<ProxySettings>;

/** The settings of a signed zone, without its keys. */
export interface PastDnssec {
  readonly enabled: boolean;
  readonly algorithm: number;
  readonly keys: number;
  readonly foreign: number;
}

export interface HistoryRow {
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The change created the domain. */
  readonly isCreation: boolean;
  /** The values of the change were too large to store. The history starts with this change. */
  readonly isLarge: boolean;
  readonly recordCount: number;
  readonly about: ChangeAbout;
  /** The changed records, before the change: see `recordsBefore`. */
  readonly encodedRecords: Buffer;
}

/** A record before a change. */
export interface RecordBefore {
  readonly id: Id;
  /** Null: the change created the record. */
  decode(): RecordRow | null;
}

const FLAG = { creation: 1, large: 2 } as const;
const HEADER = 15;
const RECORD_HEADER = 14;
/** Bytes of the domain in the key of a record. */
const DOMAIN = 8;

export function historyKey(domainId: Id, sequence: number): Buffer {
  const key = Buffer.allocUnsafe(16);
  writeId(domainId, key, 0);
  writeId(sequence, key, 8);
  return key;
}

export function encodeHistory(row: HistoryRow): Buffer {
  const about = Buffer.from(JSON.stringify(row.about));
  const header = Buffer.allocUnsafe(HEADER);
  header.writeUIntBE(row.time, 0, 6);
  header[6] = (row.isCreation ? FLAG.creation : 0) | (row.isLarge ? FLAG.large : 0);
  header.writeUInt32BE(row.recordCount, 7);
  header.writeUInt32BE(about.length, 11);
  return Buffer.concat([header, about, row.encodedRecords]);
}

function decodeHistory(key: Uint8Array, value: Buffer): HistoryRow {
  const end = HEADER + value.readUInt32BE(11);
  return {
    sequence: idAt(key, 8),
    time: value.readUIntBE(0, 6),
    isCreation: (value[6] & FLAG.creation) !== 0,
    isLarge: (value[6] & FLAG.large) !== 0,
    recordCount: value.readUInt32BE(7),
    about: JSON.parse(value.toString('utf8', HEADER, end)),
    encodedRecords: value.subarray(end),
  };
}

/** `stored`: key and value before the change; null: the change creates the record. */
export function encodeRecordBefore(id: Id, stored: { readonly key: Buffer; readonly value: Buffer } | null): Buffer {
  const keyLength = stored === null ? 0 : stored.key.length - DOMAIN;
  const valueLength = stored === null ? 0 : stored.value.length;
  const bytes = Buffer.allocUnsafe(RECORD_HEADER + keyLength + valueLength);
  writeId(id, bytes, 0);
  bytes.writeUInt16BE(keyLength, 8);
  bytes.writeUInt32BE(valueLength, 10);
  if (stored === null) return bytes;
  bytes.set(stored.key.subarray(DOMAIN), RECORD_HEADER);
  bytes.set(stored.value, RECORD_HEADER + keyLength);
  return bytes;
}

/** Bytes of `encodeRecordBefore` for `count` stored records. `bytes`: of their keys and values. */
export const encodedSize = (count: number, bytes: number): number => count * (RECORD_HEADER - DOMAIN) + bytes;

export function* recordsBefore(domainId: Id, { encodedRecords: bytes }: HistoryRow): Iterable<RecordBefore> {
  const domain = idKey(domainId);
  for (let at = 0; at < bytes.length; ) {
    const id = idAt(bytes, at);
    const key = at + RECORD_HEADER;
    const value = key + bytes.readUInt16BE(at + 8);
    const end = value + bytes.readUInt32BE(at + 10);
    yield {
      id,
      decode: () =>
        value === key
          ? null
          : records.decode(Buffer.concat([domain, bytes.subarray(key, value)]), bytes.subarray(value, end)),
    };
    at = end;
  }
}

export const pastOwner = (key: Buffer): string => key.toString('base64', DOMAIN);

/** The comments row of `owner`. `all`: null: no comments, since the row is deleted. */
export function commentsRow(domainId: Id, owner: string, all: readonly Comment[] | null): RRsetComments {
  const key = Buffer.concat([idKey(domainId), Buffer.from(owner, 'base64')]);
  return { ...comments.decode(key, NO_COMMENTS), comments: all ?? [] };
}

const NO_COMMENTS = json([]);

/** The stored changes of a domain, newest first. Their total size is limited on write. */
export function readHistory({ history }: Pick<Environment, 'history'>, domainId: Id): HistoryRow[] {
  const rows: HistoryRow[] = [];
  const start = afterPrefix(idKey(domainId));
  // The reversed range excludes its end, the row of the totals.
  const end = historyKey(domainId, 0);
  for (const { key, value } of history.getRange({ start, end, reverse: true }))
    rows.push(decodeHistory(key as Buffer, value));
  return rows;
}

export const pastProxy = (row: ProxyConfig): PastProxy => ({
  enabled: row.enabled,
  originHost: row.originHost,
  originPort: row.originPort,
  originProtocol: row.originProtocol,
  ...proxySettings(row),
});

export const pastDnssec = (row: DnssecRow): PastDnssec => ({
  enabled: row.progress?.toward !== 'unsigned',
  algorithm: row.algorithm,
  keys: row.keys.length,
  foreign: row.foreign.length,
});
