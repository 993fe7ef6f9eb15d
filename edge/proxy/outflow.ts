/**
 * Sends a flowing body to a visitor without copying its parts.
 *
 * If the visitor does not keep up, back pressure pauses the origin. If the visitor stays slow, the
 * rest is read ahead into memory that is charged to the visitor's network. The connection to the
 * origin becomes free as soon as the body has been read.
 *
 *     origin ─► onPart ─► visitor
 *                     └─► ahead, while the visitor is blocked ─► visitor
 */

import { sweepEvery } from '../http/exchange/clock.ts';
import type { BodyFlow, BodySink, Exchange } from '../http/exchange/exchange.ts';
import { Parts } from '../http/exchange/parts.ts';
import type { OriginBody } from '../origin/origin.ts';

/** Maximum number of bytes of a response that are read ahead. */
const MAX_AHEAD_BYTES = 4 * 1024 * 1024;
/** Milliseconds between checks. A visitor that is still blocked at the second check is slow. */
const CHECK_INTERVAL_MS = 500;
const SLOW_CHECKS = 2;

/** All outflows of the thread with a blocked visitor. */
const blockedOutflows = new Set<Outflow>();
let timer: NodeJS.Timeout | undefined;

function checkBlocked(): void {
  for (const outflow of blockedOutflows) outflow.check();
  if (blockedOutflows.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

export class Outflow implements BodySink {
  /**
   * Resolves when the body has been sent or cancelled. If the body ends prematurely, rejects after
   * the received parts have been sent.
   */
  readonly finished: Promise<null>;
  readonly #body: OriginBody;
  readonly #exchange: Exchange;
  readonly #gate: Gate;
  readonly #flow: BodyFlow | undefined;
  readonly #ahead = new Parts();
  /** Bytes in `#ahead`. */
  #aheadBytes = 0;
  /** The visitor's connection accepts no data. */
  #isBlocked = false;
  /** Number of checks since the visitor was blocked. */
  #checks = 0;
  /** Reading from the origin is paused. */
  #isPaused = false;
  /** Error that ended the body; null: complete; undefined: more parts may arrive. */
  #end: Error | null | undefined;
  #resolve!: (end: null) => void;
  #reject!: (error: Error) => void;

  constructor(body: OriginBody, exchange: Exchange, gate: Gate) {
    this.#body = body;
    this.#exchange = exchange;
    this.#gate = gate;
    this.finished = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#flow = body.flow?.(this);
  }

  onPart(part: Uint8Array): boolean {
    if (this.#exchange.isEnded) {
      this.#body.cancel();
      return true;
    }
    if (this.#isBlocked) return this.#readAhead(part);
    this.#gate.bytes += part.length;
    if (this.#exchange.lend(part)) return true;
    this.#block();
    this.#isPaused = true;
    return false;
  }

  onOver(error: Error | null): void {
    this.#end = error;
    if (this.#aheadBytes === 0) this.#finish();
  }

  /** Called by the periodic check: a slow visitor must not occupy the connection to the origin. */
  check(): void {
    if (++this.#checks < SLOW_CHECKS || !this.#isPaused || this.#end !== undefined || !this.#hasRoom()) return;
    this.#isPaused = false;
    this.#flow?.resume();
  }

  /**
   * Reading ahead may use half of the network's memory budget. The rest is left for its other
   * requests.
   */
  #hasRoom(): boolean {
    const { room, most } = this.#exchange.memory;
    return this.#aheadBytes < MAX_AHEAD_BYTES && room * 2 >= most;
  }

  /** Reads ahead: stores a part that arrived while the visitor is blocked. */
  #readAhead(part: Uint8Array): boolean {
    this.#exchange.memory.hold(part.length);
    this.#aheadBytes += part.length;
    const copy = Buffer.allocUnsafeSlow(part.length);
    copy.set(part);
    this.#ahead.push(copy);
    this.#isPaused = !this.#hasRoom();
    return !this.#isPaused;
  }

  #block(): void {
    this.#isBlocked = true;
    this.#checks = 0;
    blockedOutflows.add(this);
    timer ??= sweepEvery(CHECK_INTERVAL_MS, checkBlocked);
    void this.#gate.wait().then(() => this.#onDrain());
  }

  /** The visitor accepts data again, or has disconnected. */
  #onDrain(): void {
    blockedOutflows.delete(this);
    this.#isBlocked = false;
    for (let part = this.#ahead.shift(); part !== undefined; part = this.#ahead.shift()) {
      this.#release(part.length);
      if (this.#exchange.isEnded) break;
      this.#gate.bytes += part.length;
      if (!this.#exchange.write(part)) {
        this.#block();
        break;
      }
    }
    if (this.#exchange.isEnded) {
      this.#ahead.clear();
      this.#release(this.#aheadBytes);
      this.#body.cancel();
    }
    if (this.#end !== undefined) {
      if (this.#aheadBytes === 0) this.#finish();
    } else if (!this.#isBlocked && this.#isPaused) {
      this.#isPaused = false;
      this.#flow?.resume();
    }
  }

  #release(bytes: number): void {
    this.#aheadBytes -= bytes;
    this.#exchange.memory.release(bytes);
  }

  #finish(): void {
    blockedOutflows.delete(this);
    if (this.#end) this.#reject(this.#end);
    else this.#resolve(null);
  }
}

/** Waits until the visitor's connection accepts more data, or is closed. */
export class Gate {
  /** Body bytes sent to the connection so far. */
  bytes = 0;
  #open: (() => void) | null = null;
  #isListening = false;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  wait(): Promise<void> {
    if (!this.#isListening) {
      this.#isListening = true;
      this.#exchange.onDrain(() => this.open());
    }
    return new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    const open = this.#open;
    this.#open = null;
    open?.();
  }
}
