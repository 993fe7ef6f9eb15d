/**
 * Fills: fetching a missing response from the origin, or revalidating a stored one. Each fill
 * stores the origin's response if the rules allow it, and serves the visitor.
 */
import { isCompressible } from '../compress/compressible.ts';
import { varyingFields } from '../compress/fields.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { PoolDownError } from '../origin/failover.ts';
import { type OriginBody, OriginError, type OriginResponse } from '../origin/origin.ts';
import { RangedBody, ReadAheadBody, type ReadAheadBudget, TappedBody } from './bodies.ts';
import type { Flight, FlightEnd, Flights, UncacheableKeys } from './flights.ts';
import type { HotEntry } from './hot-entry.ts';
import { cacheStatus, type Forwarded, repeatedStatus } from './rules/cache-status.ts';
import { factsOf, type Received } from './rules/facts.ts';
import type { CacheRequest } from './rules/request.ts';
import { isServerError, mayUseOnError } from './rules/reuse.ts';
import { fillRequestFields, freshenResponse, identifyUpdated, judgeHead } from './rules/revalidation.ts';
import { judgeStorable, type NotStored } from './rules/storable.ts';
import { isSelected } from './rules/vary.ts';
import { answerOrPlan, partFields, serveStored } from './serve-stored.ts';
import type { CacheStore, OnStored, StoredVariant } from './store/cache-store.ts';
import type { StoredResponse } from './stored-response.ts';
import type { Done, ResponseHandler, Visit } from './visit.ts';

/** What all fills of a thread share. */
export interface FillContext {
  readonly store: CacheStore;
  /** The name of this cache in Cache-Status. */
  readonly name: string;
  /** Maximum size of a stored body in bytes. */
  readonly maxBodyBytes: number;
  /** Bodies of fewer bytes are not compressed. Infinite: none is compressed. */
  readonly minCompressBytes: number;
  readonly clock: () => number;
  readonly flights: Flights;
  readonly uncacheable: UncacheableKeys;
  /** Limits the memory of bodies that are read ahead of slow visitors. */
  readonly readAheadBudget: ReadAheadBudget;
  /** The prepared form of a stored response. */
  entryOf(variant: StoredVariant, visit: Visit): HotEntry;
}

/** One fetch from the origin, for one request. */
export interface Fill {
  readonly visit: Visit;
  readonly request: CacheRequest;
  readonly key: string;
  /** All stored variants of the URL. */
  readonly variants: readonly StoredVariant[];
  /** The variant that the request selects. */
  readonly stored: StoredVariant | undefined;
  readonly isConditional: boolean;
  readonly fwd: Forwarded;
  /** Requests that wait for this fill; undefined: none may wait. */
  readonly flight: Flight | undefined;
  /** The request has already waited for another fill. */
  readonly isCollapsed: boolean;
  /** How the owner of the key answered the request. Undefined: the origin responded. */
  readonly owner?: 'hit' | 'miss';
}

/**
 * Reasons that apply to this request only. The response to another request for the URL may be
 * storable, and stored responses stay valid.
 */
const REQUEST_SPECIFIC: ReadonlySet<NotStored> = new Set([
  ...(['method', 'request-no-store', 'precondition', 'authorization', 'one-request'] as const),
]);

/** Completes when the response has been sent. Throws or rejects only for internal errors. */
export function runFill(context: FillContext, fill: Fill): Done {
  return fill.flight === undefined ? fetchFromOrigin(context, fill, fill.isConditional) : runSharedFill(context, fill);
}

/** Ends the flight in every case, also when the fill throws. */
async function runSharedFill(context: FillContext, fill: Fill): Promise<void> {
  try {
    await fetchFromOrigin(context, fill, fill.isConditional);
  } catch (error) {
    endFlight(context, fill, 'failed');
    throw error;
  }
}

function endFlight({ flights }: FillContext, { flight, key }: Fill, result: FlightEnd): void {
  if (flight !== undefined) flights.end(key, flight, result);
}

/**
 * A callback for the store. It releases the claim when all variants are on disk, or when a variant
 * cannot be stored. `variants`: their number. Undefined: threads do not share fetches.
 */
function releaseWhenShared({ flight }: Fill, variants: number): OnStored | undefined {
  const claim = flight?.claim;
  if (claim === undefined) return undefined;
  let pending = variants;
  return (isShared) => {
    if (--pending === 0 || !isShared) claim.release(isShared ? 'shared' : 'failed');
  };
}

function fetchFromOrigin(context: FillContext, fill: Fill, isConditional: boolean): Done {
  const { visit, stored } = fill;
  const requestFields = visit.sharedRequestFields();
  if (requestFields === undefined) {
    endFlight(context, fill, 'failed');
    return;
  }
  const mark = context.store.mark();
  const facts = isConditional && stored !== undefined ? context.entryOf(stored, visit).facts : undefined;
  const fields = fillRequestFields(requestFields, facts);
  const handler = new FillHandler(context, fill, isConditional, mark);
  // A peer is asked only for storable responses that are missing here. A revalidation goes to the
  // origin: a 304 is as short as a message between nodes.
  const ownerRequest =
    fill.flight === undefined || isConditional
      ? undefined
      : visit.askOwner?.(
          fill.key,
          fields,
          (response, owner) => handleResponse(context, { ...fill, owner }, response, false, mark),
          () => (hasLeft(visit) ? abandonFill(context, fill) : visit.fetchShared(fields, handler)),
        );
  return ownerRequest ?? visit.fetchShared(fields, handler);
}

/** An object needs less memory than closures: a busy site has many pending requests. */
class FillHandler implements ResponseHandler {
  readonly #context: FillContext;
  readonly #fill: Fill;
  readonly #isConditional: boolean;
  readonly #mark: number;

  constructor(context: FillContext, fill: Fill, isConditional: boolean, mark: number) {
    this.#context = context;
    this.#fill = fill;
    this.#isConditional = isConditional;
    this.#mark = mark;
  }

  onResponse(response: OriginResponse): Done {
    return handleResponse(this.#context, this.#fill, response, this.#isConditional, this.#mark);
  }

  onFailure(error: unknown): Done {
    return handleFailure(this.#context, this.#fill, error);
  }
}

/** Whether no visitor, follower or cache needs the response any more. */
export const hasLeft = ({ exchange, isBackground, outlivesVisitor }: Visit): boolean =>
  exchange.isEnded && !isBackground && !outlivesVisitor;

/** Called when the visitor disconnected during the request to the owner. */
function abandonFill(context: FillContext, fill: Fill): void {
  endFlight(context, fill, 'failed');
  fill.visit.abandon();
}

function handleResponse(
  context: FillContext,
  fill: Fill,
  response: OriginResponse,
  isConditional: boolean,
  mark: number,
): Done {
  const { status } = response;
  if (status === 304)
    return isConditional
      ? handleNotModified(context, fill, response, mark)
      : rejectUnexpected304(context, fill, response);
  if (isServerError(status)) return handleServerError(context, fill, response, mark);
  return handleNewResponse(context, fill, response, mark);
}

function handleNewResponse(context: FillContext, fill: Fill, response: OriginResponse, mark: number): Done {
  const { exchange, isBackground } = fill.visit;
  return exchange.method === 'HEAD' && !isBackground
    ? handleHeadResponse(context, fill, response, mark)
    : handleGetResponse(context, fill, response, mark);
}

/** An unconditional request cannot use a 304: it has no stored body. */
function rejectUnexpected304(context: FillContext, fill: Fill, { body }: OriginResponse): void {
  endFlight(context, fill, 'failed');
  body.cancel();
  if (!fill.visit.isBackground)
    fill.visit.respondFailure(new OriginError('malformed', '304 to a request without a condition'));
}

async function handleFailure(context: FillContext, fill: Fill, error: unknown): Promise<void> {
  const { visit } = fill;
  endFlight(context, fill, 'failed');
  if (
    error instanceof OriginError &&
    (visit.isBackground || (await serveStaleOnError(context, fill, undefined, error)))
  )
    return;
  visit.respondFailure(error);
}

async function handleServerError(
  context: FillContext,
  fill: Fill,
  response: OriginResponse,
  mark: number,
): Promise<void> {
  if (!fill.visit.isBackground && !(await serveStaleOnError(context, fill, response.status)))
    return handleNewResponse(context, fill, response, mark);
  endFlight(context, fill, 'failed');
  response.body.cancel();
}

/**
 * Stale-if-error (RFC 5861 section 4). `status`: from the origin; undefined: no response, and
 * `error` has the reason.
 */
async function serveStaleOnError(
  context: FillContext,
  fill: Fill,
  status: number | undefined,
  error?: OriginError,
): Promise<boolean> {
  const { visit, stored, request } = fill;
  if (stored === undefined || visit.exchange.isEnded) return false;
  // The variant was purged after the lookup.
  if (context.store.isVoid(stored)) return false;
  const now = context.clock();
  const entry = context.entryOf(stored, visit);
  const isDisconnected = error instanceof PoolDownError && error.maySendStale;
  if (!mayUseOnError(entry.facts, request, now, isDisconnected)) return false;
  visit.outcome = 'stale';
  await serveStored(visit, entry, request, now, statusOf(context, fill, status));
  return true;
}

function statusOf({ name }: FillContext, fill: Fill, fwdStatus?: number, stored?: boolean): string {
  const { fwd, isCollapsed, owner } = fill;
  if (owner === undefined) return repeatedStatus(name, fwd, isCollapsed, fwdStatus, stored);
  return cacheStatus({ name, fwd, fwdStatus, stored, collapsed: isCollapsed, detail: `peer-${owner}` });
}

/** A HEAD request is judged like the GET whose response is stored. */
const asGet = (request: CacheRequest): CacheRequest =>
  request.method === 'GET' ? request : { ...request, method: 'GET' };

/** RFC 9111 section 4.3.4. */
async function handleNotModified(
  context: FillContext,
  fill: Fill,
  response: OriginResponse,
  mark: number,
): Promise<void> {
  const { visit, variants, key, request } = fill;
  const { store } = context;
  response.body.cancel();
  const candidates = variants
    .map(({ response: stored }) => stored)
    .filter((candidate) => isSelected(candidate.selecting, visit.exchange.headers));
  const updated = identifyUpdated(candidates, response.headers);
  if (updated.length === 0) {
    store.remove(visit.site.domainId, key);
    await fetchFromOrigin(context, { ...fill, variants: [], stored: undefined }, false);
    return;
  }
  let served: StoredVariant | undefined;
  let isStorable = true;
  /** Number of variants that the store has not reported yet. */
  let pending = updated.length;
  const onStored: OnStored = (isStored) => {
    if (--pending === 0 || !isStored) endFlight(context, fill, isStored ? 'stored' : 'failed');
  };
  const onShared = releaseWhenShared(fill, updated.length);
  for (const candidate of updated) {
    const previous = variants.find((other) => other.response === candidate) as StoredVariant;
    const freshened = freshenVariant(context, fill, previous, response, mark, onStored, onShared);
    isStorable &&= freshened.isStorable;
    served ??= freshened.variant;
  }
  if (!isStorable) store.remove(visit.site.domainId, key);
  if (visit.isBackground || served === undefined) return;
  visit.outcome = 'revalidated';
  const status = statusOf(context, fill, 304);
  await serveStored(visit, context.entryOf(served, visit), request, context.clock(), status);
}

/** Updates a stored response with the fields of a 304, or of a 200 to HEAD. */
function freshenVariant(
  context: FillContext,
  { request, visit }: Fill,
  variant: StoredVariant,
  { headers, requestTime, responseTime }: OriginResponse,
  mark: number,
  onStored?: OnStored,
  onShared?: OnStored,
): { variant: StoredVariant; isStorable: boolean } {
  const old = variant.response;
  const update = freshenResponse(old, headers, requestTime, responseTime);
  const verdict = judgeStorable(
    asGet(request),
    visit.exchange.headers,
    update,
    context.maxBodyBytes,
    visit.site.heuristics,
  );
  const headersToKeep = visit.storedFields(verdict.store ? verdict.headers : update.headers);
  const response: StoredResponse = { ...old, ...update, headers: headersToKeep };
  if (!verdict.store) {
    onStored?.(false);
    return { variant: detached(variant, response), isStorable: false };
  }
  const { selecting, tags } = verdict;
  const next: StoredResponse = { ...response, selecting, tags };
  const freshened = context.store.freshen(variant, next, mark, onStored, onShared);
  return { variant: freshened ?? detached(variant, next), isStorable: true };
}

/** A variant that no store holds in memory. */
const detached = (variant: StoredVariant, response: StoredResponse): StoredVariant => ({
  response,
  attached: undefined,
  isHot: false,
  encoding: (coding) => variant.encoding(coding),
});

/** RFC 9111 section 4.3.5. */
function handleHeadResponse(context: FillContext, fill: Fill, response: OriginResponse, mark: number): Done {
  const { visit, stored, key } = fill;
  endFlight(context, fill, 'failed');
  if (stored !== undefined && response.status === 200) {
    const isSame = judgeHead(stored.response, response.headers) === 'update';
    if (!isSame || !freshenVariant(context, fill, stored, response, mark).isStorable) {
      context.store.remove(visit.site.domainId, key);
      visit.onInvalidated?.(key);
    }
  }
  const fields = visit.visitorFields(response.headers, statusOf(context, fill));
  return visit.respond(response.status, fields, response.body);
}

/** A complete response to GET, or one that a background fetch received. */
function handleGetResponse(context: FillContext, fill: Fill, response: OriginResponse, mark: number): Done {
  const { visit, key } = fill;
  const { status, headers, requestTime, responseTime } = response;
  const received: Received = { key, status, headers, requestTime, responseTime };
  const body = tapBody(context, fill, received, response.body, mark);
  if (visit.isBackground) {
    if (body instanceof TappedBody) body.finish();
    else body.cancel();
    return;
  }
  const isStored = body instanceof TappedBody;
  const fields = visit.visitorFields(headers, statusOf(context, fill, undefined, isStored));
  return relayResponse(context, fill, received, fields, isStored ? withReadAhead(context, body, fill.flight) : body);
}

/** Followers wait for the whole body. Read-ahead keeps a slow first visitor from delaying them. */
function withReadAhead(context: FillContext, body: OriginBody, flight: Flight | undefined): OriginBody {
  if (flight === undefined) return body;
  const ahead = new ReadAheadBody(body, context.readAheadBudget);
  flight.onFollower = () => ahead.readAhead();
  if (flight.followers > 0) ahead.readAhead();
  return ahead;
}

/** Copies the body to the cache if the response may be stored. The result is then a TappedBody. */
function tapBody(context: FillContext, fill: Fill, received: Received, body: OriginBody, mark: number): OriginBody {
  const { visit, key, request, stored } = fill;
  const { store, uncacheable, clock } = context;
  const { domainId } = visit.site;
  const verdict = judgeStorable(
    asGet(request),
    visit.exchange.headers,
    received,
    context.maxBodyBytes,
    visit.site.heuristics,
  );
  const isRequestSpecific = !verdict.store && REQUEST_SPECIFIC.has(verdict.reason);
  if (verdict.store) {
    const { selecting, tags } = verdict;
    const headers = visit.storedFields(verdict.headers);
    const head = { domainId, ...received, headers, selecting, tags };
    const writer = store.write(head, body.length, mark, releaseWhenShared(fill, 1));
    if (writer !== undefined) {
      const onStored: OnStored = (isStored) => endFlight(context, fill, isStored ? 'stored' : 'failed');
      return new TappedBody(body, writer, onStored, () => (fill.flight?.followers ?? 0) > 0);
    }
  } else if (!isRequestSpecific) uncacheable.add(key, clock());
  // The origin no longer allows the cache to store this URL.
  if (stored !== undefined && received.status < 500 && !isRequestSpecific) store.remove(domainId, key);
  endFlight(context, fill, 'passed');
  return body;
}

/** Sends the origin's response, or the 206, 304 or 416 that the visitor's request requires. */
function relayResponse(
  context: FillContext,
  { visit, request }: Fill,
  received: Received,
  fields: FieldList,
  body: OriginBody,
): Done {
  const { range, ifNoneMatch, ifModifiedSince } = request;
  const isPartialOrConditional = range !== undefined || ifNoneMatch !== undefined || ifModifiedSince !== undefined;
  if (isPartialOrConditional && received.status === 200 && !visit.exchange.isEnded) {
    const isCoded = isCompressible(received.status, received.headers, body.length, context.minCompressBytes);
    const varying = isCoded ? varyingFields(fields) : fields;
    const plan = answerOrPlan(
      visit,
      request,
      received.status,
      factsOf(received, visit.site.heuristics),
      varying,
      body.length,
    );
    if (plan === 'answered') {
      body.cancel();
      return;
    }
    // Several parts would need a stored body. RFC 9110 section 14.2 allows a 200 instead.
    if (plan?.length === 1)
      return visit.respond(206, partFields(varying, plan[0], body.length as number), new RangedBody(body, plan[0]));
  }
  return visit.respond(received.status, fields, body);
}

/** The reason for forwarding the request (RFC 9211 section 2.2). */
export function forwardReason(hasVariants: boolean, facts: HotEntry['facts'] | undefined, now: number): Forwarded {
  if (facts !== undefined) return now < facts.freshUntil && !facts.alwaysValidates ? 'request' : 'stale';
  return hasVariants ? 'vary-miss' : 'uri-miss';
}

/**
 * Ranges that start at a greater offset bypass the cache: a fetch of the whole representation would
 * reach the first requested byte too late.
 */
const NEAR_BYTES = 1024 * 1024;

/** Whether the cache fetches the whole representation for this range. */
export function startsNear(range: string): boolean {
  const first = /^bytes=(\d{1,15})-/i.exec(range);
  return first !== null && Number(first[1]) <= NEAR_BYTES;
}
