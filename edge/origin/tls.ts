/**
 * TLS to origins: verifies the requested name (RFC 9525), negotiates one version of HTTP (RFC
 * 7301), and requires TLS 1.2.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import {
  type ConnectionOptions,
  checkServerIdentity,
  createSecureContext,
  type PeerCertificate,
  rootCertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { ConfigError } from '../../core/base/errors.ts';
import { RecentMap } from '../../core/base/recent-map.ts';
import { isHttp2, type Origin } from './origin-address.ts';

/** Maximum cached sessions, one for each origin. */
const MOST_SESSIONS = 4096;
/** Maximum cached contexts of origins with their own authorities or client certificates. */
const MAX_CONTEXTS = 256;

/**
 * Returns the text of a file with root certificates. `setting` names it in errors. Throws
 * ConfigError `bad_file`.
 */
export function readRootsFile(setting: string, file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  } catch (error) {
    throw new ConfigError('bad_file', `${setting}: ${file} cannot be read: ${(error as Error).message}.`);
  }
  throw new ConfigError('bad_file', `${setting}: ${file} contains no PEM certificate.`);
}

/** `ca`: PEM certificates of trusted authorities, in addition to those of node. */
export class OriginTls {
  readonly #ca: readonly string[] | undefined;
  readonly #context: SecureContext;
  /** By their authorities and client certificate. */
  readonly #contexts = new RecentMap<SecureContext>(MAX_CONTEXTS);
  readonly #sessions = new RecentMap<Buffer>(MOST_SESSIONS);

  constructor(ca: string | undefined) {
    this.#ca = ca === undefined ? undefined : [...rootCertificates, ca];
    this.#context = contextWith(this.#ca, undefined);
  }

  /**
   * `key`: of the origin and name, for the session cache. Throws when the origin's certificates
   * cannot be read.
   */
  optionsFor(origin: Origin, serverName: string, key: string): ConnectionOptions {
    const name = nameOf(origin, serverName);
    return {
      secureContext: this.#contextOf(origin),
      minVersion: 'TLSv1.2',
      ALPNProtocols: [isHttp2(origin) ? 'h2' : 'http/1.1'],
      // SNI must not be an address (RFC 6066 section 3).
      servername: isIP(name) === 0 ? name : '',
      rejectUnauthorized: !isByPinsAlone(origin),
      session: this.#sessions.get(key),
      checkServerIdentity: (_, certificate) => checkNames(certificate, origin, name),
    };
  }

  /** Stores the session of a connection. The next connection resumes it, without a certificate. */
  remember(key: string, session: Buffer): void {
    this.#sessions.set(key, session);
  }

  /** Deletes a session after a failed handshake, so that it is not tried again. */
  forget(key: string): void {
    this.#sessions.delete(key);
  }

  #contextOf({ trust, clientCertificate }: Origin): SecureContext {
    if (trust?.ca === undefined && clientCertificate === undefined) return this.#context;
    const key = JSON.stringify([trust?.ca, clientCertificate]);
    return this.#contexts.of(key, () =>
      contextWith(trust?.ca === undefined ? this.#ca : [trust.ca], clientCertificate),
    );
  }
}

function contextWith(ca: readonly string[] | undefined, client: Origin['clientCertificate']): SecureContext {
  return createSecureContext({
    minVersion: 'TLSv1.2',
    ...(ca === undefined ? {} : { ca: [...ca] }),
    ...(client === undefined ? {} : { cert: client.chain, key: client.key }),
  });
}

const isByPinsAlone = ({ trust }: Origin): boolean => trust?.pins !== undefined && trust.ca === undefined;

/** The check of ALPN and pins after the handshake. Null: none is needed. */
export function refusalOf(origin: Origin): ((socket: TLSSocket) => Error | null) | null {
  const byPins = refusalByPins(origin);
  if (!isHttp2(origin)) return byPins;
  return (socket) =>
    socket.alpnProtocol === 'h2' ? (byPins?.(socket) ?? null) : new Error('the origin does not offer HTTP/2 (ALPN h2)');
}

/**
 * The check of the pins (RFC 7469 section 2.4). A session is stored only after this check. It is
 * resumed, without a certificate, only by an origin with the same pins. Null: the origin has no
 * pins.
 */
function refusalByPins({ trust }: Origin): ((socket: TLSSocket) => Error | null) | null {
  const pins = trust?.pins;
  if (pins === undefined) return null;
  return (socket) => {
    if (socket.isSessionReused()) return null;
    const key = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' });
    const pin = key === undefined ? '' : createHash('sha256').update(key).digest('base64');
    return pins.includes(pin) ? null : new Error(`the public key of the origin is not pinned: ${pin}`);
  };
}

/** The name to verify. For an address it is the visitor's host. */
const nameOf = ({ host, serverName }: Origin, visited: string): string =>
  serverName ?? (isIP(host) === 0 ? host : visited);

/** The certificate must be valid for the name or for one of the origin's addresses. */
function checkNames(certificate: PeerCertificate, origin: Origin, name: string): Error | undefined {
  const { host, addresses } = origin;
  const error = checkName(certificate, name);
  if (error === undefined || origin.serverName !== undefined || isIP(host) === 0) return error;
  const isOfAddress = (addresses ?? [host]).some((address) => checkName(certificate, address) === undefined);
  return isOfAddress ? undefined : error;
}

/**
 * Without a DNS name, node would accept the common name, which must not be used (RFC 9525 section
 * 2).
 */
function checkName(certificate: PeerCertificate, name: string): Error | undefined {
  if (isIP(name) === 0 && !/(?:^|, )DNS:/.test(certificate.subjectaltname ?? ''))
    return new Error('the certificate of the origin has no DNS name (subjectAltName)');
  return checkServerIdentity(name, certificate);
}
