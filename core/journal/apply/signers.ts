/** The signers of zones: their decrypted keys, and recent signatures. */
import type { Secrets } from '../../base/secrets.ts';
import { keyTag } from '../../dns/dnssec/dnskey.ts';
import { SigningKey } from '../../dns/dnssec/keys.ts';
import { SigningThreads } from '../../dns/dnssec/signing-threads.ts';
import { ALL_HASHES, SignatureMemo, Signer, SigningBatch } from '../../dns/dnssec/zone-signer.ts';
import type { Name } from '../../dns/wire/name.ts';
import type { Id } from '../../store/keys.ts';
import {
  type DnssecKey,
  type DnssecRow,
  type Domain,
  dnssecContext,
  publishedKeys,
  signingKeys,
} from '../../store/rows.ts';

/** Maximum number of decrypted keys in memory. */
const MAX_KEYS = 20_000;

/**
 * How zones are signed: with the keys in their rows, and all signatures of a group in one batch.
 */
export interface GroupSigning {
  readonly signers: Signers;
  readonly batch: SigningBatch;
}

export class Signers {
  readonly memo = new SignatureMemo();
  readonly #secrets: Secrets;
  readonly #threads: SigningThreads | null;
  /** Keyed by the encrypted private key. */
  readonly #keys = new Map<string, SigningKey>();

  /** `inThreads`: worker threads sign for callers that can wait. */
  constructor(secrets: Secrets, { inThreads = false } = {}) {
    this.#secrets = secrets;
    this.#threads = inThreads ? new SigningThreads() : null;
  }

  async close(): Promise<void> {
    await this.#threads?.close();
  }

  /** Signing for one group of entries, on the calling thread. */
  group(): GroupSigning {
    return { signers: this, batch: new SigningBatch(this.memo, null) };
  }

  /** Signing for one group of entries, on worker threads if there are any. */
  groupInThreads(): GroupSigning {
    return { signers: this, batch: new SigningBatch(this.memo, this.#threads) };
  }

  /** Throws WaypostError `unsealable` or `bad_signing_key`. */
  signer({ id, apex }: Domain, row: DnssecRow, batch: SigningBatch): Signer {
    const { progress, clock } = row;
    const load = (keys: readonly DnssecKey[]): SigningKey[] => keys.map((key) => this.#key(id, apex, key));
    const signing = progress?.toward === 'unsigned' ? [] : load(signingKeys(row));
    const previous = load(row.keys.filter((key) => progress?.from.includes(key.id)));
    const published = load(publishedKeys(row));
    const signedTo = progress?.signedTo ?? ALL_HASHES;
    const isComplete = progress === undefined || (progress.toward === 'signed' && progress.from.length > 0);
    return new Signer(
      apex,
      { signing, previous, signedTo, published, isComplete },
      { clock, previous: progress?.clock ?? clock },
      batch,
    );
  }

  #key(domainId: Id, apex: Name, stored: DnssecKey): SigningKey {
    const { sealed } = stored;
    let key = this.#keys.get(sealed);
    if (key === undefined) {
      key = this.#load(domainId, apex, stored);
      if (this.#keys.size === MAX_KEYS) this.#keys.clear();
      this.#keys.set(sealed, key);
    }
    return key;
  }

  #load(domainId: Id, apex: Name, { dnskey, sealed }: DnssecKey): SigningKey {
    const rdata = Buffer.from(dnskey, 'base64');
    try {
      const privateKey = this.#secrets.unseal(Buffer.from(sealed, 'base64'), dnssecContext(domainId));
      const key = new SigningKey({ dnskey: rdata, privateKey });
      privateKey.fill(0);
      return key;
    } catch (error) {
      const reason = `the private key cannot be used: ${(error as Error).message}`;
      this.memo.faults.report({ apex, keyTag: keyTag(rdata), reason });
      throw error;
    }
  }
}
