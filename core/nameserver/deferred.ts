/**
 * Messages that the query path defers: UPDATE, AXFR, IXFR, and all signed messages.
 *
 * Their answers need the journal or consist of many messages. So the DNS threads send them to the
 * main thread (`deferred-queue.ts`). It runs an AnswerDeferred (`deferred-server.ts`) and returns
 * the messages of the answer one at a time.
 */
import { bareResponse } from '../dns/wire/bare-response.ts';
import { findTsig } from '../dns/wire/tsig-record.ts';
import type { TransportName } from '../net/address/client.ts';
import type { SharedUdpLimit } from './deferred-limit.ts';
import type { UdpReply } from './deferred-udp.ts';

export interface DeferredRequest {
  /** The message as received, without the two bytes of its length. */
  readonly message: Uint8Array;
  /** Address of the client as text (RFC 5952). An IPv4-mapped IPv6 address is given as IPv4. */
  readonly address: string;
  readonly port: number;
  readonly transport: TransportName;
  /** Aborted when the client has disconnected or is too slow. Further messages are discarded. */
  readonly cancelled: AbortSignal;
  /**
   * Call it when the signature is valid and the message is not a replay. Over UDP the message then
   * no longer counts towards the rate of its network.
   */
  readonly verified?: () => void;
  /**
   * Ends the answer while its last message is not sent yet: the connection is closed, and the
   * iteration ends.
   */
  readonly abandon?: () => void;
}

/**
 * Yields the messages of the answer in order. Each message is sent before the next is requested.
 * Over UDP only the first message is requested.
 *
 * When the iteration ends, the connection continues. When it throws, the client gets SERVFAIL. If a
 * message has already been sent, the connection is closed instead, so that a partial answer is not
 * mistaken for a complete one.
 */
export type AnswerDeferred = (request: DeferredRequest) => AsyncIterable<Uint8Array>;

/** Messages from a DNS thread. `id` numbers the requests of the thread. */
export type ToMain =
  | {
      readonly kind: 'submit';
      readonly id: number;
      readonly message: Uint8Array;
      readonly address: string;
      readonly port: number;
      readonly transport: TransportName;
      /** See UdpLimit.network. */
      readonly network: number;
      /** Where the main thread sends the answer itself. Null: the DNS thread sends it. */
      readonly reply: UdpReply | null;
    }
  /** The last message has been sent. */
  | { readonly kind: 'next'; readonly id: number }
  | { readonly kind: 'cancel'; readonly id: number };

/** Messages to a DNS thread. */
export type FromMain =
  | { readonly kind: 'message'; readonly id: number; readonly message: Uint8Array }
  /** `failed`: the answer is incomplete. */
  | { readonly kind: 'end'; readonly id: number; readonly failed: boolean };

/** A DNS thread's end of the channel to the main thread. */
export interface DeferredChannel<Port> {
  readonly port: Port;
  /**
   * One 32-bit word: requests of the thread that the main thread has not finished. The thread adds,
   * the main thread subtracts.
   */
  readonly pendingCount: SharedArrayBuffer;
  /** Shared by all threads. */
  readonly udpLimit: SharedUdpLimit;
}

/**
 * Pending requests of one thread, and how many of them are reserved for networks without a pending
 * request.
 */
export const MAX_PENDING = 320;
export const RESERVED_PENDING = 64;
/**
 * Pending requests of one client network over all threads: a secondary may follow many zones.
 * Beyond the limit the response is SERVFAIL, on which clients retry.
 */
export const MAX_PER_CLIENT = 64;

/**
 * An error response to a deferred message. It has an OPT record if the message has one.
 */
export function errorResponse(message: Uint8Array, rcode: number): Uint8Array {
  return bareResponse(message, rcode, findTsig(message).opt);
}
