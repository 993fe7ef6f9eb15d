/** A node of a cluster: the journal over etcd, the membership, and the connections to its peers. */

import type { Logger } from '../base/log/index.ts';
import { FaultLog } from '../base/log/throttle.ts';
import { SharedRun } from '../base/shared-run.ts';
import type { Ownership } from '../base/tasks.ts';
import { withTimeout } from '../base/timers.ts';
import { formatListen } from '../config/listen.ts';
import type { EtcdJournal } from '../journal/etcd/contract.ts';
import { openEtcdJournal } from '../journal/etcd/etcd-journal.ts';
import { EtcdDamaged } from '../journal/etcd-client/errors.ts';
import { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { FEATURE_LEVEL } from '../journal/feature-level.ts';
import type { WatchRequests } from '../observe/tail/request-tail.ts';
import { StoreReader } from '../store/store-reader.ts';
import type { Sync } from './acknowledgements.ts';
import { BlobPuller } from './blobs/puller.ts';
import type { BlobSource } from './blobs/store.ts';
import { CertificateKeeper } from './certificate-keeper.ts';
import { Cluster, type UsageChannel } from './cluster.ts';
import { type ClusterState, describeCluster, formatReport, type NodeReport, STARTED_AT } from './cluster-state.ts';
import { DamageLog } from './damage.ts';
import { type EdgeAddress, edgesOf, ownEdge } from './edge-address.ts';
import { clusterFiles, etcdSettings, joinId, nodeId } from './files.ts';
import { Lag, type Standing } from './lag.ts';
import { type Renewal, readMembers } from './members.ts';
import { type Node, type NodeOptions, ownStatistics } from './node.ts';
import { OwnCertificates } from './own-certificates.ts';
import { clusterOwnership } from './ownership.ts';
import { ownRuleCounts, type ReadLogStates, type ReadRuleCounts, type ReadStatistics } from './peer-queries.ts';
import type { PeerTls } from './peer-tls.ts';
import { requireAccepted } from './removal.ts';
import { Replacement } from './replacement.ts';
import { revocationList, revoke } from './revocation-list.ts';
import { SnapshotSender } from './snapshot.ts';
import { TailWatcher } from './tail.ts';
import { Upkeep } from './upkeep.ts';

/**
 * Milliseconds that a start waits for etcd before it continues with the local data. The first start
 * has no local data and waits longer.
 */
const START_MS = 3000;
const FIRST_START_MS = 20_000;
/** Milliseconds between reads of the head of the log, and between heartbeats. */
const INTERVAL_MS = 1000;
/** Milliseconds for which a node with data retries the log before it fetches another store. */
const REPLACE_AFTER_MS = 5000;
/** Deadline in milliseconds to fetch a blob from other nodes. */
const BLOB_MS = 300_000;
/** Milliseconds that a large import waits until other nodes serve it. */
const IMPORT_MS = 60_000;
/** Deadline in milliseconds of a commit to etcd. */
const COMMIT_MS = 5000;
/**
 * Number of entries from which an empty node fetches a snapshot instead: a single entry may import
 * very many records.
 */
const SNAPSHOT_MIN_ENTRIES = 100;

/**
 * Resolves when the node serves, or after a timeout with the local data. Rejects with ConfigError,
 * with StateError if the node cannot be a member, and with the error of its socket.
 */
export async function openSharedNode(options: NodeOptions): Promise<Node> {
  const node = new SharedNode(options);
  await node.join();
  return node;
}

class SharedNode implements Node {
  readonly isAlone = false;
  readonly journal: EtcdJournal;
  readonly blobs: BlobSource;
  readonly watchRequests: WatchRequests;
  // Arrow functions, since they are passed on without the object.
  readonly standing = (): Standing => ({
    ...this.#lag.standing(),
    agreedLevel: this.#cluster.level.agreed,
    etcd: this.#upkeep.storage,
    damagedValues: this.#damage.count,
  });
  readonly sync = (sequence: number): Sync => this.#cluster.of(sequence);
  readonly served = (sequence: number, signal?: AbortSignal): Promise<void> => this.#cluster.everyone(sequence, signal);
  readonly ownership: Ownership;
  readonly describe = (): Promise<ClusterState> => this.#overview.join();
  readonly #overview: SharedRun<ClusterState>;
  readonly readStatistics: ReadStatistics = (query) => this.#cluster.readStatistics(query);
  readonly readRuleCounts: ReadRuleCounts = (domainId, revision) => this.#cluster.readRuleCounts(domainId, revision);
  readonly readLogStates: ReadLogStates = (domainId) => this.#cluster.readLogStates(domainId);
  readonly followEdges = (listener: (edges: readonly EdgeAddress[]) => void): void => {
    this.#edgeListeners.push(listener);
    listener(edgesOf(this.#cluster.others));
  };
  readonly #edgeListeners: ((edges: readonly EdgeAddress[]) => void)[] = [];
  readonly #log: Logger;
  readonly #config: NodeOptions['config'];
  readonly #tls: PeerTls;
  readonly #damage: DamageLog;
  readonly #clock: NodeOptions['clock'];
  #revoking: Promise<boolean> = Promise.resolve(false);
  readonly #gateway: EtcdGateway;
  readonly #cluster: Cluster;
  readonly #puller: BlobPuller;
  readonly #tailWatcher: TailWatcher;
  readonly #replacement: Replacement;
  readonly #lag: Lag;
  readonly #upkeep: Upkeep;
  readonly #keeper: CertificateKeeper;
  #closing: Promise<void> | undefined;
  /** Timer that starts the replacement of the store. */
  #replacing: NodeJS.Timeout | undefined;

  /** The journal and the cluster exchange their applied sequences. */
  constructor(options: NodeOptions) {
    const { config, version, log } = options;
    const { etcd, peer, nodeName, dataDir } = config;
    const { prefix } = etcd;
    const own = new OwnCertificates(config);
    const { tls } = own;
    this.#tls = tls;
    const { clock } = options;
    const gateway = new EtcdGateway({
      ...etcdSettings(config),
      onClock: (endpoint, time) => clock.noteReference(`etcd at ${new URL(endpoint).host}`, time),
    });
    const logFaults = new FaultLog(
      log,
      'cannot follow the log of the cluster',
      'following the log of the cluster again',
    );
    this.#log = log;
    this.#config = config;
    this.#damage = new DamageLog(log);
    this.#clock = clock;
    this.#gateway = gateway;
    const journal = openEtcdJournal({
      ...options,
      gateway,
      prefix,
      deadline: COMMIT_MS,
      interval: INTERVAL_MS,
      events: {
        onTrouble: (error) => {
          logFaults.report(error);
          const damaged = error instanceof EtcdDamaged ? [[error.key, error.reason] as const] : [];
          if (error === null || damaged.length > 0) this.#damage.note('log', new Map(damaged));
        },
        onLost: (why, isCurable) => this.#onLogLost(why, isCurable),
        onFound: () => this.#onLogFound(),
      },
      clusterLevel: () => this.#cluster.level,
      waitForPeers: (sequence) => this.#cluster.wait(sequence),
      waitForServed: (sequence, signal) =>
        this.#cluster.everyoneServes(sequence, AbortSignal.any([signal, AbortSignal.timeout(IMPORT_MS)])),
      countOthers: () => this.#cluster.others.length,
      sequencing: {
        node: nodeName,
        sequencer: () => {
          const { sequencer } = this.#cluster;
          return sequencer && { forward: (commits) => this.#cluster.forward(sequencer, commits) };
        },
      },
      isSnapshotFaster: (entries) => prefersSnapshot(gateway, config, journal.head, entries),
    });
    this.journal = journal;
    const cluster = new Cluster({
      gateway,
      prefix,
      self: {
        name: nodeName,
        address: peer.advertise ?? formatListen(peer.listen),
        version,
        level: FEATURE_LEVEL,
        region: peer.region,
        edge: ownEdge(config),
      },
      onMembers: ({ revoked, renewal }) => {
        void this.#revoke(revoked);
        if (this.#takeCertificates(own, renewal)) cluster.certificatesChanged();
        const edges = edgesOf(cluster.others);
        for (const listener of this.#edgeListeners) listener(edges);
      },
      id: nodeId(dataDir),
      join: joinId(config),
      onRefused: (error) => journal.hold(error?.message ?? null),
      onDamage: (damaged) => this.#damage.note('members', damaged),
      listen: peer.listen,
      tls,
      deadline: peer.deadline,
      interval: INTERVAL_MS,
      log,
      head: () => journal.head,
      served: () => journal.served,
      knownNodes: clusterFiles(config).knownNodes,
      onReport: () => this.#lag.heard(),
      blobs: options.blobs,
      clock,
      watchRequests: options.tail.watch,
      readStatistics: ownStatistics(options),
      logStateOf: options.logs.stateOf,
      ruleCountsOf: ownRuleCounts(new StoreReader(options.environment), options.ruleCounters),
      commit: (node, commits) => journal.commitForwarded(node, commits),
      report: () => formatReport(this.#report()),
      isOverloaded: options.isOverloaded,
      snapshots: new SnapshotSender(dataDir, (path) => options.environment.root.backup(path, true)),
    });
    this.#cluster = cluster;
    this.ownership = clusterOwnership({ nodeName, cluster });
    this.#overview = new SharedRun(() =>
      describeCluster({
        self: nodeName,
        tls,
        members: () => cluster.known,
        live: () => cluster.members?.live ?? new Set(),
        agreedLevel: () => cluster.level.agreed,
        report: () => this.#report(),
        lastHeard: (name) => cluster.lastHeard(name),
        storage: () => this.#upkeep.storage,
      }),
    );
    const puller = new BlobPuller({
      store: options.blobs,
      tls,
      log,
      limit: config.packages.maxBytes,
      deadline: BLOB_MS,
      peers: () => cluster.others,
    });
    this.#puller = puller;
    this.blobs = { store: options.blobs, open: (hash) => puller.open(hash) };
    this.#tailWatcher = new TailWatcher({ tail: options.tail, tls, peers: () => cluster.others });
    this.watchRequests = this.#tailWatcher.watch;
    const replacement = new Replacement({ folder: dataDir, tls, log, others: () => cluster.others });
    this.#replacement = replacement;
    const lag = new Lag({ journal, cluster, isFetching: () => replacement.isFetching, maxLag: config.cluster.maxLag });
    this.#lag = lag;
    journal.onApplied(() => cluster.applied());
    this.#upkeep = new Upkeep({
      gateway,
      journal,
      cluster,
      lag,
      prefix,
      compacts: etcd.compaction,
      history: options.history,
      onTrouble: (error) => logFaults.report(error),
      tasks: options.tasks,
      log,
    });
    this.#keeper = new CertificateKeeper({ config, gateway, cluster, tasks: options.tasks, log });
  }

  async join(): Promise<void> {
    try {
      await this.#cluster.join();
      const { nodeName } = this.#config;
      const others = [...this.#cluster.known.values()].filter(({ name }) => name !== nodeName);
      await requireAccepted(this.#cluster.trouble, nodeName, others, this.#tls);
    } catch (error) {
      await this.close();
      throw error;
    }
    this.#upkeep.start();
    this.#keeper.start();
    const { journal } = this;
    await withDeadline(journal.catchUp(), journal.head === 0 ? FIRST_START_MS : START_MS).catch((error: unknown) => {
      if (!this.#isToBeReplaced)
        this.#log.warn('cannot follow the log of the cluster yet; starting with the local data', {
          reason: (error as Error).message,
        });
    });
    // An empty node cannot serve until it has a snapshot.
    if (this.#isToBeReplaced) await this.#replacement.begin();
    if (journal.isSynced && journal.lost === null) await this.#cluster.serving(true).catch(() => {});
  }

  get usage(): UsageChannel {
    return this.#cluster.usage;
  }

  get replaced(): Promise<void> {
    return this.#replacement.done;
  }

  get isReplaced(): boolean {
    return this.#replacement.isDone;
  }

  faults(): string[] {
    return this.#lag.faults();
  }

  warnings(): string[] {
    return [...this.#clock.warnings(), ...this.#lag.warnings(), ...this.#damage.warnings()];
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#upkeep.stop();
    await this.#keeper.stop();
    clearTimeout(this.#replacing);
    await this.#replacement.stop();
    this.#tailWatcher.close();
    await this.#puller.close();
    await this.journal.close();
    await this.#cluster.close();
    await this.#gateway.close();
  }

  #report(): NodeReport {
    const { state, lagSeconds } = this.#lag.standing();
    const { head } = this.journal;
    return { applied: head, state, lagSeconds: Math.round(lagSeconds * 10) / 10, startedAt: STARTED_AT };
  }

  get #isToBeReplaced(): boolean {
    return this.journal.lost !== null && this.journal.head === 0;
  }

  #onLogLost(why: string, isCurable: boolean): void {
    // A new node starts from the store of another node; that is not a fault.
    const isNew = isCurable && this.journal.head === 0;
    if (isNew) this.#log.info('this node starts from a snapshot of another node', { reason: why });
    else this.#log.error('this node can no longer follow the log of the cluster', { reason: why });
    this.#cluster.serving(false).catch(() => {});
    if (!isCurable) return;
    // Local data is replaced only if the fault persists: a value in etcd may be damaged briefly.
    if (isNew) void this.#replacement.begin();
    else this.#replacing ??= setTimeout(() => void this.#replacement.begin(), REPLACE_AFTER_MS);
  }

  /** Returns whether the certificates have changed. */
  #takeCertificates(own: OwnCertificates, renewal: Renewal): boolean {
    try {
      if (!own.take(this.#config.nodeName, renewal)) return false;
      this.#gateway.setTls(etcdSettings(this.#config).tls);
      this.#log.info('certificates of the cluster changed', { trusted: own.trusts.length });
      return true;
    } catch (error) {
      this.#log.error('cannot store the new certificates of the cluster', { error });
      return false;
    }
  }

  /** Updates the revocation list for the member of etcd next to this node, if there is one. */
  async #revoke(serials: readonly string[]): Promise<void> {
    const files = clusterFiles(this.#config);
    try {
      // Serializes the writes.
      this.#revoking = this.#revoking.then(() => revoke(files, serials));
      if (await this.#revoking) this.#log.info('revoked certificates written', { count: serials.length });
    } catch (error) {
      this.#revoking = Promise.resolve(false);
      this.#log.error('cannot write the list of revoked certificates; etcd accepts removed nodes', {
        file: revocationList(files),
        error,
      });
    }
  }

  #onLogFound(): void {
    this.#log.info('this node follows the log of the cluster again');
    clearTimeout(this.#replacing);
    this.#replacing = undefined;
    this.#replacement.cancel();
  }
}

async function prefersSnapshot(
  gateway: EtcdGateway,
  { etcd, nodeName }: NodeOptions['config'],
  head: number,
  entries: number,
): Promise<boolean> {
  if (head > 0 || entries < SNAPSHOT_MIN_ENTRIES) return false;
  const { live } = await readMembers(gateway, etcd.prefix);
  return [...live].some((name) => name !== nodeName);
}

function withDeadline<T>(promise: Promise<T>, ms: number): Promise<T> {
  return withTimeout(promise, ms, () => {
    throw new Error(`timeout after ${ms / 1000} seconds`);
  });
}
