/**
 * A cache that consists of the rules only: without network, without a memory limit, with the clock
 * as an argument. It shows how the rules work together, and checks them against the table.
 */
import { cacheKey, invalidatedKeys } from '../../../../edge/cache/rules/cache-key.ts';
import { cacheStatus, type Forwarded } from '../../../../edge/cache/rules/cache-status.ts';
import { isNotModified, notModifiedFields } from '../../../../edge/cache/rules/conditional.ts';
import { ageInSeconds, type Facts, factsOf, type Received } from '../../../../edge/cache/rules/facts.ts';
import { withoutFields } from '../../../../edge/cache/rules/fields.ts';
import {
  contentRange,
  multipartEnd,
  multipartType,
  type Part,
  partHead,
  planRange,
} from '../../../../edge/cache/rules/range.ts';
import { type CacheRequest, isCacheableMethod, readRequest } from '../../../../edge/cache/rules/request.ts';
import { isServerError, judgeReuse, mayUseOnError } from '../../../../edge/cache/rules/reuse.ts';
import {
  fillRequestFields,
  freshenResponse,
  identifyUpdated,
  judgeHead,
} from '../../../../edge/cache/rules/revalidation.ts';
import { judgeStorable } from '../../../../edge/cache/rules/storable.ts';
import { isNewer, isSelected } from '../../../../edge/cache/rules/vary.ts';
import type { StoredResponse } from '../../../../edge/cache/stored-response.ts';
import type { FieldList } from '../../../../edge/http/exchange/field-list.ts';
import { lineOf } from './table/check.ts';

export interface Reply {
  readonly status: number;
  readonly headers: FieldList;
  readonly body: string;
}

export interface Visit {
  readonly method: string;
  readonly path: string;
  readonly headers: FieldList;
  readonly now: number;
}

/** Undefined: the origin cannot be reached. */
export type AskOrigin = (method: string, path: string, headers: FieldList) => Reply | undefined;

const AUTHORITY = 'www.example.com';
export const SITE = `https://${AUTHORITY}`;
const MAX_BODY_BYTES = 1000;
const BOUNDARY = 'part';
const BAD_GATEWAY: Reply = { status: 502, headers: [], body: '' };
const GATEWAY_TIMEOUT: Reply = { status: 504, headers: [], body: '' };

/** The reply to the visitor, and its Cache-Status. */
interface Served {
  readonly reply: Reply;
  readonly text: string;
}

export function createModel(askOrigin: AskOrigin): (visit: Visit) => Reply {
  const store = new Map<string, StoredResponse[]>();
  const keyOf = (path: string): string => cacheKey('https', AUTHORITY, path);

  const put = (stored: StoredResponse): void => {
    const others = (store.get(stored.key) ?? []).filter(
      (variant) => variant.selecting.join('\n') !== stored.selecting.join('\n'),
    );
    store.set(stored.key, [...others, stored]);
  };
  const removeVariant = (stored: StoredResponse | undefined): void => {
    if (stored === undefined) return;
    store.set(
      stored.key,
      (store.get(stored.key) ?? []).filter((variant) => variant !== stored),
    );
  };

  /** Returns whether the response was stored. */
  function storeIfAllowed(visit: Visit, request: CacheRequest, received: Received, body: string): boolean {
    const verdict = judgeStorable(request, visit.headers, received, MAX_BODY_BYTES);
    if (!verdict.store || body.length > MAX_BODY_BYTES) return false;
    const { headers, selecting, tags } = verdict;
    put({ ...received, domainId: '', headers, selecting, tags, body: storedBody(body) });
    return true;
  }

  function bypass(visit: Visit, forwarded: Forwarded): Served {
    const reply = askOrigin(visit.method, visit.path, visit.headers) ?? BAD_GATEWAY;
    for (const key of invalidatedKeys(visit.method, keyOf(visit.path), reply.status, reply.headers)) store.delete(key);
    return { reply, text: cacheStatus({ name: 'model', fwd: forwarded }) };
  }

  /** Fetches from the origin, with a condition if `conditional`. */
  function fill(visit: Visit, request: CacheRequest, stored: StoredResponse | undefined, conditional: boolean): Served {
    const facts = stored && factsOf(stored);
    const fields = fillRequestFields(visit.headers, conditional ? facts : undefined);
    const reply = askOrigin(visit.method, visit.path, fields);
    const isFailure = reply === undefined || isServerError(reply.status);
    const fwd = forwardReason(store.get(keyOf(visit.path)), facts, visit.now);
    if (isFailure && stored !== undefined && facts !== undefined && mayUseOnError(facts, request, visit.now))
      return {
        reply: serveStored(visit, request, stored, facts),
        text: cacheStatus({ name: 'model', fwd, fwdStatus: reply?.status }),
      };
    if (reply === undefined) return { reply: BAD_GATEWAY, text: cacheStatus({ name: 'model', fwd }) };
    if (reply.status === 304 && conditional) return handleNotModified(visit, request, stored, reply, fwd);
    if (visit.method === 'HEAD') return handleHead(visit, request, stored, reply, fwd);
    const received = receivedOf(visit, reply);
    const isStored = storeIfAllowed(visit, request, received, reply.body);
    // The origin no longer allows the cache to store this URL.
    if (!isStored && reply.status < 500) removeVariant(stored);
    const text = cacheStatus({ name: 'model', fwd, stored: isStored });
    const isWhole = reply.status === 200;
    return {
      reply: isWhole
        ? serveStored(visit, request, { ...received, body: storedBody(reply.body) }, factsOf(received), true)
        : reply,
      text,
    };
  }

  function handleNotModified(
    visit: Visit,
    request: CacheRequest,
    stored: StoredResponse | undefined,
    reply: Reply,
    fwd: Forwarded,
  ): Served {
    const candidates = (store.get(keyOf(visit.path)) ?? []).filter((candidate) =>
      isSelected(candidate.selecting, visit.headers),
    );
    const updated = identifyUpdated(candidates, reply.headers);
    if (updated.length === 0) {
      removeVariant(stored);
      return fill(visit, request, undefined, false);
    }
    let first: StoredResponse | undefined;
    for (const variant of updated) {
      const received = freshenResponse(variant, reply.headers, visit.now, visit.now);
      first ??= { ...variant, ...received };
      removeVariant(variant);
      storeIfAllowed(visit, { ...request, method: 'GET' }, received, textOf(variant));
    }
    const served = first as StoredResponse;
    return {
      reply: serveStored(visit, request, served, factsOf(served)),
      text: cacheStatus({ name: 'model', fwd, fwdStatus: 304 }),
    };
  }

  function handleHead(
    visit: Visit,
    request: CacheRequest,
    stored: StoredResponse | undefined,
    reply: Reply,
    fwd: Forwarded,
  ): Served {
    if (stored !== undefined && reply.status === 200) {
      const isSame = judgeHead(stored, reply.headers) === 'update';
      removeVariant(stored);
      if (isSame) {
        const received = freshenResponse(stored, reply.headers, visit.now, visit.now);
        storeIfAllowed(visit, { ...request, method: 'GET' }, received, textOf(stored));
      }
    }
    return { reply, text: cacheStatus({ name: 'model', fwd }) };
  }

  function serve(visit: Visit): Served {
    const request = readRequest(visit.method, visit.headers, true);
    if (!isCacheableMethod(visit.method)) return bypass(visit, 'method');
    const stored = selectVariant(store.get(keyOf(visit.path)) ?? [], visit.headers);
    const facts = stored && factsOf(stored);
    const reuse = judgeReuse(facts, request, visit.now);
    if (
      stored !== undefined &&
      facts !== undefined &&
      (reuse === 'fresh' || reuse === 'stale' || reuse === 'stale-while-revalidate')
    ) {
      const ttl = Math.floor((facts.freshUntil - visit.now) / 1000);
      const reply = serveStored(visit, request, stored, facts);
      const background: Visit = { ...visit, method: 'GET' };
      if (reuse === 'stale-while-revalidate') fill(background, { ...request, method: 'GET' }, stored, true);
      return { reply, text: cacheStatus({ name: 'model', ttl }) };
    }
    if (reuse === 'gateway-timeout')
      return { reply: GATEWAY_TIMEOUT, text: cacheStatus({ name: 'model', detail: 'only-if-cached' }) };
    return request.requiresOrigin ? bypass(visit, 'bypass') : fill(visit, request, stored, reuse === 'validate');
  }

  return (visit) => {
    const { reply, text } = serve(visit);
    const headers = [...reply.headers, 'cache-status', text];
    return { ...reply, headers, body: visit.method === 'HEAD' ? '' : reply.body };
  };
}

const AGE: ReadonlySet<string> = new Set(['age']);

function selectVariant(variants: readonly StoredResponse[], headers: FieldList): StoredResponse | undefined {
  const fitting = variants.filter((variant) => isSelected(variant.selecting, headers));
  return fitting.reduce<StoredResponse | undefined>(
    (best, variant) => (best && !isNewer(variant, best) ? best : variant),
    undefined,
  );
}

function receivedOf({ path, now }: Visit, { status, headers }: Reply): Received {
  return { key: cacheKey('https', AUTHORITY, path), status, headers, requestTime: now, responseTime: now };
}

function forwardReason(
  variants: readonly StoredResponse[] | undefined,
  facts: Facts | undefined,
  now: number,
): Forwarded {
  if (facts !== undefined) return now < facts.freshUntil && !facts.alwaysValidates ? 'request' : 'stale';
  return variants === undefined || variants.length === 0 ? 'uri-miss' : 'vary-miss';
}

function storedBody(text: string): StoredResponse['body'] {
  const whole = Buffer.from(text, 'latin1');
  return { length: whole.length, whole, slice: (from, to) => whole.subarray(from, to) };
}

const textOf = (stored: StoredResponse): string => Buffer.from(stored.body.whole as Uint8Array).toString('latin1');

/**
 * Applies the visitor's conditions and ranges to a whole response. `isNew`: just received, so its
 * own Age is current.
 */
function serveStored(
  { now }: Visit,
  request: CacheRequest,
  stored: Received & Pick<StoredResponse, 'body'>,
  facts: Facts,
  isNew = false,
): Reply {
  const headers = isNew
    ? stored.headers
    : [...withoutFields(stored.headers, AGE), 'age', String(ageInSeconds(facts, now))];
  const { status, body } = stored;
  if (isNotModified(request, status, facts))
    return { status: 304, headers: notModifiedFields(headers, facts), body: '' };
  const plan = planRange(request, status, facts, body.length);
  const text = Buffer.from(body.whole as Uint8Array).toString('latin1');
  if (plan.kind === 'whole') return { status, headers, body: text };
  if (plan.kind === 'unsatisfiable')
    return { status: 416, headers: ['content-range', contentRange(undefined, body.length)], body: '' };
  return partial(headers, plan.parts, text);
}

function partial(headers: FieldList, parts: readonly Part[], text: string): Reply {
  if (parts.length === 1) {
    const [part] = parts;
    return {
      status: 206,
      headers: [...headers, 'content-range', contentRange(part, text.length)],
      body: text.slice(part.from, part.to),
    };
  }
  const type = lineOf(headers, 'content-type') ?? '';
  const others = headers.filter((_, i) => headers[i - (i % 2)] !== 'content-type');
  const pieces = parts.map((part) => partHead(BOUNDARY, type, part, text.length) + text.slice(part.from, part.to));
  return {
    status: 206,
    headers: [...others, 'content-type', multipartType(BOUNDARY)],
    body: pieces.join('') + multipartEnd(BOUNDARY),
  };
}
