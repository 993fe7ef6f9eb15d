/** The way of a body from an origin to a visitor, as fast as the visitor takes it and no faster. */
import type { BodyFlow, BodySink, Exchange } from '../exchange/exchange.ts';
import type { OriginBody } from '../origin/origin.ts';
import type { Site } from '../sites/site.ts';
import { responseTrailers } from './response-fields.ts';

/** Where a body goes out: waits until the visitor takes more, or has gone. */
export class Gate {
  /** Given to the visitor so far. */
  octets = 0;
  #open: (() => void) | null = null;
  #isSet = false;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  wait(): Promise<void> {
    if (!this.#isSet) {
      this.#isSet = true;
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

/** What comes of a body goes to the visitor from where it lies. */
class Outflow implements BodySink {
  /** Resolves at the end of the body, or when it is cancelled; rejects when it breaks off. */
  readonly over: Promise<null>;
  readonly #body: OriginBody;
  readonly #exchange: Exchange;
  readonly #gate: Gate;
  readonly #flow: BodyFlow | undefined;
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
    this.#gate.octets += part.length;
    if (this.#exchange.lend(part)) return true;
    void this.#gate.wait().then(() => this.#flow?.resume());
    return false;
  }

  onOver(error: Error | null): void {
    if (error === null) this.#resolve(null);
    else this.#reject(error);
  }
}

/**
 * Gives all of a body to an exchange whose head has been given, and ends it: at once when it is here as a whole, as small ones are. `gate.open` is to be called when the visitor goes, which cancels the body. Throws, or
 * rejects with, OriginError when the body breaks off: the exchange is the caller's to abort, so that what came is not taken for the whole.
 */
export function relay(body: OriginBody, exchange: Exchange, site: Site, gate: Gate): void | Promise<void> {
  const part = body.readNow();
  const next = part ? body.readNow() : part;
  if (exchange.isEnded) body.cancel();
  else if (part !== undefined && next === null) end(part, body, exchange, site, gate);
  else return relayParts(part, next, body, exchange, site, gate);
}

type Part = Uint8Array | null | undefined;

/** Bytes of a body that are fetched at a time for a visitor who takes them fast. */
const STRETCH = 256 * 1024;

/** Nothing is fetched for a visitor who takes nothing. */
async function roomFor(exchange: Exchange, gate: Gate): Promise<number> {
  for (;;) {
    const room = exchange.reserve(STRETCH);
    if (room > 0 || exchange.isEnded) return room;
    await gate.wait();
  }
}

/** `first` and what comes behind it: null at the end, undefined where one has to wait. */
async function relayParts(
  first: Part,
  second: Part,
  body: OriginBody,
  exchange: Exchange,
  site: Site,
  gate: Gate,
): Promise<void> {
  let part = first;
  let next = second;
  for (;;) {
    if (part === undefined) {
      if (body.flow === undefined) {
        const room = await roomFor(exchange, gate);
        if (exchange.isEnded) {
          body.cancel();
          return;
        }
        part = await body.read(room);
      } else part = await new Outflow(body, exchange, gate).over;
      next = part === null ? null : body.readNow();
    }
    if (exchange.isEnded) {
      body.cancel();
      return;
    }
    if (part === null || next === null) {
      end(part, body, exchange, site, gate);
      return;
    }
    gate.octets += part.length;
    if (!exchange.write(part)) await gate.wait();
    part = next;
    next = part === undefined || body.flow !== undefined ? undefined : body.readNow();
  }
}

/** What ends with a part ends in one frame with it. */
function end(part: Uint8Array | null, body: OriginBody, exchange: Exchange, site: Site, gate: Gate): void {
  if (part !== null) gate.octets += part.length;
  exchange.end(part ?? undefined, responseTrailers(body.trailers, site));
}
