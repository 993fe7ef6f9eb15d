/** What the server and its connections know of each other, independent of the transport. */

import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { Client as CountedClient } from '../../../core/net/address/client.ts';
import { addressText, setClientAddress } from '../../../core/net/address/ipv6.ts';
import type { MemoryBudget } from '../exchange/client-memory.ts';
import type { Client } from '../exchange/exchange.ts';
import type { Http1 } from '../http1/server.ts';
import type { Http2Counters } from '../http2/counters.ts';
import type { TlsCertificate, TlsPolicy } from '../tls/certificate.ts';
import type { ProxyEndpoint } from '../transport/proxy-protocol.ts';
import type { Application, ConnectionGate } from './application.ts';
import type { ServerCounters } from './counters.ts';
import type { EdgeLimits } from './limits.ts';

export interface ConnectionHost {
  readonly application: Application;
  readonly limits: EdgeLimits;
  /** The context of node:tls until the server name is known. */
  readonly base: SecureContext;
  readonly counters: ServerCounters;
  readonly http1: Http1;
  readonly http2Counters: Http2Counters;
  readonly memory: MemoryBudget;
  readonly isDraining: boolean;
  readonly onHandlerError: (error: unknown) => void;
  certificateFor(serverName: string): TlsCertificate | undefined;
  /** Returns the settings for a server name; null: none. */
  gateFor(serverName: string): ConnectionGate | null;
  /** Whether connections are scarce, for all clients or for that of `bucket`. */
  isPressed(bucket: number): boolean;
  /**
   * Counts a connection of `bucket` as one of `client`, whom the PROXY protocol states. Returns its
   * new bucket. Negative: a limit was reached, and the bucket stays.
   */
  reenter(bucket: number, client: CountedClient): number;
  /** The version of HTTP of a connection is known. */
  settled(connection: Member): void;
  closed(connection: Member, bucket: number): void;
}

/** A connection as its server tracks it, independent of its transport. */
export interface Member {
  /** Deadline for detecting the version of HTTP, in milliseconds of performance.now(). */
  readonly deadline: number;
  /** As in Client. */
  readonly isSurplus: boolean;
  /** The handshake timed out. */
  expire(): void;
  /**
   * Stops accepting requests. Requests in flight may complete. A connection in its handshake
   * continues, and drains once its version of HTTP is known.
   */
  drain(): void;
  /** The drain timed out. */
  cut(): void;
}

/**
 * The client of a connection. The client for connection limits; null: it has disconnected already.
 */
export function countedClient(socket: Socket): CountedClient | null {
  const { remoteAddress, remotePort } = socket;
  if (remoteAddress === undefined) return null;
  const client = new CountedClient();
  setClientAddress(client, remoteAddress, remotePort ?? 0);
  return client;
}

/** The client that a header of the PROXY protocol states. */
export function clientAt({ address, port }: ProxyEndpoint): CountedClient {
  const client = new CountedClient();
  client.setAddress(address, 0, address.length);
  client.port = port;
  return client;
}

/** `tlsVersion`: as in Client. */
export function describeClient(
  client: CountedClient,
  serverName: string,
  tlsVersion: string,
  certificate = '',
  policy: TlsPolicy | null = null,
  isSurplus = false,
): Client {
  const tlsPolicy = policy === null ? '' : policy.fingerprint;
  const isEncrypted = tlsVersion !== '';
  const address = addressText(client);
  return { address, port: client.port, serverName, isEncrypted, tlsVersion, certificate, tlsPolicy, isSurplus };
}
