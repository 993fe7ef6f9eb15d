/** Fetches the store of another node, retrying with each live node in turn. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../base/log/index.ts';
import type { Member } from './members.ts';
import type { PeerTls } from './peer-tls.ts';
import { fetchSnapshot } from './snapshot.ts';

interface ReplacementOptions {
  /** The data folder. */
  readonly folder: string;
  readonly tls: PeerTls;
  readonly log: Logger;
  /** Live nodes: caught up and serving. */
  others(): readonly Member[];
}

const RETRY_MS = 1000;
/** Milliseconds between two log lines of the progress. */
const PROGRESS_MS = 5000;

export class Replacement {
  #stop = new AbortController();
  #running: Promise<void> | null = null;
  #resolve: () => void = () => {};
  isDone = false;
  /** Resolves when the store has been fetched. */
  readonly done: Promise<void>;

  constructor(private readonly options: ReplacementOptions) {
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isFetching(): boolean {
    return this.#running !== null && !this.isDone;
  }

  /** Starts fetching. Resolves when the store has been fetched or the work was stopped. */
  begin(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Stops fetching; `begin` starts it again. */
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
    const { folder, tls, log, others } = this.options;
    const { signal } = this.#stop;
    for (let turn = 0; !signal.aborted; turn++) {
      const members = others();
      const member = members[turn % Math.max(1, members.length)];
      if (member !== undefined) {
        let reportedAt = performance.now();
        const onProgress = (done: number, size: number): void => {
          if (performance.now() - reportedAt < PROGRESS_MS) return;
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
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }
}
