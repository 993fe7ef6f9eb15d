/** Networks that the address of a client may be in. */
import { contains, type Prefix, parseAddress, parsePrefix, unmapped } from '../address/index.ts';

export class Networks {
  readonly #prefixes: readonly Pick<Prefix, 'bytes' | 'bits'>[];

  /** Throws InvalidError. */
  constructor(networks: readonly string[]) {
    this.#prefixes = networks.map((text) => unmapped(parsePrefix(text)));
  }

  has(address: string): boolean {
    const bytes = parseAddress(address);
    return bytes !== undefined && this.#prefixes.some((prefix) => contains(prefix, bytes));
  }
}
