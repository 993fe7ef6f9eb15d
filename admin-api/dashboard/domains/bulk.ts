/** Runs an action for many objects, with limited concurrency. Failures do not stop it. */
import type { Failure } from '../failure.ts';

/** Maximum requests in flight. */
const CONCURRENT = 4;
/** Milliseconds to wait after 429 without Retry-After. */
const PAUSE_MS = 10_000;
const MAX_ATTEMPTS = 100;

interface BulkFailure<T> {
  readonly item: T;
  readonly failure: Failure;
}

export interface BulkState<T> {
  /** Finished, with or without success. */
  readonly done: number;
  readonly total: number;
  readonly failures: readonly BulkFailure<T>[];
  /** Waiting because the API limits the rate. */
  readonly isWaiting: boolean;
}

interface BulkOptions<T> {
  readonly items: readonly T[];
  /** Null on success. */
  readonly run: (item: T) => Promise<Failure | null>;
  readonly onChange: (state: BulkState<T>) => void;
  /** Stops after the requests in flight. */
  readonly signal: AbortSignal;
  readonly sleep?: (milliseconds: number) => Promise<void>;
}

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Resolves when all items have finished, or after the signal. */
export async function runBulk<T>({ items, run, onChange, signal, sleep = wait }: BulkOptions<T>): Promise<void> {
  const failures: BulkFailure<T>[] = [];
  let next = 0;
  let done = 0;
  let waiting = 0;
  const report = (): void => onChange({ done, total: items.length, failures: [...failures], isWaiting: waiting > 0 });

  const runWithRetries = async (item: T): Promise<Failure | null> => {
    for (let attempt = 1; ; attempt++) {
      const failure = await run(item);
      if (failure?.status !== 429 || attempt === MAX_ATTEMPTS || signal.aborted) return failure;
      waiting++;
      report();
      await sleep(failure.retryAfter === undefined ? PAUSE_MS : failure.retryAfter * 1000);
      waiting--;
      if (signal.aborted) return failure;
    }
  };
  const work = async (): Promise<void> => {
    while (next < items.length && !signal.aborted) {
      const item = items[next++];
      const failure = await runWithRetries(item);
      if (failure !== null) failures.push({ item, failure });
      done++;
      report();
    }
  };
  report();
  await Promise.all(Array.from({ length: CONCURRENT }, work));
}
