/** Looks up countries of addresses in a MaxMind database file of the operator. */

import { type CountryResponse, Reader } from 'mmdb-lib';
import { RecentMap } from '../../../core/base/recent-map.ts';

/** Maximum number of addresses whose country is cached. */
const MAX_REMEMBERED = 4096;

export class Countries {
  #reader: Reader<CountryResponse> | null = null;
  readonly #cache = new RecentMap<string>(MAX_REMEMBERED);

  /** Null: no file; all lookups return an empty text. Throws for a file in another format. */
  load(file: SharedArrayBuffer | null): void {
    this.#reader = file === null ? null : new Reader<CountryResponse>(Buffer.from(file));
    this.#cache.clear();
  }

  /** Returns an ISO 3166 code of two letters; empty: unknown. */
  of(address: string): string {
    const reader = this.#reader;
    return reader === null ? '' : this.#cache.of(address, () => lookUp(reader, address));
  }
}

/** Entries may have no country. A damaged file makes `get` throw. */
function lookUp(reader: Reader<CountryResponse>, address: string): string {
  try {
    const found = reader.get(address);
    return found?.country?.iso_code ?? found?.registered_country?.iso_code ?? '';
  } catch {
    return '';
  }
}
