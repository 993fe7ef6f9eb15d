/**
 * Waits for the changes of other nodes if a token, session or object is unknown: another node may
 * have created it.
 */
import { UnavailableError } from '../../core/base/errors.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { collectChunks } from './body.ts';
import type { Authentication } from './caller.ts';
import { statusOf } from './errors.ts';
import { type HttpRequest, type HttpResponse, withParts } from './transport.ts';

type Handle<At, App> = (request: HttpRequest, at: At, app: App) => Promise<HttpResponse>;

interface CatchUpParts {
  readonly catchUp: { join(): Promise<unknown> } | null;
  readonly authenticator: Pick<Authentication, 'hasUnknownToken'>;
}

/**
 * Wraps `handle`. A request with an unknown token waits until this node has applied the changes of
 * the other nodes. The request continues at once if the changes cannot be read. Meanwhile its body,
 * up to `limit` bytes, is buffered.
 */
export function withCatchUp<At, App extends CatchUpParts>(limit: number, handle: Handle<At, App>): Handle<At, App> {
  return (request, at, app) => {
    const { catchUp, authenticator } = app;
    // Must run before any await: a transport discards a body that is not requested at once.
    if (catchUp === null || !authenticator.hasUnknownToken(request)) return handle(request, at, app);
    const buffered = limit > 0 ? bufferBody(request, limit) : { request, release() {} };
    const done = catchUp.join().catch(() => {});
    return done.then(() => handle(buffered.request, at, app)).finally(buffered.release);
  };
}

/** The request with a buffered body. `release` discards the body unless it is being read. */
function bufferBody(request: HttpRequest, limit: number): { request: HttpRequest; release(): void } {
  const body = request.stream(limit, undefined, true);
  let isRead = false;
  const read = (): AsyncIterable<Buffer> => {
    isRead = true;
    return body;
  };
  return {
    request: withParts(request, { body: () => collectChunks(read()), stream: read }),
    release() {
      if (!isRead) discardBody(body).catch(() => {});
    },
  };
}

/** Ends the iteration, which discards the rest of the body. */
async function discardBody(body: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of body) return;
}

/**
 * Returns the result of `run`. After a 404, waits for the changes of the other nodes and runs it
 * once more if there were any: the client may have seen the object on another node. The 404 stands
 * if the changes cannot be read.
 */
export async function retryNotFound<T>(
  journal: Pick<Journal, 'head' | 'latest'>,
  run: () => T | Promise<T>,
): Promise<T> {
  const headBefore = journal.head;
  try {
    return await run();
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    try {
      await journal.latest();
    } catch (cause) {
      if (!(cause instanceof UnavailableError)) throw cause;
    }
    if (journal.head === headBefore) throw error;
    return run();
  }
}
