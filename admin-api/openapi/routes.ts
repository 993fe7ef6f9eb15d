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
    run({ headers, header }) {
      headers.ETag = tag;
      headers['Cache-Control'] = `public, max-age=${FRESH}`;
      headers['Content-Type'] = 'application/json';
      // The transports leave the body of a 304 away.
      return { raw: bytes, status: isCurrent(header('if-none-match'), tag) ? 304 : 200 };
    },
  });
  const bytes = Buffer.from(JSON.stringify(openApiDocument([...routes, own], { version })));
  const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return [own];
}

/** RFC 9110 13.1.2: compared weakly. */
function isCurrent(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((one) => ['*', tag].includes(one.trim().replace(/^W\//, '')));
}
