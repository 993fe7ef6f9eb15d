/**
 * What is asked for again and again, as objects, so that a hit builds nothing: a URL costs a look into a Map. Second chance: in the order of arrival; whoever was
 * asked for since the last turn stays.
 */
import type { Variant } from './variant.ts';

/** URLs at most: what the garbage collector has to look at stays small. */
const MOST = 16_384;

interface HotKey {
  variants: readonly Variant[];
  octets: number;
  wasAsked: boolean;
  /** Of the purges when the variants were last held against them. */
  version: number;
}

export class HotSet {
  octets = 0;
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
    return this.#keys.size >= MOST || this.octets > this.#limit * 0.9;
  }

  get(key: string): HotKey | undefined {
    const found = this.#keys.get(key);
    if (found !== undefined) found.wasAsked = true;
    return found;
  }

  /** False: too large. */
  add(key: string, variants: readonly Variant[], version: number): boolean {
    this.drop(key);
    let octets = 200;
    for (const variant of variants) octets += variant.octets + variant.attachedOctets;
    if (octets > this.#limit / 8) return false;
    for (const variant of variants) variant.isHot = true;
    this.#keys.set(key, { variants, octets, wasAsked: false, version });
    this.octets += octets;
    this.#shrink();
    return this.#keys.has(key);
  }

  /** Something was attached to one of the variants of a key. */
  grow(key: string, octets: number): void {
    const found = this.#keys.get(key);
    if (found === undefined) return;
    found.octets += octets;
    this.octets += octets;
    this.#shrink();
  }

  drop(key: string): void {
    const found = this.#keys.get(key);
    if (found === undefined) return;
    this.#keys.delete(key);
    this.octets -= found.octets;
    for (const variant of found.variants) variant.isHot = false;
  }

  #shrink(): void {
    // All of them at most once around, and then without mercy.
    let turns = this.#keys.size;
    for (const [key, found] of this.#keys) {
      if (this.octets <= this.#limit && this.#keys.size <= MOST) return;
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
