/** The connection to one peer: hears how far it has applied the log, and forwards commits to it. */
import type { ClientRequest } from 'node:http';
import { request } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkKey } from './key-print.ts';
import type { Member } from './members.ts';
import { CLOCK_BYTES, KIND, type Message, PeerLink, PROTOCOL } from './peer-link.ts';
import { HEARTBEAT } from './peer-server.ts';
import type { PeerTls } from './peer-tls.ts';

interface PeerWatchOptions {
  readonly tls: PeerTls;
  readonly onApplied: (name: string, sequence: number) => void;
  /** `time`: milliseconds since 1970. */
  readonly onClock: (name: string, time: number, isTrusted: boolean) => void;
  /** Receives what requests to the peer have used of rate limits. */
  readonly onUsage: (usage: Buffer) => void;
  /** The peer cannot be heard; null: it can. */
  readonly onTrouble: (error: unknown) => void;
}

const SILENCE = 3 * HEARTBEAT;
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 2000;
/**
 * Milliseconds that an answer to commits may take: as long as a group waits for etcd when nothing
 * is wrong, many times over.
 */
const PATIENCE = 2000;

interface Asked {
  resolve(answer: Buffer): void;
  reject(error: Error): void;
}

export class PeerWatch {
  readonly #options: PeerWatchOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly member: Member;
  /** Null: there is none. */
  #link: PeerLink | null = null;
  readonly #asked = new Map<number, Asked>();
  #lastAsked = 0;
  #pause = FIRST_PAUSE;

  constructor(member: Member, options: PeerWatchOptions) {
    this.member = member;
    this.#options = options;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /**
   * Resolves with what the node answers. Rejects when it does not, or refuses: it may have them or
   * not.
   */
  async forward(commits: Buffer): Promise<Buffer> {
    const link = this.#link;
    const { name } = this.member;
    if (link === null) throw new Error(`${name} is not connected`);
    const number = ++this.#lastAsked;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve, reject) => {
        this.#asked.set(number, { resolve, reject });
        timer = setTimeout(() => reject(new Error(`${name} did not respond in time`)), PATIENCE);
        link.send(KIND.commits, number, commits);
      });
    } finally {
      clearTimeout(timer);
      this.#asked.delete(number);
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#connected();
      } catch (error) {
        if (signal.aborted) break;
        this.#options.onTrouble(error);
        await sleep(this.#pause, undefined, { signal }).catch(() => {});
        this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
      }
    }
  }

  /** Rejects when the connection has ended, or there was none. */
  async #connected(): Promise<never> {
    const { signal } = this.#stop;
    const line = this.#ask();
    let end = (error: Error): void => void line.destroy(error);
    const silence = setTimeout(() => end(new Error('timeout: no message received')), SILENCE);
    const leave = (): void => end(new Error('this node closed the connection'));
    signal.addEventListener('abort', leave);
    try {
      return await new Promise<never>((_, reject) => {
        line.on('error', reject);
        line.on('response', ({ statusCode }) => reject(new Error(refusalOf(statusCode))));
        line.on('upgrade', (_answer, socket: Socket, head) => {
          end = (error) => void socket.destroy(error);
          socket.on('error', reject);
          socket.on('close', () => reject(new Error('the connection was closed')));
          this.#link = new PeerLink(socket, head, (message) => {
            silence.refresh();
            this.#take(message);
          });
        });
      });
    } finally {
      leave();
      this.#link = null;
      clearTimeout(silence);
      signal.removeEventListener('abort', leave);
      for (const { reject } of this.#asked.values())
        reject(new Error(`the connection to ${this.member.name} was closed`));
    }
  }

  #ask(): ClientRequest {
    const { ca, certificate, key } = this.#options.tls;
    const { name, address, key: print } = this.member;
    const line = request(`https://${address}/v1/applied`, {
      ca,
      cert: certificate,
      key,
      servername: name,
      checkServerIdentity: checkKey(print),
      agent: false,
      headers: { connection: 'Upgrade', upgrade: PROTOCOL },
    });
    line.setNoDelay(true);
    return line.end();
  }

  #take({ kind, number, payload }: Message): void {
    if (kind === KIND.applied) {
      this.#options.onTrouble(null);
      this.#pause = FIRST_PAUSE;
      this.#options.onApplied(this.member.name, number);
      if (payload.length >= CLOCK_BYTES)
        this.#options.onClock(this.member.name, payload.readUIntBE(0, 6), payload[6] === 1);
    } else if (kind === KIND.usage) {
      this.#options.onUsage(payload);
    } else if (kind === KIND.answer) {
      const forwarded = this.#asked.get(number);
      if (payload.length > 0) forwarded?.resolve(payload);
      else forwarded?.reject(new Error(`${this.member.name} accepted no commits`));
    } else throw new Error('a message of unknown kind');
  }
}

function refusalOf(status: number | undefined): string {
  return status === 403
    ? 'it does not accept this node as a member of the cluster'
    : `it uses an incompatible protocol: status ${status}`;
}
