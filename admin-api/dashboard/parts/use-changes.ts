/** Reads what a screen shows again after others have changed it. */
import { useEffect, useRef } from 'preact/hooks';
import { sentRequests } from '../api.ts';
import { listenToChanges, type ObjectChange } from '../live.ts';

/** Changes that arrive together are read together. */
const SETTLE_MS = 100;
/** Between two runs. */
const MIN_PAUSE_MS = 2000;
/** Of the pause, for each request of the last run: the API limits requests. */
const PAUSE_PER_REQUEST_MS = 500;

/**
 * Runs `refresh` after changes for which `isConcerned` is true, and after missed ones. There is one
 * run at a time, and a pause after each. `refresh` must keep what is shown until it has the new
 * state.
 */
export function useChanges(isConcerned: (change: ObjectChange) => boolean, refresh: () => Promise<unknown>): void {
  const current = useRef({ isConcerned, refresh });
  current.current = { isConcerned, refresh };
  useEffect(() => {
    const refresher = new Refresher(() => current.current.refresh());
    const stop = listenToChanges((change) => {
      if (change === null || current.current.isConcerned(change)) refresher.request();
    });
    return () => {
      stop();
      refresher.stop();
    };
  }, []);
}

/** Whether a change is one of a domain, of one of these kinds. */
export const isChangeOf =
  (domainId: number, ...kinds: readonly string[]) =>
  ({ kind, id }: ObjectChange): boolean =>
    id === domainId && kinds.includes(kind);

class Refresher {
  #isRequested = false;
  #isRunning = false;
  #isStopped = false;
  #notBefore = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly refresh: () => Promise<unknown>) {}

  request(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    if (!this.#isRunning) this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    const wait = Math.max(SETTLE_MS, this.#notBefore - performance.now());
    this.#timer = setTimeout(() => void this.#run(), wait);
  }

  async #run(): Promise<void> {
    this.#isRequested = false;
    this.#isRunning = true;
    const before = sentRequests();
    try {
      await this.refresh();
    } finally {
      this.#isRunning = false;
      this.#notBefore = performance.now() + Math.max(MIN_PAUSE_MS, (sentRequests() - before) * PAUSE_PER_REQUEST_MS);
      if (this.#isRequested && !this.#isStopped) this.#schedule();
    }
  }
}
