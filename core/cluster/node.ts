/** The journal as the configuration asks for it: of this node alone, or of several that share a log in etcd. */
import type { Config } from '../config/index.ts';
import { formatListen } from '../config/listen.ts';
import { EtcdGateway } from '../etcd/gateway.ts';
import type { EtcdStorage } from '../etcd/messages.ts';
import { openEmbeddedJournal } from '../journal/embedded.ts';
import { openEtcdJournal } from '../journal/etcd/journal.ts';
import type { Journal } from '../journal/journal.ts';
import type { JournalOptions } from '../journal/local.ts';
import type { Logger } from '../log/index.ts';
import { StoreReader } from '../store/reader.ts';
import { continueIds, setNodeNumber } from '../store/rows.ts';
import type { Sync } from './acknowledgements.ts';
import { Cluster } from './cluster.ts';
import { Compaction } from './compaction.ts';
import { clusterFiles, etcdSettings, peerTls } from './files.ts';
import { nodeId } from './identity.ts';
import { Lag } from './lag.ts';
import { readMembers } from './members.ts';
import { Replacement } from './replacement.ts';
import { SnapshotSender } from './snapshot.ts';
import type { Standing } from './standing.ts';
import { Trouble } from './trouble.ts';

export interface Node {
  readonly journal: Journal;
  readonly isAlone: boolean;
  /** Who serves a change. */
  sync(sequence: number): Sync;
  /** Resolves when every node that is there serves a change, however long one of them takes, or with the signal. */
  served(sequence: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when the store of another node is there to take the place of this one's: the service is to start anew. */
  readonly replaced: Promise<void>;
  readonly isReplaced: boolean;
  /** Null: it is alone. */
  readonly standing: (() => Standing) | null;
  /** Why this node is not to be asked; empty when it is. */
  faults(): string[];
  /** What does not keep it from serving; empty when all is well. */
  warnings(): string[];
  /** Takes no more commits, and leaves the others. */
  close(): Promise<void>;
}

export interface NodeOptions extends JournalOptions {
  readonly config: Pick<Config, 'cluster' | 'etcd' | 'peer' | 'nodeName' | 'dataDir'>;
  readonly version: string;
  readonly log: Logger;
}

/** Milliseconds that a start waits for etcd before it goes on with what is here; and when nothing is here. */
const START = 3000;
const FIRST_START = 20_000;
/** Milliseconds between looks at the head of the log, and at who is there. */
const INTERVAL = 1000;
/** Milliseconds between compactions of etcd. */
const COMPACTION = 60_000;
/** Milliseconds between looks at how full etcd is. */
const MEASURE = 15_000;
/** Milliseconds that a commit waits for etcd. */
const COMMIT = 5000;
/** So many times as much of the log is kept for a node that is not caught up, such as one that copies a store which is older than the history by the time it is there. */
const JOINING = 20;
/** Entries after which a node that has none takes the store of another: an entry may be an import of very many records. */
const FAR = 100;

/** Throws ConfigError. */
export async function openNode(options: NodeOptions): Promise<Node> {
  // Each change makes one for its audit entry, after those of its rows.
  const [newest] = new StoreReader(options.environment).audits(null, null, 1);
  if (newest !== undefined) continueIds(newest.id);
  return options.config.etcd.endpoints.length === 0 ? alone(options) : oneOfMany(options);
}

function alone(options: NodeOptions): Node {
  const journal = openEmbeddedJournal(options);
  const { nodeName } = options.config;
  return {
    journal,
    isAlone: true,
    replaced: new Promise(() => {}),
    isReplaced: false,
    sync: (seq) => ({ seq, applied: [nodeName], pending: [] }),
    served: async () => {},
    standing: null,
    faults: () => [],
    warnings: () => [],
    close: () => journal.close(),
  };
}

async function oneOfMany(options: NodeOptions): Promise<Node> {
  const { config, version, log } = options;
  const { etcd, peer, nodeName, dataDir } = config;
  const tls = peerTls(config);
  const gateway = new EtcdGateway(etcdSettings(config));
  setNodeNumber(null);
  const said = new Trouble(
    log,
    'the log of the cluster can not be followed',
    'the log of the cluster is followed again',
  );
  const journal = openEtcdJournal({
    ...options,
    gateway,
    prefix: etcd.prefix,
    deadline: COMMIT,
    interval: INTERVAL,
    events: {
      trouble: (error) => said.say(error),
      lost(why, isCurable) {
        log.error('this node can not follow the log of the cluster any more', { reason: why });
        cluster.serving(false).catch(() => {});
        if (isCurable) void replacement.begin();
      },
    },
    acknowledged: (sequence) => cluster.wait(sequence),
    others: () => cluster.others.length,
    isFar: (entries) => isFar(gateway, config, journal.head, entries),
  });
  const cluster = new Cluster({
    gateway,
    prefix: etcd.prefix,
    self: { name: nodeName, address: peer.advertise ?? formatListen(peer.listen), version },
    id: nodeId(dataDir),
    onRefused: (error) => journal.leave(error.message),
    listen: peer.listen,
    tls,
    deadline: peer.deadline,
    interval: INTERVAL,
    log,
    head: () => journal.head,
    onNumber: setNodeNumber,
    knownNodes: clusterFiles(config).knownNodes,
    onHeard: () => lag.heard(),
    snapshots: new SnapshotSender(dataDir, (path) => options.environment.root.backup(path, true)),
  });
  const replacement = new Replacement({ folder: dataDir, tls, log, others: () => cluster.others });
  const lag = new Lag({ journal, cluster, isFetching: () => replacement.isUnderWay, maxLag: config.cluster.maxLag });
  journal.onApplied(() => cluster.applied());
  try {
    await cluster.join();
  } catch (error) {
    // As of a port that is taken: nothing of it goes on.
    await journal.close();
    await cluster.close();
    await gateway.close();
    throw error;
  }
  let storage: EtcdStorage | null = null;
  const measure = async (): Promise<void> => {
    storage = await gateway.storage().catch(() => null);
  };
  void measure();
  const measuring = setInterval(measure, MEASURE);
  const looks = setInterval(() => {
    lag.heard();
    const { isServing } = lag;
    if (isServing !== cluster.isServing) cluster.serving(isServing).catch(() => {});
    tidy();
  }, INTERVAL);
  const compaction = new Compaction(gateway, etcd.prefix);
  const compacting = setInterval(() => {
    // One of all does it.
    if (etcd.compaction && cluster.settled > 0) compaction.turn().catch((error: unknown) => said.say(error));
  }, COMPACTION);
  let floor = 0;
  const tidy = (): void => {
    const kept = options.history * (cluster.isBeingJoined ? JOINING : 1);
    const next = Math.min(cluster.settled, journal.head - kept) + 1;
    if (next < floor + Math.max(1, options.history >> 3)) return;
    floor = next;
    journal.forget(next).catch((error: unknown) => said.say(error));
  };
  await within(journal.caughtUp(), journal.head === 0 ? FIRST_START : START).catch((error: unknown) => {
    log.warn('going on with what is here, since the log of the cluster can not be followed yet', {
      reason: (error as Error).message,
    });
  });
  // Nothing is here that could be served until then.
  if (journal.lost !== null && journal.head === 0) await replacement.begin();
  if (journal.isSynced && journal.lost === null) await cluster.serving(true).catch(() => {});
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    clearInterval(looks);
    clearInterval(compacting);
    clearInterval(measuring);
    await replacement.stop();
    await journal.close();
    await cluster.close();
    await gateway.close();
  };
  return {
    journal,
    isAlone: false,
    replaced: replacement.done,
    get isReplaced() {
      return replacement.isDone;
    },
    sync: (sequence) => cluster.of(sequence),
    served: (sequence, signal) => cluster.everyone(sequence, signal),
    standing: () => ({ ...lag.standing(), storage }),
    faults: () => lag.faults(),
    warnings: () => lag.warnings(),
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

async function isFar(
  gateway: EtcdGateway,
  { etcd, nodeName }: NodeOptions['config'],
  head: number,
  entries: number,
): Promise<boolean> {
  if (head > 0 || entries < FAR) return false;
  const { live } = await readMembers(gateway, etcd.prefix);
  return [...live].some((name) => name !== nodeName);
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${ms / 1000} seconds`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
