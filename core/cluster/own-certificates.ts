/**
 * The certificate of this node and the authorities that it trusts, as they change while it runs:
 * `waypost cluster renew-authority` writes into etcd what each node is to take (renewal.ts). What
 * would cut this node off is not taken.
 */
import { X509Certificate } from 'node:crypto';
import { dirname } from 'node:path';
import { replacePrivateFile } from '../base/private-file.ts';
import { clusterFiles, type Placed, peerTls } from './files.ts';
import { keyPrint } from './key-print.ts';
import type { Renewal } from './members.ts';
import type { PeerTls } from './peer-tls.ts';

/** The certificates of a text in PEM. Throws Error for one that is unreadable. */
export const bundleOf = (pem: string): X509Certificate[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []).map(
    (text) => new X509Certificate(text),
  );

export const isIssuedBy = (certificate: X509Certificate, authority: X509Certificate): boolean =>
  certificate.checkIssued(authority) && certificate.verify(authority.publicKey);

/** Of authorities, for comparison. */
export const printsOf = (bundle: string): string[] => bundleOf(bundle).map(({ fingerprint256 }) => fingerprint256);

export class OwnCertificates {
  readonly #config: Pick<Placed, 'dataDir' | 'peer'>;
  /** Changes in place: connections that begin later use what it has then. */
  readonly tls: { -readonly [K in keyof PeerTls]: PeerTls[K] };

  /** Throws ConfigError. */
  constructor(config: Pick<Placed, 'dataDir' | 'peer'>) {
    this.#config = config;
    this.tls = { ...peerTls(config) };
  }

  /** Of the authorities that it trusts. */
  get trusts(): string[] {
    return printsOf(this.tls.ca);
  }

  /** Takes what is good for this node, and stores it. True: something has changed. */
  take(name: string, { trust, certificate }: Renewal): boolean {
    const files = clusterFiles(this.#config);
    // Files elsewhere are the operator's to replace.
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
    // A start between the two finds a certificate that the old or the new authorities have issued.
    if (ca !== this.tls.ca) replacePrivateFile(files.ca, ca);
    if (pem !== this.tls.certificate) replacePrivateFile(files.certificate, pem);
    this.tls.ca = ca;
    this.tls.certificate = pem;
    return true;
  }
}
