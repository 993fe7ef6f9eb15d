/** A connection: the handshake, then a version of HTTP, until it closes. */
import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import type { Client as CountedClient } from '../../../core/net/address/client.ts';
import { SESSION_ENDING } from '../http2/endings.ts';
import { Http2Session } from '../http2/session.ts';
import {
  type ClientAuthentication,
  clientCertField,
  MAX_CLIENT_CERTIFICATE,
  type TlsCertificate,
} from '../tls/certificate.ts';
import { PROTOCOL_VERSION, UNRECOGNIZED_NAME } from '../tls/profile.ts';
import { HANDSHAKE_COST } from '../transport/flusher.ts';
import { type ProxyEndpoint, readProxyHeader } from '../transport/proxy-protocol.ts';
import type { ConnectionGate } from './application.ts';
import { type ConnectionHost, clientAt, describeClient, type Member } from './connection-host.ts';
import { ALPN_PROTOCOLS, namelessContextOf, secureContextOf } from './tls-context.ts';

/** RFC 9113 section 3.4. No HTTP/1.1 request begins like this: the method `PRI` is reserved. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** `undecided`: the bytes so far are a proper prefix of the preface. */
type DetectedVersion = 'http1' | 'http2' | 'undecided';

/**
 * Detects the version of HTTP from the first bytes, since there is no ALPN without TLS (RFC 9113
 * section 3.3, prior knowledge). Decides after at most 24 bytes.
 */
export function versionSpoken(bytes: Uint8Array): DetectedVersion {
  const length = Math.min(bytes.length, PREFACE.length);
  for (let i = 0; i < length; i++) if (bytes[i] !== PREFACE[i]) return 'http1';
  return length === PREFACE.length ? 'http2' : 'undecided';
}

/** A request without TLS begins with its method; a TLS record does not begin with a letter. */
const isPlainHttp = (bytes: Uint8Array): boolean => bytes.length > 0 && bytes[0] >= 0x41 && bytes[0] <= 0x5a;

const PLAIN_BODY = 'This port serves HTTPS only. Begin the URL with https:// instead of http://.\n';
const PLAIN_REFUSED = `HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ncontent-length: ${PLAIN_BODY.length}\r\nconnection: close\r\n\r\n${PLAIN_BODY}`;

interface ConnectionOptions {
  readonly client: CountedClient;
  /** Returned to the connection limits at the end. */
  readonly bucket: number;
  readonly deadline: number;
  /** As in Client. */
  readonly isSurplus: boolean;
  /** The member registered at the server, if it is another object. */
  readonly member?: Member;
}

export class Connection implements Member {
  readonly deadline: number;
  readonly isSurplus: boolean;
  readonly #server: ConnectionHost;
  readonly #raw: Socket;
  #client: CountedClient;
  #bucket: number;
  readonly #member: Member;
  #tls: TLSSocket | null = null;
  #session: Http2Session | null = null;
  #isSettled = false;
  #gate: ConnectionGate | null = null;
  /** The client certificate in the format of the Client-Cert field. */
  #certificate = '';
  #isClosed = false;

  constructor(
    server: ConnectionHost,
    raw: Socket,
    { client, bucket, deadline, isSurplus, member = this as Member }: ConnectionOptions,
  ) {
    this.#member = member;
    this.#server = server;
    this.#raw = raw;
    this.#client = client;
    this.#bucket = bucket;
    this.deadline = deadline;
    this.isSurplus = isSurplus;
    // Connection errors are ignored, since a close always follows.
    raw.on('error', ignore);
    raw.once('close', () => this.#onClosed());
  }

  /** Reads a header of the PROXY protocol first. */
  startProxied(isTls: boolean): void {
    const raw = this.#raw;
    let first: Buffer | null = null;
    const fail = (): void => {
      this.#server.counters.count('bad_proxy_header');
      this.destroy();
    };
    const onData = (bytes: Buffer): void => {
      first = first === null ? bytes : Buffer.concat([first, bytes]);
      const header = readProxyHeader(first);
      if (header === undefined) return;
      raw.off('data', onData);
      raw.off('end', fail);
      raw.pause();
      if (header === null) fail();
      else if (header.source !== null && !this.#admitSource(header.source)) this.destroy();
      else {
        if (first.length > header.length) raw.unshift(first.subarray(header.length));
        if (isTls) this.startTls();
        else {
          this.startClear();
          raw.resume();
        }
      }
    };
    raw.on('data', onData);
    raw.on('end', fail);
  }

  #admitSource(source: ProxyEndpoint): boolean {
    const client = clientAt(source);
    const bucket = this.#server.reenter(this.#bucket, client);
    if (bucket < 0) return false;
    this.#client = client;
    this.#bucket = bucket;
    return true;
  }

  /**
   * Starts the TLS handshake. The certificate is selected by server name. A name without a
   * certificate gets an alert.
   */
  startTls(): void {
    // The first bytes stay in the socket, from which node:tls reads them.
    this.#raw.once('readable', () => {
      const first: Buffer | null = this.#raw.read();
      if (first !== null && isPlainHttp(first)) this.#refusePlain();
      else {
        if (first !== null) this.#raw.unshift(first);
        this.#shakeHands();
      }
    });
  }

  /** As nginx. The response is readable, since the client expects HTTP without TLS. */
  #refusePlain(): void {
    this.#server.counters.count('handshake_failed');
    this.#raw.end(PLAIN_REFUSED);
    this.#raw.resume();
    this.#raw.once('end', () => this.destroy());
  }

  #shakeHands(): void {
    const tls = new TLSSocket(this.#raw, {
      isServer: true,
      secureContext: this.#initialContext(),
      ALPNProtocols: ALPN_PROTOCOLS as Buffer,
      SNICallback: (name, done) => {
        const serverName = name.toLowerCase();
        if (this.#enter(serverName)) this.#inTurn(() => this.#select(tls, serverName, done));
        else this.destroy();
      },
    });
    this.#tls = tls;
    tls.on('error', ignore);
    // A TLS error during or after the handshake. Node.js has sent the alert.
    tls.on('_tlsError', () => this.#failTls());
    tls.on('end', () => {
      if (!this.#isSettled) this.#failTls();
    });
    tls.once('secure', () => this.#onSecure(tls));
  }

  /** Runs `begin` when the site has budget left in the current turn. */
  #inTurn(begin: () => void): void {
    const share = this.#gate?.share;
    if (share?.isSpent && !this.#isClosed) {
      setImmediate(() => this.#inTurn(begin));
      return;
    }
    share?.spend(HANDSHAKE_COST);
    begin();
  }

  /** Selects the certificate, or ends the handshake. */
  #select(tls: TLSSocket, serverName: string, done: (error: Error | null, context?: SecureContext) => void): void {
    if (this.#isClosed) return;
    const certificate = chosenFor(tls, this.#server.certificateFor(serverName));
    const context = certificate && this.#contextOf(certificate, this.#gate?.policy?.clients?.authorities);
    if (context === undefined) this.#refuseName();
    else if (this.#gate?.policy?.requiresTls13 && tls.getProtocol() !== 'TLSv1.3') this.#refuse(PROTOCOL_VERSION);
    else if (this.#gate?.policy?.clients && !requestCertificate(tls, this.#gate.policy.clients)) this.destroy();
    else {
      // Before the context is set, since OpenSSL requests the OCSP response right after it.
      setStaple(tls, certificate?.staple);
      done(null, context);
    }
  }

  /** Detects the version of HTTP from the first bytes. */
  startClear(): void {
    const raw = this.#raw;
    let first: Buffer | null = null;
    const onData = (bytes: Buffer): void => {
      first = first === null ? bytes : Buffer.concat([first, bytes]);
      const detected = versionSpoken(first);
      if (detected === 'undecided') return;
      raw.off('data', onData);
      raw.off('end', onEnd);
      raw.pause();
      raw.unshift(first);
      this.#settle();
      this.#serve(raw, detected === 'http2', '');
    };
    const onEnd = (): void => {
      this.#server.counters.count('handshake_failed');
      this.destroy();
    };
    raw.on('data', onData);
    raw.on('end', onEnd);
  }

  expire(): void {
    this.#server.counters.limited('handshake_timeout', this.#client);
    this.destroy();
  }

  get isPressed(): boolean {
    return this.isSurplus || this.#server.isPressed(this.#bucket) || this.#gate?.isPressed === true;
  }

  drain(): void {
    this.#session?.drain();
  }

  cut(): void {
    this.#server.counters.limited('drain_cut', this.#client);
    this.#session?.cut(SESSION_ENDING.destroyed);
    this.destroy();
  }

  destroy(): void {
    this.#tls?.destroy();
    this.#raw.destroy();
  }

  /**
   * Enters the gate of the server name. False: the site has reached its limit. To be called once.
   */
  #enter(serverName: string): boolean {
    const gate = this.#server.gateFor(serverName);
    const isAdmitted = gate === null || gate.enter();
    if (isAdmitted) this.#gate = gate;
    else this.#server.counters.limited('refused_site', this.#client);
    return isAdmitted;
  }

  #onSecure(tls: TLSSocket): void {
    const { counters } = this.#server;
    const clients = this.#gate?.policy?.clients ?? null;
    const certificate = clients === null ? '' : receivedCertificate(tls, clients);
    if (certificate === undefined) {
      this.#failTls();
      return;
    }
    this.#certificate = certificate;
    // `servername` is false if the client sent none.
    const serverName = tls.servername || '';
    counters.count('handshakes_full');
    if (tls.getProtocol() === 'TLSv1.3') counters.count('tls_1_3');
    else counters.count('tls_1_2');
    this.#settle();
    this.#serve(tls, tls.alpnProtocol === 'h2', serverName.toLowerCase());
  }

  #serve(socket: Socket, isHttp2: boolean, serverName: string): void {
    const { application, limits, counters, http2Counters, http1, isDraining, onHandlerError } = this.#server;
    const gate = this.#gate;
    const policy = gate === null ? null : gate.policy;
    const tlsVersion = this.#tls === null ? '' : (this.#tls.getProtocol() ?? 'TLSv1.2');
    const client = describeClient(this.#client, serverName, tlsVersion, this.#certificate, policy, this.isSurplus);
    if (!isHttp2) {
      counters.count('http1');
      http1.accept(socket, client, gate, this);
      return;
    }
    counters.count('http2');
    this.#session = new Http2Session(socket, {
      handler: application.handler,
      client,
      limits: gate?.http2 ?? limits.http2,
      counters: http2Counters,
      scheme: client.isEncrypted ? 'https' : 'http',
      onHandlerError,
      memory: this.#server.memory,
      site: gate?.site,
      share: gate?.share,
      slots: this,
    });
    if (isDraining) this.#session.drain();
  }

  /** With the certificate for clients without a server name, if there is one. */
  #initialContext(): SecureContext {
    const certificate = this.#server.certificateFor('');
    try {
      return certificate === undefined ? this.#server.base : namelessContextOf(certificate);
    } catch (error) {
      this.#server.onHandlerError(error);
      return this.#server.base;
    }
  }

  /** Undefined if the context cannot be created: a bad certificate must not end the thread. */
  #contextOf(certificate: TlsCertificate, authorities?: string): SecureContext | undefined {
    try {
      return secureContextOf(certificate, authorities);
    } catch (error) {
      this.#server.onHandlerError(error);
      return undefined;
    }
  }

  #settle(): void {
    this.#isSettled = true;
    this.#server.settled(this.#member);
  }

  #refuseName(): void {
    this.#server.counters.count('unrecognized_name');
    this.#refuse(UNRECOGNIZED_NAME);
  }

  /**
   * Writes an alert to the raw socket, since node:tls cannot send it. Alerts are unencrypted before
   * the handshake.
   */
  #refuse(alert: Uint8Array): void {
    this.#raw.end(alert, () => this.destroy());
  }

  #failTls(): void {
    if (!this.#isSettled) this.#server.counters.count('handshake_failed');
    this.destroy();
  }

  #onClosed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#gate?.leave();
    this.#gate = null;
    this.#tls?.destroy();
    this.#server.closed(this.#member, this.#bucket);
  }
}

/**
 * Node.js sets one certificate on a connection, so the RSA certificate beside an ECDSA one is
 * chosen here, by the client's signature algorithms.
 */
function chosenFor(tls: TLSSocket, certificate: TlsCertificate | undefined): TlsCertificate | undefined {
  const alternative = certificate?.alternative;
  if (alternative === undefined) return certificate;
  return tls.getSharedSigalgs().some((name) => name.startsWith('ECDSA')) ? certificate : alternative;
}

/**
 * Sets the stapled OCSP response directly on the handle. Node.js emits `OCSPRequest` only on a
 * tls.Server, which has its own list of certificates.
 */
function setStaple(tls: TLSSocket, staple: Uint8Array | undefined): void {
  const handle: unknown = Reflect.get(tls, '_handle');
  if (staple !== undefined && canStaple(handle)) handle.setOCSPResponse(staple);
}

interface StaplingHandle {
  setOCSPResponse(response: Uint8Array): void;
}

const canStaple = (handle: unknown): handle is StaplingHandle =>
  typeof handle === 'object' && handle !== null && typeof Reflect.get(handle, 'setOCSPResponse') === 'function';

function ignore(): void {}

/** Undocumented methods of the TLS handle of Node.js. */
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

/**
 * Requests a client certificate during the handshake. For node:tls, which serves connections that
 * edge/http/tls does not support. False: this version of Node.js cannot request it, so the
 * connection must be rejected.
 */
function requestCertificate(tls: TLSSocket, { isRequired }: ClientAuthentication): boolean {
  const handle = handleOf(tls);
  handle?.setVerifyMode(true, isRequired);
  return handle !== null;
}

/**
 * Returns the verified client certificate in the format of the Client-Cert field; empty: none was
 * sent, and none is required. Undefined: invalid, too large, or missing.
 */
function receivedCertificate(tls: TLSSocket, { isRequired }: ClientAuthentication): string | undefined {
  const shown = tls.getPeerX509Certificate();
  if (shown === undefined) return isRequired ? undefined : '';
  const handle = handleOf(tls);
  const isVerified = handle !== null && handle.verifyError() === null;
  return isVerified && shown.raw.length <= MAX_CLIENT_CERTIFICATE ? clientCertField(shown.raw) : undefined;
}
