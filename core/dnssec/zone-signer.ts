/** Signs the RRsets of one zone with its keys, by its signing clock. */
import { latin1 } from '../wire/latin1.ts';
import { equalNames, type Name } from '../wire/name.ts';
import { type RRset, TYPE } from '../wire/types.ts';
import { SigningKey } from './keys.ts';
import { validityOf } from './lifetime.ts';
import { hashName } from './nsec3.ts';
import { prepareRrsig, rrsigRdata } from './rrsig.ts';

/** Signatures that have been made, by key and digest of what was signed. */
export class SignatureMemo {
  hits = 0;
  /** Number of signatures made. */
  made = 0;
  readonly #signatures = new Map<string, Uint8Array>();
  readonly #limit: number;

  constructor(limit = 65_536) {
    this.#limit = limit;
  }

  get(id: string): Uint8Array | undefined {
    const found = this.#signatures.get(id);
    if (found !== undefined) this.hits++;
    return found;
  }

  set(id: string, signature: Uint8Array): void {
    this.made++;
    if (this.#signatures.size >= this.#limit) {
      // The oldest is first.
      for (const oldest of this.#signatures.keys()) {
        this.#signatures.delete(oldest);
        break;
      }
    }
    this.#signatures.set(id, signature);
  }
}

export interface ZoneKeys {
  /** They sign everything. */
  readonly signing: readonly SigningKey[];
  /** They sign the DNSKEY RRset, with those above. */
  readonly published: readonly SigningKey[];
}

export class Signer {
  readonly #apex: Name;
  readonly #keys: ZoneKeys;
  readonly #clock: number;
  readonly #memo: SignatureMemo;

  /** `clock`: seconds since 1970. */
  constructor(apex: Name, keys: ZoneKeys, clock: number, memo: SignatureMemo) {
    this.#apex = apex;
    this.#keys = keys;
    this.#clock = clock;
    this.#memo = memo;
  }

  hash(name: Name): Uint8Array {
    return hashName(name);
  }

  /** The RRSIG RRset over an RRset, with its TTL. `hash`: of the owner, if it is known. */
  sign(owner: Name, set: RRset, hash = hashName(owner)): RRset {
    const { type, ttl, rdatas } = set;
    const validity = validityOf(this.#clock, ((hash[0] << 24) | (hash[1] << 16) | (hash[2] << 8) | hash[3]) >>> 0);
    const { signing, published } = this.#keys;
    const keys = type === TYPE.DNSKEY && equalNames(owner, this.#apex) ? [...signing, ...published] : signing;
    const signatures = keys.map((key) => {
      const prepared = prepareRrsig({ rrset: { owner, type, ttl, rdatas }, key, signer: this.#apex, validity });
      const id = latin1(key.identity.subarray(0, 8)) + latin1(prepared.digest);
      let signature = this.#memo.get(id);
      if (signature === undefined) {
        signature = SigningKey.signAll([prepared])[0];
        this.#memo.set(id, signature);
      }
      return rrsigRdata(prepared, signature);
    });
    return { type: TYPE.RRSIG, ttl, rdatas: signatures };
  }
}
