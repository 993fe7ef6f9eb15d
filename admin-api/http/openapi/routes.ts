/** GET /api/v1/openapi.json: the OpenAPI document. */
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type Coding, selectCoding } from '../coding.ts';
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
    description: 'OpenAPI 3.1, generated from the schemas that check requests. /docs shows it as pages.',
    responseType: 'application/json',
    faults: { 304: [] },
    run({ header, headers }) {
      document ??= generate();
      const coding = selectCoding(header('accept-encoding'));
      headers['Cache-Control'] = `public, max-age=${MAX_AGE}`;
      headers['Content-Type'] = 'application/json';
      headers.Vary = 'Accept-Encoding';
      // Each coding is a representation of its own (RFC 9110 8.8.3.3).
      headers.ETag = coding === null ? `"${document.hash}"` : `"${document.hash}-${coding}"`;
      if (coding === null) return { raw: document.bytes };
      headers['Content-Encoding'] = coding;
      document.coded[coding] ??= COMPRESS[coding](document.bytes);
      return { raw: document.coded[coding] };
    },
  });
  let document: StoredDocument | undefined;
  const generate = (): StoredDocument => {
    const bytes = Buffer.from(JSON.stringify(openApiDocument([...routes, own], { version })));
    return { bytes, hash: createHash('sha256').update(bytes).digest('base64url').slice(0, 22), coded: {} };
  };
  return [own];
}

interface StoredDocument {
  readonly bytes: Buffer;
  readonly hash: string;
  /** Compressed when it is first requested. */
  readonly coded: Partial<Record<Coding, Buffer>>;
}

/** Levels at which a megabyte takes some 30 ms. */
const COMPRESS: Readonly<Record<Coding, (bytes: Buffer) => Buffer>> = {
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes) => gzipSync(bytes),
};

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
