/**
 * The interface between a pool and its carriers: connections of HTTP/1.1 (`connection.ts`), and
 * lanes of HTTP/2 (`http2/lane.ts`), many of which share a connection.
 */
import type { Pressure } from '../http/exchange/body-pace.ts';
import type { Call } from './call.ts';
import type { OriginClock } from './clock.ts';
import type { DialTarget, DialTools } from './dial.ts';
import type { OriginLimits } from './limits.ts';
import type { OriginError } from './origin.ts';
import type { OriginPlace } from './spellings.ts';

/** Carries one request at a time. */
export interface Carrier {
  /** Time of the clock at which the idle timeout or a timeout of the origin expires. */
  readonly deadline: number;
  /** As `performance.now`. */
  readonly idleSince: number;
  /** For the owner: the call whose share this carrier uses. It outlives the request. */
  carried: Call | null;
  /** Whether it can carry a request, as far as is known. */
  readonly isOpen: boolean;
  send(call: Call): void;
  /** Becomes idle. */
  rest(): void;
  /** The deadline has passed. */
  expire(): void;
  destroy(): void;
  /** Fails its request with `error`, even while the response body is being read. */
  abort(error: OriginError): void;
}

/** The interface of the pool for its carriers. */
export interface CarrierOwner extends Pressure {
  /** As `OriginResponse.identity`. */
  readonly identity: OriginPlace;
  /** The carrier is ready for the next request. */
  onIdle(carrier: Carrier): void;
  /**
   * Called once, when the carrier closes. `retried`: its call, which must be retried; null: none.
   */
  onClosed(carrier: Carrier, retried: Call | null): void;
}

/** A pending attempt to open a carrier. */
export interface Attempt {
  start(): void;
  /** Cancels the attempt. No callback follows. */
  abort(): void;
}

/** Connections to one origin that each carry several concurrent requests. */
export interface Multiplexer {
  attempt(): Attempt;
  /** `now`: of the clock. */
  tick(now: number): void;
  /** Closes all connections. Their carriers were aborted before. */
  close(): void;
}

/** The interface of the pool for its multiplexer. */
export interface MultiplexerOwner extends CarrierOwner, DialTarget {
  /** A connection was established. `resolved`: all addresses of the host. */
  onConnected(address: string, resolved: readonly string[]): void;
  /**
   * Either this or `onAttemptFailed` is called once, perhaps within `start`. Neither follows an
   * abort.
   */
  onCarrier(attempt: Attempt, carrier: Carrier): void;
  onAttemptFailed(attempt: Attempt, error: OriginError): void;
}

export interface MultiplexerTools extends DialTools {
  readonly clock: OriginClock;
  readonly limits: OriginLimits;
}

/** Implemented by `edge/origin/http2`. */
export type CreateMultiplexer = (owner: MultiplexerOwner, tools: MultiplexerTools) => Multiplexer;
