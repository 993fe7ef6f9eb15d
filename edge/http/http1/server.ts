/** Serves connections that others have accepted, plain or TLS, with HTTP/1.1 (RFC 9112). */
import { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { THREAD_MEMORY } from '../exchange/client-memory.ts';
import type { Client } from '../exchange/exchange.ts';
import { sweepEvery } from '../exchange/sweep.ts';
import { SocketTransport, type Transport } from '../transport/transport.ts';
import { Http1Connection } from './connection.ts';
import type { Http1Context, Http1Options, SiteTerms } from './context.ts';
import { sweepMs } from './limits.ts';

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
   * Takes over a connection: what carries it, or a TCP socket, or a TLS socket after its handshake.
   * What was read of a socket may have been put back (`unshift`). While this drains it is served
   * one request.
   */
  accept(carrier: Socket | Transport, client: Client, site: SiteTerms | null = null): void {
    const { counters, limits } = this.#context;
    counters.count('connections');
    const connection = new Http1Connection(transportOf(carrier), client, this.#context, site);
    this.#connections.add(connection);
    this.#sweep ??= sweepEvery(sweepMs(limits), () => this.#check());
    connection.begin();
  }

  /**
   * Connections that wait for their next request are closed, others when a response is out.
   * Resolves when all are gone.
   */
  drain(): Promise<void> {
    this.#context.isDraining = true;
    return new Promise((resolve) => {
      this.#drained = resolve;
      for (const connection of this.#connections) connection.drain();
      if (this.#connections.size === 0) resolve();
    });
  }

  /** Ends all connections where they are. */
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
  // A client may end its side while it is answered (RFC 9112 section 9.6): what its end means is
  // for the connection to say.
  carrier.allowHalfOpen = true;
  return new SocketTransport(carrier);
}
