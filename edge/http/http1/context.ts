/** Options of an HTTP/1.1 server, and the state that its connections share. */
import type { MemoryBudget } from '../exchange/client-memory.ts';
import type { Handler } from '../exchange/exchange.ts';
import type { TurnShare } from '../transport/turn-share.ts';
import type { Http1Counters } from './counters.ts';
import type { Http1Limits } from './limits.ts';

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
