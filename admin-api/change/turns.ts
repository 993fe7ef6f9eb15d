/**
 * Shared and exclusive locks for requests that would conflict with each other. The journal detects
 * every conflict without them. However, of many writers to one name, each round would commit only
 * one, and all others would run again. An import would always lose to frequent writers.
 */
interface Gate {
  shared: number;
  exclusive: boolean;
  readonly waiting: { readonly exclusive: boolean; readonly start: () => void }[];
}

export class Turns {
  readonly #gates = new Map<string, Gate>();

  /** Number of keys in use. */
  get size(): number {
    return this.#gates.size;
  }

  /** Runs `work` concurrently with others that share the key. In order of arrival: none starves. */
  shared<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#run(key, false, work);
  }

  /** Runs `work` while no other work has the key. */
  exclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#run(key, true, work);
  }

  async #run<T>(key: string, exclusive: boolean, work: () => Promise<T>): Promise<T> {
    let gate = this.#gates.get(key);
    if (gate === undefined) {
      gate = { shared: 0, exclusive: false, waiting: [] };
      this.#gates.set(key, gate);
    }
    const { waiting } = gate;
    if (waiting.length > 0 || !admits(gate, exclusive))
      await new Promise<void>((start) => waiting.push({ exclusive, start }));
    else countIn(gate, exclusive);
    try {
      return await work();
    } finally {
      this.#leave(key, gate, exclusive);
    }
  }

  #leave(key: string, gate: Gate, exclusive: boolean): void {
    if (exclusive) gate.exclusive = false;
    else gate.shared--;
    // Counts the next request here, so that a new request sees it.
    while (gate.waiting.length > 0 && admits(gate, gate.waiting[0].exclusive)) {
      const next = gate.waiting.shift();
      if (next === undefined) break;
      countIn(gate, next.exclusive);
      next.start();
    }
    if (!gate.exclusive && gate.shared === 0) this.#gates.delete(key);
  }
}

function admits(gate: Gate, exclusive: boolean): boolean {
  return !gate.exclusive && (!exclusive || gate.shared === 0);
}

function countIn(gate: Gate, exclusive: boolean): void {
  if (exclusive) gate.exclusive = true;
  else gate.shared++;
}
