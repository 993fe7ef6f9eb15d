/**
 * Connections to one origin, and the requests that wait for one. The connection used last is used first, so that those that are not needed grow old and go. A request
 * that finds none waits for whichever is there first: one that is free again, or a new one.
 */
import { aborted, type Call, type CallHolder } from './call.ts';
import type { OriginClock } from './clock.ts';
import { type ConnectionOwner, OriginConnection } from './connection.ts';
import type { OriginCounters } from './counters.ts';
import { Dial, type DialOwner, type DialTarget, type DialTools } from './dial.ts';
import { type Origin, OriginError } from './origin.ts';
import type { OriginSocket, SocketTls } from './sockets.ts';
import type { OriginTls } from './tls.ts';

/** What the pools of a client share. */
export interface PoolTools extends DialTools {
  readonly clock: OriginClock;
  readonly counters: OriginCounters;
  readonly tls: OriginTls;
  /** Whether an origin that has so many connections may open one more, room made by closing another one if need be. */
  makeRoom(held: number): boolean;
  /** Nothing is open, nobody waits. */
  onEmpty(pool: OriginPool): void;
}

export class OriginPool implements ConnectionOwner, DialOwner, DialTarget, CallHolder {
  readonly key: string;
  readonly host: string;
  readonly port: number;
  readonly #origin: Origin;
  readonly #serverName: string;
  readonly #tools: PoolTools;
  readonly #idle: OriginConnection[] = [];
  readonly #connections = new Set<OriginConnection>();
  readonly #waiting = new Set<Call>();
  /** Those that are being opened; a call that is sent once more has its own. */
  readonly #dials = new Map<Dial, Call | null>();

  constructor(key: string, origin: Origin, serverName: string, tools: PoolTools) {
    this.key = key;
    this.host = origin.host;
    this.port = origin.port;
    this.#origin = origin;
    this.#serverName = serverName;
    this.#tools = tools;
  }

  run(call: Call): void {
    const connection = this.#takeIdle();
    if (connection !== undefined) {
      this.#tools.counters.reused++;
      connection.send(call);
      return;
    }
    if (this.#waiting.size >= this.#tools.limits.waiting) {
      call.fail(new OriginError('busy', `${this.#waiting.size} requests wait for a connection to ${this.host}`));
      return;
    }
    this.#wait(call);
    this.#open();
  }

  tls(): SocketTls | null {
    if (this.#origin.protocol === 'http') return null;
    const { tls } = this.#tools;
    return {
      options: tls.optionsFor(this.#origin, this.#serverName, this.key),
      remember: (session) => tls.remember(this.key, session),
    };
  }

  onIdle(connection: OriginConnection): void {
    const call = this.#takeWaiting();
    if (call === undefined) {
      this.#idle.push(connection);
      return;
    }
    this.#tools.counters.reused++;
    // What is being opened for the call goes on: that it had to wait says that one more is needed.
    connection.send(call);
  }

  onClosed(connection: OriginConnection, again: Call | null): void {
    if (!this.#connections.delete(connection)) return;
    this.#tools.counters.open--;
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    if (again !== null) this.#retry(again);
    this.#open();
    this.#forgetIfEmpty();
  }

  onDialled(dial: Dial, socket: OriginSocket): void {
    const own = this.#dials.get(dial) ?? null;
    this.#dials.delete(dial);
    this.#tools.counters.connections++;
    this.#tools.book.hasServed(this.host, socket.address);
    const connection = new OriginConnection(socket, this, this.#tools.limits, this.#tools.clock);
    this.#connections.add(connection);
    socket.start(connection);
    const call = own ?? this.#takeWaiting();
    if (call === undefined) connection.rest();
    else connection.send(call);
  }

  onDialFailed(dial: Dial, error: OriginError): void {
    const own = this.#dials.get(dial) ?? null;
    this.#dials.delete(dial);
    this.#tools.counters.open--;
    if (error.fault === 'tls') this.#tools.tls.forget(this.key);
    (own ?? this.#takeWaiting())?.fail(error);
    this.#open();
    this.#forgetIfEmpty();
  }

  /** A call that waits, or is to be sent once more, is not wanted any longer. */
  onCallCancelled(call: Call): void {
    this.#waiting.delete(call);
    for (const [dial, own] of this.#dials) if (own === call) this.#dropDial(dial);
    this.#dropDials();
    call.fail(aborted());
    this.#forgetIfEmpty();
  }

  /** Ends what has waited for too long. `now`: of the clock. */
  tick(now: number): void {
    for (const connection of this.#connections) if (connection.deadline <= now) connection.expire();
    for (const call of this.#waiting) {
      if (call.deadline > now) break;
      this.#waiting.delete(call);
      call.fail(this.#tooLate());
    }
    this.#forgetIfEmpty();
  }

  /** The one that has been idle for longest; undefined when none is. */
  get oldestIdle(): OriginConnection | undefined {
    return this.#idle[0];
  }

  /** Closes all; who waits is told that it was aborted. */
  close(): void {
    for (const call of [...this.#waiting, ...this.#dials.values()]) if (call !== null) this.onCallCancelled(call);
    for (const dial of this.#dials.keys()) this.#dropDial(dial);
    for (const connection of [...this.#connections]) connection.abort();
  }

  #retry(call: Call): void {
    call.retries++;
    this.#tools.counters.retries++;
    call.holder = this;
    if (this.#tools.makeRoom(this.#held)) this.#dial(call);
    else call.fail(new OriginError('busy', 'too many connections to origins'));
  }

  #takeIdle(): OriginConnection | undefined {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.isOpen) return connection;
      connection.destroy();
    }
    return undefined;
  }

  /** With no connection at all it is not that others have them: none came about, which the dial itself may find out a moment later. */
  #tooLate(): OriginError {
    return this.#connections.size === 0
      ? new OriginError('connect-timeout', `no connection to ${this.host} came about in time`)
      : new OriginError('busy', `no connection to ${this.host} was free in time`);
  }

  #wait(call: Call): void {
    call.holder = this;
    call.deadline = this.#tools.clock.after(this.#tools.limits.tlsTimeout);
    this.#waiting.add(call);
  }

  #takeWaiting(): Call | undefined {
    for (const call of this.#waiting) {
      this.#waiting.delete(call);
      return call;
    }
    return undefined;
  }

  /** As many as are waited for, within the bounds. */
  #open(): void {
    const { limits } = this.#tools;
    while (this.#dials.size < this.#waiting.size && this.#held < limits.connections) {
      if (!this.#tools.makeRoom(this.#held)) break;
      this.#dial(null);
    }
    // Nobody will be there for those that wait.
    if (this.#held > 0) return;
    for (let call = this.#takeWaiting(); call !== undefined; call = this.#takeWaiting())
      call.fail(new OriginError('busy', 'too many connections to origins'));
  }

  #dial(call: Call | null): void {
    const dial = new Dial(this, this.#tools, this);
    this.#dials.set(dial, call);
    this.#tools.counters.open++;
    dial.start();
  }

  /** Open, and being opened. */
  get #held(): number {
    return this.#connections.size + this.#dials.size;
  }

  /** Those that nobody waits for any more, the latest first: it is furthest from its end. */
  #dropDials(): void {
    const shared = [...this.#dials].filter(([, own]) => own === null);
    for (const [dial] of shared.slice(this.#waiting.size)) this.#dropDial(dial);
  }

  #dropDial(dial: Dial): void {
    this.#dials.delete(dial);
    this.#tools.counters.open--;
    dial.abort();
  }

  #forgetIfEmpty(): void {
    if (this.#held + this.#waiting.size === 0) this.#tools.onEmpty(this);
  }
}
