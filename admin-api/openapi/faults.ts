/** How an endpoint can fail: what its description says, and what follows from its shape. */
import { STATUS_CODES } from 'node:http';
import { UNAUTHORIZED } from '../auth/authenticate.ts';
import type { Faults, Route } from '../http/route.ts';
import type { Part } from './schemas.ts';

/** Values of `error.code`. */
type Codes = readonly string[];

/** Codes by status, ascending: those of the description first. An empty list is no error: the body is that of an answer. */
export function faultsOf(route: Route): Map<number, Codes> {
  const all = new Map<number, string[]>();
  const add = (status: number, ...codes: Codes) => {
    const known = all.get(status) ?? [];
    all.set(status, [...known, ...codes.filter((code) => !known.includes(code))]);
  };
  const { method, body, bodyTypes, scope, admin } = route;
  const faults: Faults = route.faults ?? {};
  for (const [status, codes] of Object.entries(faults)) add(Number(status), ...codes);
  const writes = method !== 'GET';
  const keyed = takesKey(route);
  add(400, 'bad_request');
  if (route.path.includes('{')) add(400, 'bad_escape');
  if (body !== undefined) add(400, 'malformed_json');
  if (keyed) add(400, 'invalid_idempotency_key');
  if (scope !== null) {
    add(401, ...UNAUTHORIZED);
    add(403, 'api_disabled', 'insufficient_scope');
    // Every role may read.
    if (writes || admin) add(403, 'forbidden');
    add(429, 'too_many_requests');
  }
  if (route.conditional && writes) add(412, 'changed');
  if (body !== undefined || bodyTypes !== undefined) {
    add(408, 'body_too_slow', 'header_too_slow');
    add(413, 'body_too_large', 'chunk_too_large');
    add(415, 'unsupported_media_type');
  }
  if (body !== undefined) add(422, 'validation');
  if (keyed) add(422, 'idempotency_key_reused');
  if (writes) add(503, 'write_conflict', 'stopping');
  return new Map([...all].sort(([a], [b]) => a - b));
}

/** Whether the endpoint takes an Idempotency-Key. */
export const takesKey = ({ method, scope }: Route): boolean => method === 'POST' && scope !== null;

/** Statuses that any request may have, since they are about HTTP and come before an endpoint is chosen. */
const BEFORE: Readonly<Record<number, Codes>> = {
  408: ['header_too_slow'],
  413: ['chunk_too_large'],
  417: ['unknown_expectation'],
  431: ['header_too_large', 'too_many_fields'],
  500: ['internal'],
  501: ['unknown_coding'],
};

/** The answer to what can be wrong with any request. */
export function otherwise(headers: Part): Part {
  const codes = Object.values(BEFORE).flat();
  const told = Object.entries(BEFORE).map(([status, of]) => `${status} \`${of.join('`, `')}\``);
  return { ...errorResponse('Any other status', codes, headers), description: `${told.join('; ')}.` };
}

/** `codes`: what `error.code` may be. */
export function errorResponse(name: string, codes: Codes, headers: Part): Part {
  const code = { properties: { error: { properties: { code: { enum: codes } } } } };
  return {
    description: `${name}: \`${codes.join('`, `')}\`.`,
    headers,
    content: { 'application/json': { schema: { allOf: [{ $ref: '#/components/schemas/Error' }, code] } } },
  };
}

/** As HTTP calls it: `Not Found`. */
export const statusName = (status: number): string => STATUS_CODES[status] ?? String(status);
