/**
 * Requests that the edge forwards from this machine. A header field has the address of the client,
 * which is trusted only with the secret that the main thread gives to both sides.
 */
import { timingSafeEqual } from 'node:crypto';
import type { HttpRequest } from './transport.ts';

export interface ForwardedBy {
  /** Name of the field, in lower case. The value is the secret, a space, and the client address. */
  readonly field: string;
  readonly secret: string;
}

/**
 * The request as the edge received it, with the address of its client; unchanged if the edge did
 * not forward it.
 */
export function withForwardedClient(request: HttpRequest, { field, secret }: ForwardedBy): HttpRequest {
  const value = request.header(field);
  if (value === undefined) return request;
  const end = value.indexOf(' ');
  if (!isSame(value.slice(0, Math.max(0, end)), secret)) return request;
  return {
    method: request.method,
    path: request.path,
    query: request.query,
    remoteAddress: value.slice(end + 1),
    // The gateway redirects plain requests for the admin hosts.
    isSecure: true,
    get signal() {
      return request.signal;
    },
    header: (name) => request.header(name),
    body: (limit) => request.body(limit),
    stream: (limit) => request.stream(limit),
  };
}

/** In constant time. */
function isSame(text: string, secret: string): boolean {
  const [a, b] = [Buffer.from(text), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}
