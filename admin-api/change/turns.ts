/**
 * Turns for requests that would only take the commit from one another. The journal finds every conflict by itself; but of many writers to one name, or of
 * an import beside steady writers, each round would let one through and send the others back to start.
 */
interface Gate {
  shared: number;
  exclusive: boolean;
  readonly waiting: { readonly exclusive: boolean; readonly start: () => void }[];
}

export class Turns {
  readonly #gates = new Map<string, Gate>();

  /** How many keys are in use. */
  get size(): number {
    return this.#gates.size;
  }

  /** Runs `work` beside others that share the key. First come, first served, so that nobody starves. */
  shared<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#run(key, false, work);
  }

  /** Runs `work` while no other has the key. */
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
    else enter(gate, exclusive);
    try {
      return await work();
    } finally {
      this.#leave(key, gate, exclusive);
    }
  }

  #leave(key: string, gate: Gate, exclusive: boolean): void {
    if (exclusive) gate.exclusive = false;
    else gate.shared--;
    // Whoever is let in is counted here, before a newcomer can look.
    while (gate.waiting.length > 0 && admits(gate, gate.waiting[0].exclusive)) {
      const next = gate.waiting.shift();
      if (next === undefined) break;
      enter(gate, next.exclusive);
      next.start();
    }
    if (!gate.exclusive && gate.shared === 0) this.#gates.delete(key);
  }
}

function admits(gate: Gate, exclusive: boolean): boolean {
  return !gate.exclusive && (!exclusive || gate.shared === 0);
}

function enter(gate: Gate, exclusive: boolean): void {
  if (exclusive) gate.exclusive = true;
  else gate.shared++;
}
