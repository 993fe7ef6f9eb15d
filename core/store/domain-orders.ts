/**
 * The orders in which the domains of an account are listed: a derived table of keys, so that a page
 * of any list reads its own domains only.
 *
 *   created, updated, records   account id (8) · order (1) · value (6) · domain id (8)
 *   proxied                     account id (8) · order (1) · nameKey of the apex
 *   problem                     as the first ones; the value is certificateProblemAt
 *
 * The value of an entry is the domain id (8).
 */
import type { Environment } from './environment.ts';
import { afterPrefix, type Id, idAt, nameKey, writeId } from './keys.ts';
import { certificateProblemAt, type Domain, type ProxyConfig } from './rows.ts';
import type { ZoneState } from './zone-state.ts';

/** `proxied`: domains whose proxy is on, by name. `problem`: of these, by certificateProblemAt. */
export const ORDER = { created: 1, updated: 2, records: 3, proxied: 4, problem: 5 } as const;
type Order = (typeof ORDER)[keyof typeof ORDER];

type Owned = Pick<Domain, 'id' | 'accountId'>;

/** Bytes of account id and order. */
const PREFIX = 9;
/** Bytes of value and domain id. */
export const POSITION = 14;

function orderPrefix(accountId: Id, order: Order): Buffer {
  const key = Buffer.allocUnsafe(PREFIX);
  writeId(accountId, key, 0);
  key[8] = order;
  return key;
}

function valueKey({ id, accountId }: Owned, order: Order, value: number): Buffer {
  const key = Buffer.allocUnsafe(PREFIX + POSITION);
  writeId(accountId, key, 0);
  key[8] = order;
  key.writeUIntBE(value, PREFIX, 6);
  writeId(id, key, PREFIX + 6);
  return key;
}

/** The keys of a domain that do not depend on its proxy, always as many and in this order. */
export const stateKeys = (domain: Owned & Pick<Domain, 'createdAt'>, state: ZoneState): Buffer[] => [
  valueKey(domain, ORDER.created, domain.createdAt),
  valueKey(domain, ORDER.updated, state.updatedAt || domain.createdAt),
  valueKey(domain, ORDER.records, state.recordCount),
];

/** The keys of a domain that depend on its proxy. */
export function proxyKeys(domain: Owned & Pick<Domain, 'apex'>, proxy: ProxyConfig | undefined): Buffer[] {
  if (proxy?.enabled !== true) return [];
  const keys: Buffer[] = [Buffer.concat([orderPrefix(domain.accountId, ORDER.proxied), nameKey(domain.apex)])];
  const problemAt = certificateProblemAt(proxy);
  if (problemAt !== null) keys.push(valueKey(domain, ORDER.problem, problemAt));
  return keys;
}

interface OrderRange {
  /** The last position that was read; null: none. */
  readonly after: Uint8Array | null;
  readonly descending?: boolean;
  readonly limit: number;
}

export interface Ordered {
  readonly id: Id;
  /** What follows account and order in the key. */
  readonly position: Buffer;
}

/** Domains of an account in an order. */
export function domainsInOrder(
  { orders }: Pick<Environment, 'orders'>,
  accountId: Id,
  order: Order,
  { after, descending = false, limit }: OrderRange,
): Ordered[] {
  const prefix = orderPrefix(accountId, order);
  const at = after === null ? null : Buffer.concat([prefix, after]);
  const end = afterPrefix(prefix);
  const range = descending
    ? { start: at ?? end, end: prefix, reverse: true }
    : { start: at ?? prefix, end, reverse: false };
  const found: Ordered[] = [];
  // The range may include the last position.
  for (const { key, value } of orders.getRange({ ...range, limit: limit + 1 }))
    if (found.length < limit && !(at?.equals(key as Buffer) ?? false))
      found.push({ id: idAt(value), position: (key as Buffer).subarray(PREFIX) });
  return found;
}
