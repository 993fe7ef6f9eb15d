/**
 * Timeouts of each part of an exchange with an origin, and limits of connections and requests. The
 * reasons for the defaults are documented with the settings (core/config/origin-settings.ts).
 */

import type { BodyLimits } from '../http/exchange/body-pace.ts';

/** Entries that are kept at zero: adding and deleting one for each request would cost more. */
const KEPT = 16;

/** `bodyRate` is that of a request body while it has a connection. */
export interface OriginLimits extends BodyLimits {
  /** Milliseconds for TCP, over all addresses. */
  readonly connectTimeout: number;
  /** Milliseconds for TCP and the TLS handshake. */
  readonly tlsTimeout: number;
  /** Milliseconds from the end of the request to the end of the response's head. */
  readonly headerTimeout: number;
  /** Milliseconds without a byte of the body, in either direction. */
  readonly idleTimeout: number;
  /** The same for a response that is a stream of events. */
  readonly streamIdleTimeout: number;
  /** Idle timeout of a connection in milliseconds. */
  readonly keepAlive: number;
  /** Maximum connections to one origin. */
  readonly connections: number;
  /** Maximum requests that wait for a connection to one origin. */
  readonly waiting: number;
  /** Maximum connections to all origins. */
  readonly totalConnections: number;
  /** Maximum bytes of a head, and of trailers. */
  readonly maxHeaderBytes: number;
}

export const DEFAULT_LIMITS: OriginLimits = {
  connectTimeout: 5000,
  tlsTimeout: 10_000,
  headerTimeout: 60_000,
  idleTimeout: 60_000,
  streamIdleTimeout: 600_000,
  bodyRate: 1024,
  bodyWindow: 180_000,
  bodyPressedWindow: 30_000,
  bodyPause: 75_000,
  keepAlive: 60_000,
  connections: 512,
  waiting: 1024,
  totalConnections: 8192,
  maxHeaderBytes: 65_536,
};

/**
 * Fair shares of a limited resource, such as connections. A network may hold no more than what is
 * free. A single network can hold half, and the next always finds some free (a dynamic threshold,
 * as for memory in edge/http/exchange/client-memory.ts).
 */
export class Shares {
  readonly limit: number;
  readonly #weight: number;
  #total = 0;
  readonly #held = new Map<string, number>();

  /**
   * `weight`: a share is `weight` times what is free. With 3, a single network can hold three
   * quarters.
   */
  constructor(limit: number, weight = 1) {
    this.limit = limit;
    this.#weight = weight;
  }

  /**
   * Whether `network` may take another. Undefined: no network, for which only the limit applies.
   */
  hasRoom(network: string | undefined): boolean {
    const left = this.limit - this.#total;
    return network === undefined ? left > 0 : this.of(network) < this.#weight * left;
  }

  /** What `network` holds. */
  of(network: string): number {
    return this.#held.get(network) ?? 0;
  }

  take(network: string | undefined): void {
    this.#total++;
    if (network !== undefined) this.#held.set(network, this.of(network) + 1);
  }

  giveBack(network: string | undefined): void {
    this.#total--;
    if (network === undefined) return;
    const held = this.of(network) - 1;
    if (held > 0 || this.#held.size <= KEPT) this.#held.set(network, held);
    else this.#held.delete(network);
  }
}
