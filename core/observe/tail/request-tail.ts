/**
 * The live tail: requests of the sites of a domain, while somebody watches them. The edge of this
 * node publishes samples, which the API and other nodes receive. Nothing is stored.
 */

export interface TailSample {
  /** Name of the node that served the requests. */
  readonly node: string;
  /** Each a JSON object, in the order of their ends. */
  readonly requests: readonly string[];
  /** The number of further requests. */
  readonly omitted: number;
}

export type ReceiveSample = (sample: TailSample) => void;

/** Returns a function that ends it. */
export type WatchRequests = (domainId: number, receive: ReceiveSample) => () => void;

export class RequestTail {
  readonly node: string;
  readonly #receivers = new Map<number, Set<ReceiveSample>>();
  #onWatched: () => void = () => {};

  constructor(node: string) {
    this.node = node;
  }

  /** Domains that somebody watches. */
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
    // An own function, since a caller may pass the same one twice.
    const entry: ReceiveSample = (sample) => receive(sample);
    receivers.add(entry);
    return () => {
      if (receivers.delete(entry) && receivers.size === 0) {
        this.#receivers.delete(domainId);
        this.#onWatched();
      }
    };
  };

  /** The one listener for a change of `watched`. */
  onWatched(listener: () => void): void {
    this.#onWatched = listener;
  }

  publish(domainId: number, requests: readonly string[], omitted: number): void {
    const sample: TailSample = { node: this.node, requests, omitted };
    for (const receive of this.#receivers.get(domainId) ?? []) receive(sample);
  }
}
