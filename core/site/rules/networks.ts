/** Networks that the address of a client may be in. */
import { contains, type Prefix, parseAddress, parsePrefix, unmapped } from '../../net/address/index.ts';

export class Networks {
  readonly #prefixes: readonly Pick<Prefix, 'bytes' | 'bits'>[];

  /** `onNetwork`: called with the number of the network that is read next. Throws InvalidError. */
  constructor(networks: readonly string[], onNetwork: (i: number) => void = () => {}) {
    this.#prefixes = networks.map((text, i) => {
      onNetwork(i);
      return unmapped(parsePrefix(text));
    });
  }

  has(address: string): boolean {
    const bytes = parseAddress(address);
    return bytes !== undefined && this.#prefixes.some((prefix) => contains(prefix, bytes));
  }
}
