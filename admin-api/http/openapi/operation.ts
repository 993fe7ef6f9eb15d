/** Generates the OpenAPI operation of one endpoint. */

import { id } from '../../../core/base/schema.ts';
import type { Route } from '../route.ts';
import { EXAMPLE_ID, exampleOf } from './examples.ts';
import { faultResponse, faultsOf, isWrite, LIMITS, OTHERWISE, statusName, takesKey } from './faults.ts';
import { type PathValues, samplesOf } from './samples.ts';
import type { Part, Schemas } from './schemas.ts';
import { type HeaderName, headerRefs, parameterRef } from './shared.ts';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'multipart/form-data';

export function operationOf(route: Route, schemas: Schemas): Part {
  const { operationId, tag, summary, description } = route;
  const body = requestBody(route, schemas);
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...securityOf(route),
    ...(parametersOf(route, schemas).length === 0 ? {} : { parameters: parametersOf(route, schemas) }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: responsesOf(route, schemas),
    'x-codeSamples': samplesOf(route, examplePath(route.path)),
  };
}

/** `x-scope`: required scope of the token; `x-role`: required role of its account. */
function securityOf(route: Route): Part {
  const { scope, admin } = route;
  if (scope !== null)
    return {
      security: [{ bearer: [] }, { session: [] }],
      'x-scope': isWrite(route) ? scope : `${scope}:read`,
      ...(admin ? { 'x-role': 'admin' } : {}),
    };
  // A public endpoint that can require a token lists `missing_token` in its faults.
  return { security: route.faults?.[401]?.includes('missing_token') ? [{}, { bearer: [] }, { session: [] }] : [] };
}

/** Parameters of paths that are no ids of the service. */
const PATH_PARAMETERS: Readonly<Record<string, Part>> = {
  app_id: {
    description: 'the id of the app, from its manifest',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: 'com.example.notes',
  },
  seq: {
    description: 'the sequence number of a change',
    schema: { type: 'integer', minimum: 1 },
    example: EXAMPLE_ID,
  },
  revision: {
    description: 'the number of a version, as the list of the versions has it',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  name: {
    description: 'the name of the record set, relative to the domain; `@` is the apex',
    schema: { type: 'string' },
    example: 'www',
  },
  type: {
    description: 'the type of the record set: A, AAAA, CNAME or ALIAS',
    schema: { type: 'string' },
    example: 'A',
  },
  version: { description: 'the version of an issued SDK', schema: { type: 'string' }, example: '1.0.0' },
};

const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

const examplePath = (path: string): PathValues =>
  Object.fromEntries(
    namesIn(path).map((name) => [name, (PATH_PARAMETERS[name]?.example ?? EXAMPLE_ID) as string | number]),
  );

/** Parameters in the path, the query and the headers. */
function parametersOf(route: Route, schemas: Schemas): Part[] {
  const { path, query, method, example } = route;
  const parameters: Part[] = namesIn(path).map((name) => inPath(name, schemas));
  for (const [name, schema] of Object.entries(query ?? {})) {
    const { description, ...rest } = schemas.plain(schema);
    const value = example?.query?.[name];
    parameters.push({
      name,
      in: 'query',
      description,
      schema: rest,
      ...(value === undefined ? {} : { example: value }),
    });
  }
  if (takesKey(route)) parameters.push(parameterRef('IdempotencyKey'));
  if (route.conditional && method !== 'GET') parameters.push(parameterRef('IfMatch'));
  if (route.responseType === 'text/event-stream') parameters.push(parameterRef('LastEventId'));
  return parameters;
}

/** A parameter of the path: an id, unless its name has another meaning. */
function inPath(name: string, schemas: Schemas): Part {
  const named = PATH_PARAMETERS[name];
  if (named !== undefined) return { name, in: 'path', required: true, ...named };
  const { description, ...schema } = schemas.plain(id(`the ${name.replace(/_id$/, '').replaceAll('_', ' ')}`));
  return { name, in: 'path', required: true, description, schema, example: EXAMPLE_ID };
}

function requestBody(route: Route, schemas: Schemas): Part | undefined {
  const { body, bodyOptional = false, bodyTypes, form, example } = route;
  if (form !== undefined) return { required: true, content: { [FORM_TYPE]: { schema: schemas.plain(form) } } };
  if (body !== undefined) {
    const content = { schema: schemas.plain(body), ...(example?.body !== undefined && { example: example.body }) };
    return { required: !bodyOptional, content: { [JSON_TYPE]: content } };
  }
  if (bodyTypes === undefined) return undefined;
  return { required: true, content: Object.fromEntries(bodyTypes.map((type) => [type, bytesOf(type)])) };
}

/** Binary data has no schema (OpenAPI 3.1.1, 4.8.14.2). */
const bytesOf = (type: string): Part => (type.startsWith('text/') ? { schema: { type: 'string' } } : {});

function responsesOf(route: Route, schemas: Schemas): Part {
  const faults = faultsOf(route);
  const responses: Record<string, Part> = { 200: success(route, schemas, true, faults.has(429) ? LIMITS : []) };
  for (const [status, codes] of faults) {
    const name = statusName(status);
    if (status === 304) responses[status] = { description: `${name}.`, headers: headerRefs(['X-Request-Id']) };
    else if (codes.length === 0) responses[status] = { ...success(route, schemas, false, []), description: `${name}.` };
    else responses[status] = faultResponse(status, codes);
  }
  return { ...responses, default: OTHERWISE };
}

/** `ok`: the value of `ok` in the body. `more`: additional headers. */
function success(route: Route, schemas: Schemas, ok: boolean, more: readonly HeaderName[]): Part {
  const { method, response, responseType, conditional, query } = route;
  const names: HeaderName[] = ['X-Request-Id'];
  if (isWrite(route)) names.push('X-Waypost-Revision');
  if (takesKey(route)) names.push('Idempotent-Replayed');
  if (method === 'GET' && conditional) names.push('ETag');
  if (query?.cursor !== undefined) names.push('Link');
  const content = {
    ...(response !== undefined && {
      [JSON_TYPE]: {
        schema: withOk(schemas.plain(response), ok, isWrite(route)),
        example: { ok, ...(exampleOf(response) as object) },
      },
    }),
    ...(responseType !== undefined && { [responseType]: bytesOf(responseType) }),
    ...(response === undefined && responseType === undefined && { [JSON_TYPE]: {} }),
  };
  return { description: route.summary, headers: headerRefs([...names, ...more]), content };
}

const NAMES: Part = { type: 'array', items: { type: 'string' } };
/** The field `sync` in responses to writes in a cluster. */
const SYNC: Part = {
  type: 'object',
  description: 'the nodes that serve the change; omitted for a single node',
  required: ['seq', 'applied', 'pending'],
  properties: { seq: { type: 'integer' }, applied: NAMES, pending: NAMES },
};

/** Adds `ok` and `sync` to the fields, as http/route.ts does. */
function withOk(schema: Part, ok: boolean, hasSync: boolean): Part {
  const { properties, required } = schema as { properties?: Part; required?: readonly string[] };
  return {
    ...schema,
    required: ['ok', ...(required ?? [])],
    properties: { ok: { const: ok }, ...properties, ...(hasSync && { sync: SYNC }) },
  };
}
