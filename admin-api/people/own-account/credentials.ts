/** The caller's own password and e-mail address. */
import type { Draft } from '../../../core/journal/draft/draft.ts';
import { type Account, accounts } from '../../../core/store/rows.ts';
import { callerOwner } from '../../http/slot-owner.ts';
import { nowSeconds } from '../../http/time.ts';
import { describeAccount, requireFreeLogins } from '../accounts/service.ts';
import { endSessions } from '../auth/sessions.ts';
import type { SignInParts } from '../auth/sign-in.ts';
import { revokeTokens } from '../auth/tokens.ts';
import { unlockCodes } from '../factors/code-check.ts';
import { type Confirmation, type ConfirmedContext, changeWithFactors } from './confirm.ts';

/**
 * Ends the other sessions of the account, which somebody else may have opened. Tokens stay valid
 * unless `revoke_tokens` is true. Throws the errors of changeWithFactors.
 */
export function changePassword(
  parts: SignInParts,
  context: ConfirmedContext<Confirmation & { readonly new_password: string; readonly revoke_tokens?: boolean }>,
) {
  const { new_password: password, revoke_tokens: revokesTokens = false } = context.body;
  const { session, token } = context.caller;
  let passwordHash = '';
  const hash = async (): Promise<void> => {
    passwordHash = await parts.passwords.hash(password, callerOwner(context));
  };
  const work = (draft: Draft, account: Account) => {
    draft.put(accounts, { ...account, passwordHash, updatedAt: nowSeconds() });
    unlockCodes(draft, account.id);
    const sessionsEnded = endSessions(draft, account.id, session?.row.id);
    const tokensRevoked = revokesTokens ? revokeTokens(draft, account.id, token.id) : 0;
    const counts = { sessions_ended: sessionsEnded, tokens_revoked: tokensRevoked };
    return { action: 'account.password', target: account.id, detail: counts, createResponse: () => counts };
  };
  return changeWithFactors(parts, context, work, hash);
}

/** Throws the errors of changeWithFactors, and StateError `email_taken`. */
export function changeEmail(
  parts: SignInParts,
  context: ConfirmedContext<Confirmation & { readonly email: string | null }>,
) {
  return changeWithFactors(parts, context, (draft, before) => {
    const account = { ...before, email: context.body.email ?? '', updatedAt: nowSeconds() };
    requireFreeLogins(draft, account);
    draft.put(accounts, account);
    return {
      action: 'account.email',
      target: account.id,
      detail: { email: account.email, before: before.email },
      createResponse: () => ({ account: describeAccount(parts.services, account) }),
    };
  });
}
