/**
 * The seam between a pool and what carries its requests: connections of HTTP/1.1 (`connection.ts`),
 * and the lanes of HTTP/2 (`http2/lane.ts`), of which many share a connection.
 */
import type { Call } from './call.ts';
import type { OriginClock } from './clock.ts';
import type { DialTarget, DialTools } from './dial.ts';
import type { OriginLimits } from './limits.ts';
import type { OriginError } from './origin.ts';
import type { OriginPlace } from './place.ts';

/** Carries one request at a time. */
export interface Carrier {
  /** In the time of the clock: when it has been idle for too long, or the origin silent. */
  readonly deadline: number;
  /** In the time of the clock. */
  readonly idleSince: number;
  /** For the owner: the call whose share this carrier uses. It outlives the request. */
  carried: Call | null;
  /** Nothing is known that would keep it from carrying a request. */
  readonly isOpen: boolean;
  send(call: Call): void;
  /** There is no request for it. */
  rest(): void;
  /** The deadline has passed. */
  expire(): void;
  destroy(): void;
  /** Its request, which may have a reader, fails with `aborted`. */
  abort(): void;
}

/** The pool, as its carriers see it. */
export interface CarrierOwner {
  /** Of the origin, as `OriginResponse` has it. */
  readonly identity: OriginPlace;
  /** The next request may come. */
  onIdle(carrier: Carrier): void;
  /** Once; it is not used any more. `again`: what it carried and is to be sent once more. */
  onClosed(carrier: Carrier, again: Call | null): void;
}

/** A carrier in the making. */
export interface Attempt {
  start(): void;
  /** It is not needed any more. */
  abort(): void;
}

/** Connections to one origin that carry several requests at a time. */
export interface Multiplexer {
  attempt(): Attempt;
  /** `now`: of the clock. */
  tick(now: number): void;
  /** Closes all connections; their carriers have been aborted. */
  close(): void;
}

/** The pool, as its multiplexer sees it. */
export interface MultiplexerOwner extends CarrierOwner, DialTarget {
  /** A connection stands. `resolved`: all addresses of the host. */
  onConnected(address: string, resolved: readonly string[]): void;
  /** One of both, once, unless the attempt was aborted; perhaps within `start`. */
  onCarrier(attempt: Attempt, carrier: Carrier): void;
  onAttemptFailed(attempt: Attempt, error: OriginError): void;
}

export interface MultiplexerTools extends DialTools {
  readonly clock: OriginClock;
  readonly limits: OriginLimits;
}

/** `edge/origin/http2` has it. */
export type CreateMultiplexer = (owner: MultiplexerOwner, tools: MultiplexerTools) => Multiplexer;
