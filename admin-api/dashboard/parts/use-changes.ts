/** Refreshes a screen after changes by other clients. */
import { useEffect, useRef } from 'preact/hooks';
import { sentRequests } from '../api.ts';
import { listenToChanges, type ObjectChange } from '../live.ts';

/** Milliseconds to wait for further changes, so one refresh covers them. */
const SETTLE_MS = 100;
/** Minimum milliseconds between two refreshes. */
const MIN_PAUSE_MS = 2000;
/** Milliseconds of pause per request of the last refresh, since the API limits the rate. */
const PAUSE_PER_REQUEST_MS = 500;

/**
 * Runs `refresh` after changes that match `isConcerned`, and after missed events. One refresh runs
 * at a time, with a pause afterwards. `refresh` must keep the current state until the new state is
 * loaded.
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

/** Matches changes of a domain that have one of the kinds. */
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
