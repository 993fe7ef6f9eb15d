/** One connection: handshake, then the version of HTTP that it speaks, until it closes. */
import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import type { Client as CountedClient } from '../../../core/address/client.ts';
import { SESSION_ENDING } from '../http2/endings.ts';
import { Http2Session } from '../http2/session.ts';
import type { TlsCertificate } from '../tls/certificate.ts';
import { UNRECOGNIZED_NAME } from '../tls/profile.ts';
import { describeClient } from './client.ts';
import type { ConnectionHost } from './connection-host.ts';
import type { Member } from './member.ts';
import { versionSpoken } from './preface.ts';
import { ALPN_PROTOCOLS, secureContextOf } from './tls-context.ts';

export interface ConnectionOptions {
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

  /** Waits for the handshake. It takes the certificate of the server name, and answers one that nobody has by an alert. */
  startTls(): void {
    const { base } = this.#server;
    const tls = new TLSSocket(this.#raw, {
      isServer: true,
      secureContext: base,
      ALPNProtocols: ALPN_PROTOCOLS as Buffer,
      SNICallback: (name, done) => {
        const certificate = this.#server.certificateFor(name.toLowerCase());
        const context = certificate && this.#contextOf(certificate);
        if (context === undefined) this.#refuseName();
        else {
          // Before the context is set, since OpenSSL requests the response right after it.
          setStaple(tls, certificate?.staple);
          done(null, context);
        }
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

  #secured(tls: TLSSocket): void {
    const { counters } = this.#server;
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
    const client = describeClient(this.#client, serverName, this.#tls !== null);
    if (!isHttp2) {
      counters.count('http1');
      http1.accept(socket, client);
      return;
    }
    counters.count('http2');
    this.#session = new Http2Session(socket, {
      handler: application.handler,
      client,
      limits: limits.http2,
      counters: http2Counters,
      scheme: client.isEncrypted ? 'https' : 'http',
      onHandlerError,
      memory: this.#server.memory,
    });
    if (isDraining) this.#session.drain();
  }

  /** One that cannot be made is none: what a client names must not end the thread. */
  #contextOf(certificate: TlsCertificate): SecureContext | undefined {
    try {
      return secureContextOf(certificate);
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
    // Past node's TLS, which knows no such alert: nothing has been sent yet, so it goes out in the clear, as it has to.
    this.#raw.end(UNRECOGNIZED_NAME, () => this.destroy());
  }

  #tlsFailed(): void {
    if (!this.#isSettled) this.#server.counters.count('handshake_failed');
    this.destroy();
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#tls?.destroy();
    this.#server.closed(this.#member, this.#bucket);
  }
}

/**
 * Node gives the `OCSPRequest` event to a tls.Server only, which has the certificate of a connection
 * from its own list. So the response is set where the event's callback would set it.
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
