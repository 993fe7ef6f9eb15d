/**
 * Renews the certificates of the cluster and their authority before they expire, on the node that
 * has the key of the authority, and withdraws expired invitations.
 */
import { X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../base/errors.ts';
import type { Logger } from '../base/log/index.ts';
import type { Task, Tasks } from '../base/tasks.ts';
import type { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { FEATURE_LEVEL } from '../journal/feature-level.ts';
import { isDue, readAuthority } from './authority.ts';
import type { Cluster } from './cluster.ts';
import { shownAt } from './etcd-probe.ts';
import { clusterFiles, type Placed, peerTls } from './files.ts';
import { withdrawExpired } from './invitations.ts';
import { readMembers } from './members.ts';
import { isIssuedBy } from './own-certificates.ts';
import { renewAuthority, renewCertificates } from './renewal.ts';

interface CertificateKeeperOptions {
  readonly config: Placed & { readonly nodeName: string };
  readonly gateway: EtcdGateway;
  readonly cluster: Pick<Cluster, 'known' | 'level'>;
  readonly tasks: Tasks;
  readonly log: Logger;
}

const INTERVAL_MS = 60_000;
const DAY_MS = 86_400_000;
/** A renewal that still waits for a node or a member of etcd is reported, and begins again. */
const RENEWAL_MS = 3_600_000;

export class CertificateKeeper {
  readonly #tasks: readonly Task[];
  /** Date from which the members of etcd are checked again. */
  #checkAt = 0;

  constructor(private readonly options: CertificateKeeperOptions) {
    const { tasks, log, gateway, config } = options;
    this.#tasks = [
      tasks.add({
        name: 'cluster-certificates',
        owner: 'node',
        due: INTERVAL_MS,
        first: 1000,
        log,
        run: (task) => this.#renew(task.signal),
        messages: [
          'cannot renew the certificates of the cluster; retrying',
          'the certificates of the cluster are renewed again',
        ],
      }),
      tasks.add({
        name: 'cluster-invitations',
        owner: 'first',
        due: INTERVAL_MS,
        log,
        run: async () => {
          for (const node of await withdrawExpired(gateway, config.etcd.prefix))
            log.info('an invitation has expired unused; its key is refused', { node });
        },
      }),
    ];
  }

  start(): void {
    for (const task of this.#tasks) task.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#tasks.map((task) => task.stop()));
  }

  async #renew(stop: AbortSignal): Promise<void> {
    const { config, cluster, log } = this.options;
    const authority = this.#authority();
    // Nodes of earlier versions may be updated first: they may not support this.
    if (authority === null || cluster.level.agreed !== FEATURE_LEVEL) return;
    let progress = '';
    const deadline = AbortSignal.timeout(RENEWAL_MS);
    const options = {
      config,
      signal: AbortSignal.any([stop, deadline]),
      report: (line: string): void => {
        progress = line;
        log.info('renewing certificates of the cluster', { progress });
      },
    };
    try {
      // Before the authority, whose renewal waits for nodes that do not run.
      const areDue = [...cluster.known.values()].some(({ certificate }) => hasDue(certificate));
      if (areDue) await renewCertificates(options);
      await this.#checkMembers(authority);
      const isToBegin = isDue(authority) && !(await this.#hasInvitations());
      if (!isToBegin && !this.#isInterrupted()) return;
      const invitations = await renewAuthority(options);
      log.info('the cluster has a new authority', { void_invitations: invitations.join(', ') || 'none' });
    } catch (error) {
      if (!deadline.aborted) throw error;
      log.warn('a renewal of certificates of the cluster is not finished after an hour', { progress });
    }
  }

  /** Members of etcd with copies of certificates show old ones until the copies are replaced. */
  async #checkMembers(authority: X509Certificate): Promise<void> {
    const { config, log } = this.options;
    if (Date.now() < this.#checkAt || config.etcd.caFile !== undefined) return;
    this.#checkAt = Date.now() + DAY_MS;
    const { certificate, key } = peerTls(config);
    for (const endpoint of config.etcd.endpoints.filter((url) => url.startsWith('https:'))) {
      const shown = await shownAt(endpoint, { certificate, key });
      if (shown !== undefined && isIssuedBy(shown, authority) && isDue(shown))
        log.warn('a member of etcd shows a certificate that was replaced', { endpoint, expires: shown.validTo });
    }
  }

  /** Whether a renewal was begun long ago, so that no command will go on with it. */
  #isInterrupted(): boolean {
    const begun = join(clusterFiles(this.options.config).renewal, 'ca.key');
    const at = statSync(begun, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    return at < Date.now() - RENEWAL_MS;
  }

  /** The authority whose key is on this node; null: none that this node may renew. */
  #authority(): X509Certificate | null {
    const { config } = this.options;
    const { folder, ca, certificate, key } = clusterFiles(config);
    if ([ca, certificate, key].some((file) => dirname(file) !== folder)) return null;
    try {
      return new X509Certificate(readAuthority(config).certificate);
    } catch (error) {
      if (error instanceof ConfigError) return null;
      throw error;
    }
  }

  /** Whether a new authority would void invitations: they are used, or expire. */
  async #hasInvitations(): Promise<boolean> {
    const { gateway, config } = this.options;
    const { invited } = await readMembers(gateway, config.etcd.prefix);
    return [...invited.values()].some(({ expires }) => expires !== undefined);
  }
}

const hasDue = (pem: string | undefined): boolean => pem !== undefined && isDue(new X509Certificate(pem));
