/**
 * The way of a body that flows: each part goes to the visitor from where it lies. When a visitor does not keep up the origin waits, and for one who is slow for longer what comes is
 * read ahead, into memory of the visitor's network, so that the connection to the origin is free again when it has all been read.
 *
 *     origin ─► onPart ─► the visitor
 *                     └─► ahead, while the visitor takes nothing ─► the visitor
 */
import type { BodyFlow, BodySink, Exchange } from '../http/exchange/exchange.ts';
import { Parts } from '../http/exchange/parts.ts';
import { sweepEvery } from '../http/exchange/sweep.ts';
import type { OriginBody } from '../origin/origin.ts';
import type { Gate } from './gate.ts';

/** Bytes of a response that are read ahead at most. */
const MOST_AHEAD = 4 * 1024 * 1024;
/** Milliseconds between looks at those that wait; a visitor who has taken nothing for two of them is slow. */
const LOOK = 500;
const SLOW = 2;

/** Those that wait for their visitors, in the whole thread. */
const waiting = new Set<Outflow>();
let timer: NodeJS.Timeout | undefined;

function look(): void {
  for (const outflow of waiting) outflow.look();
  if (waiting.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

export class Outflow implements BodySink {
  /** Resolves when all has been given, or the body is cancelled; rejects when it breaks off, once what came before has been given. */
  readonly over: Promise<null>;
  readonly #body: OriginBody;
  readonly #exchange: Exchange;
  readonly #gate: Gate;
  readonly #flow: BodyFlow | undefined;
  readonly #ahead = new Parts();
  /** Bytes of that. */
  #held = 0;
  /** The visitor takes nothing now, and how often that has been seen. */
  #isBlocked = false;
  #looks = 0;
  /** The origin waits. */
  #isHeld = false;
  /** Undefined while more may come. */
  #end: Error | null | undefined;
  #resolve!: (end: null) => void;
  #reject!: (error: Error) => void;

  constructor(body: OriginBody, exchange: Exchange, gate: Gate) {
    this.#body = body;
    this.#exchange = exchange;
    this.#gate = gate;
    this.over = new Promise((resolve, reject) => {
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
    if (this.#isBlocked) return this.#keep(part);
    this.#gate.bytes += part.length;
    if (this.#exchange.lend(part)) return true;
    this.#block();
    this.#isHeld = true;
    return false;
  }

  onOver(error: Error | null): void {
    this.#end = error;
    if (this.#held === 0) this.#finish();
  }

  /** From the sweep: a slow visitor must not keep the origin. */
  look(): void {
    if (++this.#looks < SLOW || !this.#isHeld || this.#end !== undefined || !this.#hasRoom()) return;
    this.#isHeld = false;
    this.#flow?.resume();
  }

  /** Half of what the network may have is left for what it asks for besides. */
  #hasRoom(): boolean {
    const { room, most } = this.#exchange.memory;
    return this.#held < MOST_AHEAD && room * 2 >= most;
  }

  /** Keeps a part that came while the visitor takes nothing. */
  #keep(part: Uint8Array): boolean {
    this.#exchange.memory.hold(part.length);
    this.#held += part.length;
    const copy = Buffer.allocUnsafeSlow(part.length);
    copy.set(part);
    this.#ahead.push(copy);
    this.#isHeld = !this.#hasRoom();
    return !this.#isHeld;
  }

  #block(): void {
    this.#isBlocked = true;
    this.#looks = 0;
    waiting.add(this);
    timer ??= sweepEvery(LOOK, look);
    void this.#gate.wait().then(() => this.#drained());
  }

  /** The visitor takes more, or has gone. */
  #drained(): void {
    waiting.delete(this);
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
      this.#release(this.#held);
      this.#body.cancel();
    }
    if (this.#end !== undefined) {
      if (this.#held === 0) this.#finish();
    } else if (!this.#isBlocked && this.#isHeld) {
      this.#isHeld = false;
      this.#flow?.resume();
    }
  }

  #release(bytes: number): void {
    this.#held -= bytes;
    this.#exchange.memory.release(bytes);
  }

  #finish(): void {
    waiting.delete(this);
    if (this.#end) this.#reject(this.#end);
    else this.#resolve(null);
  }
}
