/** Serves accepted connections, plain or TLS, with HTTP/1.1 (RFC 9112). */
import { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Pressure } from '../exchange/body-pace.ts';
import { THREAD_MEMORY } from '../exchange/client-memory.ts';
import { sweepEvery } from '../exchange/clock.ts';
import type { Client } from '../exchange/exchange.ts';
import { SocketTransport, type Transport } from '../transport/transport.ts';
import { Http1Connection } from './connection.ts';
import { type Http1Context, type Http1Options, type SiteTerms, sweepMs } from './limits.ts';

export class Http1 {
  readonly #context: Http1Context<Http1Connection>;
  readonly #connections = new Set<Http1Connection>();
  #sweep: NodeJS.Timeout | undefined;
  #drained: (() => void) | undefined;

  constructor(options: Http1Options) {
    this.#context = {
      ...options,
      memory: options.memory ?? THREAD_MEMORY,
      isDraining: false,
      onClose: (connection) => this.#onClose(connection),
    };
  }

  /**
   * Takes over a connection: a transport, a TCP socket, or a TLS socket after its handshake. Bytes
   * already read from a socket may have been put back (`unshift`). During a drain, it is served one
   * request.
   */
  accept(
    carrier: Socket | Transport,
    client: Client,
    site: SiteTerms | null = null,
    slots: Pressure | null = null,
  ): void {
    const { counters, limits } = this.#context;
    counters.count('connections');
    const connection = new Http1Connection(transportOf(carrier), client, this.#context, site, slots);
    this.#connections.add(connection);
    this.#sweep ??= sweepEvery(sweepMs(limits), () => this.#check());
    connection.begin();
  }

  /**
   * Closes idle connections now, and the others after their response. Resolves when all are closed.
   */
  drain(): Promise<void> {
    this.#context.isDraining = true;
    return new Promise((resolve) => {
      this.#drained = resolve;
      for (const connection of this.#connections) connection.drain();
      if (this.#connections.size === 0) resolve();
    });
  }

  /** Aborts all connections. */
  destroy(): void {
    this.#context.isDraining = true;
    for (const connection of this.#connections) connection.destroy('drain');
  }

  #check(): void {
    const now = performance.now();
    for (const connection of this.#connections) connection.deadlines.check(now);
  }

  #onClose(connection: Http1Connection): void {
    if (!this.#connections.delete(connection)) return;
    this.#context.counters.count('connections_closed');
    if (this.#connections.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
    this.#drained?.();
  }
}

function transportOf(carrier: Socket | Transport): Transport {
  if (!(carrier instanceof Socket)) return carrier;
  // A client may close its sending side while it waits for a response (RFC 9112 section 9.6). The
  // connection decides how to react.
  carrier.allowHalfOpen = true;
  return new SocketTransport(carrier);
}
