/** The interface of the server for its connections. */
import type { SecureContext } from 'node:tls';
import type { MemoryBudget } from '../exchange/client-memory.ts';
import type { Http1 } from '../http1/server.ts';
import type { Http2Counters } from '../http2/counters.ts';
import type { TlsCertificate } from '../tls/certificate.ts';
import type { Application } from './application.ts';
import type { ConnectionGate } from './connection-gate.ts';
import type { ServerCounters } from './counters.ts';
import type { EdgeLimits } from './limits.ts';
import type { Member } from './member.ts';

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
  /** The version of HTTP of a connection is known. */
  settled(connection: Member): void;
  closed(connection: Member, bucket: number): void;
}
