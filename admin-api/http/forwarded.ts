/**
 * From where a request comes, and for which host: the edge on this machine or a trusted proxy may
 * have forwarded it. The edge sends the client address in a header field, together with a secret
 * that the main thread shares with both sides. A proxy sends it in X-Forwarded-For or Forwarded.
 */

import { isIP } from 'node:net';
import { isSameSecret } from '../../core/base/same-secret.ts';
import { fromUrlHost } from '../../core/net/address/url-host.ts';
import { readForwarded, statedAddresses, statedScheme } from '../../core/net/address/visitor.ts';
import { holderAt } from './body-memory.ts';
import { HttpError } from './errors.ts';
import { type HttpRequest, withParts } from './transport.ts';

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
  if (!isSameSecret(value.slice(0, Math.max(0, end)), secret)) return request;
  // The gateway redirects plain requests for the admin hosts.
  return withClient(request, value.slice(end + 1), true);
}

/** The request with the client address of a trusted proxy's X-Forwarded-For or Forwarded. */
export function withStatedClient(request: HttpRequest, trusts: (address: string) => boolean): HttpRequest {
  const { remoteAddress } = request;
  if (!trusts(remoteAddress)) return request;
  const list = request.header('x-forwarded-for');
  const forwarded = list === undefined ? request.header('forwarded') : undefined;
  if (list === undefined && forwarded === undefined) return request;
  const [address = remoteAddress] =
    forwarded === undefined ? statedAddresses([list ?? ''], trusts) : readForwarded([forwarded], trusts).addresses;
  return withClient(request, address, request.isSecure);
}

function withClient(request: HttpRequest, remoteAddress: string, isSecure: boolean | undefined): HttpRequest {
  return withParts(request, {
    remoteAddress,
    isSecure,
    body: (limit, holder = holderAt(remoteAddress)) => request.body(limit, holder),
    stream: (limit, holder = holderAt(remoteAddress), keeps) => request.stream(limit, holder, keeps),
  });
}

/** Maximum number of cached Host values. Few clients use different spellings. */
const MAX_REMEMBERED = 64;
const PORT = /:\d{0,5}$/;

/**
 * Rejects requests for unknown host names, which prevents DNS rebinding. An attacker can let the
 * name of its own site resolve to this machine. The browser would then treat the API as a part of
 * that site, and let its pages call the API.
 *
 * A request without a Host field (HTTP/1.0) is not from a browser. An IP address as the host is
 * accepted, because DNS rebinding needs a name.
 */
export class KnownHosts {
  #names: ReadonlySet<string> = new Set();
  readonly #accepted = new Set<string>();

  /** `names`: the setting admin.hostname. */
  constructor(names: readonly string[]) {
    this.setNames(names);
  }

  setNames(names: readonly string[]): void {
    this.#names = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
    this.#accepted.clear();
  }

  /** Throws HttpError 421 (RFC 9110 15.5.20). */
  require(request: Pick<HttpRequest, 'header'>): void {
    const field = request.header('host');
    if (field === undefined || this.#accepted.has(field)) return;
    const host = field.trim().toLowerCase().replace(PORT, '');
    if (isIP(fromUrlHost(host)) === 0 && !this.#names.has(host.replace(/\.$/, '')))
      throw new HttpError(
        421,
        'unknown_host',
        'The API does not serve this host name; use the address of the node, or add the name to admin.hostname.',
      );
    if (this.#accepted.size < MAX_REMEMBERED) this.#accepted.add(field);
  }
}

/** Whether a request reached the edge, or another proxy in front of the API, over TLS. */
export const isOverTls = (request: Pick<HttpRequest, 'isSecure' | 'header'>): boolean =>
  request.isSecure === true || statedScheme(request.header('x-forwarded-proto') ?? '') === 'https';
