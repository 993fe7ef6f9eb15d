/** Stored TSIG keys, unsealed: their accounts and permissions. */
import type { Secrets } from '../../base/secrets.ts';
import type { Name } from '../../dns/wire/name.ts';
import type { FindKey, TsigKey } from '../../dns/wire/tsig.ts';
import type { Reader } from '../reader.ts';
import { type Account, type Domain, type TsigKeyRow, tsigContext } from '../rows.ts';

export interface HeldKey extends TsigKey {
  readonly row: TsigKeyRow;
  /** The current row of the account that owns the key. */
  readonly account: Account;
}

/**
 * Returns a function that finds keys by name for verifyTsig. It reads the store each time, so a
 * deleted key, or a key of a locked account, is rejected from the next message on. The function
 * throws WaypostError `unsealable` if the secret cannot be unsealed.
 */
export function openKeyring(reader: Reader, secrets: Secrets): FindKey<HeldKey> {
  return (name, algorithm) => {
    const row = reader.tsigKeyByName(name);
    if (row === undefined || row.algorithm !== algorithm) return undefined;
    const account = reader.account(row.accountId);
    if (account?.apiEnabled !== true) return undefined;
    const secret = secrets.unseal(Buffer.from(row.sealed, 'base64'), tsigContext(row.id));
    return { name, algorithm, secret, row, account };
  };
}

/**
 * Finds a key that the configuration names, whatever its algorithm. Key names are unique over all
 * accounts, and a customer may have taken the name, so only keys of operators are returned.
 */
export function findOperatorKey(reader: Reader, findKey: FindKey<HeldKey>, name: Name): HeldKey | undefined {
  const row = reader.tsigKeyByName(name);
  const key = row && findKey(name, row.algorithm);
  return key?.account.role === 'admin' ? key : undefined;
}

/**
 * Whether a key may read (transfer) or write (update) a zone. Keys of operators (role admin) may
 * read every zone. Other keys are limited to the zones of their account. Keys of accounts with the
 * role viewer never write.
 */
export function mayUse({ row, account }: HeldKey, domain: Domain, access: 'read' | 'write'): boolean {
  const scoped = row.scopes.includes('dns') || (access === 'read' && row.scopes.includes('dns:read'));
  if (!scoped || (access === 'write' && account.role === 'viewer')) return false;
  if (row.domains !== null && !row.domains.includes(domain.id)) return false;
  return domain.accountId === account.id || (access === 'read' && account.role === 'admin');
}
