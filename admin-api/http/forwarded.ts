/**
 * Client addresses of requests that the edge on this machine or a trusted proxy forwards. The edge
 * sends the address in a header field, together with a secret that the main thread shares with both
 * sides. A proxy sends it in X-Forwarded-For.
 */
import { timingSafeEqual } from 'node:crypto';
import { visitorOf } from '../../core/net/address/visitor.ts';
import { holderAt } from './body-memory.ts';
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
  // The gateway redirects plain requests for the admin hosts.
  return withClient(request, value.slice(end + 1), true);
}

/** The request with the client address that a trusted proxy sent in X-Forwarded-For. */
export function withStatedClient(request: HttpRequest, trusts: (address: string) => boolean): HttpRequest {
  const list = request.header('x-forwarded-for');
  return list === undefined || !trusts(request.remoteAddress)
    ? request
    : withClient(request, visitorOf(request.remoteAddress, [list], trusts), request.isSecure);
}

function withClient(request: HttpRequest, remoteAddress: string, isSecure: boolean | undefined): HttpRequest {
  return {
    method: request.method,
    path: request.path,
    query: request.query,
    remoteAddress,
    isSecure,
    get signal() {
      return request.signal;
    },
    header: (name) => request.header(name),
    body: (limit, holder = holderAt(remoteAddress)) => request.body(limit, holder),
    stream: (limit, holder = holderAt(remoteAddress), keeps) => request.stream(limit, holder, keeps),
  };
}

/** Compares in constant time. */
function isSame(text: string, secret: string): boolean {
  const [a, b] = [Buffer.from(text), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}
