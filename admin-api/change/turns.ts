/**
 * Shared and exclusive locks for requests that would conflict with each other. The journal detects
 * every conflict without them. However, of many writers to one name, each round would commit only
 * one, and all others would run again. An import would always lose to frequent writers.
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

export class Turns {
  readonly #gates = new Map<string, Gate>();

  /** Number of keys in use. */
  get size(): number {
    return this.#gates.size;
  }

  /** Runs `work` concurrently with others that share the key. In order of arrival: none starves. */
  shared<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#run(key, 'shared', work);
  }

  /** Runs `work` while no other work has the key. */
  exclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#run(key, 'exclusive', work);
  }

  /** Like `exclusive`, ahead of all other work that waits. */
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
    // Counts the next request here, so that a new request sees it.
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
