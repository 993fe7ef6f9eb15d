/** The ceremonies of passkeys. A script of its own, loaded when a passkey may be used. */
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
 * Signs in with a passkey. `isOffer`: the browser shows passkeys only in the list of the input, and
 * this waits until one is chosen. Resolves to null when signed in, and to 'cancelled' if the user
 * has used none, or if another ceremony took over.
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

/** Ends a ceremony that waits for the user. */
export const cancelPasskey = (): void => WebAuthnAbortService.cancelCeremony();

/** The fields of a new passkey, as the API takes them; or why there is none. */
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
    const isKnown = error instanceof Error && error.name === 'InvalidStateError';
    const failure: Failure = {
      status: 0,
      code: 'cancelled',
      details: [],
      message: isKnown ? texts.exists : texts.cancelled,
    };
    return { ok: false, failure } as const;
  }
}
