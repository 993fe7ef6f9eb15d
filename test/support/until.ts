import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds until a test gives up, on a busy machine as well. */
const DEADLINE = 20_000;
/** Milliseconds between two checks. */
const INTERVAL = 5;

/** Resolves when `condition` holds. Rejects when it does not within `deadline` milliseconds; `what`: that it was waited for. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string | (() => string) = 'the condition',
  deadline = DEADLINE,
): Promise<void> {
  const end = performance.now() + deadline;
  while (!(await condition())) {
    if (performance.now() > end)
      throw new Error(`${typeof what === 'string' ? what : what()}: not within ${deadline} ms`);
    await sleep(INTERVAL);
  }
}
