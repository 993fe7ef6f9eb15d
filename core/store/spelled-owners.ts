/** Owner names of one domain as they were written, for those who take its zone out. */
import type { Transaction } from 'lmdb';
import type { Name } from '../dns/wire/name.ts';
import type { Environment } from './environment.ts';
import { afterPrefix, type Id, idKey, nameKey } from './keys.ts';
import { spellings } from './rows.ts';

/**
 * Returns what gives a name in lower case with its capitals. Most domains have no such names, for
 * which it reads nothing.
 */
export function spelledOwners({ rows }: Environment, domainId: Id, transaction: Transaction): (name: Name) => Name {
  const table = rows.get(spellings.number)!;
  const prefix = idKey(domainId);
  const [any] = table.getKeys({ start: prefix, end: afterPrefix(prefix), limit: 1, transaction });
  if (any === undefined) return (name) => name;
  return (name) => table.get(Buffer.concat([prefix, nameKey(name)]), { transaction }) ?? name;
}
