/** The server, as its connections see it. */
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
  /** The context of node:tls before the server name is known. */
  readonly base: SecureContext;
  readonly counters: ServerCounters;
  readonly http1: Http1;
  readonly http2Counters: Http2Counters;
  readonly memory: MemoryBudget;
  readonly isDraining: boolean;
  readonly onHandlerError: (error: unknown) => void;
  certificateFor(serverName: string): TlsCertificate | undefined;
  /** What holds for the connections of a server name; null: nothing. */
  gateFor(serverName: string): ConnectionGate | null;
  /** The version of HTTP is known. */
  settled(connection: Member): void;
  closed(connection: Member, bucket: number): void;
}
