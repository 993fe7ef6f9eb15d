/**
 * What is asked for again and again, as objects, so that a hit builds nothing: a URL costs a look into a Map. Second chance: in the order of arrival; whoever was
 * asked for since the last turn stays.
 */
import type { Variant } from './variant.ts';

/** URLs at most: what the garbage collector has to look at stays small. */
const MOST = 16_384;

interface HotKey {
  variants: readonly Variant[];
  bytes: number;
  wasAsked: boolean;
  /** Of the purges when the variants were last held against them. */
  version: number;
}

export class HotSet {
  bytes = 0;
  readonly #limit: number;
  readonly #keys = new Map<string, HotKey>();
  readonly #onDrop: (variants: readonly Variant[]) => void;

  /** `onDrop`: they have left, for want of room. */
  constructor(limit: number, onDrop: (variants: readonly Variant[]) => void) {
    this.#limit = limit;
    this.#onDrop = onDrop;
  }

  /** What comes takes the place of another. */
  get isFull(): boolean {
    return this.#keys.size >= MOST || this.bytes > this.#limit * 0.9;
  }

  get(key: string): HotKey | undefined {
    const found = this.#keys.get(key);
    if (found !== undefined) found.wasAsked = true;
    return found;
  }

  /** False: too large. */
  add(key: string, variants: readonly Variant[], version: number): boolean {
    this.drop(key);
    let bytes = 200;
    for (const variant of variants) bytes += variant.bytes + variant.attachedBytes;
    if (bytes > this.#limit / 8) return false;
    for (const variant of variants) variant.isHot = true;
    this.#keys.set(key, { variants, bytes, wasAsked: false, version });
    this.bytes += bytes;
    this.#shrink();
    return this.#keys.has(key);
  }

  /** Something was attached to one of the variants of a key. */
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
    // All of them at most once around, and then without mercy.
    let turns = this.#keys.size;
    for (const [key, found] of this.#keys) {
      if (this.bytes <= this.#limit && this.#keys.size <= MOST) return;
      if (found.wasAsked && turns-- > 0) {
        found.wasAsked = false;
        this.#keys.delete(key);
        this.#keys.set(key, found);
        continue;
      }
      this.drop(key);
      this.#onDrop(found.variants);
    }
  }
}
