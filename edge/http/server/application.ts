/** The application that a thread of the edge serves. It decides on responses and certificates. */
import type { DescriptorLoop } from '../../../core/os/descriptor-loop.ts';
import type { Handler } from '../exchange/exchange.ts';
import type { TlsCertificate } from '../tls/certificate.ts';
import type { ConnectionGate } from './connection-gate.ts';

export interface Application {
  /** Handles every request of the thread. */
  readonly handler: Handler;
  /**
   * Returns the certificate of a server name (SNI, in lower case). Undefined: the client gets
   * unrecognized_name (RFC 6066 section 3). Clients without SNI get no certificate: their handshake
   * fails. Called for each connection, so it must be fast. It returns the same object while the
   * certificate is the same, since contexts are cached by that object.
   */
  certificateFor(serverName: string): TlsCertificate | undefined;
  /** Returns the settings for a server name (in lower case); null: none. */
  gateFor?(serverName: string): ConnectionGate | null;
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
