/**
 * Refuses requests for a host name that is not this service's. A page of a foreign site, whose name
 * its owner lets resolve to this machine (DNS rebinding), would otherwise read and send what this
 * machine may: the browser takes the API for a part of that site.
 *
 * Without a Host field (HTTP/1.0) no browser sent the request. An address is no name that could
 * resolve to another one.
 */
import { isIP } from 'node:net';
import { fromUrlHost } from '../../core/net/address/url-host.ts';
import { HttpError } from './errors.ts';
import type { HttpRequest } from './transport.ts';

/** Accepted values of the field that are remembered: few clients spell it differently. */
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
