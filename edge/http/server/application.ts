/** The application that a thread of the edge serves. It decides on responses and certificates. */
import type { DescriptorLoop } from '../../../core/os/descriptor-loop.ts';
import type { Handler } from '../exchange/exchange.ts';
import type { Http1Limits } from '../http1/limits.ts';
import type { Http2Limits } from '../http2/limits.ts';
import type { TlsCertificate, TlsPolicy } from '../tls/certificate.ts';
import type { TurnShare } from '../transport/flusher.ts';

export interface Application {
  /** Handles every request of the thread. */
  readonly handler: Handler;
  /**
   * Returns the certificate of a server name (SNI, in lower case); of the empty name, the one for
   * clients without SNI. Undefined: the client gets unrecognized_name (RFC 6066 section 3), or,
   * without SNI, handshake_failure. Called for each connection, so it must be fast. It returns the
   * same object while the certificate is the same, since contexts are cached by that object.
   */
  certificateFor(serverName: string): TlsCertificate | undefined;
  /** Returns the settings for a server name (in lower case); null: none. */
  gateFor?(serverName: string): ConnectionGate | null;
  /**
   * Whether connections from an address begin with a header of the PROXY protocol. Omitted, null:
   * none do.
   */
  readonly sendsProxyHeader?: ((address: string) => boolean) | null;
  /** Receives messages of `Pool.send`. */
  onMessage?(message: unknown): void;
  /** Called after the drain. Releases resources that keep the thread alive. */
  close?(): Promise<void> | void;
}

/** The environment of an application in its thread. */
export interface ThreadContext {
  /** From 0. Threads of one generation have different numbers. */
  readonly thread: number;
  /** The counters of `PoolOptions.columns`: a double for each, written by this thread only. */
  readonly counters: SharedArrayBuffer;
  /**
   * Polls the application's own descriptors, at most `PoolOptions.descriptors` at a time; null: not
   * available.
   */
  readonly loop: DescriptorLoop | null;
  /** Sends a message to `PoolOptions.onMessage`. */
  send(message: unknown): void;
}

/**
 * The `createApplication` export of an application module. `data`: a structured clone of
 * `PoolOptions.data`.
 */
export type CreateApplication = (data: unknown, context: ThreadContext) => Application | Promise<Application>;

/**
 * Settings and limits for the connections of one site. The application implements it, since it
 * knows the sites.
 */
export interface ConnectionGate {
  /** The site that memory is charged to. */
  readonly site: string;
  /** Null: only the rules for all connections. */
  readonly policy: TlsPolicy | null;
  /** Null: those of the server. */
  readonly http1: Http1Limits | null;
  readonly http2: Http2Limits | null;
  /** The share of the event loop for its connections; null: unlimited. */
  readonly share: TurnShare | null;
  /** Half of the site's connections or requests in flight are in use. */
  readonly isPressed: boolean;
  /**
   * Counts a connection. False: the site has reached its limit, and the connection is closed at
   * once.
   */
  enter(): boolean;
  /** To be called once for each connection that has entered. */
  leave(): void;
}
