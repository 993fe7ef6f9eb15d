/**
 * Collects from all nodes what each keeps for itself: statistics, states of logs, counts of rules.
 */
import {
  checkNodeStatistics,
  formatQuery,
  mergeNodes,
  type NodeStatistics,
  type StatisticsQuery,
} from '../observe/statistics/query.ts';
import type { NodeLogState } from '../site/logs/deliverer.ts';
import type { StoreReader } from '../store/store-reader.ts';
import type { Member } from './members.ts';
import type { readFromPeer as ReadFromPeer } from './peer-agent.ts';
import type { PeerTls } from './peer-tls.ts';

/** Path of a peer's counters; the id of a domain, "/" and a revision of its rules follow. */
export const RULE_COUNTS_PATH = '/v1/rule-counts/';

/** The end of the year 9999: the API cannot represent a later time. */
const END_OF_TIME = 253_402_300_800_000;

/** Path of a peer's states; the id of a domain follows. */
export const LOGS_PATH = '/v1/logs/';

/** Path of a peer's statistics; a query follows. */
export const STATISTICS_PATH = '/v1/statistics/';

/** Reads the statistics of this node. Rejects if they cannot be read. */
export type ReadOwn = (query: StatisticsQuery) => Promise<NodeStatistics>;

export interface ClusterStatistics {
  readonly sum: NodeStatistics;
  /** Names of the nodes whose counts are in the sum, sorted, and of those whose counts are not. */
  readonly answered: readonly string[];
  readonly missing: readonly string[];
}

export type ReadStatistics = (query: StatisticsQuery) => Promise<ClusterStatistics>;

interface NodeReader {
  readonly name: string;
  readonly read: ReadOwn;
}

/**
 * Adds up the statistics of all nodes when they are requested; each node keeps its own. Never
 * rejects: a node that cannot be read is missing.
 */
export async function readAll(query: StatisticsQuery, nodes: readonly NodeReader[]): Promise<ClusterStatistics> {
  const { answers, ...names } = await collectAnswers(
    nodes.map(({ name, read }) => ({ name, read: () => read(query) })),
  );
  return { sum: mergeNodes(answers), ...names };
}

/** This node's reader. `read`: undefined if statistics are off. */
export function ownReader(name: string, read: ReadOwn | undefined): NodeReader {
  return { name, read: read ?? (() => Promise.reject(new Error('this node keeps no statistics'))) };
}

export function peerReader(peer: Member, tls: PeerTls): NodeReader {
  return {
    name: peer.name,
    async read(query) {
      const sent = await readPeer(peer, tls, `${STATISTICS_PATH}${formatQuery(query)}`, 'statistics');
      const answer = checkNodeStatistics(sent, query);
      if (answer === undefined) throw new Error(`${peer.name} sent invalid statistics`);
      return answer;
    },
  };
}

/** The state of a domain's logs on this node. */
export type OwnLogState = (domainId: number) => NodeLogState;

/** Reads the states of all nodes: each node delivers the logs of the requests that it serves. */
export type ReadLogStates = (domainId: number) => Promise<Answers<NodeLogState>>;

/** `stateOf`: undefined: this node delivers no logs. */
export const ownLogReader = (name: string, stateOf: OwnLogState | undefined, domainId: number) => ({
  name,
  async read() {
    if (stateOf === undefined) throw new Error('this node delivers no logs');
    return stateOf(domainId);
  },
});

export const peerLogReader = (peer: Member, tls: PeerTls, domainId: number) => ({
  name: peer.name,
  async read() {
    const state = await readPeer(peer, tls, `${LOGS_PATH}${domainId}`, 'states of logs');
    if (!isState(state)) throw new Error(`${peer.name} sent an invalid state of logs`);
    return { ...state, node: peer.name };
  },
});

const COUNTS = ['since', 'delivered_lines', 'delivered_batches', 'dropped_lines', 'waiting_lines', 'failures'];
const TIMES = ['last_delivered_at', 'last_error_at'];

function isState(value: unknown): value is NodeLogState {
  if (typeof value !== 'object' || value === null) return false;
  const state = value as Readonly<Record<string, unknown>>;
  const isCount = (name: string): boolean => Number.isSafeInteger(state[name]) && (state[name] as number) >= 0;
  return (
    COUNTS.every(isCount) &&
    TIMES.every((name) => state[name] === null || isCount(name)) &&
    (state.last_error === null || typeof state.last_error === 'string')
  );
}

interface RuleCounts {
  /** Milliseconds since 1970 when counting began. Null: nothing was counted. */
  readonly since: number | null;
  /** By index of the rule; empty: nothing was counted. */
  readonly matched: readonly number[];
  readonly stopped: readonly number[];
}

/** `answered` and `missing`: as in ClusterStatistics. */
export interface ClusterRuleCounts extends Omit<Answers<RuleCounts>, 'answers'> {
  readonly sum: RuleCounts;
}

/** The counters of this node. Undefined: this node has another revision of the rules. */
export type OwnRuleCounts = (domainId: number, revision: number) => RuleCounts | undefined;

export type ReadRuleCounts = (domainId: number, revision: number) => Promise<ClusterRuleCounts>;

/** The counters of this node's edge. */
export interface RuleCountersOf {
  /** Undefined: nothing was counted of that revision. */
  of(domainId: number, revision: number): RuleCounts | undefined;
}

interface RuleCountsReader {
  readonly name: string;
  /** Rejects if the node cannot be read, or has another revision of the rules. */
  read(): Promise<RuleCounts>;
}

const NOTHING: RuleCounts = { since: null, matched: [], stopped: [] };

/** A node that lags serves requests by earlier rules, so it must not answer with zeros. */
export function ownRuleCounts(reader: Pick<StoreReader, 'siteDocument'>, counters: RuleCountersOf): OwnRuleCounts {
  return (domainId, revision) => {
    if ((reader.siteDocument(domainId, 'rules')?.revision ?? 0) !== revision) return undefined;
    const { since, matched, stopped } = counters.of(domainId, revision) ?? NOTHING;
    return { since, matched, stopped };
  };
}

/**
 * Adds up the counters of a domain's rules over all nodes when they are requested: each node counts
 * the requests that it serves. Never rejects: a node that cannot be read is missing.
 */
export async function readRuleCounts(readers: readonly RuleCountsReader[]): Promise<ClusterRuleCounts> {
  const { answers, ...names } = await collectAnswers(readers);
  return { sum: sumRuleCounts(answers), ...names };
}

/** `of`: undefined: this node counts no rules. */
export const ownRuleCountsReader = (
  name: string,
  of: OwnRuleCounts | undefined,
  domainId: number,
  revision: number,
): RuleCountsReader => ({
  name,
  async read() {
    const counts = of?.(domainId, revision);
    if (counts === undefined) throw new Error('this node has no counters of that revision');
    return counts;
  },
});

export const peerRuleCountsReader = (
  peer: Member,
  tls: PeerTls,
  domainId: number,
  revision: number,
  deadline?: number,
): RuleCountsReader => ({
  name: peer.name,
  async read() {
    const path = `${RULE_COUNTS_PATH}${domainId}/${revision}`;
    const sent = await readPeer(peer, tls, path, 'counters of rules', deadline);
    if (!isRuleCounts(sent)) throw new Error(`${peer.name} sent invalid counters of rules`);
    return sent;
  },
});

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function isRuleCounts(value: unknown): value is RuleCounts {
  if (typeof value !== 'object' || value === null) return false;
  const { since, matched, stopped } = value as Readonly<Record<string, unknown>>;
  return (
    (since === null || (isCount(since) && since < END_OF_TIME)) &&
    Array.isArray(matched) &&
    Array.isArray(stopped) &&
    matched.length === stopped.length &&
    matched.every(isCount) &&
    stopped.every(isCount)
  );
}

/** `since`: when the first of the nodes began to count. */
export function sumRuleCounts(nodes: readonly RuleCounts[]): RuleCounts {
  let since: number | null = null;
  const matched: number[] = [];
  const stopped: number[] = [];
  for (const node of nodes) {
    if (node.since !== null) since = Math.min(node.since, since ?? node.since);
    for (let i = 0; i < node.matched.length; i++) {
      matched[i] = (matched[i] ?? 0) + node.matched[i];
      stopped[i] = (stopped[i] ?? 0) + node.stopped[i];
    }
  }
  return { since, matched, stopped };
}

/** As readFromPeer, which a single node does not load. */
async function readPeer(...request: Parameters<typeof ReadFromPeer>): Promise<unknown> {
  const { readFromPeer } = await import('./peer-agent.ts');
  return readFromPeer(...request);
}

export interface Answers<T> {
  readonly answers: readonly T[];
  /** Names of the nodes that answered, sorted, and of those that did not. */
  readonly answered: readonly string[];
  readonly missing: readonly string[];
}

/** Reads all nodes concurrently. Never rejects: a node that cannot be read is missing. */
export async function collectAnswers<T>(
  nodes: readonly { readonly name: string; read(): Promise<T> }[],
): Promise<Answers<T>> {
  const outcomes = await Promise.all(
    nodes.map(async (node) => ({ name: node.name, answer: await node.read().catch(() => null) })),
  );
  const namesWhere = (isMissing: boolean): string[] =>
    outcomes.flatMap(({ name, answer }) => ((answer === null) === isMissing ? [name] : [])).sort();
  return {
    answers: outcomes.flatMap(({ answer }) => (answer === null ? [] : [answer])),
    answered: namesWhere(false),
    missing: namesWhere(true),
  };
}
