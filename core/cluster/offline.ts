/**
 * The store and the journal of a node whose daemon does not run, for commands that write: nothing
 * listens, and no background task runs. In a cluster the write goes through the log, so all nodes
 * get it.
 */
import { existsSync } from 'node:fs';
import { ConfigError, UnavailableError } from '../base/errors.ts';
import { createLogger } from '../base/log/index.ts';
import { Registry } from '../base/metrics/index.ts';
import { openSecrets } from '../base/secrets.ts';
import { Stops } from '../base/stops.ts';
import { Tasks } from '../base/tasks.ts';
import { withTimeout } from '../base/timers.ts';
import { type Config, secretKeyFile } from '../config/index.ts';
import { Signers } from '../journal/apply/signers.ts';
import { openClock } from '../journal/clock/open.ts';
import { openEmbeddedJournal } from '../journal/embedded-journal.ts';
import type { EtcdJournal } from '../journal/etcd/contract.ts';
import { openEtcdJournal } from '../journal/etcd/etcd-journal.ts';
import { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import type { Journal } from '../journal/journal.ts';
import type { JournalOptions } from '../journal/local-journal.ts';
import { type Environment, openEnvironment } from '../store/environment.ts';
import { buildIndex } from '../store/index/build.ts';
import { storeFiles } from '../store/inspect.ts';
import { lockDirectory } from '../store/lock.ts';
import { zoneSettings } from '../zone/compile/settings.ts';
import { etcdSettings } from './files.ts';

/** Milliseconds to apply the entries of the log. */
const CATCH_UP_MS = 60_000;
/** Deadline in milliseconds of a commit to etcd. */
const COMMIT_MS = 5000;
/** Milliseconds between reads of the head of the log. */
const INTERVAL_MS = 1000;

export interface OfflineNode {
  readonly environment: Environment;
  readonly journal: Journal;
  /** Whether other nodes share the journal. */
  readonly isShared: boolean;
}

/**
 * Runs `work` with the data folder locked. Writes need a trusted clock, as in the daemon. Rejects
 * with ConfigError `data_dir_in_use` while a daemon runs and `no_store` if there are no data, and
 * with UnavailableError if this node cannot catch up with the log of its cluster.
 */
export async function withOfflineNode<T>(config: Config, work: (node: OfflineNode) => Promise<T>): Promise<T> {
  const { dataDir, store, dns, journal, etcd } = config;
  if (!existsSync(storeFiles(dataDir).data))
    throw new ConfigError(
      'no_store',
      `There is no store in ${dataDir}. Set WAYPOST_DATA_DIR to the data folder of the node.`,
    );
  const stops = new Stops();
  try {
    const lock = lockDirectory(dataDir);
    stops.add(() => lock.release());
    const environment = openEnvironment(dataDir, store.mapSize);
    stops.add(() => environment.close());
    const metrics = new Registry();
    const tasks = new Tasks({ metrics });
    const { guard } = stops.own(
      openClock({ config, environment, metrics, tasks, log: createLogger(config.log), built: null }),
    );
    const options: JournalOptions = {
      environment,
      clock: guard,
      index: await buildIndex(environment, dataDir, dns.indexMemory),
      zoneSettings: zoneSettings(config),
      history: journal.history,
      historyBytes: journal.historySize,
      signers: stops.own(new Signers(openSecrets(secretKeyFile(config)))),
    };
    const isShared = etcd.endpoints.length > 0;
    const opened = isShared ? await openShared(config, options, stops) : stops.own(openEmbeddedJournal(options));
    return await work({ environment, journal: opened, isShared });
  } finally {
    await stops.run();
  }
}

async function openShared(config: Config, options: JournalOptions, stops: Stops): Promise<EtcdJournal> {
  const gateway = stops.own(new EtcdGateway(etcdSettings(config)));
  let trouble: unknown = null;
  const journal = openEtcdJournal({
    ...options,
    gateway,
    prefix: config.etcd.prefix,
    deadline: COMMIT_MS,
    interval: INTERVAL_MS,
    events: {
      onTrouble: (error) => {
        trouble = error;
      },
      onLost: () => {},
    },
  });
  stops.own(journal);
  await withTimeout(journal.catchUp(), CATCH_UP_MS, () => {
    const text = trouble instanceof Error ? `: ${trouble.message}` : '';
    throw new UnavailableError(
      'no_quorum',
      `This node cannot catch up with the log of its cluster${text}. Nothing was written. Start etcd, or run the command on another node.`,
    );
  });
  return journal;
}
