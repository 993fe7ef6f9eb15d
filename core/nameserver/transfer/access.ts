/**
 * Who may transfer a zone: clients of listed addresses, of all zones or of this one, and who signs
 * with a key that may read it.
 */
import { contains, type Prefix, parseAddress, parsePrefix, unmapped } from '../../net/address/index.ts';
import type { Domain } from '../../store/rows.ts';
import { type HeldKey, mayUse } from '../../store/tsig-keys/keyring.ts';

export class TransferAccess {
  readonly #prefixes: readonly Pick<Prefix, 'bytes' | 'bits'>[];

  readonly #zonePrefixes: (domain: Domain) => readonly string[];

  /**
   * Prefixes as text. `zonePrefixes`: those of a single zone, which were valid when they were
   * stored. Throws InvalidError `invalid_prefix`.
   */
  constructor(prefixes: readonly string[], zonePrefixes: (domain: Domain) => readonly string[] = () => []) {
    this.#prefixes = prefixes.map((text) => unmapped(parsePrefix(text)));
    this.#zonePrefixes = zonePrefixes;
  }

  /** `key`: what the request was signed with; `address` as text, IPv4 in IPv6 as IPv4. */
  allows(domain: Domain, address: string, key: HeldKey | null): boolean {
    return (key !== null && mayUse(key, domain, 'read')) || this.#lists(domain, address);
  }

  #lists(domain: Domain, address: string): boolean {
    const bytes = parseAddress(address);
    if (bytes === undefined) return false;
    if (this.#prefixes.some((prefix) => contains(prefix, bytes))) return true;
    return this.#zonePrefixes(domain).some((text) => contains(unmapped(parsePrefix(text)), bytes));
  }
}
