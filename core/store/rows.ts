/**
 * The rows: what is true, as opposed to what is derived from it. A table says how a row becomes a key and a value, and under
 * which other keys it is found (`lookups`). The numbers stand in the journal and never change.
 */
import { randomBytes } from 'node:crypto';
import type { Name } from '../wire/name.ts';
import { idKey, LOOKUP, lookupKey, nameKey, nameOfKey, recordKey, recordKeyParts } from './keys.ts';

export type Role = 'admin' | 'user' | 'viewer';

export interface Account {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly role: Role;
  readonly plan: string;
  /** argon2id in PHC form. */
  readonly passwordHash: string;
  readonly apiEnabled: boolean;
  /** Seconds since 1970, as all times in rows. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Token {
  readonly id: string;
  readonly accountId: string;
  /** The label given by its owner. */
  readonly name: string;
  /** SHA-256 of the whole token, hexadecimal. */
  readonly hash: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

export interface Domain {
  readonly id: string;
  readonly accountId: string;
  /** The apex, wire form in lower case. */
  readonly apex: Name;
  readonly createdAt: number;
  /** The zone's own SOA timers and apex NS, kept from a master file; null: the service's. */
  readonly kept: ApexSettings | null;
}

/** SOA fields; names in presentation form, times in seconds. */
export interface ApexSettings {
  /** The serial that the file had; ours are not lower. */
  readonly serial: number;
  readonly mname: string;
  readonly rname: string;
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly minimum: number;
  readonly ttl: number;
}

export interface RecordRow {
  readonly id: string;
  readonly domainId: string;
  /** Owner name, absolute wire form in lower case. */
  readonly name: Name;
  readonly type: number;
  readonly ttl: number;
  readonly rdata: Uint8Array;
  /** Whether the customer has said that the name goes through the proxy; null: not said. */
  readonly proxied: boolean | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Table<Row> {
  readonly number: number;
  readonly name: string;
  key(row: Row): Buffer;
  encode(row: Row): Buffer;
  decode(key: Uint8Array, value: Uint8Array): Row;
  /** Keys in the lookups table that lead to this row. */
  lookups(key: Uint8Array, value: Uint8Array): Buffer[];
  /** The lookups follow from the key alone, so a row that goes need not be read first. */
  readonly lookupsFromKey?: boolean;
}

const json = (row: unknown): Buffer => Buffer.from(JSON.stringify(row));
const unjson = <T>(value: Uint8Array): T =>
  JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.length).toString());

export const accounts: Table<Account> = {
  number: 1,
  name: 'accounts',
  key: (row) => idKey(row.id),
  encode: json,
  decode: (_key, value) => unjson<Account>(value),
  lookups(_key, value) {
    const row = unjson<Account>(value);
    return [loginKey(row.username), loginKey(row.email)];
  },
};

/** Where an account is found by username or e-mail address, both without regard to case. */
export function loginKey(login: string): Buffer {
  return lookupKey(LOOKUP.login, Buffer.from(login.toLowerCase().slice(0, 320)));
}

export const tokens: Table<Token> = {
  number: 2,
  name: 'tokens',
  key: (row) => idKey(row.id),
  encode: json,
  decode: (_key, value) => unjson<Token>(value),
  lookups(key, value) {
    return [lookupKey(LOOKUP.accountToken, idKey(unjson<Token>(value).accountId), key)];
  },
};

export const domains: Table<Domain> = {
  number: 3,
  name: 'domains',
  key: (row) => idKey(row.id),
  encode: (row) => json({ ...row, apex: Buffer.from(row.apex).toString('hex') }),
  decode(_key, value) {
    const row = unjson<Omit<Domain, 'apex'> & { apex: string }>(value);
    return { ...row, apex: Uint8Array.from(Buffer.from(row.apex, 'hex')) };
  },
  lookups(key, value) {
    const row = domains.decode(key, value);
    const name = nameKey(row.apex);
    return [lookupKey(LOOKUP.domainName, name), lookupKey(LOOKUP.accountDomain, idKey(row.accountId), name)];
  },
};

const PROXIED = { null: 0, false: 1, true: 2 } as const;

/** ttl (4) · created (5) · updated (5) · proxied (1) · rdata */
export const records: Table<RecordRow> = {
  number: 4,
  name: 'records',
  key: (row) => recordKey(row.domainId, row.name, row.type, row.id),
  encode(row) {
    const value = Buffer.allocUnsafe(15 + row.rdata.length);
    value.writeUInt32BE(row.ttl, 0);
    value.writeUIntBE(row.createdAt, 4, 5);
    value.writeUIntBE(row.updatedAt, 9, 5);
    value[14] = PROXIED[`${row.proxied}`];
    value.set(row.rdata, 15);
    return value;
  },
  decode(key, value) {
    const { nameEnd, type } = recordKeyParts(key);
    const k = Buffer.from(key.buffer, key.byteOffset, key.length);
    const v = Buffer.from(value.buffer, value.byteOffset, value.length);
    return {
      id: k.toString('hex', k.length - 8),
      domainId: k.toString('hex', 0, 8),
      name: nameOfKey(key, 8, nameEnd),
      type,
      ttl: v.readUInt32BE(0),
      rdata: Uint8Array.prototype.slice.call(value, 15),
      proxied: value[14] === PROXIED.null ? null : value[14] === PROXIED.true,
      createdAt: v.readUIntBE(4, 5),
      updatedAt: v.readUIntBE(9, 5),
    };
  },
  lookups: (key) => [lookupKey(LOOKUP.record, key.subarray(key.length - 8))],
  lookupsFromKey: true,
};

/** TTL of a record's encoded value, without decoding the rest. */
export const RECORD_RDATA = 15;

export const TABLES: ReadonlyMap<number, Table<unknown>> = new Map(
  [accounts, tokens, domains, records].map((table) => [table.number, table as Table<unknown>]),
);

let lastMillisecond = 0;
let counter = 0;
const nodeBits = randomBytes(1)[0];

/**
 * A new id: milliseconds since 1970 (44 bits), a byte drawn at start, a counter (12 bits). Ids of one process rise, so rows made
 * together lie together. Unique over nodes but for two that draw the same byte, in the same millisecond; a commit notices that.
 */
export function newId(): string {
  const now = Date.now();
  if (now > lastMillisecond) {
    lastMillisecond = now;
    counter = 0;
  } else if (++counter === 4096) {
    lastMillisecond++;
    counter = 0;
  }
  return (lastMillisecond * 256 + nodeBits).toString(16).padStart(13, '0') + counter.toString(16).padStart(3, '0');
}
