/** Removes all second factors of an account. */
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import { passkeys, totps } from '../../../core/store/rows.ts';

/** Returns what was removed. */
export function removeFactors(draft: Draft, accountId: Id): { readonly totp: boolean; readonly passkeys: number } {
  const totp = draft.totp(accountId);
  if (totp !== undefined) draft.delete(totps, totp);
  const found = draft.passkeysOf(accountId);
  for (const passkey of found) draft.delete(passkeys, passkey);
  return { totp: totp !== undefined, passkeys: found.length };
}
