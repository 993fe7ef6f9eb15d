/**
 * Shared and exclusive locks for requests that would conflict with each other. The journal detects
 * every conflict without them. Without locks, only one of many writers to a name would commit in
 * each round, and all others would retry. An import would always lose to frequent writers.
 */

type Kind = 'shared' | 'exclusive' | 'first';

interface Waiter {
  readonly kind: Kind;
  readonly start: () => void;
}

interface Gate {
  shared: number;
  exclusive: boolean;
  readonly waiting: Waiter[];
}

export class KeyedLocks {
  readonly #gates = new Map<string, Gate>();

  /** Number of keys in use. */
  get size(): number {
    return this.#gates.size;
  }

  /**
   * Runs `work` concurrently with other shared work of the key. First come, first served: no
   * starvation.
   */
  shared<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#run(key, 'shared', work);
  }

  /** Runs `work` while no other work of the key runs. */
  exclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#run(key, 'exclusive', work);
  }

  /** Like `exclusive`, ahead of queued `shared` and `exclusive` work. */
  first<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#run(key, 'first', work);
  }

  async #run<T>(key: string, kind: Kind, work: () => Promise<T>): Promise<T> {
    let gate = this.#gates.get(key);
    if (gate === undefined) {
      gate = { shared: 0, exclusive: false, waiting: [] };
      this.#gates.set(key, gate);
    }
    const { waiting } = gate;
    if (waiting.length > 0 || !admits(gate, kind))
      await new Promise<void>((start) => {
        const others = kind === 'first' ? waiting.findIndex((waiter) => waiter.kind !== 'first') : -1;
        waiting.splice(others < 0 ? waiting.length : others, 0, { kind, start });
      });
    else countIn(gate, kind);
    try {
      return await work();
    } finally {
      this.#leave(key, gate, kind);
    }
  }

  #leave(key: string, gate: Gate, kind: Kind): void {
    if (kind === 'shared') gate.shared--;
    else gate.exclusive = false;
    // Counts the waiter before it resumes, so that new requests see the lock as taken.
    while (gate.waiting.length > 0 && admits(gate, gate.waiting[0].kind)) {
      const next = gate.waiting.shift();
      if (next === undefined) break;
      countIn(gate, next.kind);
      next.start();
    }
    if (!gate.exclusive && gate.shared === 0) this.#gates.delete(key);
  }
}

function admits(gate: Gate, kind: Kind): boolean {
  return !gate.exclusive && (kind === 'shared' || gate.shared === 0);
}

function countIn(gate: Gate, kind: Kind): void {
  if (kind === 'shared') gate.shared++;
  else gate.exclusive = true;
}
