/**
 * Shared secrets by which secondaries and updating clients sign what they send (TSIG, RFC 8945).
 */
import { parseName } from '../../dns/wire/name.ts';
import type { TsigAlgorithm } from '../../dns/wire/tsig.ts';
import { type Id, idKey, LOOKUP, lookupKey, nameKey } from '../keys.ts';
import { jsonTable, unjson } from './table.ts';

export interface TsigKeyRow {
  readonly id: Id;
  readonly accountId: Id;
  /**
   * A domain name in presentation form, in lower case, without the last dot. No two keys of the
   * node have the same.
   */
  readonly name: string;
  readonly algorithm: TsigAlgorithm;
  /** The secret, sealed (core/base/secrets.ts) for `tsigContext(id)`; base64. */
  readonly sealed: string;
  /** As tokens have them: `dns:read` to transfer zones, `dns` to update them, too. */
  readonly scopes: readonly string[];
  /** Ids of the domains that it is good for; null: all of the account. */
  readonly domains: readonly Id[] | null;
  readonly createdAt: number;
}

export const tsigKeys = jsonTable<TsigKeyRow>({
  number: 10,
  name: 'tsig_keys',
  key: (row) => idKey(row.id),
  lookups(key, value) {
    const { name, accountId } = unjson<TsigKeyRow>(value);
    return [tsigNameKey(parseName(name)), lookupKey(LOOKUP.accountTsigKey, idKey(accountId), key)];
  },
});

/** Where a key is found by its name in wire form. */
export function tsigNameKey(name: Uint8Array): Buffer {
  return lookupKey(LOOKUP.tsigName, nameKey(name));
}

/** What the secret of a key is sealed for. */
export const tsigContext = (id: Id): string => `tsig:${id}`;
