/** Sends the domains with a live tail to the threads, which sample their requests. */
import type { Logger } from '../../core/base/log/index.ts';
import type { Tasks } from '../../core/base/tasks.ts';
import type { RequestTail } from '../../core/observe/tail/request-tail.ts';
import { EXPIRY_MS } from '../gateway/tail-sampler.ts';

/** Repeats reach newly started threads, and arrive before the domains expire in other threads. */
const REPEAT_MS = EXPIRY_MS / 3;

interface Watched {
  readonly kind: 'watched';
  readonly domainIds: readonly string[];
}

export function followWatched(
  tail: RequestTail,
  send: (message: Watched) => void,
  { tasks, log }: { readonly tasks: Tasks; readonly log: Logger },
): { close(): void } {
  const update = (): void => send({ kind: 'watched', domainIds: tail.watched.map(String) });
  const repeat = (): void => {
    if (tail.watched.length > 0) update();
  };
  const task = tasks.add({ name: 'watched-domains', owner: 'node', due: REPEAT_MS, log, run: repeat });
  tail.onWatched(update);
  // Other nodes may watch a domain before this node's threads start.
  repeat();
  task.start();
  return {
    close() {
      tail.onWatched(() => {});
      void task.stop();
    },
  };
}
