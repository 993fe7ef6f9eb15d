/** Adds up the statistics of all nodes when they are requested; each node keeps its own. */
import type { NodeStatistics, StatisticsQuery } from '../observe/statistics/query.ts';
import { checkNodeStatistics, formatQuery, mergeNodes } from '../observe/statistics/query.ts';
import type { Member } from './members.ts';
import { collectAnswers, readFromPeer } from './peer-read.ts';
import type { PeerTls } from './peer-tls.ts';

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

/** Never rejects: a node that cannot be read is missing. */
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
      const sent = await readFromPeer(peer, tls, `${STATISTICS_PATH}${formatQuery(query)}`, 'statistics');
      const answer = checkNodeStatistics(sent, query);
      if (answer === undefined) throw new Error(`${peer.name} sent invalid statistics`);
      return answer;
    },
  };
}
