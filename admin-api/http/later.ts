/** An unknown token may have been issued by another node in a change that this node has not applied yet. */
import { whole } from './body.ts';
import type { HttpRequest, HttpResponse } from './transport.ts';

type Handle<At, App> = (request: HttpRequest, at: At, app: App) => Promise<HttpResponse>;

/** What this needs of the parts of the application. */
interface NewsParts {
  readonly news: { join(): Promise<unknown> } | null;
  readonly authenticator: { lacks(header: string | undefined): boolean };
}

/**
 * Wraps `handle`. A request with an unknown token waits until this node has applied the changes of the other
 * nodes, or continues at once if those cannot be read. Its body, up to `limit` bytes, is buffered meanwhile.
 */
export function withNews<At, App extends NewsParts>(limit: number, handle: Handle<At, App>): Handle<At, App> {
  return (request, at, app) => {
    const { news, authenticator } = app;
    // In this turn of the event loop: a transport does not keep a body that is not requested.
    if (news === null || !authenticator.lacks(request.header('authorization'))) return handle(request, at, app);
    const held = limit > 0 ? hold(request, limit) : { request, release() {} };
    const caughtUp = news.join().catch(() => {});
    return caughtUp.then(() => handle(held.request, at, app)).finally(held.release);
  };
}

/** The request with a buffered body. `release` discards the body unless it is being read. */
function hold(request: HttpRequest, limit: number): { request: HttpRequest; release(): void } {
  const body = request.stream(limit);
  let isTaken = false;
  const take = (): AsyncIterable<Buffer> => {
    isTaken = true;
    return body;
  };
  const { method, path, query, remoteAddress } = request;
  return {
    request: {
      ...{ method, path, query, remoteAddress },
      header: (name) => request.header(name),
      body: () => whole(take()),
      stream: take,
    },
    release() {
      if (!isTaken) leave(body).catch(() => {});
    },
  };
}

/** Reads and discards the rest of the body. */
async function leave(body: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of body) return;
}
