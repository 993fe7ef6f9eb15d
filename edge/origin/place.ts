/** Where an origin is: what nobody but the edge has to know. */
import { parseAddress, unmapped } from '../../core/net/address/index.ts';
import { namesOf, type Origin } from './origin-address.ts';
import { type Spellings, spellingsOf } from './spellings.ts';

export class OriginPlace {
  readonly origin: Origin;
  /** In text. */
  readonly addresses: readonly string[];
  /** Its host first, which may be an address. */
  readonly names: readonly string[];
  /**
   * Matches every text that holds the host name or an address, and more than that. Null before its
   * first use.
   */
  #trigger: RegExp | null = null;
  #spellings: Spellings | null = null;

  /** `addresses`: that connections went to, in addition to those that the origin is given with. */
  constructor(origin: Origin, addresses: readonly string[] = []) {
    this.origin = origin;
    this.names = namesOf(origin);
    this.addresses = origin.addresses === undefined ? addresses : [...new Set([...origin.addresses, ...addresses])];
  }

  /**
   * Whether a text may hold the host name or an address; what this rejects does not. One scan, no
   * allocation.
   */
  mayBeIn(text: string): boolean {
    this.#trigger ??= this.spellings.trigger;
    return this.#trigger.test(text);
  }

  get spellings(): Spellings {
    this.#spellings ??= spellingsOf(this.names, this.origin.port, this.#literals());
    return this.#spellings;
  }

  /** 4 or 16 bytes each, without repetitions. */
  #literals(): Uint8Array[] {
    const literals = [...this.names, ...this.addresses].flatMap((text) => parseAddress(text) ?? []);
    const plain = literals.map((bytes) => unmapped({ bytes, bits: bytes.length * 8 }).bytes);
    return [...new Map(plain.map((bytes) => [bytes.join('.'), bytes])).values()];
  }
}
