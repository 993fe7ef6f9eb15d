/**
 * The two ceremonies of passkeys (WebAuthn Level 3, 7.1 and 7.2): registration and sign-in. The
 * user must be verified by the authenticator, which makes a passkey two factors in one.
 *
 * The library is loaded on first use. Attestations with certificates are rejected: the library
 * would fetch revocation lists from URLs in those certificates.
 */
import type { Secrets } from '../../../core/base/secrets.ts';
import { type Id, idKey } from '../../../core/store/keys.ts';
import type { Account, Passkey } from '../../../core/store/rows.ts';
import { newChallenge, readChallenge, type ValidChallenge } from './challenges.ts';
import type { RelyingParty } from './relying-party.ts';

/** COSE algorithms that WebAuthn recommends: EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257];
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;
type Transport = (typeof TRANSPORTS)[number];
/** Milliseconds that a browser waits for its user. */
const TIMEOUT_MS = 300_000;

/** A new credential, as the browser returns it. Binary fields are base64url. */
export interface NewCredential {
  readonly credential: string;
  readonly client_data: string;
  readonly attestation: string;
  readonly transports?: readonly string[];
}

/** A signature of a passkey, as the browser returns it. Binary fields are base64url. */
export interface Assertion {
  readonly credential: string;
  readonly client_data: string;
  readonly authenticator_data: string;
  readonly signature: string;
  readonly user_handle: string;
}

/** Why a ceremony failed. */
export type CeremonyFault = 'bad_challenge' | 'bad_passkey';

/** The user handle of an account in authenticators. It contains no personal data. */
const userHandle = (accountId: Id): string => idKey(accountId).toString('base64url');

/** PublicKeyCredentialCreationOptionsJSON. `existing`: the passkeys of the account. */
export function registrationOptions(
  secrets: Secrets,
  { id: rpId }: RelyingParty,
  { id: accountId, username }: Account,
  existing: readonly Passkey[],
) {
  return {
    rp: { id: rpId, name: 'Waypost' },
    user: { id: userHandle(accountId), name: username, displayName: username },
    challenge: newChallenge(secrets, { accountId, rpId }),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: TIMEOUT_MS,
    excludeCredentials: existing
      .filter((passkey) => passkey.rpId === rpId)
      .map(({ credentialId, transports }) => ({ type: 'public-key', id: credentialId, transports })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
    extensions: { credProps: true },
  };
}

/** PublicKeyCredentialRequestOptionsJSON: any passkey that the browser has for this host. */
export const signInOptions = (secrets: Secrets, { id: rpId }: RelyingParty) => ({
  challenge: newChallenge(secrets, { accountId: null, rpId }),
  rpId,
  timeout: TIMEOUT_MS,
  userVerification: 'required',
  allowCredentials: [],
});

type Registered = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'rpId' | 'transports' | 'isBackedUp'>;

/** Verifies a new credential of the account. */
export async function verifyRegistration(
  secrets: Secrets,
  party: RelyingParty,
  accountId: Id,
  given: NewCredential,
): Promise<{ readonly passkey: Registered; readonly challenge: ValidChallenge } | CeremonyFault> {
  const challenge = challengeIn(secrets, { accountId, rpId: party.id }, given.client_data);
  if (challenge === null) return 'bad_challenge';
  const [{ verifyRegistrationResponse }, { decodeAttestationObject }] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ]);
  const transports = TRANSPORTS.filter((name) => given.transports?.includes(name));
  try {
    const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(given.attestation, 'base64url')));
    const format = attestation.get('fmt');
    const isSelfSigned = format === 'packed' && attestation.get('attStmt').get('x5c') === undefined;
    if (format !== 'none' && !isSelfSigned) return 'bad_passkey';
    const { verified, registrationInfo: info } = await verifyRegistrationResponse({
      response: {
        ...credentialOf(given.credential),
        response: { clientDataJSON: given.client_data, attestationObject: given.attestation, transports },
      },
      expectedChallenge: () => true,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified || info.credential.id !== given.credential) return 'bad_passkey';
    const publicKey = Buffer.from(info.credential.publicKey).toString('base64url');
    const { counter } = info.credential;
    const passkey = { credentialId: given.credential, publicKey, counter, rpId: party.id, transports };
    return { passkey: { ...passkey, isBackedUp: info.credentialBackedUp }, challenge };
  } catch {
    return 'bad_passkey';
  }
}

/** Fields that change with each use. */
type Used = Pick<Passkey, 'counter' | 'isBackedUp'>;

/** Verifies a signature by the passkey. The counter must have risen since its last use. */
export async function verifySignIn(
  secrets: Secrets,
  party: RelyingParty,
  passkey: Passkey,
  given: Assertion,
): Promise<{ readonly used: Used; readonly challenge: ValidChallenge } | CeremonyFault> {
  const challenge = challengeIn(secrets, { accountId: null, rpId: party.id }, given.client_data);
  if (challenge === null) return 'bad_challenge';
  if (given.user_handle !== userHandle(passkey.accountId) || passkey.rpId !== party.id) return 'bad_passkey';
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  try {
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: {
        ...credentialOf(given.credential),
        response: {
          clientDataJSON: given.client_data,
          authenticatorData: given.authenticator_data,
          signature: given.signature,
          userHandle: given.user_handle,
        },
      },
      expectedChallenge: () => true,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        counter: passkey.counter,
        transports: [...passkey.transports] as Transport[],
      },
      requireUserVerification: true,
    });
    if (!verified) return 'bad_passkey';
    return { used: { counter: info.newCounter, isBackedUp: info.credentialBackedUp }, challenge };
  } catch {
    return 'bad_passkey';
  }
}

const credentialOf = (id: string) => ({ id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} });

/** The challenge that the browser has signed; null: it is not valid. */
function challengeIn(secrets: Secrets, purpose: Parameters<typeof readChallenge>[1], clientData: string) {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientData, 'base64url').toString()) as { challenge?: unknown };
    return typeof challenge === 'string' ? readChallenge(secrets, purpose, challenge) : null;
  } catch {
    return null;
  }
}
