/**
 * The parts of a request that conditions read. One object serves all requests of a thread: `open`
 * points it at the next request. It allocates only the values that a condition reads.
 */
import { normalPath } from './path.ts';

/** Alternating names in lower case and values. */
export type Fields = readonly string[];

export interface RuleRequest {
  readonly method: string;
  /** Path with the query, as received. */
  readonly path: string;
  readonly headers: Fields;
}

/** The country of an address as an ISO 3166 code of two letters; empty: unknown. */
export type CountryOf = (address: string) => string;

export class RequestFacts {
  method = '';
  headers: Fields = [];
  /** In lower case, without port and last dot. */
  host = '';
  address = '';
  /** Path with the query, as received. */
  target = '';
  #path = '';
  #pathOf = '';

  constructor(private readonly countryOf: CountryOf) {}

  open(request: RuleRequest, host: string, address: string): void {
    this.method = request.method;
    this.headers = request.headers;
    this.target = request.path;
    this.host = host;
    this.address = address;
  }

  /** Normalised, without the query. */
  get path(): string {
    if (this.#pathOf !== this.target) {
      this.#path = normalPath(this.target);
      this.#pathOf = this.target;
    }
    return this.#path;
  }

  get country(): string {
    return this.countryOf(this.address);
  }
}
