/**
 * Messages that the query path does not answer itself: UPDATE, AXFR, IXFR, and whatever is signed. They need the journal or many messages for an
 * answer, so the threads hand them to main (`deferred-queue.ts`), which runs an AnswerDeferred (`deferred-server.ts`) and hands the messages of its
 * answer back one by one.
 */
import type { SharedUdpBound } from './deferred-bound.ts';
import type { UdpReply } from './deferred-udp.ts';

export type DeferredTransport = 'udp' | 'tcp' | 'tls' | 'https';

export interface DeferredRequest {
  /** As it came, without the length before it. */
  readonly message: Uint8Array;
  /** Of the client, as text (RFC 5952). IPv4 in IPv6 is IPv4. */
  readonly address: string;
  readonly port: number;
  readonly transport: DeferredTransport;
  /** Aborted when the client is gone or too slow: what is still to come is for nobody. */
  readonly cancelled: AbortSignal;
  /** To be called when the message has a good signature and has not come before: over UDP it then counts nothing of its network's rate. */
  readonly verified?: () => void;
}

/**
 * The messages of the answer in order; each is taken before the next is asked for. Over UDP the first is sent and the rest is not asked for. At its
 * end the connection goes on; when it throws, the client gets SERVFAIL, or, once a message has been sent, is cut, so that nobody takes a part for the whole.
 */
export type AnswerDeferred = (request: DeferredRequest) => AsyncIterable<Uint8Array>;

/** From a thread. `id` counts a thread's requests. */
export type ToMain =
  | {
      readonly kind: 'ask';
      readonly id: number;
      readonly message: Uint8Array;
      readonly address: string;
      readonly port: number;
      readonly transport: DeferredTransport;
      /** See UdpBound. */
      readonly network: number;
      /** Main sends the answer itself. */
      readonly reply: UdpReply | null;
    }
  /** The last message has been taken. */
  | { readonly kind: 'next'; readonly id: number }
  | { readonly kind: 'cancel'; readonly id: number };

/** To a thread. */
export type FromMain =
  | { readonly kind: 'message'; readonly id: number; readonly message: Uint8Array }
  /** `failed`: what was sent is not all. */
  | { readonly kind: 'end'; readonly id: number; readonly failed: boolean };

/** A thread's way to main and back. */
export interface DeferredChannel<Port> {
  readonly port: Port;
  /** One 32-bit word: requests of the thread that main has not ended. The thread adds, main takes off. */
  readonly underWay: SharedArrayBuffer;
  /** Of all threads. */
  readonly udpBound: SharedUdpBound;
}

/** Requests of one thread at a time, and how many of them are kept for clients that have none yet. */
export const MAX_UNDER_WAY = 320;
export const RESERVED = 64;
/** Requests of one client at a time, over all threads: a secondary may follow many zones. Whoever has them all gets SERVFAIL, on which clients come again. */
export const MAX_PER_CLIENT = 64;
