/**
 * Prefetches purged responses into the cache. The origin receives a plain GET, like that of a
 * visitor without cookies, credentials and country. The cache stores the response only if it would
 * store the response to such a visitor.
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
  | 'present' // already stored for a visitor
  | 'elsewhere' // another node or thread fetches the URL
  | 'excluded' // rules of the site answer such requests themselves or bypass the cache
  | 'not-stored' // the origin does not allow it, or the body is too large or incomplete
  | 'yielded' // visitors need the connections to the origin
  | 'failed'; // no response, or an error of the origin

export interface PrefetchRequest {
  readonly exchange: Exchange;
  readonly site: Site;
  /** Called with the cache key. False: another node or thread fetches the URL. */
  mayFetch(key: string): boolean;
}

/** Origin faults never reject the promise. */
export type Prefetch = (request: PrefetchRequest) => Promise<PrefetchResult>;

/**
 * The visitor's address in fields for the origin. It is reserved for documentation (RFC 5737), so
 * no origin gives it privileges. Without it, the origin would see the address of this node.
 */
const ADDRESS = '192.0.2.1';
const USER_AGENT = 'waypost-prefetch';

/** Memory budget for HTTP/2 bodies of prefetches. */
const MEMORY_BYTES = 16 * 1024 * 1024;

/** Fields whose value the browser chooses. Values of other fields may be secrets of a visitor. */
const REPEATED = /^(?:accept(?:-[a-z]+)?|dpr|ect|origin|rtt|save-data|sec-ch-[a-z-]+|user-agent|x-requested-with)$/;

/** Value of an absent field, as in edge/cache/rules/vary.ts. */
const ABSENT = '\0';

const URL_PARTS = /^(https?):\/\/([^/?#@\\]+)(\/[^\n]*)(?:\n.*)?$/;

let sharedMemory: ClientMemory | null = null;

/**
 * The request that prefetches a purged response. Undefined: the key is not a URL, or the response
 * depends on a field that must not be repeated.
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

/** A request without a connection: its response is discarded. */
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

/** Fetches from the origin, never from another node, and yields to requests of visitors. */
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

  /** Does not store an error: visitors may still get a successful response. */
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

/** Fetches a response into the cache unless it is present. */
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
