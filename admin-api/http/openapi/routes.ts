/** GET /api/v1/openapi.json: the OpenAPI document. */
import { createHash } from 'node:crypto';
import { publicRoute, type Route } from '../route.ts';
import { openApiDocument } from './document.ts';

/** Seconds for which caches may reuse the document, which changes only with the version. */
const MAX_AGE = 300;

/**
 * `routes`: all other routes. The document is generated for the first request: that takes as long
 * as the rest of the start of the API.
 */
export function openApiRoutes(routes: readonly Route[], version: string): Route[] {
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
