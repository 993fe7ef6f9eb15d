/** GET /api/v1/openapi.json. */
import { createHash } from 'node:crypto';
import { publicRoute, type Route } from '../http/route.ts';
import { openApiDocument } from './document.ts';

/** It changes with the service only; who keeps it asks again after this many seconds. */
const FRESH = 300;

/** `routes`: all others. Made once, here. */
export function openApiRoutes(routes: readonly Route[], version: string): Route[] {
  const own: Route = publicRoute({
    operationId: 'getOpenApi',
    method: 'GET',
    path: '/api/v1/openapi.json',
    tag: 'operations',
    summary: 'This document',
    answerType: 'application/json',
    faults: { 304: [] },
    run({ headers }) {
      headers.ETag = tag;
      headers['Cache-Control'] = `public, max-age=${FRESH}`;
      headers['Content-Type'] = 'application/json';
      return { raw: bytes };
    },
  });
  const bytes = Buffer.from(JSON.stringify(openApiDocument([...routes, own], { version })));
  const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return [own];
}
