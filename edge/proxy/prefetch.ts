/**
 * Fetches purged responses again, for the cache alone. The origin receives a plain GET as of a
 * visitor without cookies, credentials and country. What it stores is what the next visitor of that
 * kind would have had stored, or nothing.
 */
import type { CacheFlows, PrefetchTerms } from '../cache/cache.ts';
import type { PurgedResponse } from '../cache/store/cache-store.ts';
import type { Done, ResponseHandler } from '../cache/visit.ts';
import { NO_BODY } from '../http/exchange/body-queue.ts';
import { type ClientMemory, MemoryBudget } from '../http/exchange/client-memory.ts';
import type { Client, Exchange, VisitedSite } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { OriginError, type OriginResponse } from '../origin/origin.ts';
import type { Site } from '../sites/site.ts';
import { Passage, type PassageContext } from './passage.ts';

export type PrefetchResult =
  | 'stored'
  | 'present' // a visitor was faster
  | 'elsewhere' // another node or thread fetches it
  | 'excluded' // the site answers such requests itself, or does not let them into the cache
  | 'not-stored' // the origin does not allow it, or the body is too large or incomplete
  | 'yielded' // the connections to the origin are needed for visitors
  | 'failed'; // no response, or an error of the origin

export interface PrefetchRequest {
  readonly exchange: Exchange;
  readonly site: Site;
  /** Called with the key of the response. False: it is fetched elsewhere. */
  mayFetch(key: string): boolean;
}

/** Never rejects for a fault of the origin. */
export type Prefetch = (request: PrefetchRequest) => Promise<PrefetchResult>;

/**
 * The address that the origin receives as the visitor's (RFC 5737): no origin grants it more than
 * others. Without an address, it would see that of this node.
 */
const ADDRESS = '192.0.2.1';
const USER_AGENT = 'waypost-prefetch';

/** What bodies over HTTP/2 may hold. */
const MEMORY_BYTES = 16 * 1024 * 1024;

/** Fields that a browser chooses by itself; the value of any other may be a visitor's secret. */
const REPEATED = /^(?:accept(?:-[a-z]+)?|dpr|ect|origin|rtt|save-data|sec-ch-[a-z-]+|user-agent|x-requested-with)$/;

/** As edge/cache/rules/vary.ts has it. */
const ABSENT = '\0';

const URL_PARTS = /^(https?):\/\/([^/?#@\\]+)(\/[^\n]*)(?:\n.*)?$/;

let sharedMemory: ClientMemory | null = null;

/**
 * A request for a URL of the cache. Undefined: its fields may not be repeated, or the text is no
 * URL.
 */
export function prefetchExchange({ key, selecting }: PurgedResponse): Exchange | undefined {
  const parts = URL_PARTS.exec(key);
  if (parts === null) return undefined;
  const [, scheme, authority, path] = parts;
  const headers: string[] = [];
  for (const [name, value] of [
    ['accept', '*/*'],
    ['user-agent', USER_AGENT],
  ])
    if (!isNamed(selecting, name)) headers.push(name, value);
  for (let i = 0; i < selecting.length; i += 2) {
    if (selecting[i + 1] === ABSENT) continue;
    if (!REPEATED.test(selecting[i])) return undefined;
    headers.push(selecting[i], selecting[i + 1]);
  }
  sharedMemory ??= new MemoryBudget(MEMORY_BYTES).enter(ADDRESS);
  return new PrefetchExchange(scheme as 'http' | 'https', authority, path, headers, sharedMemory);
}

function isNamed(fields: FieldList, name: string): boolean {
  for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return true;
  return false;
}

/** A request without a connection: nothing is sent to anybody. */
class PrefetchExchange implements Exchange {
  readonly version = '1.1';
  readonly method = 'GET';
  readonly protocol = '';
  readonly body = NO_BODY;
  readonly isEnded = false;
  readonly client: Client;
  inFlightAt = -1;
  visited: VisitedSite | null = null;

  constructor(
    readonly scheme: 'http' | 'https',
    readonly authority: string,
    readonly path: string,
    readonly headers: FieldList,
    readonly memory: ClientMemory,
  ) {
    this.client = { address: ADDRESS, port: 0, serverName: '', isEncrypted: scheme === 'https' };
  }

  get targetScheme(): 'http' | 'https' {
    return this.scheme;
  }

  inform(): void {}
  answer(): void {}
  respond(): void {}
  reserve(): number {
    return 0;
  }
  write(): boolean {
    return true;
  }
  lend(): boolean {
    return true;
  }
  end(): void {}
  onDrain(): void {}
  onAbort(): void {}
  upgrade(): void {}
  abort(): void {}
}

/** The owner of a key fetches from the origin, behind the requests of visitors. */
export const prefetchContext = (context: PassageContext): PassageContext => ({
  ...context,
  compression: undefined,
  onDone: undefined,
  traces: null,
  peers: null,
  rules: { name: context.rules.name, trusts: () => false },
  send: (request, receiver) => context.send({ ...request, yields: true }, receiver),
});

export class PrefetchPassage extends Passage {
  failure: OriginError | null = null;

  constructor(context: PassageContext, exchange: Exchange, site: Site) {
    super(context, exchange, site, true);
  }

  /** An error is not stored: visitors may get a response where this request does not. */
  override fetchShared(headers: FieldList, handler: ResponseHandler): Promise<void> {
    const onFailure = (error: unknown): Done => {
      if (error instanceof OriginError) this.failure = error;
      return handler.onFailure(error);
    };
    const onResponse = (response: OriginResponse): Done => {
      if (response.status < 400) return handler.onResponse(response);
      response.body.cancel();
      return onFailure(new OriginError('malformed', `the origin responded with ${response.status}`));
    };
    return super.fetchShared(headers, { onResponse, onFailure });
  }
}

/** Fetches what the cache is missing. */
export async function prefetchInto(
  flows: Pick<CacheFlows, 'prefetch'>,
  visit: PrefetchPassage,
  terms: PrefetchTerms,
): Promise<PrefetchResult> {
  const result = await flows.prefetch(visit, terms);
  if (result === 'refused') return 'elsewhere';
  if (result !== 'not-stored' || visit.failure === null) return result;
  return visit.failure.fault === 'aborted' ? 'yielded' : 'failed';
}
