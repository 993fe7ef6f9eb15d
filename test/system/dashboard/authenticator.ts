/** Authenticators of Chromium for passkeys. */
import type { CDPSession, Page } from 'playwright-core';

export interface VirtualAuthenticator {
  readonly cdp: CDPSession;
  readonly id: string;
}

/** Its user is there, and verified. */
export async function addAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId: id } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, id };
}

/** Whether its user answers at once. */
export const setPresence = ({ cdp, id }: VirtualAuthenticator, enabled: boolean): Promise<unknown> =>
  cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: id, enabled });

/** Whether its user is the right one. */
export const setVerified = ({ cdp, id }: VirtualAuthenticator, isUserVerified: boolean): Promise<unknown> =>
  cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified });

/**
 * Whether the browser offers passkeys in the first input, until the page is loaded again. Otherwise
 * a user who answers at once may take the offer before the button is pressed.
 */
export const setOffered = (page: Page, isOffered: boolean): Promise<unknown> =>
  page.evaluate(`void (PublicKeyCredential.isConditionalMediationAvailable = async () => ${isOffered})`);
