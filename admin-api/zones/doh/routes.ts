/** DNS over HTTPS (RFC 8484). */

import { Type } from '@sinclair/typebox';
import { MAX_MESSAGE } from '../../../core/dns/wire/header.ts';
import { clientNetwork } from '../../../core/net/address/ipv6.ts';
import type { RateLimit } from '../../http/rate-limit.ts';
import { type Context, publicBytesRoute, publicRoute, type RawReply, type Route } from '../../http/route.ts';
import { text } from '../../http/schema.ts';
import { freshness } from './freshness.ts';
import { DNS_MESSAGE, malformed, readMessage, requireQuery } from './message.ts';

export interface DnsResponse {
  readonly message: Uint8Array;
  /** Whether the response is only for this client, as one with a cookie is. */
  readonly personal: boolean;
}

/**
 * The answer of the nameserver; null if it sends none. `address`: the client. Does not change the
 * message.
 */
export type AnswerDns = (message: Uint8Array, address: string) => DnsResponse | null;

/**
 * The common path (RFC 8484 section 4), which clients use if they are configured with a host only.
 */
const PATH = '/dns-query';

/** `queries`: one bucket for each client network. The routes require no token. */
export function dohRoutes(answer: AnswerDns, queries: RateLimit): Route[] {
  const described = {
    path: PATH,
    tag: 'operations',
    responseType: DNS_MESSAGE,
    faults: { 400: ['malformed_message'], 413: ['body_too_large'], 429: ['too_many_requests'] },
  } as const;
  const admit = ({ remoteAddress, headers }: Admitted): void => queries.take(clientNetwork(remoteAddress), headers);
  const respond = (message: Uint8Array, { remoteAddress, headers }: Context<null>): RawReply => {
    const response = answer(message, remoteAddress);
    if (response === null) throw malformed('The nameserver does not answer this DNS message.');
    headers['Content-Type'] = DNS_MESSAGE;
    headers['Cache-Control'] = cacheControl(response);
    return { raw: response.message };
  };
  return [
    publicRoute({
      ...described,
      operationId: 'resolveByGet',
      method: 'GET',
      summary: 'Send a DNS query (RFC 8484) whose response can be cached',
      query: Type.Object({ dns: text('the DNS message in base64url without padding') }),
      run(context) {
        admit(context);
        return respond(readMessage(context.query), context);
      },
    }),
    publicBytesRoute({
      ...described,
      operationId: 'resolveByPost',
      method: 'POST',
      changes: false,
      summary: 'Send a DNS query (RFC 8484)',
      bodyTypes: [DNS_MESSAGE],
      limit: MAX_MESSAGE,
      admit,
      run: (context) => respond(requireQuery(context.body), context),
    }),
  ];
}

type Admitted = Pick<Context<null>, 'remoteAddress' | 'headers'>;

function cacheControl({ message, personal }: DnsResponse): string {
  const seconds = freshness(message);
  if (seconds === null) return 'no-store';
  return `${personal ? 'private, ' : ''}max-age=${seconds}`;
}
