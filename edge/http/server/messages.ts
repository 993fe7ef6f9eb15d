/** Messages between the pool and its threads. */
import type { LogLevel } from '../../../core/base/log/index.ts';
import type { SharedLimits } from '../../../core/os/connection-limits.ts';
import type { TicketKeys } from '../../../core/site/tls/ticket-keys.ts';
import type { SharedPlaces } from '../tls/places.ts';
import type { EdgeLimits } from './limits.ts';
import type { Listener } from './server.ts';
import type { Slice } from './slices.ts';

/** The workerData of a thread. */
export interface ThreadData {
  /** File URL of the application's module. */
  readonly application: string;
  /** Passed to `createApplication`. */
  readonly data: unknown;
  readonly thread: number;
  readonly listeners: readonly Listener[];
  readonly limits: EdgeLimits;
  readonly tickets: TicketKeys;
  /** Seconds. */
  readonly ticketLifetime: number;
  /** The shared connection counts, and the thread's slot in them. */
  readonly connections: SharedLimits;
  readonly slot: number;
  /** Counters of the thread (slices.ts). */
  readonly slice: Slice;
  /** Load level of the process (core/os/protection); null: not monitored. */
  readonly load: SharedArrayBuffer | null;
  /**
   * Descriptors and OpenSSL objects of edge/http/tls, which outlive a thread that dies; null: TLS
   * by node:tls.
   */
  readonly places: SharedPlaces | null;
  /** See Pulse (core/os). */
  readonly pulse: SharedArrayBuffer;
}

export type ToThread =
  | { readonly kind: 'tickets'; readonly keys: TicketKeys }
  | { readonly kind: 'drain' }
  | { readonly kind: 'application'; readonly message: unknown };

export type FromThread =
  | { readonly kind: 'listening' }
  /** The thread cannot start. It is not retried. */
  | { readonly kind: 'failed'; readonly message: string }
  | {
      readonly kind: 'log';
      readonly level: Exclude<LogLevel, 'debug'>;
      readonly message: string;
      readonly fields: { readonly [key: string]: string | number };
    }
  | { readonly kind: 'application'; readonly message: unknown };
