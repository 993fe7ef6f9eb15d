/** What the pool and its threads say to one another. */
import type { LogLevel } from '../../../core/base/log/index.ts';
import type { SharedLimits } from '../../../core/os/connection-limits.ts';
import type { TicketKeys } from '../../../core/site/tls/ticket-keys.ts';
import type { SharedPlaces } from '../tls/places.ts';
import type { EdgeLimits } from './limits.ts';
import type { Listener } from './server.ts';
import type { Slice } from './slices.ts';

/** What a thread starts with: its workerData. */
export interface ThreadData {
  /** File URL of the application's module. */
  readonly application: string;
  /** What its `createApplication` gets. */
  readonly data: unknown;
  readonly thread: number;
  readonly listeners: readonly Listener[];
  readonly limits: EdgeLimits;
  readonly tickets: TicketKeys;
  /** Seconds. */
  readonly ticketLifetime: number;
  /** Its part of the counts of connections. */
  readonly connections: SharedLimits;
  readonly slot: number;
  /** Where it counts (slices.ts). */
  readonly slice: Slice;
  /** The level of load of the process (core/os/protection); null: it is not watched. */
  readonly load: SharedArrayBuffer | null;
  /** What it holds of the system (edge/http/tls); null: its TLS is node's. */
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
  /** It cannot start; nothing is tried again. */
  | { readonly kind: 'failed'; readonly message: string }
  | {
      readonly kind: 'log';
      readonly level: Exclude<LogLevel, 'debug'>;
      readonly message: string;
      readonly fields: { readonly [key: string]: string | number };
    }
  | { readonly kind: 'application'; readonly message: unknown };
