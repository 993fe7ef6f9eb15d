/** Waits until the visitor's connection accepts more data, or is closed. */
import type { Exchange } from '../http/exchange/exchange.ts';

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
