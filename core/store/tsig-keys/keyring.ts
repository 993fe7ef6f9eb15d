/** Stored TSIG keys, unsealed: their accounts and permissions. */
import type { Secrets } from '../../base/secrets.ts';
import { type Name, parentName, parseName } from '../../dns/wire/name.ts';
import type { FindKey, TsigKey } from '../../dns/wire/tsig.ts';
import type { Id } from '../keys.ts';
import type { Reader } from '../reader.ts';
import { permitsTransfer } from '../record-policies.ts';
import { type Account, type Domain, OPERATORS, type TsigKeyRow, tsigContext } from '../rows.ts';

export interface HeldKey extends TsigKey {
  readonly row: TsigKeyRow;
  /** The current row of the account that owns the key. */
  readonly account: Account;
}

/**
 * Returns a function that finds keys by name for verifyTsig: of the owner of the zone first, then
 * of operators, then a few of other accounts, so that these get a signed refusal. It reads the
 * store each time, so a deleted key, or a key of a locked account, is rejected from the next
 * message on. The function throws WaypostError `unsealable` if a secret cannot be unsealed.
 */
export function openKeyring(reader: Reader, secrets: Secrets): FindKey<HeldKey> {
  return (name, algorithm, question) =>
    reader
      .tsigKeysByName(name, ownerOf(reader, question) ?? OPERATORS)
      .filter((row) => row.algorithm === algorithm)
      .flatMap((row) => holdKey(reader, secrets, row) ?? []);
}

/** The account of the zone that a name belongs to. */
function ownerOf(reader: Reader, question: Name): Id | undefined {
  for (let name = question; ; name = parentName(name)) {
    const domain = reader.domainByApex(name);
    if (domain !== undefined || name.length === 1) return domain?.accountId;
  }
}

/**
 * Unseals a key; undefined: it has expired, or its account is locked. Throws WaypostError
 * `unsealable`.
 */
export function holdKey(reader: Reader, secrets: Secrets, row: TsigKeyRow): HeldKey | undefined {
  const account = reader.account(row.accountId);
  if (account?.apiEnabled !== true || (row.expiresAt ?? Number.POSITIVE_INFINITY) * 1000 <= Date.now())
    return undefined;
  const secret = secrets.unseal(Buffer.from(row.sealed, 'base64'), tsigContext(row.id));
  return { name: parseName(`${row.name}.`), algorithm: row.algorithm, secret, row, account };
}

/**
 * Finds a key that the configuration names, whatever its algorithm. A customer may have taken the
 * name, so only keys of operators are returned.
 */
export function findOperatorKey(reader: Reader, secrets: Secrets, name: Name): HeldKey | undefined {
  return reader
    .tsigKeysByName(name, OPERATORS)
    .map((row) => holdKey(reader, secrets, row))
    .find((key) => key?.account.role === 'admin');
}

/**
 * Whether a key may read (transfer) or write (update) a zone. Keys of operators (role admin) may
 * read every zone. Other keys are limited to the zones of their account. Keys of accounts with the
 * role viewer never write. A key with policies reads a zone only if one allows all of it, since
 * transfers have all records; policies for writes are checked with the changed records.
 */
export function mayUse({ row, account }: HeldKey, domain: Domain, access: 'read' | 'write'): boolean {
  const scoped = row.scopes.includes('dns') || (access === 'read' && row.scopes.includes('dns:read'));
  if (!scoped || (access === 'write' && account.role === 'viewer')) return false;
  if (row.domains !== null && !row.domains.includes(domain.id)) return false;
  if (access === 'read' && row.policies !== undefined && !permitsTransfer(row.policies)) return false;
  return domain.accountId === account.id || (access === 'read' && account.role === 'admin');
}
