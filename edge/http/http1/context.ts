/** What a server of HTTP/1.1 is given, and what its connections share. */
import type { MemoryBudget } from '../exchange/client-memory.ts';
import type { Handler } from '../exchange/exchange.ts';
import type { TurnShare } from '../transport/turn-share.ts';
import type { Http1Counters } from './counters.ts';
import type { Http1Limits } from './limits.ts';

export interface Http1Options {
  readonly handler: Handler;
  readonly limits: Http1Limits;
  readonly counters: Http1Counters;
  /** What a handler threw or rejected with. */
  readonly onHandlerError?: (error: unknown) => void;
  /** The thread's, of which each client's network gets a share. */
  readonly memory?: MemoryBudget;
}

/** What holds for the connections of one site. */
export interface SiteTerms {
  /** The site that memory is charged to. */
  readonly site: string;
  /** How long its connections may stay as they are, and how slow they may be; null: as all. */
  readonly http1: Http1Limits | null;
  /** Of the turns of the thread, in which its connections are served; null: they need not wait. */
  readonly share: TurnShare | null;
}

/** What the connections of a server share. */
export interface Http1Context<Connection> extends Http1Options {
  readonly memory: MemoryBudget;
  isDraining: boolean;
  readonly onClose: (connection: Connection) => void;
}
