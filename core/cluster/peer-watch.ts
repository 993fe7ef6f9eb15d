/** Listens to one peer: how far it has applied the log. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Exchange } from '../etcd/exchange.ts';
import type { Member } from './members.ts';
import { peerAgent } from './peer-agent.ts';
import { HEARTBEAT, type PeerTls } from './peer-server.ts';

export interface PeerWatchOptions {
  readonly tls: PeerTls;
  readonly onApplied: (name: string, sequence: number) => void;
  /** The peer can't be heard; null: it can. */
  readonly onTrouble: (error: unknown) => void;
}

const SILENCE = 3 * HEARTBEAT;
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 2000;
const MAX_LINE = 1000;

export class PeerWatch {
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly member: Member;

  constructor(member: Member, options: PeerWatchOptions) {
    this.member = member;
    this.#running = this.#run(options);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run({ tls, onApplied, onTrouble }: PeerWatchOptions): Promise<void> {
    const { name, address } = this.member;
    const { signal } = this.#stop;
    const agent = peerAgent(name, tls, { connect: SILENCE, headers: SILENCE, body: SILENCE });
    let pause = FIRST_PAUSE;
    const target = { endpoint: `https://${address}`, path: '/v1/applied', most: MAX_LINE };
    while (!signal.aborted) {
      const words = new Exchange(agent, target, (line) => {
        const { applied } = JSON.parse(line) as { applied?: unknown };
        if (!Number.isSafeInteger(applied)) throw new Error('no sequence came');
        onTrouble(null);
        pause = FIRST_PAUSE;
        onApplied(name, applied as number);
      });
      const leave = (): void => words.abort(new Error('it is heard no more'));
      signal.addEventListener('abort', leave);
      try {
        const { status } = await words.done;
        if (status === 403) throw new Error('it does not take this node for a member of the cluster');
        if (status !== 200) throw new Error(`status ${status}`);
        throw new Error('the connection ended');
      } catch (error) {
        if (signal.aborted) break;
        onTrouble(error);
        await sleep(pause, undefined, { signal }).catch(() => {});
        pause = Math.min(pause * 2, LONGEST_PAUSE);
      } finally {
        signal.removeEventListener('abort', leave);
      }
    }
    await agent.destroy();
  }
}
