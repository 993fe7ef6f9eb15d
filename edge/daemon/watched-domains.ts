/** Sends the threads the domains whose requests they sample. */
import type { RequestTail } from '../../core/observe/tail/request-tail.ts';
import { EXPIRY_MS } from '../gateway/tail-sampler.ts';

/** Also reaches threads that have started since, before the domains expire in the others. */
const REPEAT_MS = EXPIRY_MS / 3;

interface Watched {
  readonly kind: 'watched';
  readonly domainIds: readonly string[];
}

export function followWatched(tail: RequestTail, send: (message: Watched) => void): { close(): void } {
  let timer: NodeJS.Timeout | null = null;
  const update = (): void => {
    const domainIds = tail.watched.map(String);
    send({ kind: 'watched', domainIds });
    if (timer !== null) clearTimeout(timer);
    timer = domainIds.length === 0 ? null : setTimeout(update, REPEAT_MS).unref();
  };
  tail.onWatched(update);
  // Other nodes may watch before the threads of this one start.
  if (tail.watched.length > 0) update();
  return {
    close() {
      tail.onWatched(() => {});
      if (timer !== null) clearTimeout(timer);
    },
  };
}
