/**
 * Rejects requests for unknown host names, which prevents DNS rebinding. An attacker can let the
 * name of its own site resolve to this machine. The browser would then treat the API as a part of
 * that site, and let its pages call the API.
 *
 * A request without a Host field (HTTP/1.0) is not from a browser. An IP address as the host is
 * accepted, because DNS rebinding needs a name.
 */
import { isIP } from 'node:net';
import { fromUrlHost } from '../../core/net/address/url-host.ts';
import { HttpError } from './errors.ts';
import type { HttpRequest } from './transport.ts';

/** Maximum number of cached Host values. Few clients use different spellings. */
const MAX_REMEMBERED = 64;
const PORT = /:\d{0,5}$/;

export class KnownHosts {
  readonly #names: ReadonlySet<string>;
  readonly #accepted = new Set<string>();

  /** `names`: the setting admin.hostname. */
  constructor(names: readonly string[]) {
    this.#names = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
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
