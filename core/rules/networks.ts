/** Networks that the address of a client may be in. */
import { contains, type Prefix, parseAddress, parsePrefix, unmapped } from '../address/index.ts';

/** Addresses whose result is remembered. */
const MAX_REMEMBERED = 1024;

export class Networks {
  readonly #prefixes: readonly Pick<Prefix, 'bytes' | 'bits'>[];
  readonly #results = new Map<string, boolean>();

  /** Throws InvalidError. */
  constructor(networks: readonly string[]) {
    this.#prefixes = networks.map((text) => unmapped(parsePrefix(text)));
  }

  has(address: string): boolean {
    const remembered = this.#results.get(address);
    if (remembered !== undefined) return remembered;
    const bytes = parseAddress(address);
    const result = bytes !== undefined && this.#prefixes.some((prefix) => contains(prefix, bytes));
    if (this.#results.size >= MAX_REMEMBERED) this.#results.clear();
    this.#results.set(address, result);
    return result;
  }
}
