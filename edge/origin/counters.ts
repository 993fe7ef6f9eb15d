/** Counters of a client since its start. */
import type { OriginFault } from './origin.ts';

export interface OriginCounters {
  requests: number;
  /** Requests that were sent on a reused connection. */
  reused: number;
  /** Requests that were retried on a new connection. */
  retries: number;
  /** Connections that were opened. */
  connections: number;
  /** Connections that are open or being opened now. */
  open: number;
  /** Requests that failed before a response, by fault. */
  readonly faults: Record<OriginFault, number>;
}

export const newCounters = (): OriginCounters => ({
  requests: 0,
  reused: 0,
  retries: 0,
  connections: 0,
  open: 0,
  faults: {
    forbidden: 0,
    unresolved: 0,
    refused: 0,
    'connect-timeout': 0,
    tls: 0,
    reset: 0,
    malformed: 0,
    'header-timeout': 0,
    'idle-timeout': 0,
    down: 0,
    busy: 0,
    'slow-body': 0,
    aborted: 0,
  },
});
