/**
 * Decides which clients may transfer a zone: clients at listed addresses, of all zones or of this
 * zone, and clients whose request is signed with a key that may read the zone.
 */
import { contains, type Prefix, parseAddress, parsePrefix, unmapped } from '../../net/address/index.ts';
import type { Domain } from '../../store/rows.ts';
import { type HeldKey, mayUse } from '../../store/tsig-keys/keyring.ts';

export class TransferAccess {
  readonly #prefixes: readonly Pick<Prefix, 'bytes' | 'bits'>[];

  readonly #zonePrefixes: (domain: Domain) => readonly string[];

  /**
   * Prefixes as text. `zonePrefixes`: prefixes of a single zone, already validated when they were
   * stored. Throws InvalidError `invalid_prefix`.
   */
  constructor(prefixes: readonly string[], zonePrefixes: (domain: Domain) => readonly string[] = () => []) {
    this.#prefixes = prefixes.map((text) => unmapped(parsePrefix(text)));
    this.#zonePrefixes = zonePrefixes;
  }

  /**
   * `key`: the key that signed the request. `address`: as text; an IPv4-mapped IPv6 address as
   * IPv4.
   */
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
