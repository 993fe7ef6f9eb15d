/**
 * The certificates of a domain in a thread of the edge. They are read, and their keys decrypted, on
 * first use.
 */
import { X509Certificate } from 'node:crypto';
import type { Secrets } from '../../core/base/secrets.ts';
import { CoveredNames } from '../../core/site/tls/covered-names.ts';
import type { SiteCertificateRow } from '../../core/store/sites.ts';
import type { TlsCertificate } from '../http/tls/certificate.ts';

/** Receives problems of certificates. */
export interface CertificateLog {
  /**
   * Called once for each expired certificate. It is still served, because the error page of a
   * browser explains the problem best.
   */
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

/** DER of the algorithm rsaEncryption in a SubjectPublicKeyInfo (RFC 3279 section 2.3.1). */
const RSA_ENCRYPTION = Buffer.from('06092a864886f70d010101', 'hex');

export class SiteCertificate implements TlsCertificate {
  readonly hasRsaKey: boolean;
  readonly #names: CoveredNames;
  #rsa: SiteCertificate | undefined;
  /** PEM; null: it cannot be decrypted; undefined: not decrypted yet. */
  #key: Buffer | null | undefined;
  #isExpiryLogged = false;

  /**
   * `chain`: the PEM text after the leaf. `context`: the context with which the key was sealed.
   * Throws an Error if a certificate without stored names cannot be parsed.
   */
  constructor(
    private readonly domain: string,
    private readonly row: SiteCertificateRow,
    readonly chain: string,
    private readonly context: string,
    private readonly tools: CertificateTools,
  ) {
    this.hasRsaKey = row.leaf.includes(RSA_ENCRYPTION);
    this.#names =
      row.names === null
        ? CoveredNames.read(new X509Certificate(this.cert).subjectAltName)
        : CoveredNames.of(row.names);
  }

  isOf(row: SiteCertificateRow): boolean {
    return row.bytes.equals(this.row.bytes);
  }

  covers(host: string): boolean {
    return this.#names.covers(host);
  }

  /** Selects, among certificates in the order of preference, the RSA certificate of its names. */
  chooseAlternative(others: readonly SiteCertificate[]): void {
    this.#rsa = this.hasRsaKey
      ? undefined
      : others.find((other) => other.hasRsaKey && this.#names.list().some((name) => other.#names.covers(name)));
  }

  /** Not an expired one: clients reject it. */
  get alternative(): TlsCertificate | undefined {
    const rsa = this.#rsa;
    return rsa === undefined || rsa.row.notAfter * 1000 < Date.now() ? undefined : rsa.serve();
  }

  get leaf(): Uint8Array {
    return this.row.leaf;
  }

  get cert(): string {
    const { leaf } = this.row;
    if (leaf.length === 0) return this.chain;
    const lines = leaf.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
    return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n${this.chain}`;
  }

  /** Empty if the certificate is not usable. */
  get key(): string {
    return this.#key?.toString('latin1') ?? '';
  }

  get staple(): Uint8Array | undefined {
    return this.tools.stapleOf?.(this);
  }

  /** Whether its key can be decrypted. */
  get isUsable(): boolean {
    if (this.#key === undefined) this.#key = this.#open();
    return this.#key !== null;
  }

  /** The certificate for a handshake, always the same object. Undefined: it is not usable. */
  serve(): TlsCertificate | undefined {
    if (!this.isUsable) return undefined;
    const { notAfter } = this.row;
    if (!this.#isExpiryLogged && notAfter * 1000 < Date.now()) {
      this.#isExpiryLogged = true;
      this.tools.log.expired(this.domain, notAfter);
    }
    return this;
  }

  #open(): Buffer | null {
    const { secrets, log } = this.tools;
    try {
      return secrets.unseal(this.row.sealedKey, this.context);
    } catch (error) {
      log.unusable(this.domain, (error as Error).message);
      return null;
    }
  }
}
