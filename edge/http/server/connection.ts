/** One connection: handshake, then the version of HTTP that it speaks, until it closes. */
import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import type { Client as CountedClient } from '../../../core/net/address/client.ts';
import { SESSION_ENDING } from '../http2/endings.ts';
import { Http2Session } from '../http2/session.ts';
import type { TlsCertificate } from '../tls/certificate.ts';
import { type ClientAuthentication, clientCertField, MAX_CLIENT_CERTIFICATE } from '../tls/policy.ts';
import { PROTOCOL_VERSION, UNRECOGNIZED_NAME } from '../tls/profile.ts';
import { HANDSHAKE_COST } from '../transport/turn-share.ts';
import { describeClient } from './client.ts';
import type { ConnectionGate } from './connection-gate.ts';
import type { ConnectionHost } from './connection-host.ts';
import type { Member } from './member.ts';
import { ALPN_PROTOCOLS, secureContextOf } from './tls-context.ts';

/** RFC 9113 section 3.4. No request of HTTP/1.1 begins so: `PRI` is reserved. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** `undecided`: the bytes so far are the begin of the preface, and of it only. */
type Spoken = 'http1' | 'http2' | 'undecided';

/**
 * Without TLS there is no ALPN: which version of HTTP a connection speaks is decided by its first
 * bytes (RFC 9113 section 3.3, prior knowledge).
 *
 * By the first bytes; whole once 24 bytes are there.
 */
export function versionSpoken(bytes: Uint8Array): Spoken {
  const length = Math.min(bytes.length, PREFACE.length);
  for (let i = 0; i < length; i++) if (bytes[i] !== PREFACE[i]) return 'http1';
  return length === PREFACE.length ? 'http2' : 'undecided';
}

interface ConnectionOptions {
  readonly client: CountedClient;
  /** By which the limits take it back. */
  readonly bucket: number;
  readonly deadline: number;
  /** As whom the server knows it, if not as itself. */
  readonly member?: Member;
}

export class Connection implements Member {
  readonly deadline: number;
  readonly #server: ConnectionHost;
  readonly #raw: Socket;
  readonly #client: CountedClient;
  readonly #bucket: number;
  readonly #member: Member;
  #tls: TLSSocket | null = null;
  #session: Http2Session | null = null;
  #isSettled = false;
  #gate: ConnectionGate | null = null;
  /** The client's, as the field Client-Cert has it. */
  #certificate = '';
  #isClosed = false;

  constructor(
    server: ConnectionHost,
    raw: Socket,
    { client, bucket, deadline, member = this as Member }: ConnectionOptions,
  ) {
    this.#member = member;
    this.#server = server;
    this.#raw = raw;
    this.#client = client;
    this.#bucket = bucket;
    this.deadline = deadline;
    // Errors of a connection concern nobody else; what follows them is the close.
    raw.on('error', ignore);
    raw.once('close', () => this.#closed());
  }

  /**
   * Waits for the handshake. It takes the certificate of the server name, and answers one that
   * nobody has by an alert.
   */
  startTls(): void {
    const { base } = this.#server;
    const tls = new TLSSocket(this.#raw, {
      isServer: true,
      secureContext: base,
      ALPNProtocols: ALPN_PROTOCOLS as Buffer,
      SNICallback: (name, done) => {
        const serverName = name.toLowerCase();
        if (this.#enter(serverName)) this.#inTurn(() => this.#select(tls, serverName, done));
        else this.destroy();
      },
    });
    this.#tls = tls;
    tls.on('error', ignore);
    // What goes wrong in TLS, in the handshake or later: node has sent the alert.
    tls.on('_tlsError', () => this.#tlsFailed());
    tls.on('end', () => {
      if (!this.#isSettled) this.#tlsFailed();
    });
    tls.once('secure', () => this.#secured(tls));
  }

  /** Begins a handshake in a turn of its site. */
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
    const certificate = this.#server.certificateFor(serverName);
    const context = certificate && this.#contextOf(certificate, this.#gate?.policy?.clients?.authorities);
    if (context === undefined) this.#refuseName();
    else if (this.#gate?.policy?.requiresTls13 && tls.getProtocol() !== 'TLSv1.3') this.#refuse(PROTOCOL_VERSION);
    else if (this.#gate?.policy?.clients && !demandCertificate(tls, this.#gate.policy.clients)) this.destroy();
    else {
      // Before the context is set, since OpenSSL requests the response right after it.
      setStaple(tls, certificate?.staple);
      done(null, context);
    }
  }

  /** Waits for the first bytes, which tell the version. */
  startClear(): void {
    const raw = this.#raw;
    let first: Buffer | null = null;
    const onData = (bytes: Buffer): void => {
      first = first === null ? bytes : Buffer.concat([first, bytes]);
      const spoken = versionSpoken(first);
      if (spoken === 'undecided') return;
      raw.off('data', onData);
      raw.off('end', onEnd);
      raw.pause();
      raw.unshift(first);
      this.#settle();
      this.#serve(raw, spoken === 'http2', '');
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

  /** Whether the handshake may begin. Once. */
  #enter(serverName: string): boolean {
    const gate = this.#server.gateFor(serverName);
    const isAdmitted = gate === null || gate.enter();
    if (isAdmitted) this.#gate = gate;
    else this.#server.counters.limited('refused_site', this.#client);
    return isAdmitted;
  }

  #secured(tls: TLSSocket): void {
    const { counters } = this.#server;
    const clients = this.#gate?.policy?.clients ?? null;
    const certificate = clients === null ? '' : shownCertificate(tls, clients);
    if (certificate === undefined) {
      this.#tlsFailed();
      return;
    }
    this.#certificate = certificate;
    // False: none was named.
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
    const client = describeClient(this.#client, serverName, this.#tls !== null, this.#certificate, policy);
    if (!isHttp2) {
      counters.count('http1');
      http1.accept(socket, client, gate);
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
    });
    if (isDraining) this.#session.drain();
  }

  /** One that cannot be made is none: what a client names must not end the thread. */
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

  /** Past node's TLS, which sends no such alert. Before the handshake alerts are in the clear. */
  #refuse(alert: Uint8Array): void {
    this.#raw.end(alert, () => this.destroy());
  }

  #tlsFailed(): void {
    if (!this.#isSettled) this.#server.counters.count('handshake_failed');
    this.destroy();
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#gate?.leave();
    this.#gate = null;
    this.#tls?.destroy();
    this.#server.closed(this.#member, this.#bucket);
  }
}

/**
 * Node gives the `OCSPRequest` event to a tls.Server only, which has the certificate of a
 * connection from its own list. So the response is set where the event's callback would set it.
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

/**
 * Certificates of clients over node:tls, which serves what edge/http/tls does not.
 *
 * Within the handshake. False: this Node.js cannot ask; the connection has to be refused.
 */
function demandCertificate(tls: TLSSocket, { isRequired }: ClientAuthentication): boolean {
  const handle = handleOf(tls);
  handle?.setVerifyMode(true, isRequired);
  return handle !== null;
}

/**
 * The verified certificate after the handshake, as the field Client-Cert has it; empty: none was
 * shown, and none has to be. Undefined: it is wrong, too large, or missing.
 */
function shownCertificate(tls: TLSSocket, { isRequired }: ClientAuthentication): string | undefined {
  const shown = tls.getPeerX509Certificate();
  if (shown === undefined) return isRequired ? undefined : '';
  const handle = handleOf(tls);
  const isVerified = handle !== null && handle.verifyError() === null;
  return isVerified && shown.raw.length <= MAX_CLIENT_CERTIFICATE ? clientCertField(shown.raw) : undefined;
}
