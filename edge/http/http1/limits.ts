import type { BodyLimits } from '../exchange/body-pace.ts';
import type { MemoryBudget } from '../exchange/client-memory.ts';
import type { Handler } from '../exchange/exchange.ts';
import type { TurnShare } from '../transport/flusher.ts';
import type { Http1Counters } from './counters.ts';

/**
 * Limits of a connection of HTTP/1.1. Each exceeded limit is counted by its reason (counters.ts).
 */
export interface Http1Limits extends BodyLimits {
  /**
   * Bytes of a request's target and fields, and of its trailers. Beyond: 431. The default of 32 KiB
   * matches common servers.
   */
  readonly headerBytes: number;
  /** Field lines of a request. Beyond: 431. A browser sends about 20. */
  readonly headerFields: number;
  /** Characters of a target. Beyond: 414. RFC 9112 section 3 asks for at least 8,000. */
  readonly targetLength: number;
  /**
   * Milliseconds from the first byte of a request, or from the start of the connection, to the end
   * of the head. Then: 408.
   */
  readonly headerTimeout: number;
  /** Milliseconds that a connection may be open without a request. */
  readonly idleTimeout: number;
  /** Buffered bytes of a body at which the connection stops reading. */
  readonly bodyBuffered: number;
  /**
   * Bytes of an unread body that are discarded after the response to keep the connection. If more
   * are missing, the response closes it.
   */
  readonly discardedBytes: number;
  /** Milliseconds in which a client has to take a piece (64 KiB) of pending output. */
  readonly writeTimeout: number;
  /**
   * Requests per connection. The response to the last one closes the connection, which rebalances
   * clients over threads and nodes.
   */
  readonly requests: number;
  /** Maximum number of queued requests behind the active one. Beyond: the connection is closed. */
  readonly pipelined: number;
  /**
   * Milliseconds without input for which a closed connection waits for the client to end too (RFC
   * 9112 section 9.6). It discards at most `lingerBytes` in at most `lingerDuration` milliseconds.
   */
  readonly lingerTimeout: number;
  readonly lingerBytes: number;
  readonly lingerDuration: number;
  /**
   * Milliseconds that an active request may be idle in both directions, even if the handler is the
   * slow side. Then: 408 or 504. If the response has begun, the connection is closed.
   */
  readonly streamIdleTimeout: number;
  /** Milliseconds that a tunnel may be idle in both directions. */
  readonly tunnelIdleTimeout: number;
}

/**
 * Milliseconds between checks of connections: a quarter of the shortest timeout, between 10 ms and
 * 1 s.
 */
export function sweepMs(limits: Http1Limits): number {
  const { headerTimeout, idleTimeout, writeTimeout, lingerTimeout } = limits;
  const shortest = Math.min(
    ...[headerTimeout, idleTimeout, writeTimeout, lingerTimeout],
    ...[limits.bodyWindow, limits.bodyPressedWindow, limits.bodyPause],
    ...[limits.streamIdleTimeout, limits.tunnelIdleTimeout],
  );
  return Math.max(10, Math.min(1_000, shortest / 4));
}

/** Options of an HTTP/1.1 server, and the state that its connections share. */
export interface Http1Options {
  readonly handler: Handler;
  readonly limits: Http1Limits;
  readonly counters: Http1Counters;
  /** Receives the error that a handler threw or rejected with. */
  readonly onHandlerError?: (error: unknown) => void;
  /** The thread's budget, shared by all client networks. */
  readonly memory?: MemoryBudget;
}

/** Settings for the connections of one site. */
export interface SiteTerms {
  /** The site that memory is charged to. */
  readonly site: string;
  /** Timeouts and the minimum body rate of its connections; null: those of the server. */
  readonly http1: Http1Limits | null;
  /** The share of the event loop for its connections; null: unlimited. */
  readonly share: TurnShare | null;
}

export interface Http1Context<Connection> extends Http1Options {
  readonly memory: MemoryBudget;
  isDraining: boolean;
  readonly onClose: (connection: Connection) => void;
}
