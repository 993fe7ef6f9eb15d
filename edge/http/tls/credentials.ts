/**
 * Certificates with their keys and chains as OpenSSL has them, read when they are asked for. Those
 * that were asked for last are kept; connections hold theirs.
 *
 * A connection is given them (4 µs), in place of each having an SSL_CTX: that took 725 µs to make
 * and 25 KB, most of it for what is the same in all. What is left is 7 KB, and 22 µs for keys of
 * the kind that nearly all have (quick-credential.ts). Of others it is 225 µs, half each for the
 * certificate and the key: a key is looked for by the kind of the certificate's, as OpenSSL
 * otherwise makes ready for every kind there is (350 µs). Chains are read once for all that have
 * the same.
 */
import type { TlsCertificate } from './certificate.ts';
import { fixedMemory, KEY_PAIR, NO_MORE_PEM, type Openssl } from './openssl.ts';
import { type CredentialPlaces, FIELDS, freeChain, freeCredential } from './places.ts';
import { QuickReader } from './quick-credential.ts';
import { Recent } from './recent.ts';

/** What ends the first certificate of a text; OpenSSL reads each of these. */
const END = /-----END (?:X509 |TRUSTED )?CERTIFICATE-----/;

interface Credential {
  readonly slot: number;
  /** PEM. */
  readonly chain: string;
}

/** DER or PEM of the certificate, and what stands behind it. */
function parted({ leaf, chain, cert }: TlsCertificate): { readonly own: Uint8Array | string; readonly chain: string } {
  if (leaf !== undefined && chain !== undefined && leaf.length > 0) return { own: leaf, chain };
  const end = END.exec(cert);
  const from = end === null ? cert.length : end.index + end[0].length;
  return { own: cert.slice(0, from), chain: cert.slice(from).trim() };
}

export class Credentials {
  readonly #openssl: Openssl;
  /** Addresses, in memory that outlives the thread (places.ts). */
  readonly #places: CredentialPlaces;
  readonly #free: number[];
  readonly #freeChains: number[];
  /**
   * Places. By the object, of which there is one for a certificate (edge/sites): to find it by its
   * text takes longer than to read a text is worth.
   */
  readonly #known: Recent<TlsCertificate, Credential>;
  /** Places, by the PEM of the chain. */
  readonly #chains: Recent<string, number>;
  readonly #pointer = fixedMemory(8);
  readonly #quick: QuickReader | null;

  constructor(openssl: Openssl, places: CredentialPlaces) {
    const { credentials, chains } = places;
    this.#openssl = openssl;
    this.#places = places;
    this.#quick = places.quick === null ? null : new QuickReader(openssl, places.quick);
    this.#free = Array.from({ length: credentials.length / FIELDS }, (_, slot) => slot);
    this.#freeChains = Array.from(chains.keys());
    this.#known = new Recent(this.#free.length - 1, ({ slot }) => {
      freeCredential(openssl, credentials, slot);
      this.#free.push(slot);
    });
    this.#chains = new Recent(chains.length - 1, (slot) => {
      freeChain(openssl, chains, slot);
      this.#freeChains.push(slot);
    });
  }

  /**
   * An SSL of a context, the caller's, that shows a certificate; 0: there is no memory. Throws an
   * Error for a certificate or a key that cannot be used.
   */
  open(context: number, certificate: TlsCertificate): number {
    const openssl = this.#openssl;
    const { slot, chain } = this.#known.of(certificate, () => this.#read(certificate));
    const { credentials } = this.#places;
    const at = FIELDS * slot;
    const between = this.#chainOf(chain);
    openssl.ERR_clear_error();
    const ssl = openssl.SSL_new(context);
    if (ssl === 0) return 0;
    if (openssl.SSL_use_cert_and_key(ssl, credentials[at], credentials[at + 1], between, 1) === 1) return ssl;
    openssl.SSL_free(ssl);
    openssl.ERR_clear_error();
    throw new Error('the certificate is unusable');
  }

  /** Certificates that are kept. */
  get live(): number {
    return this.#known.size;
  }

  /** Frees all. */
  close(): void {
    this.#known.clear();
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
      const { own, chain } = parted(certificate);
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
    const own = this.#reading(pem, (bio) => this.#openssl.PEM_read_bio_X509_AUX(bio, 0, 0, ''));
    if (own === 0) throw new Error('the certificate is not PEM');
    return own;
  }

  #readKey(pem: string, own: number): number {
    const openssl = this.#openssl;
    const key =
      this.#reading(pem, (bio) => this.#decodeKey(bio, own)) ||
      // Where something else stands before it; or there is none. With an empty passphrase nobody is
      // asked for one.
      this.#reading(pem, (bio) => openssl.PEM_read_bio_PrivateKey(bio, 0, 0, ''));
    if (key === 0) throw new Error('the private key is not PEM');
    if (openssl.X509_check_private_key(own, key) === 1) return key;
    openssl.EVP_PKEY_free(key);
    throw new Error('the private key does not match the certificate');
  }

  /** A key of the kind that the certificate's has; 0: that is not what comes first. */
  #decodeKey(bio: number, own: number): number {
    const openssl = this.#openssl;
    const { bytes, address } = this.#pointer;
    const kind = openssl.X509_get0_pubkey(own);
    if (kind === 0) return 0;
    bytes.fill(0);
    const name = openssl.EVP_PKEY_get0_type_name(kind);
    const decoder = openssl.OSSL_DECODER_CTX_new_for_pkey(address, 'PEM', 0, name, KEY_PAIR, 0, 0);
    if (decoder === 0) return 0;
    openssl.OSSL_DECODER_from_bio(decoder, bio);
    openssl.OSSL_DECODER_CTX_free(decoder);
    return Number(bytes.readBigUInt64LE());
  }

  /**
   * A STACK_OF(X509) with the certificates of a text, good until the next is asked for; 0: there
   * are none.
   */
  #chainOf(pem: string): number {
    if (pem === '') return 0;
    const { chains } = this.#places;
    const slot = this.#chains.of(pem, () => {
      const free = this.#freeChains.pop() as number;
      try {
        chains[free] = this.#openssl.OPENSSL_sk_new_null();
        this.#reading(pem, (bio) => this.#readChain(bio, chains[free]));
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

  #reading<T>(pem: string, read: (bio: number) => T): T {
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
