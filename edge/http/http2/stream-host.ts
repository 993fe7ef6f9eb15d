/** The part of the session that its streams use. */

import type { ClientMemory } from '../exchange/client-memory.ts';
import type { Client } from '../exchange/exchange.ts';
import type { FieldList } from '../exchange/field-list.ts';
import type { Ending } from './endings.ts';
import type { Http2Limits } from './limits.ts';
import type { ReadyHead } from './response-head.ts';

/** The part of the sender that streams use. */
interface StreamSender<Stream> {
  /** Bytes of queued bodies, of all streams. */
  readonly queued: number;
  /** Returns how many of `bytes` the handler may fetch for the stream; 0: it has to wait. */
  reserve(stream: Stream, bytes: number): number;
  head(streamId: number, status: number, fields: FieldList, isEnd: boolean): void;
  ready(stream: Stream, head: ReadyHead, body: Uint8Array): void;
  queue(stream: Stream, part: Uint8Array): void;
  lend(stream: Stream, part: Uint8Array): void;
  mayPass(stream: Stream, length: number): boolean;
  passLast(stream: Stream, body: Uint8Array): void;
  end(stream: Stream): void;
}

/** The session of a stream. */
export interface StreamHost<Stream> {
  readonly client: Client;
  readonly scheme: 'http' | 'https';
  readonly limits: Http2Limits;
  readonly memory: ClientMemory;
  readonly sender: StreamSender<Stream>;
  /** Sends the output soon, after this call. */
  flushSoon(): void;
  /** END_STREAM is in the output. */
  streamSent(stream: Stream): void;
  /** Bytes of the request's body were read or discarded. */
  bodyConsumed(stream: Stream, bytes: number): void;
  /** Ends the stream by RST_STREAM. */
  resetStream(stream: Stream, ending: Ending): void;
  /** The promise that the handler returned is settled. */
  handlerEnded(stream: Stream): void;
  /** The handler or one of its listeners threw. */
  handlerFailed(stream: Stream, error: unknown): void;
}
