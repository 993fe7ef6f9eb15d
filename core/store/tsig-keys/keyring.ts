/** The stored TSIG keys, opened: who a key speaks for, and what it may do. */
import type { Secrets } from '../../base/secrets.ts';
import type { Name } from '../../dns/wire/name.ts';
import type { FindKey, TsigKey } from '../../dns/wire/tsig.ts';
import type { Reader } from '../reader.ts';
import { type Account, type Domain, type TsigKeyRow, tsigContext } from '../rows.ts';

export interface HeldKey extends TsigKey {
  readonly row: TsigKeyRow;
  /** Whose it is, as of now. */
  readonly account: Account;
}

/**
 * Finds keys by name for verifyTsig. Each time it looks again, so that a key that was deleted, or
 * whose account was locked, is refused from the next message on. The function throws WaypostError
 * `unsealable` when the secret cannot be opened.
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
 * A key that the configuration names, whatever its algorithm. Names of keys are unique over all
 * accounts, and a customer may have taken the name first: only keys of operators are found.
 */
export function findOperatorKey(reader: Reader, findKey: FindKey<HeldKey>, name: Name): HeldKey | undefined {
  const row = reader.tsigKeyByName(name);
  const key = row && findKey(name, row.algorithm);
  return key?.account.role === 'admin' ? key : undefined;
}

/**
 * Whether a key may read a zone (transfer it) or write it (update it). A key of an operator's
 * account (role admin) reads every zone; any other is good for the zones of its account. A key
 * whose account may only look never writes.
 */
export function mayUse({ row, account }: HeldKey, domain: Domain, access: 'read' | 'write'): boolean {
  const scoped = row.scopes.includes('dns') || (access === 'read' && row.scopes.includes('dns:read'));
  if (!scoped || (access === 'write' && account.role === 'viewer')) return false;
  if (row.domains !== null && !row.domains.includes(domain.id)) return false;
  return domain.accountId === account.id || (access === 'read' && account.role === 'admin');
}
