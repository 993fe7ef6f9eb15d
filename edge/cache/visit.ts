/** An exchange as the cache deals with it: the seam to edge/proxy, which talks to the origin and to the visitor. */
import type { Exchange } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import type { OriginBody, OriginResponse } from '../origin/origin.ts';
import type { Site } from '../sites/site.ts';
import type { CacheOutcome } from './outcome.ts';

/** Of what as a rule is done when the call returns: a promise of its end only where somebody is still waited for. A promise that need not be costs a request as much as its look-up here. */
export type Done = void | Promise<void>;

export interface Visit {
  readonly exchange: Exchange;
  readonly site: Site;
  /** Nobody waits for a response: what is kept is brought up to date, and nothing is given. */
  readonly isBehind: boolean;
  /** For the record. */
  outcome: CacheOutcome;
  /** The visitor's going does not end what is asked of the origin: others wait for it, or the cache. */
  holdsOn: boolean;

  /** The fields of the visitor's request for the origin whose answer may be for all: nothing in them that others could have said another way. Undefined: it is not passed on, and the visitor has been told why. */
  fieldsForAll(): FieldList | undefined;

  /** Asks the origin, without the visitor's body, and goes on with its response, or with what `Fetch` rejects with; settles as that does. */
  ask(
    headers: FieldList,
    onResponse: (response: OriginResponse) => Done,
    onFailure: (error: unknown) => Done,
  ): Promise<void>;

  /** The whole exchange past the cache. `onHead` is told of the response before the visitor gets it. */
  pass(cacheStatus: string, outcome: CacheOutcome, onHead?: (status: number, fields: FieldList) => void): Done;

  /** Fields of the origin as the visitor gets them. */
  fieldsOf(headers: FieldList): string[];

  /** Fields of the origin as they may be kept, for when its place is another one. */
  fieldsToKeep(headers: FieldList): FieldList;

  /** Gives a response, coded if that is worth it; done when all has gone. Never rejects for what the origin does; when the visitor goes, the body is cancelled. */
  give(status: number, fields: FieldList, body: OriginBody): Done;

  /** Gives one that is here as a whole, as it is. */
  giveWhole(status: number, fields: FieldList, body: Uint8Array): void;

  /** What kept the origin from answering becomes a page. Throws what is no OriginError. */
  fail(error: unknown): void;

  /** The visitor has gone before anything could be given. */
  abandon(): void;

  /** 504 for who takes only what is kept. */
  refuseNotCached(cacheStatus: string): void;
}

/** `isBehind`: for a visitor who has been answered. */
export type OpenVisit = (exchange: Exchange, site: Site, isBehind?: boolean) => Visit;
