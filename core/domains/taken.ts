/** Whether an account may have a domain. */
import type { Id } from '../store/keys.ts';
import type { Reader } from '../store/reader.ts';
import type { Domain } from '../store/rows.ts';
import { type Name, parentName } from '../wire/name.ts';

/**
 * The domain that prevents a new one: the same, or one of another account above or below it. Null:
 * the name is free.
 */
export function findTaken(reader: Reader, apex: Name, accountId: Id): Domain | null {
  const same = reader.domainByApex(apex);
  if (same !== undefined) return same;
  for (let above = parentName(apex); above.length > 1; above = parentName(above)) {
    const domain = reader.domainByApex(above);
    if (domain !== undefined && domain.accountId !== accountId) return domain;
  }
  return reader.domainsBelow(apex).find((domain) => domain.accountId !== accountId) ?? null;
}
