/**
 * What a thread of the edge is given to serve: the seam to the code that decides what is answered
 * and by which certificates.
 */
import type { DescriptorLoop } from '../../../core/os/descriptor-loop.ts';
import type { Handler } from '../exchange/exchange.ts';
import type { TlsCertificate } from '../tls/certificate.ts';
import type { ConnectionGate } from './connection-gate.ts';

export interface Application {
  /** Gets every request of the thread. */
  readonly handler: Handler;
  /**
   * The certificate of a server name (SNI, in lower case), or undefined: the client gets
   * unrecognized_name (RFC 6066 section 3). Clients that send no name get no certificate: their
   * handshake fails. Asked for each connection: not to be slow, nor to make PEM again each time.
   * What is made of a certificate is kept by its PEM.
   */
  certificateFor(serverName: string): TlsCertificate | undefined;
  /** What holds for a connection with a server name (in lower case); null: nothing. */
  gateFor?(serverName: string): ConnectionGate | null;
  /** What `Pool.send` says to all threads. */
  onMessage?(message: unknown): void;
  /** No connection is left, or none may stay: releases what keeps the thread. */
  close?(): Promise<void> | void;
}

/** What a thread's application knows of where it runs. */
export interface ThreadContext {
  /** From 0; threads that run at one time have different ones. */
  readonly thread: number;
  /**
   * Where it counts what `PoolOptions.columns` names: a double for each, written by this thread
   * alone.
   */
  readonly counters: SharedArrayBuffer;
  /**
   * For descriptors of the application's own, `PoolOptions.descriptors` at one time; null: there
   * are none but node's.
   */
  readonly loop: DescriptorLoop | null;
  /** To `PoolOptions.onMessage`. */
  send(message: unknown): void;
}

/**
 * What the module of an application exports as `createApplication`. `data`: a structured clone of
 * `PoolOptions.data`.
 */
export type CreateApplication = (data: unknown, context: ThreadContext) => Application | Promise<Application>;
