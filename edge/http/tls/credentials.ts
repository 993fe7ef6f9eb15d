/**
 * Caches of certificates, keys, chains and client authorities as OpenSSL objects, parsed on first
 * use. Open connections hold references, so eviction does not affect them.
 *
 * The objects are set on each SSL (4 µs). An SSL_CTX per certificate took 725 µs to create and
 * 25 KB, most of it for settings that are the same in all. A cached certificate takes 7 KB.
 * Parsing takes 22 µs for the usual key types (native/quick-credential.ts), and 225 µs for others.
 * Certificates with the same chain share one parsed chain.
 */
import { RecentMap } from '../../../core/base/recent-map.ts';
import type { ClientAuthentication, TlsCertificate } from './certificate.ts';
import { readAuthorities, readCertificate, readChain, readKey } from './native/certificates.ts';
import type { SslContext } from './native/context.ts';
import type { Pointer } from './native/library.ts';
import type { Handle, Objects } from './native/ownership.ts';
import { type Credential, QuickReader, type QuickTools } from './native/quick-credential.ts';
import type { Authorities, Ssl } from './native/ssl.ts';
import { MAX_AUTHORITIES, MAX_CHAINS } from './profile.ts';

/** The end of the first certificate of a PEM text, in the variants that OpenSSL reads. */
const END = /-----END (?:X509 |TRUSTED )?CERTIFICATE-----/;

interface Cached extends Credential {
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
  readonly #objects: Objects;
  readonly #quick: QuickReader | null;
  /**
   * By certificate object, of which edge/sites has one per certificate. A key made of the PEM text
   * would be slower to look up.
   */
  readonly #certificates: RecentMap<Cached, TlsCertificate>;
  /** By PEM, as are the authorities. */
  readonly #chains: RecentMap<Handle<'OPENSSL_STACK'>>;
  readonly #authorities: RecentMap<Authorities>;

  /** `capacity`: cached certificates. `tools`: null if OpenSSL does not support them. */
  constructor(objects: Objects, capacity: number, tools: QuickTools | null) {
    this.#objects = objects;
    this.#quick = tools === null ? null : new QuickReader(objects, tools);
    this.#certificates = new RecentMap(capacity, ({ certificate, key }) => {
      certificate.free();
      key.free();
    });
    this.#chains = new RecentMap(MAX_CHAINS, (chain) => chain.free());
    this.#authorities = new RecentMap(MAX_AUTHORITIES, ({ store, names }) => {
      store.free();
      names.free();
    });
  }

  /**
   * A new connection with a certificate, which the caller frees. Throws an Error if the certificate
   * or the key is unusable.
   */
  open(context: SslContext, served: TlsCertificate): Ssl {
    const { alternative } = served;
    const ssl = context.createConnection();
    try {
      // The certificate that is set last is OpenSSL's default, where nothing else decides.
      if (alternative !== undefined) ssl.alternative = this.#use(ssl, alternative);
      this.#use(ssl, served);
      return ssl;
    } catch (error) {
      ssl.free();
      throw error;
    }
  }

  /** Returns the address of the certificate. */
  #use(ssl: Ssl, served: TlsCertificate): Pointer<'X509'> {
    const { certificate, key, chain } = this.#certificates.of(served, () => this.#read(served));
    const intermediates = chain === '' ? null : this.#chains.of(chain, () => readChain(this.#objects, chain));
    ssl.useCertificate(certificate, key, intermediates);
    return certificate.pointer;
  }

  /**
   * Requests a client certificate (RFC 8446 section 4.3.2), which OpenSSL verifies during the
   * handshake. Such connections get no session tickets, so each handshake verifies the certificate
   * again: resumption could skip a changed list or an expired certificate. Throws an Error if the
   * list is unusable.
   */
  requestClient(ssl: Ssl, { isRequired, authorities }: ClientAuthentication): void {
    const read = this.#authorities.of(authorities, () => readAuthorities(this.#objects, authorities));
    ssl.requestCertificate(read, isRequired);
  }

  /** Cached certificates. */
  get live(): number {
    return this.#certificates.size;
  }

  /** Frees all cached objects. */
  close(): void {
    this.#certificates.clear();
    this.#chains.clear();
    this.#authorities.clear();
  }

  #read(served: TlsCertificate): Cached {
    const { own, chain } = splitChain(served);
    const quick = this.#quick?.read(own, served.key);
    if (quick !== undefined) return { certificate: quick.certificate, key: quick.key, chain };
    const certificate = readCertificate(this.#objects, typeof own === 'string' ? own : served.cert);
    try {
      return { certificate, key: readKey(this.#objects, served.key, certificate), chain };
    } catch (error) {
      certificate.free();
      throw error;
    }
  }
}
