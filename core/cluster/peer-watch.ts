/** Listens to one peer: how far it has applied the log. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Member } from './members.ts';
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
    const agent = new Agent({
      connect: { ca: tls.ca, cert: tls.certificate, key: tls.key, servername: name, timeout: SILENCE },
      headersTimeout: SILENCE,
      bodyTimeout: SILENCE,
    });
    let pause = FIRST_PAUSE;
    while (!signal.aborted) {
      try {
        const { statusCode, body } = await request(`https://${address}/v1/applied`, { dispatcher: agent, signal });
        if (statusCode === 403) throw new Error('it does not take this node for a member of the cluster');
        if (statusCode !== 200) throw new Error(`status ${statusCode}`);
        let rest = '';
        for await (const chunk of body) {
          const lines = (rest + (chunk as Buffer).toString('latin1')).split('\n');
          rest = lines.pop() as string;
          if (rest.length > MAX_LINE) throw new Error('a line without end');
          // The last says it all.
          const last = lines.at(-1);
          if (last === undefined) continue;
          const { applied } = JSON.parse(last) as { applied?: unknown };
          if (!Number.isSafeInteger(applied)) throw new Error('no sequence came');
          onTrouble(null);
          pause = FIRST_PAUSE;
          onApplied(name, applied as number);
        }
        throw new Error('the connection ended');
      } catch (error) {
        if (signal.aborted) break;
        onTrouble(error);
        await sleep(pause, undefined, { signal }).catch(() => {});
        pause = Math.min(pause * 2, LONGEST_PAUSE);
      }
    }
    await agent.destroy();
  }
}
