/** GET /api/v1/openapi.json: the OpenAPI document. */
import { createHash } from 'node:crypto';
import { publicRoute, type Route } from '../route.ts';
import { sharedResponses } from './faults.ts';
import { operationOf } from './operation.ts';
import { type Part, Schemas } from './schemas.ts';
import { errorSchema, HEADERS, PARAMETERS, SECURITY, TAGS } from './shared.ts';

const INTRODUCTION = `Request and response bodies are JSON. A success has status 200, and its body has \`"ok": true\` next to the data.
An error has a status and a code that the endpoint lists. The description of a field says what it is, or completes the sentence "… must be".
Unknown properties in a request body are rejected; read-only ones are ignored, so a response can be edited and sent back.
Times are UTC. Errors have the RateLimit headers, too. \`x-scope\` is the scope that a token needs, \`x-role\` the role of its account.`;

/** Seconds for which caches may reuse the document, which changes only with the version. */
const MAX_AGE = 300;

/**
 * `routes`: all other routes. The document is generated on the first request, because that takes as
 * long as the rest of the API's startup.
 */
export function openApiRoutes(routes: readonly Route[], version: string) {
  const own: Route = publicRoute({
    operationId: 'getOpenApi',
    method: 'GET',
    path: '/api/v1/openapi.json',
    tag: 'operations',
    summary: 'This document',
    responseType: 'application/json',
    faults: { 304: [] },
    run({ headers }) {
      document ??= generate();
      headers.ETag = document.tag;
      headers['Cache-Control'] = `public, max-age=${MAX_AGE}`;
      headers['Content-Type'] = 'application/json';
      return { raw: document.bytes };
    },
  });
  let document: { readonly bytes: Buffer; readonly tag: string } | undefined;
  const generate = () => {
    const bytes = Buffer.from(JSON.stringify(openApiDocument([...routes, own], { version })));
    return { bytes, tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
  };
  return [own];
}

interface About {
  /** Version of the service. */
  readonly version: string;
  /** Base URLs of the paths; omitted: "/", the server of the document. */
  readonly servers?: readonly string[];
}

/**
 * Generates the OpenAPI 3.1 document from the route descriptions that also check the requests.
 *
 * The document as plain JSON. Throws Error if two different schemas have the same title.
 */
export function openApiDocument(routes: readonly Route[], { version, servers = ['/'] }: About): Part {
  const schemas = new Schemas();
  schemas.plain(errorSchema);
  const paths: Record<string, Record<string, Part>> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    paths[route.path][route.method.toLowerCase()] = operationOf(route, schemas);
  }
  const used = new Set(routes.map((route) => route.tag));
  return {
    openapi: '3.1.1',
    info: { title: 'Waypost', version, description: INTRODUCTION },
    servers: servers.map((url) => ({ url })),
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name as Route['tag']))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.components(),
      responses: sharedResponses(),
      headers: HEADERS,
      parameters: PARAMETERS,
      securitySchemes: SECURITY,
    },
  };
}
