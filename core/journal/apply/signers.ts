/** The signers of zones: their keys, unsealed once, and the signatures that were made lately. */
import type { Secrets } from '../../base/secrets.ts';
import { SigningKey } from '../../dnssec/keys.ts';
import { SignatureMemo, Signer } from '../../dnssec/zone-signer.ts';
import type { Id } from '../../store/keys.ts';
import { type DnssecKey, type DnssecRow, type Domain, dnssecContext } from '../../store/rows.ts';

/** Keys that are kept unsealed. */
const MAX_KEYS = 20_000;

export class Signers {
  readonly memo = new SignatureMemo();
  readonly #secrets: Secrets;
  /** By sealed private key. */
  readonly #keys = new Map<string, SigningKey>();

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** Throws WaypostError `unsealable` or `bad_signing_key`. */
  signer({ id, apex }: Domain, row: DnssecRow): Signer {
    const keysOf = (use: DnssecKey['use']): SigningKey[] =>
      row.keys.filter((key) => key.use === use).map((key) => this.#key(id, key));
    return new Signer(apex, { signing: keysOf('sign'), published: keysOf('publish') }, row.clock, this.memo);
  }

  #key(domainId: Id, { dnskey, sealed }: DnssecKey): SigningKey {
    let key = this.#keys.get(sealed);
    if (key === undefined) {
      const privateKey = this.#secrets.unseal(Buffer.from(sealed, 'base64'), dnssecContext(domainId));
      key = new SigningKey({ dnskey: Buffer.from(dnskey, 'base64'), privateKey });
      privateKey.fill(0);
      if (this.#keys.size === MAX_KEYS) this.#keys.clear();
      this.#keys.set(sealed, key);
    }
    return key;
  }
}
