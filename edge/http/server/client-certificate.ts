/** Certificates of clients over node:tls, which serves what edge/http/tls does not. */
import type { TLSSocket } from 'node:tls';
import { type ClientAuthentication, clientCertField, MAX_CLIENT_CERTIFICATE } from '../tls/policy.ts';

/** What node's handle of a TLS connection has besides what is documented. */
interface VerifyingHandle {
  setVerifyMode(requests: boolean, rejects: boolean): void;
  verifyError(): Error | null;
}

function handleOf(tls: TLSSocket): VerifyingHandle | null {
  const handle: unknown = Reflect.get(tls, '_handle');
  const isVerifying =
    typeof handle === 'object' &&
    handle !== null &&
    typeof Reflect.get(handle, 'setVerifyMode') === 'function' &&
    typeof Reflect.get(handle, 'verifyError') === 'function';
  return isVerifying ? (handle as VerifyingHandle) : null;
}

/** Within the handshake. False: this Node.js cannot ask; the connection has to be refused. */
export function demandCertificate(tls: TLSSocket, { isRequired }: ClientAuthentication): boolean {
  const handle = handleOf(tls);
  handle?.setVerifyMode(true, isRequired);
  return handle !== null;
}

/**
 * The verified certificate after the handshake, as the field Client-Cert has it; empty: none was
 * shown, and none has to be. Undefined: it is wrong, too large, or missing.
 */
export function shownCertificate(tls: TLSSocket, { isRequired }: ClientAuthentication): string | undefined {
  const shown = tls.getPeerX509Certificate();
  if (shown === undefined) return isRequired ? undefined : '';
  const handle = handleOf(tls);
  const isVerified = handle !== null && handle.verifyError() === null;
  return isVerified && shown.raw.length <= MAX_CLIENT_CERTIFICATE ? clientCertField(shown.raw) : undefined;
}
