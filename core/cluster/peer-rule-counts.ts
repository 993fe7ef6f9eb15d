/**
 * Adds up the counters of a domain's rules over all nodes when they are requested: each node counts
 * the requests that it serves.
 */
import type { StoreReader } from '../store/store-reader.ts';
import type { Member } from './members.ts';
import { type Answers, collectAnswers, readFromPeer } from './peer-read.ts';
import type { PeerTls } from './peer-tls.ts';

/** Path of a peer's counters; the id of a domain, "/" and a revision of its rules follow. */
export const RULE_COUNTS_PATH = '/v1/rule-counts/';

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

/** Never rejects: a node that cannot be read is missing. */
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
    const sent = await readFromPeer(peer, tls, path, 'counters of rules', deadline);
    if (!isRuleCounts(sent)) throw new Error(`${peer.name} sent invalid counters of rules`);
    return sent;
  },
});

/** The end of the year 9999: the API cannot represent a later time. */
const END_OF_TIME = 253_402_300_800_000;

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
