/** How long a connection may stay as it is: looked at now and then by the server, so that no request has a timer of its own. */
import { performance } from 'node:perf_hooks';
import type { Http1Connection } from './connection.ts';
import type { Http1Reason } from './counters.ts';
import type { Http1Exchange } from './exchange.ts';

export class Deadlines {
  readonly #connection: Http1Connection;
  /** Since when the connection waits for a request's head, or lingers. */
  #since = performance.now();
  /** A head has begun to come; the first is waited for from the beginning. */
  #isInHead = true;
  /** What the socket had read when the last request was over. */
  #octetsRead = 0;
  /** Begin of the window over which a body's rate is taken; what had come by then. */
  #windowFrom = 0;
  #windowOctets = 0;
  /** Of what is sent, when last looked at; -1: never. */
  #progress = -1;
  #progressAt = 0;
  /** All octets of the connection, both ways, when last looked at; -1: not since the exchange began. */
  #octets = -1;

  constructor(connection: Http1Connection) {
    this.#connection = connection;
  }

  /** A request is handled from now on. */
  begin(exchange: Http1Exchange): void {
    this.#octets = -1;
    if (exchange.queue === null) return;
    this.#windowFrom = performance.now();
    this.#windowOctets = 0;
  }

  /** The request is over: the next is waited for. */
  finish(): void {
    this.#since = performance.now();
    this.#isInHead = false;
    this.#octetsRead = this.#connection.socket.bytesRead;
  }

  linger(): void {
    this.#since = performance.now();
    this.#octetsRead = this.#connection.socket.bytesRead;
  }

  /** What comes while lingering is dropped, but not without end. */
  checkLinger(): void {
    const { socket, context } = this.#connection;
    if (socket.bytesRead - this.#octetsRead > context.limits.discardedOctets) this.#connection.destroy();
  }

  /** `now`: of `performance`, milliseconds. */
  check(now: number): void {
    const connection = this.#connection;
    const { limits } = connection.context;
    if (this.#isStalled(now, limits.writeTimeout)) {
      this.#end('slow_reader');
      return;
    }
    if (connection.isLingering) {
      if (now - this.#since > limits.lingerTimeout && !connection.outgoing.isPending) connection.destroy();
      else this.checkLinger();
    } else if (connection.active === undefined) this.#checkIdle(now);
    else if (connection.active.exchange.isTunnel) {
      if (this.#isSilent(now, limits.tunnelIdleTimeout)) this.#end('idle_tunnel');
    } else if (this.#isSilent(now, limits.streamIdleTimeout)) connection.endIdle();
    else this.#checkBody(connection.active.exchange, now);
  }

  #checkIdle(now: number): void {
    const { limits, counters } = this.#connection.context;
    const { socket } = this.#connection;
    if (!this.#isInHead && socket.bytesRead !== this.#octetsRead) {
      this.#isInHead = true;
      this.#since = now;
    }
    const waited = now - this.#since;
    if (!this.#isInHead) {
      if (waited <= limits.idleTimeout) return;
      counters.ended('idle', this.#connection.client);
      this.#connection.close();
    } else if (waited > limits.headerTimeout) {
      if (socket.bytesRead > this.#octetsRead) this.#connection.refuse({ status: 408, reason: 'slow_head' });
      else {
        counters.ended('idle', this.#connection.client);
        this.#connection.close();
      }
    }
  }

  /** Only while the handler, or who drops what it left, takes what comes: else it is not the client who is slow. */
  #checkBody(exchange: Http1Exchange, now: number): void {
    const { limits, counters } = this.#connection.context;
    const { queue } = exchange;
    if (queue === null || queue.isComplete) return;
    if (!queue.isWaiting && !queue.isDiscarding) {
      this.#windowFrom = now;
      this.#windowOctets = queue.received;
      return;
    }
    const elapsed = now - this.#windowFrom;
    if (elapsed < limits.bodyTimeout) return;
    const isSlow = queue.received - this.#windowOctets < (limits.bodyRate * elapsed) / 1_000;
    this.#windowFrom = now;
    this.#windowOctets = queue.received;
    if (!isSlow) return;
    if (exchange.isEnded) {
      counters.ended('slow_body', this.#connection.client);
      this.#connection.close();
    } else this.#connection.refuse({ status: 408, reason: 'slow_body' });
  }

  /** Nothing has gone either way for longer than `most`, and nothing waits for the client to take it: that has a limit of its own. */
  #isSilent(now: number, most: number): boolean {
    const { socket, outgoing } = this.#connection;
    const octets = socket.bytesRead + socket.bytesWritten;
    if (octets !== this.#octets || outgoing.isPending) {
      this.#octets = octets;
      this.#since = now;
    }
    return now - this.#since > most;
  }

  #isStalled(now: number, most: number): boolean {
    const { outgoing } = this.#connection;
    if (!outgoing.isPending || outgoing.progress !== this.#progress) {
      this.#progress = outgoing.progress;
      this.#progressAt = now;
      return false;
    }
    return now - this.#progressAt > most;
  }

  #end(reason: Http1Reason): void {
    this.#connection.context.counters.ended(reason, this.#connection.client);
    this.#connection.destroy('limit');
  }
}
