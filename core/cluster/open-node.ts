/**
 * Opens this node with the configured journal: its own, or a log in etcd that several nodes share.
 */
import { join } from 'node:path';
import type { Registry } from '../base/metrics/index.ts';
import { SINGLE_NODE } from '../base/tasks.ts';
import { accountQuotas, type Config } from '../config/index.ts';
import { openEmbeddedJournal } from '../journal/embedded-journal.ts';
import { JournalMetrics } from '../journal/metrics.ts';
import { journalHeadMetrics } from '../store/metrics.ts';
import { StoreReader } from '../store/store-reader.ts';
import { BLOBS, BlobStore } from './blobs/store.ts';
import { describeSingleNode } from './cluster-state.ts';
import { clusterMetrics } from './metrics.ts';
import { type Node, type NodeOptions, ownStatistics } from './node.ts';
import {
  collectAnswers,
  ownLogReader,
  ownReader,
  ownRuleCounts,
  ownRuleCountsReader,
  readAll,
  readRuleCounts,
} from './peer-queries.ts';

interface OpenNodeOptions extends Omit<NodeOptions, 'blobs' | 'history' | 'historyBytes' | 'observer' | 'quotaOf'> {
  readonly config: NodeOptions['config'] & Pick<Config, 'journal' | 'plans' | 'quotas'>;
  readonly metrics: Registry;
}

/** Throws ConfigError. */
export async function openNode({ metrics, ...given }: OpenNodeOptions): Promise<Node> {
  const { config } = given;
  const options: NodeOptions = {
    ...given,
    blobs: new BlobStore(join(config.dataDir, BLOBS)),
    history: config.journal.history,
    historyBytes: config.journal.historySize,
    observer: new JournalMetrics(metrics),
    quotaOf: accountQuotas(config, new StoreReader(given.environment)),
  };
  const node = config.etcd.endpoints.length === 0 ? alone(options) : await shared(options);
  if (node.isReplaced) return node;
  given.tasks.ownership = node.ownership;
  journalHeadMetrics(metrics, node.journal);
  if (node.standing !== null) clusterMetrics(metrics, node.standing);
  return node;
}

/** A single node loads nothing of clusters. */
async function shared(options: NodeOptions): Promise<Node> {
  const { openSharedNode } = await import('./shared-node.ts');
  return openSharedNode(options);
}

function alone(options: NodeOptions): Node {
  const journal = openEmbeddedJournal(options);
  const { nodeName } = options.config;
  const ruleCountsOf = ownRuleCounts(new StoreReader(options.environment), options.ruleCounters);
  return {
    journal,
    isAlone: true,
    ownership: SINGLE_NODE,
    followEdges: () => {},
    usage: null,
    blobs: { store: options.blobs, open: (hash) => options.blobs.open(hash) },
    replaced: new Promise(() => {}),
    isReplaced: false,
    watchRequests: options.tail.watch,
    sync: (seq) => ({ seq, applied: [nodeName], pending: [] }),
    served: async () => {},
    describe: async () => describeSingleNode(nodeName, options.version, journal.head),
    readLogStates: (domainId) => collectAnswers([ownLogReader(nodeName, options.logs.stateOf, domainId)]),
    readRuleCounts: (domainId, revision) =>
      readRuleCounts([ownRuleCountsReader(nodeName, ruleCountsOf, domainId, revision)]),
    readStatistics: (query) => readAll(query, [ownReader(nodeName, ownStatistics(options))]),
    standing: null,
    faults: () => [],
    warnings: () => options.clock.warnings(),
    close: () => journal.close(),
  };
}
