/**
 * Keys with a recent response that was not storable. Requests for such a key do not wait for each
 * other, and are forwarded with their range and conditions.
 */

/** Milliseconds after which a key is judged again. */
const TTL = 10_000;
/** Minimum milliseconds between two extensions of an entry: one for each request costs too much. */
const MIN_EXTENSION = 1000;
const MAX_KEYS = 4096;
/** Longer keys are not recorded. */
const MAX_KEY_LENGTH = 1024;

export class UncacheableKeys {
  /** Expiry time in milliseconds since 1970, by key; the oldest entry first. */
  readonly #expiries = new Map<string, number>();

  has(key: string, now: number): boolean {
    const expiry = this.#expiries.get(key);
    if (expiry === undefined) return false;
    if (now < expiry && expiry - now <= TTL) return true;
    this.#expiries.delete(key);
    return false;
  }

  add(key: string, now: number): void {
    if (key.length > MAX_KEY_LENGTH) return;
    const expiry = this.#expiries.get(key);
    if (expiry !== undefined && Math.abs(now + TTL - expiry) < MIN_EXTENSION) return;
    this.#expiries.delete(key);
    this.#expiries.set(key, now + TTL);
    if (this.#expiries.size <= MAX_KEYS) return;
    for (const oldest of this.#expiries.keys()) {
      this.#expiries.delete(oldest);
      return;
    }
  }
}
