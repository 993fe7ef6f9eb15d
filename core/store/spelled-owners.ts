/** Owner names of a domain in their original spelling, for zone exports. */
import type { Transaction } from 'lmdb';
import type { Name } from '../dns/wire/name.ts';
import type { Environment } from './environment.ts';
import { afterPrefix, type Id, idKey, nameKey } from './keys.ts';
import { spellings } from './rows.ts';

/**
 * Returns a function that maps a lower-case name to its original spelling. Reads nothing per name
 * for domains without spellings, which are most.
 */
export function spelledOwners({ rows }: Environment, domainId: Id, transaction: Transaction): (name: Name) => Name {
  const table = rows.get(spellings.number)!;
  const prefix = idKey(domainId);
  const [any] = table.getKeys({ start: prefix, end: afterPrefix(prefix), limit: 1, transaction });
  if (any === undefined) return (name) => name;
  return (name) => table.get(Buffer.concat([prefix, nameKey(name)]), { transaction }) ?? name;
}
