/**
 * Cache of certificates, keys and chains as OpenSSL objects, parsed on first use. Open connections
 * hold references, so eviction does not affect them.
 *
 * The objects are set on each SSL (4 µs). An SSL_CTX per certificate took 725 µs to create and
 * 25 KB, most of it for settings that are the same in all. A cached certificate takes 7 KB.
 * Parsing takes 22 µs for the usual key types (quick-credential.ts), and 225 µs for others, half
 * each for the certificate and the key. The key's decoder is selected by the certificate's key
 * type, since OpenSSL otherwise prepares the decoders of all types (350 µs). Certificates with the
 * same chain share one parsed chain.
 */
import { RecentMap } from '../../../core/base/recent-map.ts';
import type { TlsCertificate } from './certificate.ts';
import { fixedMemory, KEY_PAIR, NO_MORE_PEM, type Openssl } from './openssl.ts';
import { type CredentialPlaces, FIELDS, freeChain, freeCredential } from './places.ts';
import { QuickReader } from './quick-credential.ts';

/** The end of the first certificate of a PEM text, in the variants that OpenSSL reads. */
const END = /-----END (?:X509 |TRUSTED )?CERTIFICATE-----/;

interface Credential {
  readonly slot: number;
  /** PEM. */
  readonly chain: string;
}

/** Separates the certificate, as DER or PEM, from its chain. */
function splitChain({ leaf, chain, cert }: TlsCertificate): {
  readonly own: Uint8Array | string;
  readonly chain: string;
} {
  if (leaf !== undefined && chain !== undefined && leaf.length > 0) return { own: leaf, chain };
  const end = END.exec(cert);
  const from = end === null ? cert.length : end.index + end[0].length;
  return { own: cert.slice(0, from), chain: cert.slice(from).trim() };
}

export class Credentials {
  readonly #openssl: Openssl;
  /** Addresses of the objects, in memory that outlives the thread (places.ts). */
  readonly #places: CredentialPlaces;
  readonly #free: number[];
  readonly #freeChains: number[];
  /**
   * Slots by certificate object, of which edge/sites has one per certificate. A key made of the PEM
   * text would be slower to look up.
   */
  readonly #kept: RecentMap<Credential, TlsCertificate>;
  /** Slots by the PEM of the chain. */
  readonly #chains: RecentMap<number>;
  readonly #pointer = fixedMemory(8);
  readonly #quick: QuickReader | null;

  constructor(openssl: Openssl, places: CredentialPlaces) {
    const { credentials, chains } = places;
    this.#openssl = openssl;
    this.#places = places;
    this.#quick = places.quick === null ? null : new QuickReader(openssl, places.quick);
    this.#free = Array.from({ length: credentials.length / FIELDS }, (_, slot) => slot);
    this.#freeChains = Array.from(chains.keys());
    this.#kept = new RecentMap(this.#free.length - 1, ({ slot }) => {
      freeCredential(openssl, credentials, slot);
      this.#free.push(slot);
    });
    this.#chains = new RecentMap(chains.length - 1, (slot) => {
      freeChain(openssl, chains, slot);
      this.#freeChains.push(slot);
    });
  }

  /**
   * A new SSL with a certificate, which the caller frees; 0: out of memory. Throws an Error if the
   * certificate or the key is unusable.
   */
  open(context: number, certificate: TlsCertificate): number {
    const openssl = this.#openssl;
    const { slot, chain } = this.#kept.of(certificate, () => this.#read(certificate));
    const { credentials } = this.#places;
    const at = FIELDS * slot;
    const intermediates = this.#chainOf(chain);
    openssl.ERR_clear_error();
    const ssl = openssl.SSL_new(context);
    if (ssl === 0) return 0;
    if (openssl.SSL_use_cert_and_key(ssl, credentials[at], credentials[at + 1], intermediates, 1) === 1) return ssl;
    openssl.SSL_free(ssl);
    openssl.ERR_clear_error();
    throw new Error('the certificate is unusable');
  }

  /** Cached certificates. */
  get live(): number {
    return this.#kept.size;
  }

  /** Frees all cached objects. */
  close(): void {
    this.#kept.clear();
    this.#chains.clear();
  }

  #read(certificate: TlsCertificate): Credential {
    const openssl = this.#openssl;
    const { credentials } = this.#places;
    const slot = this.#free.pop() as number;
    const at = FIELDS * slot;
    openssl.ERR_clear_error();
    try {
      const { key } = certificate;
      const { own, chain } = splitChain(certificate);
      const quick = this.#quick?.read(own, key);
      credentials[at] = quick?.certificate ?? this.#readOwn(typeof own === 'string' ? own : certificate.cert);
      credentials[at + 1] = quick?.key ?? this.#readKey(key, credentials[at]);
      return { slot, chain };
    } catch (error) {
      freeCredential(openssl, credentials, slot);
      this.#free.push(slot);
      throw error;
    } finally {
      openssl.ERR_clear_error();
    }
  }

  #readOwn(pem: string): number {
    const own = this.#withBio(pem, (bio) => this.#openssl.PEM_read_bio_X509_AUX(bio, 0, 0, ''));
    if (own === 0) throw new Error('the certificate is not PEM');
    return own;
  }

  #readKey(pem: string, own: number): number {
    const openssl = this.#openssl;
    const key =
      this.#withBio(pem, (bio) => this.#decodeKey(bio, own)) ||
      // The first PEM block is not the key. The empty passphrase prevents a prompt on the terminal.
      this.#withBio(pem, (bio) => openssl.PEM_read_bio_PrivateKey(bio, 0, 0, ''));
    if (key === 0) throw new Error('the private key is not PEM');
    if (openssl.X509_check_private_key(own, key) === 1) return key;
    openssl.EVP_PKEY_free(key);
    throw new Error('the private key does not match the certificate');
  }

  /** A private key of the certificate's key type; 0: the first PEM block is none. */
  #decodeKey(bio: number, own: number): number {
    const openssl = this.#openssl;
    const { bytes, address } = this.#pointer;
    const publicKey = openssl.X509_get0_pubkey(own);
    if (publicKey === 0) return 0;
    bytes.fill(0);
    const name = openssl.EVP_PKEY_get0_type_name(publicKey);
    const decoder = openssl.OSSL_DECODER_CTX_new_for_pkey(address, 'PEM', 0, name, KEY_PAIR, 0, 0);
    if (decoder === 0) return 0;
    openssl.OSSL_DECODER_from_bio(decoder, bio);
    openssl.OSSL_DECODER_CTX_free(decoder);
    return Number(bytes.readBigUInt64LE());
  }

  /**
   * A STACK_OF(X509) with the certificates of a PEM text, valid until the next call; 0: the text is
   * empty.
   */
  #chainOf(pem: string): number {
    if (pem === '') return 0;
    const { chains } = this.#places;
    const slot = this.#chains.of(pem, () => {
      const free = this.#freeChains.pop() as number;
      try {
        chains[free] = this.#openssl.OPENSSL_sk_new_null();
        this.#withBio(pem, (bio) => this.#readChain(bio, chains[free]));
        return free;
      } catch (error) {
        freeChain(this.#openssl, chains, free);
        this.#freeChains.push(free);
        throw error;
      }
    });
    return chains[slot];
  }

  #readChain(bio: number, chain: number): void {
    const openssl = this.#openssl;
    for (;;) {
      const next = openssl.PEM_read_bio_X509(bio, 0, 0, '');
      if (next === 0) break;
      if (openssl.OPENSSL_sk_push(chain, next) > 0) continue;
      openssl.X509_free(next);
      throw new Error('out of memory for a certificate');
    }
    if (openssl.ERR_peek_last_error() !== NO_MORE_PEM) throw new Error('a certificate of the chain is not PEM');
  }

  #withBio<T>(pem: string, read: (bio: number) => T): T {
    const length = Buffer.byteLength(pem);
    const memory = fixedMemory(length);
    memory.bytes.write(pem);
    const bio = this.#openssl.BIO_new_mem_buf(memory.address, length);
    if (bio === 0) throw new Error('out of memory for a certificate');
    try {
      return read(bio);
    } finally {
      this.#openssl.BIO_free(bio);
      memory.bytes.fill(0);
    }
  }
}
