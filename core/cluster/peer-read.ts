/** Reads JSON from all nodes concurrently. */
import type { Member } from './members.ts';
import { peerAgent } from './peer-agent.ts';
import type { PeerTls } from './peer-tls.ts';

/** Timeout in milliseconds of the responses of other nodes. */
const DEADLINE = 2000;
const MAX_ANSWER_BYTES = 8 << 20;

/**
 * Rejects unless the node responds with JSON within `deadline` milliseconds. `what`: the noun in
 * the error message.
 */
export async function readFromPeer(
  member: Member,
  tls: PeerTls,
  path: string,
  what: string,
  deadline = DEADLINE,
): Promise<unknown> {
  const { name, address } = member;
  const agent = peerAgent(member, tls, { connect: deadline }, MAX_ANSWER_BYTES);
  try {
    const { statusCode, body } = await agent.request({
      origin: `https://${address}`,
      path,
      method: 'GET',
      signal: AbortSignal.timeout(deadline),
    });
    if (statusCode !== 200) throw new Error(`${name} sent no ${what}: status ${statusCode}`);
    return await body.json();
  } finally {
    await agent.destroy();
  }
}

export interface Answers<T> {
  readonly answers: readonly T[];
  /** Names of the nodes that answered, sorted, and of those that did not. */
  readonly answered: readonly string[];
  readonly missing: readonly string[];
}

/** Never rejects: a node that cannot be read is missing. */
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
