/** The connection to a peer: receives its applied sequence, and forwards commits to it. */
import type { ClientRequest } from 'node:http';
import { request } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Member } from './members.ts';
import { CLOCK_BYTES, KIND, type Message, PeerLink, PROTOCOL, SERVED_AT } from './peer-link.ts';
import { HEARTBEAT } from './peer-server.ts';
import { checkKey, type PeerTls } from './peer-tls.ts';

interface PeerWatchOptions {
  readonly tls: PeerTls;
  /** `served`: the sequence up to which it serves. */
  readonly onApplied: (name: string, sequence: number, served: number) => void;
  /** `time`: milliseconds since 1970. */
  readonly onClock: (name: string, time: number, isTrusted: boolean) => void;
  /** Receives the usage of rate limits by requests to the peer. */
  readonly onUsage: (usage: Buffer) => void;
  /** Called with the error when the peer is unreachable; null: it is reachable. */
  readonly onTrouble: (error: unknown) => void;
}

const SILENCE_MS = 3 * HEARTBEAT;
const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 2000;
/**
 * Timeout in milliseconds of an answer to commits: many times the normal duration of a commit to
 * etcd.
 */
const ANSWER_TIMEOUT_MS = 2000;

interface PendingAnswer {
  resolve(answer: Buffer): void;
  reject(error: Error): void;
}

export class PeerWatch {
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** Null: not connected. */
  #link: PeerLink | null = null;
  readonly #pendingAnswers = new Map<number, PendingAnswer>();
  #lastNumber = 0;
  #backoff = MIN_BACKOFF_MS;

  constructor(
    readonly member: Member,
    private readonly options: PeerWatchOptions,
  ) {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /**
   * Resolves with the answer of the node. After a rejection it is unknown whether the node has
   * accepted the commits.
   */
  async forward(commits: Buffer): Promise<Buffer> {
    const link = this.#link;
    const { name } = this.member;
    if (link === null) throw new Error(`${name} is not connected`);
    const number = ++this.#lastNumber;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve, reject) => {
        this.#pendingAnswers.set(number, { resolve, reject });
        timer = setTimeout(() => reject(new Error(`${name} did not respond in time`)), ANSWER_TIMEOUT_MS);
        link.send(KIND.commits, number, commits);
      });
    } finally {
      clearTimeout(timer);
      this.#pendingAnswers.delete(number);
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#runConnection();
      } catch (error) {
        if (signal.aborted) break;
        this.options.onTrouble(error);
        await sleep(this.#backoff, undefined, { signal }).catch(() => {});
        this.#backoff = Math.min(this.#backoff * 2, MAX_BACKOFF_MS);
      }
    }
  }

  /** Rejects when the connection closes or cannot be opened. */
  async #runConnection(): Promise<never> {
    const { signal } = this.#stop;
    const upgrade = this.#requestUpgrade();
    let end = (error: Error): void => void upgrade.destroy(error);
    const silence = setTimeout(() => end(new Error('timeout: no message received')), SILENCE_MS);
    const closeConnection = (): void => end(new Error('this node closed the connection'));
    signal.addEventListener('abort', closeConnection);
    try {
      return await new Promise<never>((_, reject) => {
        upgrade.on('error', reject);
        upgrade.on('response', ({ statusCode }) => reject(new Error(refusalOf(statusCode))));
        upgrade.on('upgrade', (_answer, socket: Socket, head) => {
          end = (error) => void socket.destroy(error);
          socket.on('error', reject);
          socket.on('close', () => reject(new Error('the connection was closed')));
          this.#link = new PeerLink(socket, head, (message) => {
            silence.refresh();
            this.#handle(message);
          });
        });
      });
    } finally {
      closeConnection();
      this.#link = null;
      clearTimeout(silence);
      signal.removeEventListener('abort', closeConnection);
      for (const { reject } of this.#pendingAnswers.values())
        reject(new Error(`the connection to ${this.member.name} was closed`));
    }
  }

  #requestUpgrade(): ClientRequest {
    const { ca, certificate, key } = this.options.tls;
    const { name, address, key: print } = this.member;
    const upgrade = request(`https://${address}/v1/applied`, {
      ca,
      cert: certificate,
      key,
      servername: name,
      checkServerIdentity: checkKey(print),
      agent: false,
      headers: { connection: 'Upgrade', upgrade: PROTOCOL },
    });
    upgrade.setNoDelay(true);
    return upgrade.end();
  }

  #handle({ kind, number, payload }: Message): void {
    if (kind === KIND.applied) {
      this.options.onTrouble(null);
      this.#backoff = MIN_BACKOFF_MS;
      const served = payload.length >= SERVED_AT + 6 ? payload.readUIntBE(SERVED_AT, 6) : number;
      this.options.onApplied(this.member.name, number, served);
      if (payload.length >= CLOCK_BYTES)
        this.options.onClock(this.member.name, payload.readUIntBE(0, 6), payload[6] === 1);
    } else if (kind === KIND.usage) {
      this.options.onUsage(payload);
    } else if (kind === KIND.answer) {
      const forwarded = this.#pendingAnswers.get(number);
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
