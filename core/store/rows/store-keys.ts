/** Keys that sign published packages, so that phones can verify them. */
import { type Id, idKey, LOOKUP, lookupKey } from '../keys.ts';
import { jsonTable } from './table.ts';

export interface StoreKeyRow {
  /** 1, 2, …: the highest number is the current key. */
  readonly number: Id;
  /** Ed25519, the 32 bytes in base64. */
  readonly publicKey: string;
  /** PKCS#8, sealed (core/base/secrets.ts, `store-key:NUMBER`), base64; null: it was destroyed. */
  readonly sealedKey: string | null;
  /** A signature by an earlier key; null: none, so phones must get this key in another way. */
  readonly endorsement: { readonly by: Id; readonly signature: string } | null;
  readonly createdAt: number;
  /** When the key stops signing; null while it is the current key. */
  readonly signsUntil: number | null;
  /** `signature`: made with the key, base64; null: the private key was not available. */
  readonly revoked: { readonly at: number; readonly reason: string; readonly signature: string | null } | null;
}

export const storeKeys = jsonTable<StoreKeyRow>({
  number: 37,
  name: 'store_keys',
  quota: { none: 'written by administrators' },
  key: (row) => idKey(row.number),
  lookups: (key) => [lookupKey(LOOKUP.storeKey, key)],
  lookupsFromKey: true,
});

/** The context for sealing the private key. */
export const storeKeyContext = (number: Id): string => `store-key:${number}`;
