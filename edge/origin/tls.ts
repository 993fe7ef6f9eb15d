/** TLS to origins: verified by the name that was asked for (RFC 9525), HTTP/1.1 alone (RFC 7301), TLS 1.2 at least. */
import { isIP } from 'node:net';
import {
  type ConnectionOptions,
  checkServerIdentity,
  createSecureContext,
  type PeerCertificate,
  rootCertificates,
  type SecureContext,
} from 'node:tls';
import type { Origin } from './origin-address.ts';

/** Sessions that are kept: one for each origin, the one that was used longest ago goes. */
const MOST_SESSIONS = 4096;

/** `ca`: certificates in PEM that origins may be verified by, beside those that node brings. */
export class OriginTls {
  readonly #context: SecureContext;
  readonly #sessions = new Map<string, Buffer>();

  constructor(ca: string | undefined) {
    this.#context = createSecureContext({
      minVersion: 'TLSv1.2',
      ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    });
  }

  /** `key`: of the origin and name, which sessions are kept by. */
  optionsFor(origin: Origin, serverName: string, key: string): ConnectionOptions {
    const name = nameOf(origin, serverName);
    return {
      secureContext: this.#context,
      minVersion: 'TLSv1.2',
      ALPNProtocols: ['http/1.1'],
      // An address is no server name (RFC 6066 section 3).
      servername: isIP(name) === 0 ? name : '',
      rejectUnauthorized: true,
      session: this.#sessions.get(key),
      checkServerIdentity: (_, certificate) => checkNames(certificate, origin, name),
    };
  }

  /** Of a connection that stands: its next one needs no certificate. */
  remember(key: string, session: Buffer): void {
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    if (this.#sessions.size > MOST_SESSIONS) this.#sessions.delete(this.#sessions.keys().next().value!);
  }

  /** A session that did not help is not tried again. */
  forget(key: string): void {
    this.#sessions.delete(key);
  }
}

/** An address has no name: the visitor's stands in. */
const nameOf = ({ host }: Origin, serverName: string): string => (isIP(host) === 0 ? host : serverName);

/** The certificate must be valid for the name, or for one of the addresses that the origin is. */
function checkNames(certificate: PeerCertificate, { host, addresses }: Origin, name: string): Error | undefined {
  const error = checkName(certificate, name);
  if (error === undefined || isIP(host) === 0) return error;
  const isOfAddress = (addresses ?? [host]).some((address) => checkName(certificate, address) === undefined);
  return isOfAddress ? undefined : error;
}

/** Node would take the common name when there is no name beside it, which says nothing (RFC 9525 section 2). */
function checkName(certificate: PeerCertificate, name: string): Error | undefined {
  if (isIP(name) === 0 && !/(?:^|, )DNS:/.test(certificate.subjectaltname ?? ''))
    return new Error('the certificate of the origin has no DNS name (subjectAltName)');
  return checkServerIdentity(name, certificate);
}
