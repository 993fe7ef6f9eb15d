/** WebAuthn ceremonies for passkeys. A separate script, loaded when a passkey may be used. */
import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from '@simplewebauthn/browser';
import type { Failure } from './failure.ts';
import { readPasskeyOptions, signInWithPasskey } from './session.ts';
import { TEXTS } from './texts.ts';

/**
 * Signs in with a passkey. `isOffer`: offers passkeys only in the autofill list of the input, and
 * waits until the user selects one. Resolves to null on success, and to 'cancelled' if the user
 * cancels or another ceremony starts.
 */
export async function enterWithPasskey(isOffer: boolean): Promise<Failure | 'cancelled' | null> {
  const read = await readPasskeyOptions();
  if (!read.ok) return read.failure;
  const optionsJSON = read.body.options as PublicKeyCredentialRequestOptionsJSON;
  try {
    const { id, response } = await startAuthentication({ optionsJSON, useBrowserAutofill: isOffer });
    return await signInWithPasskey({
      credential: id,
      client_data: response.clientDataJSON,
      authenticator_data: response.authenticatorData,
      signature: response.signature,
      user_handle: response.userHandle ?? '',
    });
  } catch {
    return 'cancelled';
  }
}

/** Cancels a pending ceremony. */
export const cancelPasskey = (): void => WebAuthnAbortService.cancelCeremony();

/** Creates a passkey. Returns the request fields for the API, or the failure. */
export async function createPasskey(options: unknown) {
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON;
  try {
    const { id, response } = await startRegistration({ optionsJSON });
    return {
      ok: true,
      fields: {
        credential: id,
        client_data: response.clientDataJSON,
        attestation: response.attestationObject,
        transports: response.transports ?? [],
      },
    } as const;
  } catch (error) {
    const texts = TEXTS.ownAccount.passkeys;
    const isRegistered = error instanceof Error && error.name === 'InvalidStateError';
    const failure: Failure = {
      status: 0,
      code: 'cancelled',
      details: [],
      message: isRegistered ? texts.exists : texts.cancelled,
    };
    return { ok: false, failure } as const;
  }
}
