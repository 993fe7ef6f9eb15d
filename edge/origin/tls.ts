/**
 * TLS to origins: verified by the name that was asked for (RFC 9525), one version of HTTP (RFC
 * 7301), TLS 1.2 at least.
 */
import { createHash } from 'node:crypto';
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
import { isHttp2, type Origin } from './origin-address.ts';

/** Sessions that are kept: one for each origin, the one that was used longest ago goes. */
const MOST_SESSIONS = 4096;
/** Contexts of origins with authorities or client certificates of their own. */
const MOST_CONTEXTS = 256;

/**
 * `ca`: certificates in PEM that origins may be verified by, in addition to those that node brings.
 */
export class OriginTls {
  readonly #ca: readonly string[] | undefined;
  readonly #context: SecureContext;
  /** By what they are made of. */
  readonly #contexts = new Map<string, SecureContext>();
  readonly #sessions = new Map<string, Buffer>();

  constructor(ca: string | undefined) {
    this.#ca = ca === undefined ? undefined : [...rootCertificates, ca];
    this.#context = contextWith(this.#ca, undefined);
  }

  /**
   * `key`: of the origin and name, which sessions are kept by. Throws when the certificates of the
   * origin cannot be read.
   */
  optionsFor(origin: Origin, serverName: string, key: string): ConnectionOptions {
    const name = nameOf(origin, serverName);
    return {
      secureContext: this.#contextOf(origin),
      minVersion: 'TLSv1.2',
      ALPNProtocols: [isHttp2(origin) ? 'h2' : 'http/1.1'],
      // An address is no server name (RFC 6066 section 3).
      servername: isIP(name) === 0 ? name : '',
      rejectUnauthorized: !isByPinsAlone(origin),
      session: this.#sessions.get(key),
      checkServerIdentity: (_, certificate) => checkNames(certificate, origin, name),
    };
  }

  /** Of a connection that stands: its next one needs no certificate. */
  remember(key: string, session: Buffer): void {
    put(this.#sessions, key, session, MOST_SESSIONS);
  }

  /** A session that did not help is not tried again. */
  forget(key: string): void {
    this.#sessions.delete(key);
  }

  #contextOf({ trust, clientCertificate }: Origin): SecureContext {
    if (trust?.ca === undefined && clientCertificate === undefined) return this.#context;
    const key = JSON.stringify([trust?.ca, clientCertificate]);
    const context =
      this.#contexts.get(key) ?? contextWith(trust?.ca === undefined ? this.#ca : [trust.ca], clientCertificate);
    put(this.#contexts, key, context, MOST_CONTEXTS);
    return context;
  }
}

function contextWith(ca: readonly string[] | undefined, client: Origin['clientCertificate']): SecureContext {
  return createSecureContext({
    minVersion: 'TLSv1.2',
    ...(ca === undefined ? {} : { ca: [...ca] }),
    ...(client === undefined ? {} : { cert: client.chain, key: client.key }),
  });
}

/** As the latest; the one that was used longest ago goes. */
function put<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value!);
}

const isByPinsAlone = ({ trust }: Origin): boolean => trust?.pins !== undefined && trust.ca === undefined;

/** By ALPN and pins. Null: every connection may be used. */
export function refusalOf(origin: Origin): ((socket: TLSSocket) => Error | null) | null {
  const byPins = refusalByPins(origin);
  if (!isHttp2(origin)) return byPins;
  return (socket) =>
    socket.alpnProtocol === 'h2' ? (byPins?.(socket) ?? null) : new Error('the origin does not offer HTTP/2 (ALPN h2)');
}

/**
 * By its pins (RFC 7469 section 2.4). A session is only kept after this check, and resumed without
 * a certificate by an origin with the same pins. Null: it has none.
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

/** An address has no name: the visitor's stands in. */
const nameOf = ({ host, serverName }: Origin, visited: string): string =>
  serverName ?? (isIP(host) === 0 ? host : visited);

/** The certificate must be valid for the name, or for one of the addresses that the origin is. */
function checkNames(certificate: PeerCertificate, origin: Origin, name: string): Error | undefined {
  const { host, addresses } = origin;
  const error = checkName(certificate, name);
  if (error === undefined || origin.serverName !== undefined || isIP(host) === 0) return error;
  const isOfAddress = (addresses ?? [host]).some((address) => checkName(certificate, address) === undefined);
  return isOfAddress ? undefined : error;
}

/**
 * Node would take the common name when there is no name next to it, which says nothing (RFC 9525
 * section 2).
 */
function checkName(certificate: PeerCertificate, name: string): Error | undefined {
  if (isIP(name) === 0 && !/(?:^|, )DNS:/.test(certificate.subjectaltname ?? ''))
    return new Error('the certificate of the origin has no DNS name (subjectAltName)');
  return checkServerIdentity(name, certificate);
}
