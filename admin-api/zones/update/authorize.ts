/** Finds the domain of an update, and checks whether its key may write to it. */

import { formatName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, RCODE } from '../../../core/dns/wire/types.ts';
import type { Zone } from '../../../core/dns/wire/update.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import type { Reader } from '../../../core/store/reader.ts';
import { type Domain, type TsigKeyRow, tsigKeys } from '../../../core/store/rows.ts';
import { type HeldKey, mayUse } from '../../../core/store/tsig-keys/keyring.ts';
import type { Caller } from '../../http/caller.ts';
import { refused, UpdateError } from './fault.ts';

/**
 * The domain of the zone section (RFC 2136 3.1.2). Throws UpdateError NOTAUTH, also for a domain of
 * another account, and REFUSED if the key must not write to the domain.
 */
export function updatedDomain(reader: Reader, key: HeldKey, zone: Zone): Domain {
  const domain = zone.class === CLASS_IN ? reader.domainByApex(zone.name) : undefined;
  if (domain === undefined || domain.accountId !== key.account.id)
    throw new UpdateError(RCODE.NOTAUTH, `${formatName(zone.name)} is not a zone of the account of the key`);
  requirePrimary(domain);
  if (!mayUse(key, domain, 'write')) throw refused('the key does not allow updates of the zone');
  return domain;
}

/** RFC 2136 section 3.1.2: this server is not a primary of the zone. */
function requirePrimary({ kind }: Domain): void {
  if (kind !== 'primary') throw new UpdateError(RCODE.NOTAUTH, `the records of a ${kind} zone are not changed here`);
}

/** The same check in the draft, because the key may have been deleted or changed since. */
export function requireUpdatable(draft: Draft, key: HeldKey, domainId: Id): Domain {
  const row = draft.row(tsigKeys, tsigKeys.key(key.row));
  const account = draft.account(key.account.id);
  if (row === undefined || account?.apiEnabled !== true) throw refused('the key was deleted');
  const domain = draft.domain(domainId);
  if (domain === undefined || domain.accountId !== account.id)
    throw new UpdateError(RCODE.NOTAUTH, 'the zone was deleted');
  requirePrimary(domain);
  if (!mayUse({ ...key, row, account }, domain, 'write')) throw refused('the key no longer allows updates of the zone');
  return domain;
}

/** The key as a caller, in place of a token, for the audit log and the commit. */
export function callerOf({ row, account }: HeldKey): Caller {
  const { id, accountId, name, scopes, createdAt }: TsigKeyRow = row;
  return { account, token: { id, accountId, name, hash: '', scopes, createdAt, expiresAt: null } };
}
