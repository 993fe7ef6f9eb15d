import type { Exchange } from '../http/exchange/exchange.ts';

/** Where a body goes out: waits until the visitor takes more, or has gone. */
export class Gate {
  /** Given to the visitor so far. */
  bytes = 0;
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
