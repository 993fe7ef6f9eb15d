/** The certificates of a domain, as a thread of the edge keeps them: read when they are first wanted, the key opened then. */
import { X509Certificate } from 'node:crypto';
import { CoveredNames } from '../../core/covered-names.ts';
import type { Secrets } from '../../core/secrets.ts';
import type { AutomaticCertificate, Certificate } from '../../core/store/rows.ts';
import type { TlsCertificate } from '../tls/certificate.ts';

/** What is told of a certificate. */
export interface CertificateLog {
  /** Once a certificate: it is past its end, and served, as browsers say best what is wrong. */
  expired(domain: string, at: number): void;
  /** It can't be served. */
  unusable(domain: string, reason: string): void;
}

export interface CertificateTools {
  readonly secrets: Secrets;
  readonly log: CertificateLog;
}

export class SiteCertificate {
  readonly #domain: string;
  readonly #row: Certificate | AutomaticCertificate;
  readonly #context: string;
  readonly #names: CoveredNames;
  readonly #tools: CertificateTools;
  #tls: TlsCertificate | null | undefined;
  #isTold = false;

  /** `context`: what the key was sealed for. Throws an Error for a chain that has to be read and can't be. */
  constructor(domain: string, row: Certificate | AutomaticCertificate, context: string, tools: CertificateTools) {
    this.#domain = domain;
    this.#row = row;
    this.#context = context;
    this.#names =
      row.names === undefined
        ? CoveredNames.read(new X509Certificate(row.chain).subjectAltName)
        : CoveredNames.of(row.names);
    this.#tools = tools;
  }

  isOf(row: Certificate | AutomaticCertificate): boolean {
    return row.sealedKey === this.#row.sealedKey && row.chain === this.#row.chain;
  }

  covers(host: string): boolean {
    return this.#names.covers(host);
  }

  /** Whether its key can be opened. */
  get isUsable(): boolean {
    if (this.#tls === undefined) this.#tls = this.#open();
    return this.#tls !== null;
  }

  /** For a client that has come: the same object each time. Undefined: it is not usable. */
  serve(): TlsCertificate | undefined {
    if (!this.isUsable) return undefined;
    const { notAfter } = this.#row;
    if (!this.#isTold && notAfter * 1000 < Date.now()) {
      this.#isTold = true;
      this.#tools.log.expired(this.#domain, notAfter);
    }
    return this.#tls ?? undefined;
  }

  #open(): TlsCertificate | null {
    const { secrets, log } = this.#tools;
    try {
      const key = secrets.unseal(Buffer.from(this.#row.sealedKey, 'base64'), this.#context);
      const pem = key.toString();
      key.fill(0);
      return { cert: this.#row.chain, key: pem };
    } catch (error) {
      log.unusable(this.#domain, (error as Error).message);
      return null;
    }
  }
}
