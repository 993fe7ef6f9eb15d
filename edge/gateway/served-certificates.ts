/**
 * Selects the certificate of a connection by its server name: that of other nodes, of the admin
 * hosts, of a site, or the operator's default for clients without a name or with an unknown one.
 */
import { X509Certificate } from 'node:crypto';
import { CoveredNames } from '../../core/site/tls/covered-names.ts';
import type { TlsCertificate } from '../http/tls/certificate.ts';
import type { Sites } from '../sites/sites.ts';

interface CertificateSources {
  readonly sites: Pick<Sites, 'certificateFor' | 'isShared'>;
  readonly adminHosts: ReadonlySet<string>;
  /** From files; null: admin hosts have the certificates of sites. */
  readonly admin: TlsCertificate | null;
  /** The default from files; null: none. */
  readonly defaultFile: TlsCertificate | null;
  /** The name whose certificate is the default; undefined: none. */
  readonly defaultName: string | undefined;
}

export class ServedCertificates {
  readonly #sources: CertificateSources;
  readonly #fileNames: CoveredNames | null;

  constructor(sources: CertificateSources) {
    const { defaultFile } = sources;
    this.#sources = sources;
    this.#fileNames =
      defaultFile === null ? null : CoveredNames.read(new X509Certificate(defaultFile.cert).subjectAltName);
  }

  /** `serverName`: in lower case; empty: the client sent none. */
  certificateFor(serverName: string): TlsCertificate | undefined {
    return this.#namedBy(serverName) ?? this.#default();
  }

  /**
   * Whether the certificate of a connection with `serverName` covers another `host`, so that its
   * requests may be for that, too (RFC 9110 section 7.4).
   */
  isShared(serverName: string, host: string): boolean {
    const { sites } = this.#sources;
    // The certificate of the admin hosts covers no other hosts.
    if (this.#isAdmin(serverName)) return this.#isAdmin(host);
    if (sites.isShared(serverName, host)) return true;
    return this.#namedBy(serverName) === undefined && this.#isDefaultFor(host);
  }

  #namedBy(serverName: string): TlsCertificate | undefined {
    const { sites, admin } = this.#sources;
    return admin !== null && this.#isAdmin(serverName) ? admin : sites.certificateFor(serverName);
  }

  #default(): TlsCertificate | undefined {
    const { defaultFile, defaultName } = this.#sources;
    return defaultFile ?? (defaultName === undefined ? undefined : this.#namedBy(defaultName));
  }

  #isDefaultFor(host: string): boolean {
    const { sites, defaultName } = this.#sources;
    if (this.#fileNames !== null) return this.#fileNames.covers(host);
    if (defaultName === undefined) return false;
    return this.#isAdmin(defaultName) ? this.#isAdmin(host) : sites.isShared(defaultName, host);
  }

  #isAdmin(host: string): boolean {
    return this.#sources.admin !== null && this.#sources.adminHosts.has(host);
  }
}
