/**
 * Changes of the caller's own credentials. They need the password, and a code if the account has
 * one-time codes, in the same request: neither an open session nor a token is enough.
 */

import type { Draft } from '../../../core/journal/draft/draft.ts';
import { clientNetwork } from '../../../core/net/address/ipv6.ts';
import type { Account } from '../../../core/store/rows.ts';
import type { ChangeResult } from '../../change/change.ts';
import { revoke } from '../../change/credentials.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import { REVISION } from '../../http/revision.ts';
import type { Context, Reply } from '../../http/route.ts';
import { callerOwner } from '../../http/slot-owner.ts';
import { accountGone } from '../../http/unauthorized.ts';
import type { SignInParts } from '../auth/sign-in.ts';
import { checkCode, codeError } from '../factors/code-check.ts';

export interface Confirmation {
  readonly password: string;
  readonly code?: string;
}

/** A request that changes credentials. */
export type ConfirmedContext<B extends Confirmation = Confirmation> = Context<Caller, B>;

/** Error codes of `changeWithPassword`. */
export const PASSWORD_FAULTS = { 403: ['wrong_password'], 503: ['busy'] } as const;

/** Error codes of `changeWithFactors`. */
export const FACTOR_FAULTS = {
  403: ['wrong_password', 'code_required', 'bad_code'],
  429: ['code_locked'],
  503: ['busy'],
} as const;

const NOTHING_TO_PREPARE = async (): Promise<void> => {};

type Work<R extends Reply> = (draft: Draft, account: Account) => ChangeResult<R> | Promise<ChangeResult<R>>;

/**
 * Runs `work` after the password was verified. Guesses count as sign-ins do. The response is not
 * stored, so an Idempotency-Key has no effect. `prepare`: slow work that runs before the draft.
 * Throws HttpError 403 and 429.
 */
export async function changeWithPassword<R extends Reply>(
  { services, passwords, logins }: SignInParts,
  context: ConfirmedContext,
  work: Work<R>,
  prepare = NOTHING_TO_PREPARE,
): Promise<R> {
  const { caller, body, remoteAddress, headers } = context;
  const { id } = caller.account;
  logins.takeOwn(clientNetwork(remoteAddress), id, headers);
  const account = services.reader.account(id);
  const isRight = await passwords.verify(account?.passwordHash, body.password, callerOwner(context));
  if (!isRight || account === undefined) throw wrongPassword();
  await prepare();
  return revoke(services, context, id, async (draft) => {
    const current = draft.account(id);
    if (current === undefined) throw accountGone();
    // The password may have changed during the verification.
    if (current.passwordHash !== account.passwordHash) throw wrongPassword();
    return { ...(await work(draft, current)), skipsReplay: true };
  });
}

/** As `changeWithPassword`, and checks the code if the account has one-time codes. */
export function changeWithFactors<R extends Reply>(
  parts: SignInParts,
  context: ConfirmedContext,
  work: Work<R>,
  prepare = NOTHING_TO_PREPARE,
): Promise<R> {
  const checked: Work<R> = (draft, account) => {
    const check = checkCode(draft, parts.services.secrets, account.id, context.body.code);
    if (check.isAccepted) return work(draft, account);
    const { refusal } = check;
    return {
      action: 'account.bad_code',
      target: account.id,
      unchanged: refusal.code !== 'bad_code',
      // Throws only after the commit, which stores the count of wrong codes.
      createResponse() {
        delete context.headers[REVISION];
        throw codeError(403, refusal);
      },
    };
  };
  return changeWithPassword(parts, context, checked, prepare);
}

const wrongPassword = (): HttpError =>
  new HttpError(403, 'wrong_password', 'The password is not the current one of the account.', {
    pointer: '/password',
  });
