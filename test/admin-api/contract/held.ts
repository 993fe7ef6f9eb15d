/** What holds for every response of the API. */
import * as assert from 'uvu/assert';
import type { Answer, Daemon, Json } from '../daemon.ts';
import { documented } from '../http/openapi/validate.ts';

export const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const CODE = /^[a-z]+(_[a-z]+)*$/;

/** Statuses of the API contract, and those of HTTP that the transports send. */
const STATUSES = new Set([
  200, 206, 304, 400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 416, 417, 422, 429, 431, 501, 503,
]);

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

interface Contract {
  readonly document: object;
  /** Path templates, those with fewer parameters first, in the order of the router. */
  readonly paths: readonly Template[];
  /** Templates of the paths without a token, by method. */
  readonly publicPaths: ReadonlyMap<string, readonly Template[]>;
}

interface Template {
  readonly template: string;
  readonly pattern: RegExp;
}

const contracts = new WeakMap<Daemon, Contract>();
/** By their text: the daemons of a process share the schemas that are compiled for one. */
const documents = new Map<string, object>();

/**
 * Reads the OpenAPI document of the daemon; must be called before the first response is checked.
 */
export async function learn(daemon: Daemon): Promise<void> {
  const { body, text } = await daemon.call('GET', '/api/v1/openapi.json', { token: null });
  const document = documents.get(text) ?? body;
  documents.set(text, document);
  const templates = [...new Set(daemon.api.routes.map((route) => route.path))];
  const parameters = (template: string) => template.split('{').length;
  const paths = templates.sort((a, b) => parameters(a) - parameters(b)).map(compiled);
  const publicPaths = new Map<string, Template[]>();
  for (const { method, path, scope } of daemon.api.routes)
    if (scope === null)
      for (const key of [method, 'HEAD']) publicPaths.set(key, [...(publicPaths.get(key) ?? []), compiled(path)]);
  contracts.set(daemon, { document, paths, publicPaths });
}

const compiled = (template: string): Template => ({
  template,
  pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
});

function contractOf(daemon: Daemon): Contract {
  const contract = contracts.get(daemon);
  if (contract === undefined) throw new Error('learn() was not called');
  return contract;
}

/** Null: the response matches the document. */
function undocumented(
  daemon: Daemon,
  method: string,
  target: string,
  { status, headers, body, text }: Answer,
): string | null {
  const contract = contractOf(daemon);
  const path = target.split('?', 1)[0];
  const template = contract.paths.find(({ pattern }) => pattern.test(path))?.template ?? null;
  const type = headers.get('content-type')?.split(';', 1)[0];
  if (type === 'application/json' && text !== '') return documented(contract.document, method, template, status, body);
  return documented(
    contract.document,
    method,
    template,
    status,
    undefined,
    type === 'application/json' ? undefined : type,
  );
}

/** Whether a path has a route without a token; its responses may be cached. */
function isPublic(daemon: Daemon, method: string, target: string): boolean {
  const [path] = target.split('?', 1);
  return (
    contractOf(daemon)
      .publicPaths.get(method)
      ?.some(({ pattern }) => pattern.test(path)) ?? false
  );
}

/** Returns the response. Throws if it violates the contract or the OpenAPI document. */
export function held(daemon: Daemon, method: string, path: string, answer: Answer): Answer {
  const { status, headers, body, text } = answer;
  const context = `${method} ${path.slice(0, 200)}: ${status} ${text.slice(0, 500)}`;
  assert.ok(STATUSES.has(status), `a status that the contract does not name: ${context}`);
  assert.match(headers.get('x-request-id') ?? '', /^[0-9A-Za-z_-]{8,64}$/, `X-Request-Id: ${context}`);
  if (status >= 400 && path !== '/readyz') heldError(answer, context);
  if (status >= 400 || !isPublic(daemon, method, path))
    assert.is(headers.get('cache-control'), 'no-store', `Cache-Control: ${context}`);
  if (
    status === 200 &&
    text !== '' &&
    headers.get('content-type') === 'application/json' &&
    !/\.json(\?|$)/.test(path)
  ) {
    assert.ok(text.startsWith('{"ok":true'), `"ok" at the top: ${context}`);
    heldTimes(body, context);
  }
  const revision = headers.get('x-waypost-revision');
  const changes = !READS.has(method) && !/[?&]dry_run=true|\/steering\/test$|\/test-origin$/.test(path);
  if (status === 200 && changes) assert.match(revision ?? '', /^[1-9]\d*$/, `X-Waypost-Revision: ${context}`);
  else assert.is(revision, null, `X-Waypost-Revision of what changed nothing: ${context}`);
  assert.is(undocumented(daemon, method, path, answer), null, context);
  return answer;
}

function heldError({ status, headers, body, text }: Answer, context: string): void {
  assert.is(headers.get('content-type'), 'application/json', context);
  if (text === '') return;
  assert.equal(Object.keys(body), ['ok', 'error', 'request_id'], context);
  assert.is(body.ok, false, context);
  assert.match(String(body.error.code), CODE, context);
  assert.ok(String(body.error.message).length > 0, context);
  assert.is(body.request_id, headers.get('x-request-id'), context);
  for (const key of Object.keys(body.error))
    assert.ok(['code', 'message', 'pointer', 'details', 'choices'].includes(key), `${key}: ${context}`);
  if (body.error.pointer !== undefined) assert.match(String(body.error.pointer), /^(\/.*)?$/s, context);
  if (status === 401) assert.is(headers.get('www-authenticate'), 'Bearer', context);
  if (status === 405) assert.ok(headers.get('allow') !== null, context);
  if (status === 429 || status === 503) assert.ok(Number(headers.get('retry-after')) >= 1, context);
}

/** All timestamps have the same format. */
function heldTimes(value: Json, context: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (/^(at|.*_at)$/.test(key) && inner !== null) assert.match(String(inner), TIME, `${key}: ${context}`);
    heldTimes(inner, context);
  }
}
