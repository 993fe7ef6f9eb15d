/**
 * Changes of the credentials of an account take turns: tokens, sessions, passwords, second factors,
 * TSIG keys. A revocation runs ahead of queued changes, and no other change of these credentials
 * runs concurrently. Otherwise an attacker could delay it with conflicting writes, by creating
 * tokens or sessions.
 */
import type { Draft } from '../../core/journal/draft/draft.ts';
import type { Id } from '../../core/store/keys.ts';
import type { Reply } from '../http/route.ts';
import { type ChangeContext, type ChangeResult, change } from './change.ts';
import type { KeyedLocks } from './locks.ts';
import type { Services } from './services.ts';

type Work<R extends Reply> = (draft: Draft) => ChangeResult<R> | Promise<ChangeResult<R>>;

const keyOf = (accountId: Id): string => `credentials ${accountId}`;

/** Runs a write that adds or changes a credential of the account. */
export const inCredentialTurn = <T>({ locks }: { readonly locks: KeyedLocks }, accountId: Id, work: () => Promise<T>) =>
  locks.exclusive(keyOf(accountId), work);

/** `change` for a credential of the account. */
export const changeCredential = <R extends Reply>(
  services: Services,
  context: ChangeContext,
  accountId: Id,
  work: Work<R>,
): Promise<R> => inCredentialTurn(services, accountId, () => change(services, context, work));

/** `change` for a revocation, or for a change that may revoke access to the account. */
export const revoke = <R extends Reply>(
  services: Services,
  context: ChangeContext,
  accountId: Id,
  work: Work<R>,
): Promise<R> => services.locks.first(keyOf(accountId), () => change(services, context, work, { isUrgent: true }));
