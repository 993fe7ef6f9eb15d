/** Gets the store of another node, from whichever gives it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../base/log/index.ts';
import type { Member } from './members.ts';
import type { PeerTls } from './peer-tls.ts';
import { fetchSnapshot } from './snapshot.ts';

interface ReplacementOptions {
  /** Of the data. */
  readonly folder: string;
  readonly tls: PeerTls;
  readonly log: Logger;
  /** Nodes that are caught up. */
  others(): readonly Member[];
}

const PAUSE = 1000;
/** Milliseconds between words of progress. */
const TOLD = 5000;

export class Replacement {
  readonly #options: ReplacementOptions;
  #stop = new AbortController();
  #running: Promise<void> | null = null;
  #resolve: () => void = () => {};
  isDone = false;
  /** Resolves when it is there. */
  readonly done: Promise<void>;

  constructor(options: ReplacementOptions) {
    this.#options = options;
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isUnderWay(): boolean {
    return this.#running !== null && !this.isDone;
  }

  /** Resolves when it is there, or was stopped. */
  begin(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running;
  }

  /** It is needed no longer. It may begin again. */
  cancel(): void {
    if (this.#running === null || this.isDone) return;
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#running = null;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { folder, tls, log, others } = this.#options;
    const { signal } = this.#stop;
    for (let turn = 0; !signal.aborted; turn++) {
      const from = others();
      const member = from[turn % Math.max(1, from.length)];
      if (member !== undefined) {
        let reportedAt = performance.now();
        const onProgress = (done: number, size: number): void => {
          if (performance.now() - reportedAt < TOLD) return;
          reportedAt = performance.now();
          log.info('fetching a snapshot from another node', { node: member.name, bytes: done, of: size });
        };
        try {
          log.info('fetching a snapshot from another node', { node: member.name });
          await fetchSnapshot({ member, tls, folder, signal, onProgress });
          log.info('snapshot fetched', { node: member.name });
          this.isDone = true;
          this.#resolve();
          return;
        } catch (error) {
          if (signal.aborted) return;
          log.warn('cannot fetch a snapshot from another node', {
            node: member.name,
            reason: (error as Error).message,
          });
        }
      } else if (turn === 0) log.warn('no other node offers a snapshot; waiting');
      await sleep(PAUSE, undefined, { signal }).catch(() => {});
    }
  }
}
