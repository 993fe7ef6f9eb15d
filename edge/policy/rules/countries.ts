/** Countries of addresses, from a file in the format of MaxMind that the operator brings. */

import { type CountryResponse, Reader } from 'mmdb-lib';
import { RecentMap } from '../../../core/base/recent-map.ts';

/** Maximum number of addresses whose country is cached. */
const MAX_REMEMBERED = 4096;

export class Countries {
  #reader: Reader<CountryResponse> | null = null;
  readonly #remembered = new RecentMap<string>(MAX_REMEMBERED);

  /** Null: there is no file, so that no country is known. Throws for a file in another format. */
  load(file: SharedArrayBuffer | null): void {
    this.#reader = file === null ? null : new Reader<CountryResponse>(Buffer.from(file));
    this.#remembered.clear();
  }

  /** An ISO 3166 code of two letters; empty: not known. */
  of(address: string): string {
    const reader = this.#reader;
    return reader === null ? '' : this.#remembered.of(address, () => lookUp(reader, address));
  }
}

/** A file may have places that no country is known for, and a damaged one may have anything. */
function lookUp(reader: Reader<CountryResponse>, address: string): string {
  try {
    const found = reader.get(address);
    return found?.country?.iso_code ?? found?.registered_country?.iso_code ?? '';
  } catch {
    return '';
  }
}
