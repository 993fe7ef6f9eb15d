/**
 * The most requested responses, held as objects: a hit is a lookup in a Map and allocates nothing.
 * Eviction is "second chance": the oldest URL is evicted first, unless it had a hit since its last
 * turn.
 */
import type { Variant } from './variant.ts';

/** Maximum number of URLs. It limits the work of the garbage collector. */
const MAX_URLS = 16_384;

interface HotKey {
  variants: readonly Variant[];
  bytes: number;
  wasHit: boolean;
  /** Number of hits since the URL is hot. */
  hits: number;
  /** Version of the purges that the variants were last checked against. */
  version: number;
}

export class HotSet {
  bytes = 0;
  readonly #limit: number;
  readonly #keys = new Map<string, HotKey>();
  readonly #onDrop: (variants: readonly Variant[]) => void;

  /** `onDrop`: called with variants that were evicted to make room. */
  constructor(limit: number, onDrop: (variants: readonly Variant[]) => void) {
    this.#limit = limit;
    this.#onDrop = onDrop;
  }

  /** Whether a new URL displaces another one. */
  get isFull(): boolean {
    return this.#keys.size >= MAX_URLS || this.bytes > this.#limit * 0.9;
  }

  get(key: string): HotKey | undefined {
    const found = this.#keys.get(key);
    if (found !== undefined) {
      found.wasHit = true;
      found.hits++;
    }
    return found;
  }

  /** Variants of the most requested URLs for which `accepts` is true, at most `limit`. */
  mostRequested(limit: number, accepts: (variant: Variant) => boolean): Variant[] {
    const accepted: { readonly variant: Variant; readonly hits: number }[] = [];
    for (const { variants, hits } of this.#keys.values())
      for (const variant of variants) if (accepts(variant)) accepted.push({ variant, hits });
    accepted.sort((left, right) => right.hits - left.hits);
    return accepted.slice(0, limit).map(({ variant }) => variant);
  }

  /** False: the variants are too large. */
  add(key: string, variants: readonly Variant[], version: number): boolean {
    this.drop(key);
    let bytes = 200;
    for (const variant of variants) bytes += variant.bytes + variant.attachedBytes;
    if (bytes > this.#limit / 8) return false;
    for (const variant of variants) variant.isHot = true;
    this.#keys.set(key, { variants, bytes, wasHit: false, hits: 0, version });
    this.bytes += bytes;
    this.#shrink();
    return this.#keys.has(key);
  }

  /** Counts bytes that were attached to a variant of a URL. */
  grow(key: string, bytes: number): void {
    const found = this.#keys.get(key);
    if (found === undefined) return;
    found.bytes += bytes;
    this.bytes += bytes;
    this.#shrink();
  }

  drop(key: string): void {
    const found = this.#keys.get(key);
    if (found === undefined) return;
    this.#keys.delete(key);
    this.bytes -= found.bytes;
    for (const variant of found.variants) variant.isHot = false;
  }

  #shrink(): void {
    // Each URL gets at most one second chance in a call.
    let turnsLeft = this.#keys.size;
    for (const [key, found] of this.#keys) {
      if (this.bytes <= this.#limit && this.#keys.size <= MAX_URLS) return;
      if (found.wasHit && turnsLeft-- > 0) {
        found.wasHit = false;
        found.hits >>>= 1;
        this.#keys.delete(key);
        this.#keys.set(key, found);
        continue;
      }
      this.drop(key);
      this.#onDrop(found.variants);
    }
  }
}
