/**
 * The certificate of this node and its trusted authorities, which may change while it runs:
 * `waypost cluster renew-authority` writes the new ones for each node into etcd (renewal.ts). A
 * change that would cut this node off is ignored.
 */
import { X509Certificate } from 'node:crypto';
import { dirname } from 'node:path';
import { replacePrivateFile } from '../base/private-file.ts';
import { clusterFiles, type Placed, peerTls } from './files.ts';
import type { Renewal } from './members.ts';
import { keyPrint, type PeerTls } from './peer-tls.ts';

/** Parses the certificates of a PEM text. Throws Error for an unreadable certificate. */
export const bundleOf = (pem: string): X509Certificate[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []).map(
    (text) => new X509Certificate(text),
  );

export const isIssuedBy = (certificate: X509Certificate, authority: X509Certificate): boolean =>
  certificate.checkIssued(authority) && certificate.verify(authority.publicKey);

/** Fingerprints of authorities, for comparison. */
export const printsOf = (bundle: string): string[] => bundleOf(bundle).map(({ fingerprint256 }) => fingerprint256);

export class OwnCertificates {
  /** Changes in place: new connections use the current contents. */
  readonly tls: { -readonly [K in keyof PeerTls]: PeerTls[K] };

  /** Throws ConfigError. */
  constructor(private readonly config: Pick<Placed, 'dataDir' | 'peer'>) {
    this.tls = { ...peerTls(config) };
  }

  /** Fingerprints of the trusted authorities. */
  get trusts(): string[] {
    return printsOf(this.tls.ca);
  }

  /**
   * Installs the valid parts of a renewal and stores them. Returns whether something has changed.
   */
  take(name: string, { trust, certificate }: Renewal): boolean {
    const files = clusterFiles(this.config);
    // Files elsewhere are managed by the operator.
    if (dirname(files.ca) !== files.folder || dirname(files.certificate) !== files.folder) return false;
    const authorities = [...bundleOf(this.tls.ca), ...(trust === undefined ? [] : bundleOf(trust))];
    const own = new X509Certificate(this.tls.certificate);
    const offered = certificate === undefined ? own : new X509Certificate(certificate);
    const isGood =
      keyPrint(offered) === keyPrint(own) &&
      offered.checkHost(name) !== undefined &&
      authorities.some((authority) => isIssuedBy(offered, authority));
    const next = isGood ? offered : own;
    const isTrusted = trust !== undefined && bundleOf(trust).some((authority) => isIssuedBy(next, authority));
    const ca = isTrusted ? trust : this.tls.ca;
    const pem = isGood && certificate !== undefined ? certificate : this.tls.certificate;
    if (ca === this.tls.ca && pem === this.tls.certificate) return false;
    // A start between the two writes finds a certificate of the old or the new authorities.
    if (ca !== this.tls.ca) replacePrivateFile(files.ca, ca);
    if (pem !== this.tls.certificate) replacePrivateFile(files.certificate, pem);
    this.tls.ca = ca;
    this.tls.certificate = pem;
    return true;
  }
}
