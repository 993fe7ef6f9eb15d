/** Endpoints of the caller's own password, e-mail address and one-time codes. */

import { NOTHING } from '../../../core/base/schema.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import { type Account, accounts } from '../../../core/store/rows.ts';
import { route } from '../../http/route.ts';
import { callerOwner } from '../../http/slot-owner.ts';
import { nowSeconds } from '../../http/time.ts';
import { ownAccountResponse } from '../accounts/schema.ts';
import { describeAccount, requireFreeLogins } from '../accounts/service.ts';
import { endSessions } from '../auth/sessions.ts';
import type { SignInParts } from '../auth/sign-in.ts';
import { revokeTokens } from '../auth/tokens.ts';
import { unlockCodes } from '../factors/code-check.ts';
import {
  type Confirmation,
  type ConfirmedContext,
  changeWithFactors,
  FACTOR_FAULTS,
  PASSWORD_FAULTS,
} from './confirm.ts';
import { passkeyRoutes } from './passkey-routes.ts';
import {
  beginBody,
  confirmationBody,
  emailBody,
  newTotpResponse,
  passwordBody,
  passwordResponse,
  recoveryCodesResponse,
  totpConfirmBody,
  totpResponse,
} from './schema.ts';
import { beginTotp, confirmTotp, removeTotp, renewRecoveryCodes, viewTotp } from './totp.ts';

const ACCOUNT = '/api/v1/account';
const TOTP = `${ACCOUNT}/totp` as const;

/** Every role manages its own credentials. */
const OWN = { tag: 'accounts', scope: 'account', ownAccess: true } as const;

export function ownAccountRoutes(parts: SignInParts) {
  return [
    route({
      ...OWN,
      operationId: 'updateOwnAccount',
      method: 'PATCH',
      path: ACCOUNT,
      summary: 'Change the own e-mail address',
      description: 'Needs the current password, and a code if the account has one-time codes.',
      example: {
        body: { password: 'correct horse battery staple', email: 'admin@example.com' },
        command: 'waypost account set admin --email admin@example.com',
      },
      body: emailBody,
      response: ownAccountResponse,
      faults: { ...FACTOR_FAULTS, 409: ['email_taken'] },
      run: (context) => changeEmail(parts, context),
    }),
    route({
      ...OWN,
      operationId: 'changeOwnPassword',
      revokes: true,
      method: 'PUT',
      path: `${ACCOUNT}/password`,
      summary: 'Change the own password',
      description:
        'Ends all dashboard sessions of the account, except that of the request. Tokens stay valid, unless `revoke_tokens` is true; the token of the request always does. TSIG keys stay valid.',
      example: { body: { password: 'correct horse battery staple', new_password: 'another long secret' } },
      body: passwordBody,
      response: passwordResponse,
      faults: FACTOR_FAULTS,
      run: (context) => changePassword(parts, context),
    }),
    route({
      ...OWN,
      operationId: 'getTotp',
      method: 'GET',
      path: TOTP,
      summary: 'Get whether the own account has one-time codes',
      description: 'And how many recovery codes are left.',
      response: totpResponse,
      run: ({ caller }) => ({ totp: viewTotp(parts.services.reader.totp(caller.account.id)) }),
    }),
    route({
      ...OWN,
      operationId: 'beginTotp',
      method: 'POST',
      path: TOTP,
      summary: 'Make a secret for one-time codes',
      description:
        'Sign-in does not need codes until POST /api/v1/account/totp/confirm, within an hour. An Idempotency-Key has no effect here.',
      example: { body: { password: 'correct horse battery staple' } },
      body: beginBody,
      response: newTotpResponse,
      faults: { ...PASSWORD_FAULTS, 409: ['totp_enabled'] },
      run: (context) => beginTotp(parts, context),
    }),
    route({
      ...OWN,
      operationId: 'confirmTotp',
      method: 'POST',
      path: `${TOTP}/confirm`,
      summary: 'Turn on one-time codes with a first code',
      description:
        'From now on, sign-in and token exchange need a code. Sessions and tokens stay valid. An Idempotency-Key has no effect here.',
      example: { body: { password: 'correct horse battery staple', code: '123456' } },
      body: totpConfirmBody,
      response: recoveryCodesResponse,
      faults: { ...PASSWORD_FAULTS, 403: ['wrong_password', 'bad_code'], 409: ['totp_enabled', 'totp_not_begun'] },
      run: (context) => confirmTotp(parts, context),
    }),
    route({
      ...OWN,
      operationId: 'renewRecoveryCodes',
      method: 'POST',
      path: `${TOTP}/recovery-codes`,
      summary: 'Replace the recovery codes',
      description: 'The earlier ones work no more. An Idempotency-Key has no effect here.',
      example: { body: { password: 'correct horse battery staple', code: '123456' } },
      body: confirmationBody,
      response: recoveryCodesResponse,
      faults: { ...FACTOR_FAULTS, 409: ['totp_disabled'] },
      run: (context) => renewRecoveryCodes(parts, context),
    }),
    route({
      ...OWN,
      operationId: 'disableTotp',
      revokes: true,
      method: 'DELETE',
      path: TOTP,
      summary: 'Turn off one-time codes',
      description: 'Removes the secret and the recovery codes. Needs the password and a code, or a recovery code.',
      example: { body: { password: 'correct horse battery staple', code: '123456' } },
      body: confirmationBody,
      response: NOTHING,
      faults: { ...FACTOR_FAULTS, 409: ['totp_disabled'] },
      run: (context) => removeTotp(parts, context),
    }),
    ...passkeyRoutes(parts),
  ];
}

/**
 * The caller's own password and e-mail address.
 *
 * Ends the other sessions of the account, which an attacker may have opened. Tokens stay valid
 * unless `revoke_tokens` is true. Throws the errors of changeWithFactors.
 */
function changePassword(
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
function changeEmail(parts: SignInParts, context: ConfirmedContext<Confirmation & { readonly email: string | null }>) {
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
