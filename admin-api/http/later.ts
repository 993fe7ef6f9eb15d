/** A token that is not here may not be here yet: another node has given it, and this one has not applied that. */
import { whole } from './body.ts';
import type { HttpRequest, HttpResponse } from './transport.ts';

type Handle<At, App> = (request: HttpRequest, at: At, app: App) => Promise<HttpResponse>;

/** What this needs of the parts of the application. */
interface NewsParts {
  readonly news: { join(): Promise<unknown> } | null;
  readonly authenticator: { lacks(header: string | undefined): boolean };
}

/**
 * `handle`, which a request with a token that is not here reaches when this node has what others had written when it came, and at once where nobody can say what that is. What comes of its
 * body meanwhile, of `limit` bytes at most, is kept.
 */
export function withNews<At, App extends NewsParts>(limit: number, handle: Handle<At, App>): Handle<At, App> {
  return (request, at, app) => {
    const { news, authenticator } = app;
    // All else in this turn: a transport keeps no body that nobody waits for.
    if (news === null || !authenticator.lacks(request.header('authorization'))) return handle(request, at, app);
    const held = limit > 0 ? hold(request, limit) : { request, release() {} };
    const known = news.join().catch(() => {});
    return known.then(() => handle(held.request, at, app)).finally(held.release);
  };
}

/** The request with a body that waits until it is asked for; `release`: it won't be, unless it was. */
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

/** What still comes of it is read and forgotten. */
async function leave(body: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of body) return;
}
