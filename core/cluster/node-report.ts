/** The report of a node about itself over the peer channel, for other nodes and for commands. */
import type { Member } from './members.ts';
import { peerAgent } from './peer-agent.ts';
import type { PeerTls } from './peer-tls.ts';
import { STATES, type Standing } from './standing.ts';

export interface NodeReport {
  /** Sequence of the last entry that it has applied. */
  readonly applied: number;
  /** Null: its version does not report it. The same applies to the fields below. */
  readonly state: Standing['state'] | null;
  readonly lagSeconds: number | null;
  /** Unix time in seconds. */
  readonly startedAt: number | null;
}

/** Milliseconds for the report of a node. */
const DEADLINE = 3000;

/** When this process started: Unix time in seconds. */
export const STARTED_AT = Math.round(Date.now() / 1000 - process.uptime());

/** Null if the node does not respond. */
export async function fetchReport(
  member: Pick<Member, 'name' | 'address' | 'key'>,
  tls: PeerTls,
): Promise<NodeReport | null> {
  const agent = peerAgent(member, tls, { connect: DEADLINE });
  try {
    const signal = AbortSignal.timeout(DEADLINE);
    const { body } = await agent.request({
      origin: `https://${member.address}`,
      path: '/v1/applied',
      method: 'GET',
      signal,
    });
    let text = '';
    // The peer sends a line now and after each change.
    for await (const chunk of body) {
      text += String(chunk);
      if (text.includes('\n')) return parseReport(text.slice(0, text.indexOf('\n')));
    }
    return null;
  } catch {
    return null;
  } finally {
    await agent.destroy();
  }
}

export function formatReport({ applied, state, lagSeconds, startedAt }: NodeReport): string {
  return JSON.stringify({ applied, state, lag_seconds: lagSeconds, started_at: startedAt });
}

/** Throws SyntaxError. */
export function parseReport(line: string): NodeReport | null {
  const fields = Object(JSON.parse(line)) as Record<string, unknown>;
  const { applied, state, lag_seconds: lagSeconds, started_at: startedAt } = fields;
  if (typeof applied !== 'number') return null;
  return {
    applied,
    state: STATES.find((reported) => reported === state) ?? null,
    lagSeconds: typeof lagSeconds === 'number' ? lagSeconds : null,
    startedAt: typeof startedAt === 'number' ? startedAt : null,
  };
}
