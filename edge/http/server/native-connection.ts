/**
 * A connection with TLS from edge/http/tls. If that does not support the handshake, the connection
 * is handed over to node:tls.
 */
import { Socket } from 'node:net';
import type { Client as CountedClient } from '../../../core/net/address/client.ts';
import { loadLibc } from '../../../core/os/libc.ts';
import { SESSION_ENDING } from '../http2/endings.ts';
import { Http2Session } from '../http2/session.ts';
import type { TlsCertificate, TlsPolicy } from '../tls/certificate.ts';
import type { TlsConnection, TlsOwner } from '../tls/connection.ts';
import type { TurnShare } from '../transport/flusher.ts';
import type { ProxyEndpoint } from '../transport/proxy-protocol.ts';
import type { ConnectionGate } from './application.ts';
import { Connection } from './connection.ts';
import { type ConnectionHost, clientAt, describeClient, type Member } from './connection-host.ts';

export class NativeConnection implements TlsOwner, Member {
  readonly deadline: number;
  readonly #server: ConnectionHost;
  #client: CountedClient;
  #bucket: number;
  #tls: TlsConnection | null = null;
  #session: Http2Session | null = null;
  #gate: ConnectionGate | null = null;
  /** The connection over node:tls after a handover. */
  #handedOver: Connection | null = null;

  /**
   * `bucket`: returned to the connection limits at the end. `awaitsProxyHeader`: the connection
   * begins with a header of the PROXY protocol.
   */
  constructor(
    server: ConnectionHost,
    client: CountedClient,
    bucket: number,
    deadline: number,
    readonly awaitsProxyHeader: boolean,
    readonly isSurplus: boolean,
  ) {
    this.#server = server;
    this.#client = client;
    this.#bucket = bucket;
    this.deadline = deadline;
  }

  expire(): void {
    if (this.#handedOver !== null) {
      this.#handedOver.expire();
      return;
    }
    this.#server.counters.limited('handshake_timeout', this.#client);
    this.#tls?.destroy();
  }

  get isPressed(): boolean {
    return this.isSurplus || this.#server.isPressed(this.#bucket) || this.#gate?.isPressed === true;
  }

  drain(): void {
    this.#handedOver?.drain();
    this.#session?.drain();
  }

  cut(): void {
    if (this.#handedOver !== null) {
      this.#handedOver.cut();
      return;
    }
    this.#server.counters.limited('drain_cut', this.#client);
    this.#session?.cut(SESSION_ENDING.destroyed);
    this.#tls?.destroy();
  }

  // From TLS.

  begun(connection: TlsConnection): void {
    this.#tls = connection;
  }

  admitSource(source: ProxyEndpoint): boolean {
    const client = clientAt(source);
    const bucket = this.#server.reenter(this.#bucket, client);
    if (bucket < 0) return false;
    this.#client = client;
    this.#bucket = bucket;
    return true;
  }

  get policy(): TlsPolicy | null {
    return this.#gate === null ? null : this.#gate.policy;
  }

  get share(): TurnShare | null {
    return this.#gate === null ? null : this.#gate.share;
  }

  admit(serverName: string): boolean {
    const gate = this.#server.gateFor(serverName);
    const isAdmitted = gate === null || gate.enter();
    if (isAdmitted) this.#gate = gate;
    else this.#server.counters.limited('refused_site', this.#client);
    return isAdmitted;
  }

  certificateFor(serverName: string): TlsCertificate | undefined {
    return this.#server.certificateFor(serverName);
  }

  certificateFailed(error: unknown): void {
    this.#server.onHandlerError(error);
  }

  handOver(fd: number): void {
    this.#tls = null;
    let raw: Socket;
    try {
      raw = new Socket({ fd, allowHalfOpen: true });
    } catch {
      // Node.js cannot use the socket: out of memory, or the system refused.
      loadLibc().close(fd);
      this.failed('handshake_failed');
      this.closed();
      return;
    }
    const [client, bucket, { deadline, isSurplus }] = [this.#client, this.#bucket, this];
    this.#handedOver = new Connection(this.#server, raw, { client, bucket, deadline, isSurplus, member: this });
    this.#handedOver.startTls();
  }

  secured(connection: TlsConnection): void {
    const { counters, application, limits, http1, http2Counters, isDraining, onHandlerError } = this.#server;
    if (connection.isResumed) counters.count('handshakes_resumed');
    else counters.count('handshakes_full');
    if (connection.isTls13) counters.count('tls_1_3');
    else counters.count('tls_1_2');
    this.#server.settled(this);
    const gate = this.#gate;
    const { serverName, clientCertificate } = connection;
    const tlsVersion = connection.isTls13 ? 'TLSv1.3' : 'TLSv1.2';
    const client = describeClient(this.#client, serverName, tlsVersion, clientCertificate, this.policy, this.isSurplus);
    if (!connection.isHttp2) {
      counters.count('http1');
      http1.accept(connection, client, gate);
      return;
    }
    counters.count('http2');
    this.#session = new Http2Session(connection, {
      handler: application.handler,
      client,
      limits: gate?.http2 ?? limits.http2,
      counters: http2Counters,
      scheme: 'https',
      onHandlerError,
      memory: this.#server.memory,
      site: gate?.site,
      share: gate?.share,
      slots: this,
    });
    if (isDraining) this.#session.drain();
  }

  failed(reason: 'unrecognized_name' | 'handshake_failed' | 'bad_proxy_header'): void {
    this.#server.counters.count(reason);
  }

  closed(): void {
    this.#gate?.leave();
    this.#gate = null;
    this.#server.closed(this, this.#bucket);
  }
}
