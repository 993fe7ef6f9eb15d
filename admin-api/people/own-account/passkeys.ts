/** The caller's own passkeys. */
import { InvalidError, StateError } from '../../../core/base/errors.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import { type Passkey, passkeys } from '../../../core/store/rows.ts';
import { changeCredential } from '../../change/credentials.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { Context } from '../../http/route.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';
import type { SignInParts } from '../auth/sign-in.ts';
import { type NewCredential, registrationOptions, verifyRegistration } from '../factors/ceremonies.ts';
import { spendChallenge } from '../factors/challenges.ts';
import { relyingPartyOf } from '../factors/relying-party.ts';
import { type ConfirmedContext, changeWithFactors } from './confirm.ts';

const MAX_PASSKEYS = 20;

export function viewPasskey({ id, name, rpId, transports, isBackedUp, createdAt, usedAt }: Passkey) {
  return {
    id,
    name,
    host: rpId,
    transports,
    synced: isBackedUp,
    created_at: formatTime(createdAt),
    last_used_at: usedAt === null ? null : formatTime(usedAt),
  };
}

/**
 * The options of a registration, with a challenge that proves the password and the code were
 * verified. Throws StateError `passkeys_unavailable` and `passkey_limit`.
 */
export async function beginPasskey(parts: SignInParts, context: ConfirmedContext) {
  const { secrets, config } = parts.services;
  const party = relyingPartyOf(config.admin.hostname, context);
  return changeWithFactors(parts, context, (draft, account) => {
    const existing = draft.passkeysOf(account.id);
    requireRoom(existing);
    const options = registrationOptions(secrets, party, account, existing);
    return { action: 'passkey.begin', target: account.id, createResponse: () => ({ options }) };
  });
}

/**
 * Throws InvalidError `bad_passkey` and `bad_challenge`, and StateError `passkeys_unavailable`,
 * `passkey_exists` and `passkey_limit`.
 */
export async function addPasskey(
  { services }: SignInParts,
  context: Context<Caller, NewCredential & { readonly name: string }>,
) {
  const { account } = context.caller;
  const { name } = context.body;
  const party = relyingPartyOf(services.config.admin.hostname, context);
  const verified = await verifyRegistration(services.secrets, party, account.id, context.body);
  if (verified === 'bad_challenge') throw badChallenge();
  if (verified === 'bad_passkey')
    throw new InvalidError('bad_passkey', 'The passkey could not be verified: it is for another address, or changed.', {
      pointer: '/attestation',
    });
  return changeCredential(services, context, account.id, (draft) => {
    if (!spendChallenge(draft, verified.challenge)) throw badChallenge();
    requireRoom(draft.passkeysOf(account.id));
    if (draft.passkeyByCredential(verified.passkey.credentialId) !== undefined)
      throw new StateError('passkey_exists', 'This passkey is registered already.', { pointer: '/credential' });
    const id = draft.newId(passkeys);
    const row = { id, accountId: account.id, name, ...verified.passkey, createdAt: nowSeconds(), usedAt: null };
    draft.put(passkeys, row);
    return {
      action: 'passkey.create',
      target: id,
      detail: { name, host: row.rpId },
      createResponse: () => ({ passkey: viewPasskey(row) }),
    };
  });
}

/** Throws HttpError 404. */
export function renamePasskey({ services }: SignInParts, context: Context<Caller, { readonly name: string }>, id: Id) {
  return changeCredential(services, context, context.caller.account.id, (draft) => {
    const row = { ...requirePasskey(draft, context.caller, id), name: context.body.name };
    draft.put(passkeys, row);
    return {
      action: 'passkey.update',
      target: id,
      detail: { name: row.name },
      createResponse: () => ({ passkey: viewPasskey(row) }),
    };
  });
}

/** Throws HttpError 404. */
export function removePasskey(parts: SignInParts, context: ConfirmedContext, id: Id) {
  // Checked first, because verifying the password is slow.
  requirePasskey(parts.services.reader, context.caller, id);
  return changeWithFactors(parts, context, (draft) => {
    const row = requirePasskey(draft, context.caller, id);
    draft.delete(passkeys, row);
    return { action: 'passkey.delete', target: id, detail: { name: row.name }, createResponse: () => ({}) };
  });
}

function requirePasskey(reader: Pick<Draft, 'passkey'>, { account }: Caller, id: Id): Passkey {
  const row = reader.passkey(id);
  if (row === undefined || row.accountId !== account.id)
    throw new HttpError(404, 'no_such_passkey', 'The account has no passkey with this id.');
  return row;
}

function requireRoom(existing: readonly Passkey[]): void {
  if (existing.length < MAX_PASSKEYS) return;
  throw new StateError('passkey_limit', `The account has ${MAX_PASSKEYS} passkeys, which is the limit; remove one.`);
}

const badChallenge = (): InvalidError =>
  new InvalidError('bad_challenge', 'The challenge has expired or was used before; start again.', {
    pointer: '/client_data',
  });
