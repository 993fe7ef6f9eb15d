/**
 * Zones that secondaries do not get yet. A new ALIAS has no answer before its target was looked up,
 * and a transfer without it would make secondaries answer from a wildcard, or NXDOMAIN. The answers
 * of a large import are written after its records. Every hold follows or ends with a change of the
 * zone, so secondaries are notified when it ends.
 */
import type { Id } from '../../store/keys.ts';

/** Milliseconds that a request waits. Knot DNS waits 5 s for a response. */
const WAIT_MS = 3000;

export class Holds {
  /** Called when zones are published again. */
  onRelease: () => void = () => {};
  /** The held zones of each reason. */
  readonly #domains = new Map<object, Set<Id>>();
  /** The number of reasons of each held zone. */
  readonly #reasons = new Map<Id, number>();
  readonly #waiting = new Set<() => void>();
  #isLoading = true;

  constructor(private readonly waitMs = WAIT_MS) {}

  /** All zones are held until it is known which ones are. */
  loaded(): void {
    this.#isLoading = false;
    this.#wake();
  }

  hold(reason: object, domainId: Id): void {
    const domains = this.#domains.get(reason) ?? new Set();
    this.#domains.set(reason, domains);
    if (domains.has(domainId)) return;
    domains.add(domainId);
    this.#reasons.set(domainId, (this.#reasons.get(domainId) ?? 0) + 1);
  }

  release(reason: object): void {
    const domains = this.#domains.get(reason);
    this.#domains.delete(reason);
    for (const id of domains ?? []) {
      const rest = this.#reasons.get(id)! - 1;
      if (rest > 0) this.#reasons.set(id, rest);
      else {
        this.#reasons.delete(id);
        this.#wake();
      }
    }
  }

  has(domainId: Id): boolean {
    return this.#isLoading || this.#reasons.has(domainId);
  }

  /** Resolves when the zone is published, after a few seconds, or when the signal aborts. */
  async settled(domainId: Id, signal: AbortSignal): Promise<void> {
    if (!this.has(domainId)) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#waiting.delete(check);
        resolve();
      };
      const check = (): void => {
        if (!this.has(domainId)) end();
      };
      const timer = setTimeout(end, this.waitMs);
      this.#waiting.add(check);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    });
  }

  #wake(): void {
    for (const check of [...this.#waiting]) check();
    this.onRelease();
  }
}
