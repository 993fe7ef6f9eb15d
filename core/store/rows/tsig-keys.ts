/** Shared secrets of TSIG (RFC 8945), with which secondaries and update clients sign messages. */
import { parseName } from '../../dns/wire/name.ts';
import type { TsigAlgorithm } from '../../dns/wire/tsig.ts';
import { type Id, idKey, LOOKUP, lookupKey, nameKey } from '../keys.ts';
import { jsonTable, unjson } from './table.ts';

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
