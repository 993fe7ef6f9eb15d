/** Requests that the edge passes on: they come from this machine, and say in a field whom they are from. It is believed with the secret that main gave to both. */
import { timingSafeEqual } from 'node:crypto';
import type { HttpRequest } from './transport.ts';

export interface ForwardedBy {
  /** Name of the field, in lower case. Its value: the secret, a space, the address of the client. */
  readonly field: string;
  readonly secret: string;
}

/** The request as that of the client whom the edge names; itself when it did not come by the edge. */
export function forwarded(request: HttpRequest, { field, secret }: ForwardedBy): HttpRequest {
  const value = request.header(field);
  if (value === undefined) return request;
  const end = value.indexOf(' ');
  if (!isSame(value.slice(0, Math.max(0, end)), secret)) return request;
  return {
    method: request.method,
    path: request.path,
    query: request.query,
    remoteAddress: value.slice(end + 1),
    header: (name) => request.header(name),
    body: (limit) => request.body(limit),
    stream: (limit) => request.stream(limit),
  };
}

/** In the same time wherever they differ. */
function isSame(text: string, secret: string): boolean {
  const [a, b] = [Buffer.from(text), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}
