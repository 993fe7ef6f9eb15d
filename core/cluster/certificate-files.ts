/**
 * The expiry of certificates in files: those of DNS over TLS, of the admin API, and of clients
 * without a server name, which a tool of the operator renews, and those of the cluster.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from '../base/log/index.ts';
import type { Registry } from '../base/metrics/index.ts';
import type { Tasks } from '../base/tasks.ts';
import type { Config } from '../config/index.ts';
import { clusterFiles } from './files.ts';
import { bundleOf, isIssuedBy } from './own-certificates.ts';

interface CertificateFilesOptions {
  readonly config: Pick<Config, 'dns' | 'admin' | 'edge' | 'etcd' | 'peer' | 'dataDir'>;
  readonly metrics: Registry;
  readonly tasks: Tasks;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const DAY_MS = 86_400_000;
const CHECK_INTERVAL_MS = 60_000;
/** As the alert WaypostCertificateExpires. */
const WARNING_DAYS = 14;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

export class CertificateFiles {
  /** First expiry of the certificates of a file, milliseconds since 1970, by the setting. */
  readonly #expiries = new Map<string, number>();
  /** The last logged problem of a setting, which is logged again each day. */
  readonly #logged = new Map<string, string>();
  readonly #now: () => number;

  constructor(private readonly options: CertificateFilesOptions) {
    const { metrics, tasks, log, now = Date.now } = options;
    this.#now = now;
    metrics.read(
      'gauge',
      'waypost_certificate_file_expiry_days',
      'Days until a certificate expires that is set as a file; negative: it has expired.',
      ['setting'],
      (emit) => {
        for (const [setting, at] of this.#expiries) emit((at - now()) / DAY_MS, setting);
      },
    );
    this.#look();
    const run = (): void => this.#look();
    tasks.add({ name: 'certificate-files', owner: 'node', due: CHECK_INTERVAL_MS, log, run }).start();
  }

  /** Problems for the operator; empty if there are none. */
  warnings(): string[] {
    return [...this.#expiries.keys()].flatMap((setting) => this.#problemsOf(setting));
  }

  /**
   * Unreadable files keep their last state: the service that uses them reports them. A setting that
   * a reload has removed loses its state.
   */
  #look(): void {
    const { dns, admin, edge, etcd } = this.options.config;
    const isCluster = etcd.endpoints.length > 0;
    const { certificate, ca } = clusterFiles(this.options.config);
    for (const [setting, file] of [
      ['dns.tls_certificate', dns.tlsListen.length > 0 ? dns.tlsCertificate : undefined],
      ['admin.hostname_certificate', admin.hostnameCertificate],
      ['edge.default_certificate', edge.defaultCertificate],
      ['peer.certificate_file', isCluster ? certificate : undefined],
      ['peer.ca_file', isCluster ? ca : undefined],
    ] as const) {
      if (file === undefined) {
        this.#expiries.delete(setting);
        this.#logged.delete(setting);
        continue;
      }
      try {
        const pem = readFileSync(file, 'latin1');
        this.#expiries.set(setting, file === ca ? issuerExpiry(pem, certificate) : firstExpiry(pem));
      } catch {
        continue;
      }
      this.#report(setting, file);
    }
  }

  #report(setting: string, file: string): void {
    const [problem] = this.#problemsOf(setting);
    const line = `${problem} ${Math.floor(this.#now() / DAY_MS)}`;
    if (problem !== undefined && this.#logged.get(setting) !== line)
      this.options.log.warn('a certificate in a file has expired, or expires soon; renew it', {
        setting,
        file,
        expires: new Date(this.#expiries.get(setting)!).toISOString(),
      });
    if (problem === undefined) this.#logged.delete(setting);
    else this.#logged.set(setting, line);
  }

  #problemsOf(setting: string): string[] {
    const days = (this.#expiries.get(setting)! - this.#now()) / DAY_MS;
    if (days >= WARNING_DAYS) return [];
    if (setting.startsWith('peer.') && this.#isManaged)
      return [`the certificate of ${setting} ends in ${Math.ceil(days)} days: no node has renewed it`];
    if (days <= 0) return [`the certificate of ${setting} has expired; renew the file`];
    return [`the certificate of ${setting} expires in ${Math.ceil(days)} days; renew the file`];
  }

  /** Whether the certificates of the cluster are of its own authority. */
  get #isManaged(): boolean {
    const { folder, certificate, ca } = clusterFiles(this.options.config);
    return [certificate, ca].every((file) => dirname(file) === folder);
  }
}

/** Of the authority that issued the first certificate in a file; else as firstExpiry. */
function issuerExpiry(authorities: string, file: string): number {
  const [own] = bundleOf(readFileSync(file, 'latin1'));
  const issuer = bundleOf(authorities).find((authority) => isIssuedBy(own, authority));
  return issuer === undefined ? firstExpiry(authorities) : Date.parse(issuer.validTo);
}

/** Of a certificate and its chain in PEM, milliseconds since 1970. Throws if there is none. */
function firstExpiry(pem: string): number {
  const found = pem.match(CERTIFICATE);
  if (found === null) throw new Error('no certificate');
  return Math.min(...found.map((text) => Date.parse(new X509Certificate(text).validTo)));
}
