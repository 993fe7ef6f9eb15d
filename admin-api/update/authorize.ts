/** Whose zone an update means, and whether its key may write there. */
import type { Draft } from '../../core/journal/draft/draft.ts';
import type { Reader } from '../../core/store/reader.ts';
import { type Domain, type TsigKeyRow, tsigKeys } from '../../core/store/rows.ts';
import { type HeldKey, mayUse } from '../../core/tsig/keyring.ts';
import { formatName } from '../../core/wire/name.ts';
import { CLASS_IN, RCODE } from '../../core/wire/types.ts';
import type { Zone } from '../../core/wire/update.ts';
import type { Caller } from '../http/caller.ts';
import { refused, UpdateError } from './fault.ts';

/**
 * The domain that the zone section names (RFC 2136 3.1.2). One of another account is as one that we don't have. Throws UpdateError NOTAUTH, or REFUSED when
 * the key may not write there.
 */
export function updatedDomain(reader: Reader, key: HeldKey, zone: Zone): Domain {
  const domain = zone.class === CLASS_IN ? reader.domainByApex(zone.name) : undefined;
  if (domain === undefined || domain.accountId !== key.account.id)
    throw new UpdateError(RCODE.NOTAUTH, `${formatName(zone.name)} is not a zone of the account of the key`);
  if (!mayUse(key, domain, 'write')) throw refused('the key does not allow updates of the zone');
  return domain;
}

/** The same in the draft, where the key may have gone, or been given other rights, since it was looked at. */
export function requireUpdatable(draft: Draft, key: HeldKey, domainId: string): Domain {
  const row = draft.row(tsigKeys, tsigKeys.key(key.row));
  const account = draft.account(key.account.id);
  if (row === undefined || account?.apiEnabled !== true) throw refused('the key was deleted');
  const domain = draft.domain(domainId);
  if (domain === undefined || domain.accountId !== account.id)
    throw new UpdateError(RCODE.NOTAUTH, 'the zone was deleted');
  if (!mayUse({ ...key, row, account }, domain, 'write')) throw refused('the key no longer allows updates of the zone');
  return domain;
}

/** As the audit and the commit know the key: in the place of a token. */
export function callerOf({ row, account }: HeldKey): Caller {
  const { id, accountId, name, scopes, createdAt }: TsigKeyRow = row;
  return { account, token: { id, accountId, name, hash: '', scopes, createdAt, expiresAt: null } };
}
