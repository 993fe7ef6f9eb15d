/**
 * Who may transfer a zone: clients of listed addresses, and who signs with a key that may read it.
 */
import { contains, type Prefix, parseAddress, parsePrefix, unmapped } from '../address/index.ts';
import type { Domain } from '../store/rows.ts';
import { type HeldKey, mayUse } from '../tsig/keyring.ts';

export class TransferAccess {
  readonly #prefixes: readonly Pick<Prefix, 'bytes' | 'bits'>[];

  /** Prefixes as text. Throws InvalidError `invalid_prefix`. */
  constructor(prefixes: readonly string[]) {
    this.#prefixes = prefixes.map((text) => unmapped(parsePrefix(text)));
  }

  /** `key`: what the request was signed with; `address` as text, IPv4 in IPv6 as IPv4. */
  allows(domain: Domain, address: string, key: HeldKey | null): boolean {
    return (key !== null && mayUse(key, domain, 'read')) || this.#lists(address);
  }

  #lists(address: string): boolean {
    const bytes = parseAddress(address);
    return bytes !== undefined && this.#prefixes.some((prefix) => contains(prefix, bytes));
  }
}
