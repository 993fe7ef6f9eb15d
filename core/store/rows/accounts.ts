/** Accounts, API tokens, dashboard sessions and TSIG keys. */
import { parseName } from '../../dns/wire/name.ts';
import type { TsigAlgorithm } from '../../dns/wire/tsig.ts';
import { type Id, idAt, idKey, LOOKUP, lookupKey, nameKey } from '../keys.ts';
import { jsonTable, table, unjson } from './table.ts';

export type Role = 'admin' | 'user' | 'viewer';

export interface Account {
  readonly id: Id;
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

export type RecordAction = 'create' | 'update' | 'delete' | 'read';

/** Allows actions on records. Null: all. See core/store/record-policies.ts. */
export interface RecordPolicy {
  readonly names: readonly string[] | null;
  /** Mnemonics. */
  readonly types: readonly string[] | null;
  readonly actions: readonly RecordAction[] | null;
}

export interface Token {
  readonly id: Id;
  readonly accountId: Id;
  /** A label chosen by the owner. */
  readonly name: string;
  /** SHA-256 of the whole token, hexadecimal. */
  readonly hash: string;
  readonly scopes: readonly string[];
  /** The only domains that the token may access; omitted: all domains of the account. */
  readonly domains?: readonly Id[];
  /** The token may only do this to records, and nothing else; omitted: no such limit. */
  readonly policies?: readonly RecordPolicy[];
  /** The only client addresses, as prefixes; omitted: all. */
  readonly networks?: readonly string[];
  /** The token was issued in exchange for a password. */
  readonly byPassword?: true;
  /** The id in Waypost 0.1, which is part of the token text: 16 hexadecimal digits. */
  readonly legacyId?: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

/** A signed-in browser session of the dashboard. */
export interface Session {
  readonly id: Id;
  readonly accountId: Id;
  /** SHA-256 of the cookie value, hexadecimal. */
  readonly hash: string;
  readonly createdAt: number;
  /** Time of the last request, accurate to a few minutes. */
  readonly usedAt: number;
  /** Address and User-Agent at sign-in. */
  readonly remoteAddress: string;
  readonly userAgent: string | null;
}

export const accounts = jsonTable<Account>({
  number: 1,
  name: 'accounts',
  quota: { none: 'administrators create them; the fields are short' },
  concerns: 'credentials',
  key: (row) => idKey(row.id),
  lookups(_key, value) {
    const row = unjson<Account>(value);
    return [loginKey(row.username), loginKey(row.email)];
  },
});

/** Lookup of an account by username or e-mail address, both case-insensitive. */
export function loginKey(login: string): Buffer {
  return lookupKey(LOOKUP.login, Buffer.from(login.toLowerCase().slice(0, 320)));
}

export const tokens = jsonTable<Token>({
  number: 2,
  name: 'tokens',
  quota: 'account',
  concerns: 'credentials',
  key: (row) => idKey(row.id),
  lookups(key, value) {
    const { accountId, legacyId } = unjson<Token>(value);
    const own = lookupKey(LOOKUP.accountToken, idKey(accountId), key);
    return legacyId === undefined ? [own] : [own, legacyTokenKey(legacyId)];
  },
  levelOf(_key, value) {
    const { policies, networks } = unjson<Token>(value);
    return policies === undefined && networks === undefined ? 0 : 6;
  },
});

/** Lookup of a token of Waypost 0.1 by the id in its text. */
export const legacyTokenKey = (legacyId: string): Buffer => lookupKey(LOOKUP.legacyToken, Buffer.from(legacyId, 'hex'));

/** When a token was last used. A table of its own, since changes of tokens clear caches. */
export interface TokenUse {
  readonly tokenId: Id;
  /** Seconds since 1970, accurate to a few minutes. */
  readonly usedAt: number;
}

export const tokenUses = table<TokenUse>({
  number: 30,
  name: 'token_uses',
  quota: { none: 'one for each token, 5 bytes' },
  key: (row) => idKey(row.tokenId),
  encode({ usedAt }) {
    const value = Buffer.alloc(5);
    value.writeUIntBE(usedAt, 0, 5);
    return value;
  },
  decode: (key, value) => ({ tokenId: idAt(key), usedAt: Buffer.from(value).readUIntBE(0, 5) }),
  lookupsFromKey: true,
});

export const sessions = jsonTable<Session>({
  number: 25,
  name: 'sessions',
  quota: { none: '100 for each account' },
  key: (row) => idKey(row.id),
  lookups(key, value) {
    return [lookupKey(LOOKUP.accountSession, idKey(unjson<Session>(value).accountId), key)];
  },
});

/** A shared secret of TSIG (RFC 8945), with which secondaries and update clients sign messages. */
export interface TsigKeyRow {
  readonly id: Id;
  readonly accountId: Id;
  /**
   * A domain name in presentation form, in lower case, without the trailing dot. Unique within the
   * account, except for keys that only sign requests to primaries.
   */
  readonly name: string;
  /**
   * How incoming messages find the key by its name: for zones of its `account`, for zones of all
   * accounts (`operator`: its account is an administrator's), or not at all (`none`: it only signs
   * requests to primaries). Omitted: 0.2 stored it, when names were unique over all accounts.
   */
  readonly lookup?: 'account' | 'operator' | 'none';
  readonly algorithm: TsigAlgorithm;
  /** The secret, sealed (core/base/secrets.ts) for `tsigContext(id)`; base64. */
  readonly sealed: string;
  /** Scopes as for tokens: `dns:read` permits transfers, `dns` also updates. */
  readonly scopes: readonly string[];
  /** Ids of the permitted domains; null: all domains of the account. */
  readonly domains: readonly Id[] | null;
  /** As for tokens. */
  readonly policies?: readonly RecordPolicy[];
  readonly networks?: readonly string[];
  /** Omitted: never. */
  readonly expiresAt?: number;
  readonly createdAt: number;
}

export const tsigKeys = jsonTable<TsigKeyRow>({
  number: 10,
  name: 'tsig_keys',
  quota: 'account',
  key: (row) => idKey(row.id),
  lookups(key, value) {
    const { name, accountId, lookup } = unjson<TsigKeyRow>(value);
    const own = lookupKey(LOOKUP.accountTsigKey, idKey(accountId), key);
    if (lookup === 'none') return [own];
    const wire = parseName(name);
    if (lookup === undefined) return [own, tsigNameKey(wire)];
    return [own, Buffer.concat([tsigNamesakes(wire, lookup === 'operator' ? OPERATORS : accountId), key])];
  },
  levelOf: (_key, value) => (unjson<TsigKeyRow>(value).lookup === undefined ? 0 : 6),
});

/** Stands for the accounts of all administrators in lookups of keys. */
export const OPERATORS = 0;

/** Lookup of a key of 0.2 by its name in wire form. */
export function tsigNameKey(name: Uint8Array): Buffer {
  return lookupKey(LOOKUP.tsigName, nameKey(name));
}

/**
 * Prefix of the lookups of keys by name, those of OPERATORS first. `accountId`: only those of this
 * account.
 */
export function tsigNamesakes(name: Uint8Array, accountId?: Id): Buffer {
  const account = accountId === undefined ? [] : [idKey(accountId)];
  return lookupKey(LOOKUP.tsigName, nameKey(name), Uint8Array.of(0), ...account);
}

/** The context for sealing the secret of a key. */
export const tsigContext = (id: Id): string => `tsig:${id}`;
