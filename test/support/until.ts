import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { PATIENCE_MS } from './patience.ts';

/** Milliseconds between two checks. */
const INTERVAL = 5;

/**
 * Resolves when `condition` holds. Rejects when it does not within `deadline` milliseconds; the
 * error has `what`, the event.
 */
export async function until(
  condition: () => boolean,
  what: string | (() => string) = 'the condition',
  deadline = PATIENCE_MS,
): Promise<void> {
  const end = performance.now() + deadline;
  for (; !condition(); await sleep(INTERVAL))
    if (performance.now() > end)
      throw new Error(`${typeof what === 'string' ? what : what()}: not within ${deadline} ms`);
}

const STATE_INTERVAL = 25;

/** Resolves when `check` does not throw any more. Rejects with its last error. */
export async function untilPasses(check: () => void | Promise<void>, deadline = PATIENCE_MS): Promise<void> {
  const end = performance.now() + deadline;
  for (;;)
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
      await sleep(STATE_INTERVAL);
    }
}

/** Resolves when `read` returns `expected`. Rejects with the difference. */
export const untilIs = <T>(read: () => T | Promise<T>, expected: T, message?: string): Promise<void> =>
  untilPasses(async () => assert.equal(await read(), expected, message));

/** Resolves when what `read` returns matches. */
export const untilMatches = (read: () => string | Promise<string>, pattern: RegExp): Promise<void> =>
  untilPasses(async () => assert.match(await read(), pattern));
