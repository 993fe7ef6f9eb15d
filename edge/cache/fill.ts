/** Asking the origin for what is not kept, or whether what is kept still holds; and what of its answer is kept, and given. */
import { isCompressible } from '../compress/compressible.ts';
import { varyingFields } from '../compress/fields.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { type OriginBody, OriginError, type OriginResponse } from '../origin/origin.ts';
import { AheadBody, type AheadRoom } from './ahead-body.ts';
import type { Flight, Flights } from './flights.ts';
import { giveStored, partFields, planned } from './give-stored.ts';
import type { HotEntry } from './hot-entry.ts';
import { RangedBody } from './ranged-body.ts';
import { cacheStatus, type Forwarded } from './rules/cache-status.ts';
import { factsOf, type Received } from './rules/facts.ts';
import type { CacheRequest } from './rules/request.ts';
import { isServerError, mayUseOnError } from './rules/reuse.ts';
import { fillRequestFields, freshened, identifyUpdated, judgeHead } from './rules/revalidation.ts';
import { judgeStorable, type NotStored } from './rules/storable.ts';
import { isSelected } from './rules/vary.ts';
import type { CacheStore, StoredVariant } from './store/cache-store.ts';
import type { StoredResponse } from './stored-response.ts';
import { TappedBody } from './tapped-body.ts';
import type { Uncacheable } from './uncacheable.ts';
import type { Done, Visit } from './visit.ts';

/** What all fills of a thread share. */
export interface FillContext {
  readonly store: CacheStore;
  /** In Cache-Status. */
  readonly name: string;
  /** Bytes of a body that may be kept. */
  readonly largest: number;
  /** Bytes of what visitors may get in another coding; infinite: nothing. */
  readonly least: number;
  readonly clock: () => number;
  readonly flights: Flights;
  readonly uncacheable: Uncacheable;
  /** Of bodies that are fetched ahead of slow visitors. */
  readonly ahead: AheadRoom;
  /** What is given of a stored response. */
  entryOf(variant: StoredVariant, visit: Visit): HotEntry;
}

/** One of them. */
export interface Fill {
  readonly visit: Visit;
  readonly request: CacheRequest;
  readonly key: string;
  /** All that is kept of the URL, and the one of them that was selected. */
  readonly variants: readonly StoredVariant[];
  readonly stored: StoredVariant | undefined;
  readonly isConditional: boolean;
  readonly fwd: Forwarded;
  /** Others that wait for it; undefined: nobody may. */
  readonly flight: Flight | undefined;
  /** Has waited for another one. */
  readonly isCollapsed: boolean;
}

/** What only this request is the reason for: the next one may fare better, and what is kept for others stays. */
const OF_THE_REQUEST: ReadonlySet<NotStored> = new Set([
  ...(['method', 'request-no-store', 'precondition', 'authorization', 'one-request'] as const),
]);

/** Done when the visitor has all. Throws, or rejects, only for what is no fault of an origin. */
export function fill(context: FillContext, one: Fill): Done {
  return one.flight === undefined ? asked(context, one, one.isConditional) : landed(context, one);
}

/** Whatever comes of it, those who wait are told. */
async function landed(context: FillContext, one: Fill): Promise<void> {
  try {
    await asked(context, one, one.isConditional);
  } catch (error) {
    land(context, one, false);
    throw error;
  }
}

function land({ flights }: FillContext, { flight, key }: Fill, isKept: boolean): void {
  if (flight !== undefined) flights.end(key, flight, isKept ? 'kept' : 'not-kept');
}

function asked(context: FillContext, one: Fill, isConditional: boolean): Done {
  const { visit, stored } = one;
  const sent = visit.fieldsForAll();
  if (sent === undefined) {
    land(context, one, false);
    return;
  }
  const mark = context.store.mark();
  const facts = isConditional && stored !== undefined ? context.entryOf(stored, visit).facts : undefined;
  return visit.ask(
    fillRequestFields(sent, facts),
    (response) => answered(context, one, response, isConditional, mark),
    (error) => failed(context, one, error),
  );
}

function answered(
  context: FillContext,
  one: Fill,
  response: OriginResponse,
  isConditional: boolean,
  mark: number,
): Done {
  const { status } = response;
  if (status === 304) return isConditional ? validated(context, one, response, mark) : notAsked(context, one, response);
  if (isServerError(status)) return serverFailed(context, one, response, mark);
  return came(context, one, response, mark);
}

function came(context: FillContext, one: Fill, response: OriginResponse, mark: number): Done {
  const { exchange, isBehind } = one.visit;
  return exchange.method === 'HEAD' && !isBehind
    ? headed(context, one, response, mark)
    : received(context, one, response, mark);
}

/** 304 to a request for the whole: of what it says nothing can be given. */
function notAsked(context: FillContext, one: Fill, { body }: OriginResponse): void {
  land(context, one, false);
  body.cancel();
  if (!one.visit.isBehind) one.visit.fail(new OriginError('malformed', '304 to a request without a condition'));
}

async function failed(context: FillContext, one: Fill, error: unknown): Promise<void> {
  const { visit } = one;
  land(context, one, false);
  if (error instanceof OriginError && (visit.isBehind || (await gaveStale(context, one, undefined)))) return;
  visit.fail(error);
}

async function serverFailed(context: FillContext, one: Fill, response: OriginResponse, mark: number): Promise<void> {
  if (!one.visit.isBehind && !(await gaveStale(context, one, response.status)))
    return came(context, one, response, mark);
  land(context, one, false);
  response.body.cancel();
}

/** Stale-if-error (RFC 5861 section 4). `status`: of the origin; undefined: it gave none. */
async function gaveStale(context: FillContext, one: Fill, status: number | undefined): Promise<boolean> {
  const { visit, stored, request } = one;
  if (stored === undefined || visit.exchange.isEnded) return false;
  // Purged since it was looked up.
  if (context.store.isVoid(stored)) return false;
  const now = context.clock();
  const entry = context.entryOf(stored, visit);
  if (!mayUseOnError(entry.facts, request, now)) return false;
  visit.outcome = 'stale';
  await giveStored(visit, entry, request, now, statusOf(context, one, { fwdStatus: status }));
  return true;
}

interface StatusMore {
  readonly fwdStatus?: number;
  readonly stored?: boolean;
}

const statusOf = ({ name }: FillContext, { fwd, isCollapsed }: Fill, more: StatusMore): string =>
  cacheStatus({ name, fwd, collapsed: isCollapsed, ...more });

/** A request whose answer would be kept. */
const asGet = (request: CacheRequest): CacheRequest =>
  request.method === 'GET' ? request : { ...request, method: 'GET' };

/** RFC 9111 section 4.3.4. */
async function validated(context: FillContext, one: Fill, response: OriginResponse, mark: number): Promise<void> {
  const { visit, variants, key, request } = one;
  const { store } = context;
  response.body.cancel();
  const candidates = variants
    .map(({ response: kept }) => kept)
    .filter((kept) => isSelected(kept.selecting, visit.exchange.headers));
  const updated = identifyUpdated(candidates, response.headers);
  if (updated.length === 0) {
    store.remove(visit.site.domainId, key);
    await asked(context, { ...one, variants: [], stored: undefined }, false);
    return;
  }
  let given: StoredVariant | undefined;
  let isKept = true;
  for (const kept of updated) {
    const variant = variants.find((other) => other.response === kept) as StoredVariant;
    const fresh = refreshed(context, one, variant, response, mark);
    isKept &&= fresh.isKept;
    given ??= fresh.variant;
  }
  if (!isKept) store.remove(visit.site.domainId, key);
  land(context, one, isKept);
  if (visit.isBehind || given === undefined) return;
  visit.outcome = 'revalidated';
  const text = statusOf(context, one, { fwdStatus: 304 });
  await giveStored(visit, context.entryOf(given, visit), request, context.clock(), text);
}

/** A stored response with the fields that a 304, or a 200 to HEAD, brought. */
function refreshed(
  context: FillContext,
  { request, visit }: Fill,
  variant: StoredVariant,
  { headers, requestTime, responseTime }: OriginResponse,
  mark: number,
): { variant: StoredVariant; isKept: boolean } {
  const old = variant.response;
  const update = freshened(old, headers, requestTime, responseTime);
  const verdict = judgeStorable(
    asGet(request),
    visit.exchange.headers,
    update,
    context.largest,
    visit.site.heuristicFreshness,
  );
  const headersToKeep = visit.fieldsToKeep(verdict.store ? verdict.headers : update.headers);
  const response: StoredResponse = { ...old, ...update, headers: headersToKeep };
  if (!verdict.store) return { variant: detached(variant, response), isKept: false };
  const { selecting, tags } = verdict;
  const next: StoredResponse = { ...response, selecting, tags };
  return { variant: context.store.freshen(variant, next, mark) ?? detached(variant, next), isKept: true };
}

/** One that is in no store, or on disk alone. */
const detached = (variant: StoredVariant, response: StoredResponse): StoredVariant => ({
  response,
  attached: undefined,
  isHot: false,
  encoding: (coding) => variant.encoding(coding),
});

/** RFC 9111 section 4.3.5. */
function headed(context: FillContext, one: Fill, response: OriginResponse, mark: number): Done {
  const { visit, stored, key } = one;
  land(context, one, false);
  if (stored !== undefined && response.status === 200) {
    const isSame = judgeHead(stored.response, response.headers) === 'update';
    if (!isSame || !refreshed(context, one, stored, response, mark).isKept)
      context.store.remove(visit.site.domainId, key);
  }
  const fields = visit.fieldsOf(response.headers);
  fields.push('cache-status', statusOf(context, one, {}));
  return visit.give(response.status, fields, response.body);
}

/** A response of its own. */
function received(context: FillContext, one: Fill, response: OriginResponse, mark: number): Done {
  const { visit, key } = one;
  const { status, headers, requestTime, responseTime } = response;
  const whole: Received = { key, status, headers, requestTime, responseTime };
  const body = tapped(context, one, whole, response.body, mark);
  if (visit.isBehind) {
    if (body instanceof TappedBody) body.finish();
    else body.cancel();
    return;
  }
  const isStored = body instanceof TappedBody;
  const fields = visit.fieldsOf(headers);
  fields.push('cache-status', statusOf(context, one, { stored: isStored }));
  return give(context, one, whole, fields, isStored ? hurried(context, body, one.flight) : body);
}

/** Those who wait for it don't wait for the visitor who asked first. */
function hurried(context: FillContext, body: OriginBody, flight: Flight | undefined): OriginBody {
  if (flight === undefined) return body;
  const ahead = new AheadBody(body, context.ahead);
  flight.onFollower = () => ahead.hurry();
  if (flight.followers > 0) ahead.hurry();
  return ahead;
}

/** The body, of which the cache gets a copy if it may keep it: then it is a TappedBody. */
function tapped(context: FillContext, one: Fill, came: Received, body: OriginBody, mark: number): OriginBody {
  const { visit, key, request, stored } = one;
  const { store, uncacheable, clock } = context;
  const { domainId } = visit.site;
  const verdict = judgeStorable(
    asGet(request),
    visit.exchange.headers,
    came,
    context.largest,
    visit.site.heuristicFreshness,
  );
  const isOfRequest = !verdict.store && OF_THE_REQUEST.has(verdict.reason);
  if (verdict.store) {
    const { selecting, tags } = verdict;
    const headers = visit.fieldsToKeep(verdict.headers);
    const writer = store.write({ ...came, domainId, headers, selecting, tags }, body.length, mark);
    if (writer !== undefined) {
      const onEnd = (isKept: boolean): void => land(context, one, isKept);
      return new TappedBody(body, writer, onEnd, () => (one.flight?.followers ?? 0) > 0);
    }
  } else if (!isOfRequest) uncacheable.add(key, clock());
  // What the origin no longer lets one keep.
  if (stored !== undefined && came.status < 500 && !isOfRequest) store.remove(domainId, key);
  land(context, one, false);
  return body;
}

/** A new response, of which the visitor may want a part, or nothing: the origin was asked for the whole. */
function give(
  context: FillContext,
  { visit, request }: Fill,
  came: Received,
  fields: FieldList,
  body: OriginBody,
): Done {
  const { range, ifNoneMatch, ifModifiedSince } = request;
  const wantsLess = range !== undefined || ifNoneMatch !== undefined || ifModifiedSince !== undefined;
  if (wantsLess && came.status === 200 && !visit.exchange.isEnded) {
    const isCoded = isCompressible(came.status, came.headers, body.length, context.least);
    const varying = isCoded ? varyingFields(fields) : fields;
    const plan = planned(
      visit,
      request,
      came.status,
      factsOf(came, visit.site.heuristicFreshness),
      varying,
      body.length,
    );
    if (plan === 'answered') {
      body.cancel();
      return;
    }
    // Several parts would have to be collected: the whole may be given as well (RFC 9110 section 14.2).
    if (plan?.length === 1)
      return visit.give(206, partFields(varying, plan[0], body.length as number), new RangedBody(body, plan[0]));
  }
  return visit.give(came.status, fields, body);
}

/** Why the origin is asked (RFC 9211 section 2.2). */
export function forwardedBecause(hasVariants: boolean, facts: HotEntry['facts'] | undefined, now: number): Forwarded {
  if (facts !== undefined) return now < facts.freshUntil && !facts.alwaysValidates ? 'request' : 'stale';
  return hasVariants ? 'vary-miss' : 'uri-miss';
}

/** A range that begins further in than this is asked of the origin as it is: it would be a long way to there. */
const NEAR = 1024 * 1024;

/** Whether the whole is fetched for a range. */
export function isNear(range: string): boolean {
  const first = /^bytes=(\d{1,15})-/i.exec(range);
  return first !== null && Number(first[1]) <= NEAR;
}
