/** Forwards commits to another node, over connections that are kept. */
import { type Agent, request } from 'undici';
import type { Member } from './members.ts';
import { peerAgent } from './peer-agent.ts';
import type { PeerTls } from './peer-server.ts';

/** Milliseconds that an answer may take: as long as a group waits for etcd when nothing is wrong, many times over. */
const PATIENCE = 2000;

export class PeerCommits {
  readonly #tls: PeerTls;
  /** The one that was asked last: another is another node's turn. */
  #peer: { readonly member: Member; readonly agent: Agent } | null = null;

  constructor(tls: PeerTls) {
    this.#tls = tls;
  }

  /** Resolves with what the node answers. Rejects when it does not, or refuses. */
  async forward(member: Member, commits: Buffer): Promise<Buffer> {
    const { statusCode, body } = await request(`https://${member.address}/v1/commits`, {
      method: 'POST',
      body: commits,
      dispatcher: this.#agentOf(member),
    });
    const answer = Buffer.from(await body.arrayBuffer());
    if (statusCode !== 200) throw new Error(`${member.name} took no commits: status ${statusCode}`);
    return answer;
  }

  async close(): Promise<void> {
    await this.#peer?.agent.destroy();
  }

  #agentOf(member: Member): Agent {
    if (this.#peer?.member.name === member.name && this.#peer.member.address === member.address)
      return this.#peer.agent;
    // What is under way there ends first.
    this.#peer?.agent.close().catch(() => {});
    const agent = peerAgent(member.name, this.#tls, { connect: PATIENCE, headers: PATIENCE, body: PATIENCE });
    this.#peer = { member, agent };
    return agent;
  }
}
