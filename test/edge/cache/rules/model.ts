/**
 * A cache of nothing but the rules: no network, no memory to keep within, a clock that is an argument. It shows how the rules are put together,
 * and holds them to the table.
 */
import { cacheKey } from '../../../../edge/cache/rules/cache-key.ts';
import { cacheStatus, type Forwarded } from '../../../../edge/cache/rules/cache-status.ts';
import { isNotModified, notModifiedFields } from '../../../../edge/cache/rules/conditional.ts';
import { ageInSeconds, type Facts, factsOf, type Received } from '../../../../edge/cache/rules/facts.ts';
import { withoutFields } from '../../../../edge/cache/rules/fields.ts';
import { invalidatedKeys } from '../../../../edge/cache/rules/invalidation.ts';
import { multipartEnd, multipartType, partHead } from '../../../../edge/cache/rules/multipart.ts';
import { contentRange, type Part, planRange } from '../../../../edge/cache/rules/range.ts';
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
const LARGEST = 1000;
const BOUNDARY = 'part';
const BAD_GATEWAY: Reply = { status: 502, headers: [], body: '' };
const GATEWAY_TIMEOUT: Reply = { status: 504, headers: [], body: '' };

/** What the visitor gets, and how Cache-Status calls it. */
interface Served {
  readonly reply: Reply;
  readonly text: string;
}

export function createModel(askOrigin: AskOrigin): (visit: Visit) => Reply {
  const store = new Map<string, StoredResponse[]>();
  const keyOf = (path: string): string => cacheKey('https', AUTHORITY, path);

  const put = (stored: StoredResponse): void => {
    const others = (store.get(stored.key) ?? []).filter(
      (one) => one.selecting.join('\n') !== stored.selecting.join('\n'),
    );
    store.set(stored.key, [...others, stored]);
  };
  const drop = (stored: StoredResponse | undefined): void => {
    if (stored === undefined) return;
    store.set(
      stored.key,
      (store.get(stored.key) ?? []).filter((one) => one !== stored),
    );
  };

  /** Whether it was stored. */
  function keep(visit: Visit, request: CacheRequest, received: Received, body: string): boolean {
    const verdict = judgeStorable(request, visit.headers, received, LARGEST);
    if (!verdict.store || body.length > LARGEST) return false;
    const { headers, selecting, tags } = verdict;
    put({ ...received, domainId: '', headers, selecting, tags, body: storedBody(body) });
    return true;
  }

  function pass(visit: Visit, forwarded: Forwarded): Served {
    const reply = askOrigin(visit.method, visit.path, visit.headers) ?? BAD_GATEWAY;
    for (const key of invalidatedKeys(visit.method, keyOf(visit.path), reply.status, reply.headers)) store.delete(key);
    return { reply, text: cacheStatus({ name: 'model', fwd: forwarded }) };
  }

  /** Asks the origin, with a condition if `conditional`. */
  function fill(visit: Visit, request: CacheRequest, stored: StoredResponse | undefined, conditional: boolean): Served {
    const facts = stored && factsOf(stored);
    const fields = fillRequestFields(visit.headers, conditional ? facts : undefined);
    const reply = askOrigin(visit.method, visit.path, fields);
    const isFailure = reply === undefined || isServerError(reply.status);
    const fwd = forwardedBecause(store.get(keyOf(visit.path)), facts, visit.now);
    if (isFailure && stored !== undefined && facts !== undefined && mayUseOnError(facts, request, visit.now))
      return {
        reply: give(visit, request, stored, facts),
        text: cacheStatus({ name: 'model', fwd, fwdStatus: reply?.status }),
      };
    if (reply === undefined) return { reply: BAD_GATEWAY, text: cacheStatus({ name: 'model', fwd }) };
    if (reply.status === 304 && conditional) return validated(visit, request, stored, reply, fwd);
    if (visit.method === 'HEAD') return headed(visit, request, stored, reply, fwd);
    const received = receivedOf(visit, reply);
    const isStored = keep(visit, request, received, reply.body);
    if (!isStored && reply.status < 500) drop(stored); // what the origin no longer lets one keep
    const text = cacheStatus({ name: 'model', fwd, stored: isStored });
    const isWhole = reply.status === 200;
    return {
      reply: isWhole
        ? give(visit, request, { ...received, body: storedBody(reply.body) }, factsOf(received), true)
        : reply,
      text,
    };
  }

  function validated(
    visit: Visit,
    request: CacheRequest,
    stored: StoredResponse | undefined,
    reply: Reply,
    fwd: Forwarded,
  ): Served {
    const candidates = (store.get(keyOf(visit.path)) ?? []).filter((one) => isSelected(one.selecting, visit.headers));
    const updated = identifyUpdated(candidates, reply.headers);
    if (updated.length === 0) {
      drop(stored);
      return fill(visit, request, undefined, false);
    }
    let first: StoredResponse | undefined;
    for (const one of updated) {
      const received = freshenResponse(one, reply.headers, visit.now, visit.now);
      first ??= { ...one, ...received };
      drop(one);
      keep(visit, { ...request, method: 'GET' }, received, textOf(one));
    }
    const given = first as StoredResponse;
    return {
      reply: give(visit, request, given, factsOf(given)),
      text: cacheStatus({ name: 'model', fwd, fwdStatus: 304 }),
    };
  }

  function headed(
    visit: Visit,
    request: CacheRequest,
    stored: StoredResponse | undefined,
    reply: Reply,
    fwd: Forwarded,
  ): Served {
    if (stored !== undefined && reply.status === 200) {
      const isSame = judgeHead(stored, reply.headers) === 'update';
      drop(stored);
      if (isSame) {
        const received = freshenResponse(stored, reply.headers, visit.now, visit.now);
        keep(visit, { ...request, method: 'GET' }, received, textOf(stored));
      }
    }
    return { reply, text: cacheStatus({ name: 'model', fwd }) };
  }

  function serve(visit: Visit): Served {
    const request = readRequest(visit.method, visit.headers, true);
    if (!isCacheableMethod(visit.method)) return pass(visit, 'method');
    const stored = selected(store.get(keyOf(visit.path)) ?? [], visit.headers);
    const facts = stored && factsOf(stored);
    const reuse = judgeReuse(facts, request, visit.now);
    if (
      stored !== undefined &&
      facts !== undefined &&
      (reuse === 'fresh' || reuse === 'stale' || reuse === 'stale-while-revalidate')
    ) {
      const ttl = Math.floor((facts.freshUntil - visit.now) / 1000);
      const reply = give(visit, request, stored, facts);
      const alone: Visit = { ...visit, method: 'GET' };
      if (reuse === 'stale-while-revalidate') fill(alone, { ...request, method: 'GET' }, stored, true);
      return { reply, text: cacheStatus({ name: 'model', ttl }) };
    }
    if (reuse === 'gateway-timeout')
      return { reply: GATEWAY_TIMEOUT, text: cacheStatus({ name: 'model', detail: 'only-if-cached' }) };
    return request.requiresOrigin ? pass(visit, 'bypass') : fill(visit, request, stored, reuse === 'validate');
  }

  return (visit) => {
    const { reply, text } = serve(visit);
    const headers = [...reply.headers, 'cache-status', text];
    return { ...reply, headers, body: visit.method === 'HEAD' ? '' : reply.body };
  };
}

const AGE: ReadonlySet<string> = new Set(['age']);

function selected(variants: readonly StoredResponse[], headers: FieldList): StoredResponse | undefined {
  const fitting = variants.filter((one) => isSelected(one.selecting, headers));
  return fitting.reduce<StoredResponse | undefined>(
    (best, one) => (best && !isNewer(one, best) ? best : one),
    undefined,
  );
}

function receivedOf({ path, now }: Visit, { status, headers }: Reply): Received {
  return { key: cacheKey('https', AUTHORITY, path), status, headers, requestTime: now, responseTime: now };
}

function forwardedBecause(
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

/** What of a whole response the visitor gets: 304, a part, or all. `isNew`: it came for this request, so that its own Age, if any, is that of now. */
function give(
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
