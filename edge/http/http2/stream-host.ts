/** The session, as its streams see it. */
import type { ClientMemory } from '../exchange/client-memory.ts';
import type { Client } from '../exchange/exchange.ts';
import type { Ending } from './endings.ts';
import type { Http2Limits } from './limits.ts';
import type { Sender } from './sender.ts';
import type { Http2Stream } from './stream.ts';

/** What a stream asks of its session. */
export interface StreamHost {
  readonly client: Client;
  readonly scheme: 'http' | 'https';
  readonly limits: Http2Limits;
  readonly memory: ClientMemory;
  readonly sender: Sender;
  /** Frames lie in the output, or are due: they leave soon. */
  flushSoon(): void;
  /** END_STREAM lies in the output. */
  streamSent(stream: Http2Stream): void;
  /** Bytes of the request's body were taken or dropped. */
  bodyTaken(stream: Http2Stream, bytes: number): void;
  /** Ends the stream by RST_STREAM. */
  resetStream(stream: Http2Stream, ending: Ending): void;
  /** The handler, or a listener of its, threw. */
  handlerFailed(stream: Http2Stream, error: unknown): void;
}
