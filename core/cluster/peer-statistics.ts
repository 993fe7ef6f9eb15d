/** Adds up the statistics of all nodes when they are requested; each node keeps its own. */
import { request } from 'undici';
import type { NodeStatistics, StatisticsQuery } from '../statistics/query.ts';
import { checkNodeStatistics, formatQuery, mergeNodes } from '../statistics/query.ts';
import type { Member } from './members.ts';
import { peerAgent } from './peer-agent.ts';
import type { PeerTls } from './peer-tls.ts';

/** Path of a peer's statistics; a query follows. */
export const STATISTICS_PATH = '/v1/statistics/';
/** Milliseconds for the answers of other nodes. */
const DEADLINE = 2000;
const MAX_ANSWER_BYTES = 8 << 20;

/** Reads the statistics of this node. Rejects if they cannot be read. */
export type ReadOwn = (query: StatisticsQuery) => Promise<NodeStatistics>;

export interface ClusterStatistics {
  readonly sum: NodeStatistics;
  /** Names of the nodes whose counts are in the sum, sorted, and of those whose counts are not. */
  readonly answered: readonly string[];
  readonly missing: readonly string[];
}

export type ReadStatistics = (query: StatisticsQuery) => Promise<ClusterStatistics>;

export interface NodeReader {
  readonly name: string;
  readonly read: ReadOwn;
}

/** Never rejects: a node that cannot be read is missing. */
export async function readAll(query: StatisticsQuery, nodes: readonly NodeReader[]): Promise<ClusterStatistics> {
  const outcomes = await Promise.all(
    nodes.map(async ({ name, read }) => ({ name, answer: await read(query).catch(() => null) })),
  );
  const answers = outcomes.flatMap(({ answer }) => answer ?? []);
  const namesWhere = (isMissing: boolean): string[] =>
    outcomes.flatMap(({ name, answer }) => ((answer === null) === isMissing ? [name] : [])).sort();
  return { sum: mergeNodes(answers), answered: namesWhere(false), missing: namesWhere(true) };
}

/** This node's reader. `read`: undefined if statistics are off. */
export function ownReader(name: string, read: ReadOwn | undefined): NodeReader {
  return { name, read: read ?? (() => Promise.reject(new Error('this node keeps no statistics'))) };
}

export function peerReader({ name, address }: Member, tls: PeerTls): NodeReader {
  return {
    name,
    async read(query) {
      const agent = peerAgent(name, tls, { connect: DEADLINE }, MAX_ANSWER_BYTES);
      try {
        const { statusCode, body } = await request(`https://${address}${STATISTICS_PATH}${formatQuery(query)}`, {
          dispatcher: agent,
          signal: AbortSignal.timeout(DEADLINE),
        });
        if (statusCode !== 200) throw new Error(`${name} sent no statistics: status ${statusCode}`);
        const answer = checkNodeStatistics(await body.json(), query);
        if (answer === undefined) throw new Error(`${name} sent invalid statistics`);
        return answer;
      } finally {
        await agent.destroy();
      }
    },
  };
}
