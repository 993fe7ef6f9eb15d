/** Accounts, the tokens of their programs, and the sessions of their browsers. */
import { type Id, idAt, idKey, LOOKUP, lookupKey } from '../keys.ts';
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
  /** The label given by its owner. */
  readonly name: string;
  /** SHA-256 of the whole token, hexadecimal. */
  readonly hash: string;
  readonly scopes: readonly string[];
  /** The only domains that it gives access to; omitted: all of the account. */
  readonly domains?: readonly Id[];
  /** The token exchange issued it for a password. */
  readonly byPassword?: true;
  /** Its id in Waypost 0.1, which its text has: 16 hexadecimal digits. */
  readonly legacyId?: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

/** A browser that has signed in to the dashboard. */
export interface Session {
  readonly id: Id;
  readonly accountId: Id;
  /** SHA-256 of the whole text in the cookie, hexadecimal. */
  readonly hash: string;
  readonly createdAt: number;
  /** The last request, to within some minutes. */
  readonly usedAt: number;
  /** Address and User-Agent at sign-in. */
  readonly remoteAddress: string;
  readonly userAgent: string | null;
}

export const accounts = jsonTable<Account>({
  number: 1,
  name: 'accounts',
  key: (row) => idKey(row.id),
  lookups(_key, value) {
    const row = unjson<Account>(value);
    return [loginKey(row.username), loginKey(row.email)];
  },
});

/** Where an account is found by username or e-mail address, both without regard to case. */
export function loginKey(login: string): Buffer {
  return lookupKey(LOOKUP.login, Buffer.from(login.toLowerCase().slice(0, 320)));
}

export const tokens = jsonTable<Token>({
  number: 2,
  name: 'tokens',
  key: (row) => idKey(row.id),
  lookups(key, value) {
    const { accountId, legacyId } = unjson<Token>(value);
    const own = lookupKey(LOOKUP.accountToken, idKey(accountId), key);
    return legacyId === undefined ? [own] : [own, legacyTokenKey(legacyId)];
  },
});

/** Where a token of Waypost 0.1 is found by the id in its text. */
export const legacyTokenKey = (legacyId: string): Buffer => lookupKey(LOOKUP.legacyToken, Buffer.from(legacyId, 'hex'));

/** When a token was last used. Apart from the token, whose changes empty caches. */
export interface TokenUse {
  readonly tokenId: Id;
  /** Seconds since 1970, to within some minutes. */
  readonly usedAt: number;
}

export const tokenUses = table<TokenUse>({
  number: 30,
  name: 'token_uses',
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
  key: (row) => idKey(row.id),
  lookups(key, value) {
    return [lookupKey(LOOKUP.accountSession, idKey(unjson<Session>(value).accountId), key)];
  },
});
