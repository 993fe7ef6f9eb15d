import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds until a test gives up, on a busy machine as well. */
const DEADLINE = 30_000;
/** Milliseconds between two checks. */
const INTERVAL = 5;

/** Resolves when `condition` holds. Rejects when it does not within `deadline` milliseconds; the error has `what`, the event. */
export async function until(
  condition: () => boolean,
  what: string | (() => string) = 'the condition',
  deadline = DEADLINE,
): Promise<void> {
  const end = performance.now() + deadline;
  for (; !condition(); await sleep(INTERVAL))
    if (performance.now() > end)
      throw new Error(`${typeof what === 'string' ? what : what()}: not within ${deadline} ms`);
}
