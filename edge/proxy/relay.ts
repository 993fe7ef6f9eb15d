/** The way of a body from an origin to a visitor, as fast as the visitor takes it and no faster. */
import type { Exchange } from '../exchange/exchange.ts';
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

/**
 * Gives all of a body to an exchange whose head has been given, and ends it. `gate.open` is to be called when the visitor goes, which cancels the body. Rejects with OriginError when the body breaks off: the exchange is the caller's to abort, so that what came is not taken for the whole.
 */
export async function relay(body: OriginBody, exchange: Exchange, site: Site, gate: Gate): Promise<void> {
  let part = body.readNow();
  for (;;) {
    if (part === undefined) part = await body.read();
    if (exchange.isEnded) {
      body.cancel();
      return;
    }
    if (part === null) {
      exchange.end(undefined, responseTrailers(body.trailers, site));
      return;
    }
    gate.octets += part.length;
    // What ends with this part ends in one frame with it.
    const next = body.readNow();
    if (next === null) {
      exchange.end(part, responseTrailers(body.trailers, site));
      return;
    }
    if (!exchange.write(part)) await gate.wait();
    part = next;
  }
}
