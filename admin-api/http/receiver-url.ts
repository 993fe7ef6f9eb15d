/**
 * Checks the URL of a customer's server, to which the service sends requests. Each connection
 * checks the server's addresses again.
 */

import { InvalidError } from '../../core/base/errors.ts';
import { type Exemptions, mayConnect, NO_EXEMPTIONS, readHost } from '../../core/net/address/index.ts';

interface ReceiverUrl {
  /** As in "The URL of a webhook". */
  readonly of: string;
  /** As in "Webhooks are delivered to public addresses only". */
  readonly sending: string;
  /** The field of the body. */
  readonly pointer: string;
}

/** Error codes of `readReceiverUrl`. */
export const URL_FAULTS = ['invalid_url', 'private_url'] as const;

/** Returns the URL in canonical form. Throws InvalidError `invalid_url`, `private_url`. */
export function readReceiverUrl(text: string, exemptions: Exemptions, about: ReceiverUrl): string {
  const invalid = (why: string): InvalidError =>
    new InvalidError('invalid_url', `The URL of ${about.of} ${why}.`, { pointer: about.pointer });
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw invalid('is not a URL');
  const allowsHttp = exemptions !== NO_EXEMPTIONS && (exemptions === true || exemptions.length > 0);
  if (url.protocol !== 'https:' && !(allowsHttp && url.protocol === 'http:')) throw invalid('must begin with https://');
  if (url.username !== '' || url.password !== '') throw invalid('must not have a user name or a password');
  if (url.port === '0') throw invalid('must not have the port 0');
  url.hash = '';
  requirePublic(url.hostname, exemptions, about);
  return url.href;
}

function requirePublic(hostname: string, exemptions: Exemptions, { sending, pointer }: ReceiverUrl): void {
  const publicOnly = `${sending} to public addresses only.`;
  let host: ReturnType<typeof readHost>;
  try {
    host = readHost(hostname, exemptions);
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    const isPrivate = error.code === 'private_origin';
    const message = error.message.replace(/ An origin must be .*$/, ` ${publicOnly}`);
    throw new InvalidError(isPrivate ? 'private_url' : 'invalid_url', message, { pointer });
  }
  if (host.kind === 'name') return;
  const verdict = mayConnect(host.bytes, exemptions);
  if (!verdict.public)
    throw new InvalidError('private_url', `${host.canonical} ${verdict.reason}. ${publicOnly}`, { pointer });
}
