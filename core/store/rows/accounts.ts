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
   * A domain name in presentation form, in lower case, without the trailing dot. Unique over all
   * accounts.
   */
  readonly name: string;
  readonly algorithm: TsigAlgorithm;
  /** The secret, sealed (core/base/secrets.ts) for `tsigContext(id)`; base64. */
  readonly sealed: string;
  /** Scopes as for tokens: `dns:read` permits transfers, `dns` also updates. */
  readonly scopes: readonly string[];
  /** Ids of the permitted domains; null: all domains of the account. */
  readonly domains: readonly Id[] | null;
  readonly createdAt: number;
}

export const tsigKeys = jsonTable<TsigKeyRow>({
  number: 10,
  name: 'tsig_keys',
  quota: 'account',
  key: (row) => idKey(row.id),
  lookups(key, value) {
    const { name, accountId } = unjson<TsigKeyRow>(value);
    return [tsigNameKey(parseName(name)), lookupKey(LOOKUP.accountTsigKey, idKey(accountId), key)];
  },
});

/** Lookup of a key by its name in wire form. */
export function tsigNameKey(name: Uint8Array): Buffer {
  return lookupKey(LOOKUP.tsigName, nameKey(name));
}

/** The context for sealing the secret of a key. */
export const tsigContext = (id: Id): string => `tsig:${id}`;
