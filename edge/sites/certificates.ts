/**
 * The certificates of a domain, as a thread of the edge keeps them: read when they are first
 * wanted, the key opened then.
 */
import { X509Certificate } from 'node:crypto';
import type { Secrets } from '../../core/base/secrets.ts';
import { CoveredNames } from '../../core/site/tls/covered-names.ts';
import type { SiteCertificateRow } from '../../core/store/sites.ts';
import type { TlsCertificate } from '../http/tls/certificate.ts';

/** What is reported of a certificate. */
export interface CertificateLog {
  /** Once a certificate: it is past its end, and served, as browsers say best what is wrong. */
  expired(domain: string, at: number): void;
  /** It cannot be served. */
  unusable(domain: string, reason: string): void;
}

export interface CertificateTools {
  readonly secrets: Secrets;
  readonly log: CertificateLog;
  /** The OCSP response to send with a certificate now. Undefined: none. */
  readonly stapleOf?: (certificate: TlsCertificate) => Uint8Array | undefined;
}

export class SiteCertificate implements TlsCertificate {
  readonly chain: string;
  readonly #domain: string;
  readonly #row: SiteCertificateRow;
  readonly #context: string;
  readonly #names: CoveredNames;
  readonly #tools: CertificateTools;
  /** PEM; null: it does not open. */
  #key: Buffer | null | undefined;
  #isTold = false;

  /**
   * `chain`: what stands behind the leaf. `context`: what the key was sealed for. Throws an Error
   * for a certificate that has to be read and cannot be.
   */
  constructor(domain: string, row: SiteCertificateRow, chain: string, context: string, tools: CertificateTools) {
    this.#domain = domain;
    this.#row = row;
    this.chain = chain;
    this.#context = context;
    this.#tools = tools;
    this.#names =
      row.names === null
        ? CoveredNames.read(new X509Certificate(this.cert).subjectAltName)
        : CoveredNames.of(row.names);
  }

  isOf(row: SiteCertificateRow): boolean {
    return row.bytes.equals(this.#row.bytes);
  }

  covers(host: string): boolean {
    return this.#names.covers(host);
  }

  get leaf(): Uint8Array {
    return this.#row.leaf;
  }

  get cert(): string {
    const { leaf } = this.#row;
    if (leaf.length === 0) return this.chain;
    const lines = leaf.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
    return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n${this.chain}`;
  }

  /** Of one that is usable. */
  get key(): string {
    return this.#key?.toString('latin1') ?? '';
  }

  get staple(): Uint8Array | undefined {
    return this.#tools.stapleOf?.(this);
  }

  /** Whether its key can be opened. */
  get isUsable(): boolean {
    if (this.#key === undefined) this.#key = this.#open();
    return this.#key !== null;
  }

  /** For a client that has come: the same object each time. Undefined: it is not usable. */
  serve(): TlsCertificate | undefined {
    if (!this.isUsable) return undefined;
    const { notAfter } = this.#row;
    if (!this.#isTold && notAfter * 1000 < Date.now()) {
      this.#isTold = true;
      this.#tools.log.expired(this.#domain, notAfter);
    }
    return this;
  }

  #open(): Buffer | null {
    const { secrets, log } = this.#tools;
    try {
      return secrets.unseal(this.#row.sealedKey, this.#context);
    } catch (error) {
      log.unusable(this.#domain, (error as Error).message);
      return null;
    }
  }
}
