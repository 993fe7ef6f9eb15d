import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { PATIENCE_MS } from './patience.ts';

/** Milliseconds between checks: of local state, and of state that needs a request. */
const INTERVAL = 5;
const STATE_INTERVAL = 25;

/**
 * Resolves when `condition` holds. Rejects after `deadline` milliseconds with an error that
 * contains `what`, the expected event.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string | (() => string | Promise<string>) = 'the condition',
  deadline = PATIENCE_MS,
): Promise<void> {
  const end = performance.now() + deadline;
  for (;;) {
    const holds = condition();
    if (await holds) return;
    if (performance.now() > end)
      throw new Error(`${typeof what === 'string' ? what : await what()}: not within ${deadline} ms`);
    await sleep(typeof holds === 'boolean' ? INTERVAL : STATE_INTERVAL);
  }
}

/** Resolves when `check` no longer throws. Rejects with its last error. */
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

/** Resolves when the result of `read` matches. */
export const untilMatches = (read: () => string | Promise<string>, pattern: RegExp): Promise<void> =>
  untilPasses(async () => assert.match(await read(), pattern));
