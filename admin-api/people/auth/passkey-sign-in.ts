/** Signs in with a passkey, without a password. */

import { type Draft, write } from '../../../core/journal/draft/draft.ts';
import { clientNetwork } from '../../../core/net/address/ipv6.ts';
import { passkeys } from '../../../core/store/rows.ts';
import { inCredentialTurn } from '../../change/credentials.ts';
import { HttpError } from '../../http/errors.ts';
import { REVISION } from '../../http/revision.ts';
import { nowSeconds } from '../../http/time.ts';
import { apiDisabled } from '../../http/unauthorized.ts';
import { type Assertion, type CeremonyFault, verifySignIn } from '../factors/ceremonies.ts';
import { spendChallenge } from '../factors/challenges.ts';
import { relyingPartyOf } from '../factors/relying-party.ts';
import { SIGN_INS, type SignInParts, type SignInRequest, type SignInWork } from './sign-in.ts';

/** Error codes of `signInWithPasskey`. */
export const PASSKEY_FAULTS = {
  401: ['bad_passkey', 'bad_challenge'],
  403: ['api_disabled'],
  409: ['passkeys_unavailable'],
  429: ['too_many_requests'],
} as const;

/**
 * Verifies the signature of a passkey, and commits what `work` changes. Throws HttpError 401, 403
 * if API access is off, and 429; and StateError `passkeys_unavailable`.
 */
export async function signInWithPasskey<T>(
  { services, logins }: SignInParts,
  request: SignInRequest<Assertion>,
  work: SignInWork<T>,
): Promise<T> {
  const { environment, journal, reader, config, secrets } = services;
  const { body, remoteAddress, headers } = request;
  const party = relyingPartyOf(config.admin.hostname, request);
  logins.takePasskey(clientNetwork(remoteAddress), headers);
  const passkey = reader.passkeyByCredential(body.credential);
  if (passkey === undefined) throw passkeyError('bad_passkey');
  const verified = await verifySignIn(secrets, party, passkey, body);
  if (typeof verified === 'string') throw passkeyError(verified);
  const { used, challenge } = verified;
  const commit = (draft: Draft) => {
    if (!spendChallenge(draft, challenge)) throw passkeyError('bad_challenge');
    // The passkey may have been removed or used meanwhile, also on another node.
    const current = draft.passkey(passkey.id);
    const hasCounter = used.counter > 0 || (current?.counter ?? 0) > 0;
    if (current === undefined || (hasCounter && used.counter <= current.counter)) throw passkeyError('bad_passkey');
    const account = draft.account(current.accountId);
    if (account === undefined) throw passkeyError('bad_passkey');
    if (!account.apiEnabled) throw apiDisabled();
    draft.put(passkeys, { ...current, ...used, usedAt: nowSeconds() });
    return work(draft, account, 'passkey');
  };
  const observer = services.traces?.of(request.requestId);
  const { result, sequence } = await inCredentialTurn(services, passkey.accountId, () =>
    write(environment, journal, SIGN_INS, commit, { observer }),
  );
  headers[REVISION] = String(sequence);
  return result;
}

const MESSAGES: Readonly<Record<CeremonyFault, string>> = {
  bad_challenge: 'The challenge has expired or was used before; get another one and try again.',
  bad_passkey: 'The passkey is not known, was removed, or is for another address; sign in with the password.',
};

const passkeyError = (code: CeremonyFault): HttpError =>
  new HttpError(401, code, MESSAGES[code], { headers: { 'WWW-Authenticate': 'Bearer' } });
