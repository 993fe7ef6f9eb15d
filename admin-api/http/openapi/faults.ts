/** The error responses of an endpoint: those of its description, and those of its kind. */
import { STATUS_CODES } from 'node:http';
import type { Faults, Route } from '../route.ts';
import { UNAUTHORIZED } from '../unauthorized.ts';
import type { Part } from './schemas.ts';
import { type HeaderName, headerRefs } from './shared.ts';

/** Values of `error.code`. */
type Codes = readonly string[];

const CHANGED: Codes = ['changed'];
const TOO_MANY: Codes = ['too_many_requests'];
const UNAVAILABLE: Codes = [
  'write_conflict',
  'feature_level',
  'import_in_progress',
  'stopping',
  'overloaded',
  'busy',
  'clock_off',
];
const DISK_FULL: Codes = ['disk_full'];
/** Every write can exceed a storage quota (core/journal/commit/quotas.ts). */
const QUOTA: Codes = ['plan_limit'];
const BODY = {
  408: ['body_too_slow', 'header_too_slow'],
  413: ['body_too_large', 'chunk_too_large'],
  415: ['unsupported_media_type'],
} as const;

/**
 * Error codes by status, ascending. A status with an empty list is not an error: it has the body of
 * a response.
 */
export function faultsOf(route: Route): Map<number, Codes> {
  const all = new Map<number, string[]>();
  const add = (status: number, ...codes: Codes) => {
    const existing = all.get(status) ?? [];
    all.set(status, [...existing, ...codes.filter((code) => !existing.includes(code))]);
  };
  const { body, bodyTypes, scope, admin } = route;
  const faults: Faults = route.faults ?? {};
  for (const [status, codes] of Object.entries(faults)) add(Number(status), ...codes);
  const writes = isWrite(route);
  const keyed = takesKey(route);
  if (hasPages(route)) {
    add(400, 'invalid_limit', 'invalid_cursor');
    add(503, 'busy');
  }
  if (route.query?.sort !== undefined) add(400, 'invalid_sort');
  add(400, 'bad_request');
  if (route.path.includes('{')) add(400, 'bad_escape');
  if (body !== undefined) add(400, 'malformed_json');
  if (keyed) add(400, 'invalid_idempotency_key');
  if (scope !== null) {
    add(400, 'unknown_parameter');
    add(401, ...UNAUTHORIZED);
    add(403, 'api_disabled', 'token_network', 'insufficient_scope');
    if (scope === 'dns') add(403, 'token_policy');
    if (!route.path.includes('{domain_id}') && route.forRestricted !== true) add(403, 'restricted_token');
    // Every role has read access.
    if (writes || admin) add(403, 'forbidden');
    if (route.method !== 'GET') add(403, 'csrf');
    add(429, ...TOO_MANY);
  }
  if (route.conditional && writes) add(412, ...CHANGED);
  if (route.conditional && !writes) add(304);
  if (body !== undefined || bodyTypes !== undefined)
    for (const [status, codes] of Object.entries(BODY)) add(Number(status), ...codes);
  if (body !== undefined) add(422, 'validation', 'unknown_field');
  if (keyed) add(422, 'idempotency_key_reused');
  if (writes) {
    add(409, ...QUOTA);
    add(503, ...UNAVAILABLE);
    add(507, ...DISK_FULL);
  }
  return new Map([...all].sort(([a], [b]) => a - b));
}

export const isWrite = ({ method, changes }: Route): boolean => method !== 'GET' && changes !== false;

/** Whether the endpoint returns a list in pages. */
const hasPages = ({ query }: Route): boolean => query?.cursor !== undefined;

/** Whether the endpoint accepts an Idempotency-Key. */
export const takesKey = ({ method, scope }: Route): boolean => method === 'POST' && scope !== null;

/** Statuses of any request: errors of HTTP that occur before a route is matched. */
const BEFORE: Readonly<Record<number, Codes>> = {
  408: ['header_too_slow'],
  413: ['chunk_too_large'],
  417: ['unknown_expectation'],
  431: ['header_too_large', 'too_many_fields'],
  500: ['internal'],
  501: ['unknown_coding'],
};

/** Error responses that many endpoints share, by name: status and codes. */
const SHARED: Readonly<Record<string, readonly [number, Codes]>> = {
  Unauthorized: [401, UNAUTHORIZED],
  BodyTooSlow: [408, BODY[408]],
  PlanLimit: [409, QUOTA],
  Changed: [412, CHANGED],
  BodyTooLarge: [413, BODY[413]],
  UnsupportedMediaType: [415, BODY[415]],
  TooManyRequests: [429, TOO_MANY],
  Unavailable: [503, UNAVAILABLE],
  InsufficientStorage: [507, DISK_FULL],
};

/** The shared responses, for the components of the document. */
export function sharedResponses(): Part {
  const faults = Object.entries(SHARED).map(([name, [status, codes]]) => [name, errorResponse(status, codes)]);
  const before = Object.entries(BEFORE).map(([status, codes]) => `${status} \`${codes.join('`, `')}\``);
  return {
    ...Object.fromEntries(faults),
    Otherwise: { ...errorOf(Object.values(BEFORE).flat(), ['X-Request-Id']), description: `${before.join('; ')}.` },
  };
}

const responseRef = (name: string): Part => ({ $ref: `#/components/responses/${name}` });

/** The response for the errors that any request can have. */
export const OTHERWISE = responseRef('Otherwise');

/** `codes`: possible values of `error.code`. */
export function faultResponse(status: number, codes: Codes): Part {
  for (const [name, [of, shared]] of Object.entries(SHARED))
    if (of === status && shared.join() === codes.join()) return responseRef(name);
  return errorResponse(status, codes);
}

function errorResponse(status: number, codes: Codes): Part {
  const names: HeaderName[] = ['X-Request-Id'];
  if (status === 401) names.push('WWW-Authenticate');
  if (status === 429) names.push(...LIMITS);
  if (status === 429 || status === 503 || status === 507) names.push('Retry-After');
  return { description: `${statusName(status)}: \`${codes.join('`, `')}\`.`, ...errorOf(codes, names) };
}

function errorOf(codes: Codes, headers: readonly HeaderName[]): Part {
  const error = { required: ['code'], properties: { code: { type: 'string', enum: codes } } };
  return {
    headers: headerRefs(headers),
    content: {
      'application/json': {
        schema: { allOf: [{ $ref: '#/components/schemas/Error' }, { required: ['error'], properties: { error } }] },
      },
    },
  };
}

/** Headers of endpoints with a rate limit. */
export const LIMITS: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy'];

/** The reason phrase, such as `Not Found`. */
export const statusName = (status: number): string => STATUS_CODES[status] ?? String(status);
