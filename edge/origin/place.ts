/** Names and addresses of an origin, which visitors must not see. */
import { parseAddress, unmapped } from '../../core/net/address/index.ts';
import { namesOf, type Origin } from './origin-address.ts';
import { type Spellings, spellingsOf } from './spellings.ts';

export class OriginPlace {
  readonly origin: Origin;
  /** Addresses in text. */
  readonly addresses: readonly string[];
  /** The host is first; it may be an address. */
  readonly names: readonly string[];
  /**
   * Matches every text that contains the host name or an address, and other texts. Null before its
   * first use.
   */
  #trigger: RegExp | null = null;
  #spellings: Spellings | null = null;

  /** `addresses`: addresses of connections, in addition to those of the origin's configuration. */
  constructor(origin: Origin, addresses: readonly string[] = []) {
    this.origin = origin;
    this.names = namesOf(origin);
    this.addresses = origin.addresses === undefined ? addresses : [...new Set([...origin.addresses, ...addresses])];
  }

  /**
   * Whether a text may contain the host name or an address. False is exact. One scan, no
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
