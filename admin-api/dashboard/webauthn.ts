/** Whether this browser can use passkeys at this address. */

/** Browsers do not allow passkeys at IP addresses such as 127.0.0.1. */
const ADDRESS = /^\[|^[\d.]+$/;

export const canUsePasskeys = (): boolean =>
  'PublicKeyCredential' in window && window.isSecureContext && !ADDRESS.test(window.location.hostname);

/** Whether the browser offers passkeys in the autofill list of an input. */
export async function canOfferPasskeys(): Promise<boolean> {
  if (!canUsePasskeys()) return false;
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
}
