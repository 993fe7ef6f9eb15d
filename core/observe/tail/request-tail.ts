/**
 * The live tail: requests of the sites of a domain, while a client watches them. The edge of this
 * node publishes samples to the API and to other nodes. Nothing is stored.
 */

export interface TailSample {
  /** Name of the node that served the requests. */
  readonly node: string;
  /** A JSON object for each request, in the order of completion. */
  readonly requests: readonly string[];
  /** The number of requests that were left out. */
  readonly omitted: number;
}

export type ReceiveSample = (sample: TailSample) => void;

/** Returns a function that stops the watch. */
export type WatchRequests = (domainId: number, receive: ReceiveSample) => () => void;

export class RequestTail {
  readonly #receivers = new Map<number, Set<ReceiveSample>>();
  #onWatched: () => void = () => {};

  constructor(readonly node: string) {}

  /** Domains with a watching client. */
  get watched(): readonly number[] {
    return [...this.#receivers.keys()];
  }

  /** Receives the requests that this node serves. */
  readonly watch: WatchRequests = (domainId, receive) => {
    let receivers = this.#receivers.get(domainId);
    if (receivers === undefined) {
      receivers = new Set();
      this.#receivers.set(domainId, receivers);
      this.#onWatched();
    }
    // A new function, since a caller can pass the same function twice.
    const entry: ReceiveSample = (sample) => receive(sample);
    receivers.add(entry);
    return () => {
      if (receivers.delete(entry) && receivers.size === 0) {
        this.#receivers.delete(domainId);
        this.#onWatched();
      }
    };
  };

  /** Sets the single listener for changes of `watched`. */
  onWatched(listener: () => void): void {
    this.#onWatched = listener;
  }

  publish(domainId: number, requests: readonly string[], omitted: number): void {
    const sample: TailSample = { node: this.node, requests, omitted };
    for (const receive of this.#receivers.get(domainId) ?? []) receive(sample);
  }
}
