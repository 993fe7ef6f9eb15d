/** The API as an OpenAPI 3.1 document, made of the descriptions that check its requests: nothing in it is written by hand a second time. */
import type { Route } from '../http/route.ts';
import { sharedResponses } from './faults.ts';
import { operationOf } from './operation.ts';
import { type Part, Schemas } from './schemas.ts';
import { errorSchema, HEADERS, PARAMETERS, SECURITY, TAGS } from './shared.ts';

export interface About {
  /** Of the service. */
  readonly version: string;
  /** URLs that the paths follow; "/" when left out: where the document came from. */
  readonly servers?: readonly string[];
}

const INTRODUCTION = `JSON both ways. Success is 200 with \`"ok": true\` beside the data; an error has the status and the codes that each endpoint lists.
A description completes the sentence "… must be", or says what a field is. Properties that a body's schema does not name are ignored, so that what was
read can be sent back. Times are UTC. The RateLimit headers of an answer stand on errors, too.
\`x-scope\` is the scope that a token needs, \`x-role\` the role of its account.`;

/** A document as plain JSON. Throws Error when two schemas that differ have one title. */
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
