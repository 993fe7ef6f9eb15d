/**
 * The host for which a passkey is created and used (WebAuthn, relying party). Only the configured
 * hosts and `localhost` are allowed, so that a forged Host header cannot select another host.
 */
import { StateError } from '../../../core/base/errors.ts';
import type { Credentials } from '../../http/caller.ts';
import { isOverTls } from '../../http/forwarded.ts';

export interface RelyingParty {
  /** The host name, to which browsers bind passkeys. */
  readonly id: string;
  /** Origin of the pages that may use the passkeys. */
  readonly origin: string;
}

/** Throws StateError `passkeys_unavailable`. `adminHosts`: the setting admin.hostname. */
export function relyingPartyOf(
  adminHosts: readonly string[],
  request: Pick<Credentials, 'header' | 'isSecure'>,
): RelyingParty {
  const host = request.header('host')?.toLowerCase() ?? '';
  const id = host.replace(/:\d{1,5}$/, '');
  if (adminHosts.includes(id)) return { id, origin: `https://${host}` };
  // Browsers allow passkeys on localhost without TLS. An address cannot have passkeys.
  if (id === 'localhost') return { id, origin: `${isOverTls(request) ? 'https' : 'http'}://${host}` };
  throw new StateError(
    'passkeys_unavailable',
    'Passkeys need a host name: open the dashboard at a name of admin.hostname, or at http://localhost with its port.',
  );
}
