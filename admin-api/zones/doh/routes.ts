/** DNS over HTTPS (RFC 8484). */

import { text } from '../../../core/base/schema.ts';
import { HEADER_LENGTH, MAX_MESSAGE, skipName } from '../../../core/dns/wire/header.ts';
import { RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import { clientNetwork } from '../../../core/net/address/ipv6.ts';
import type { RateLimit } from '../../http/rate-limit.ts';
import { type Context, publicBytesRoute, publicRoute, type RawReply } from '../../http/route.ts';
import { DNS_MESSAGE, malformed, readMessage, requireQuery } from './message.ts';

/** Bytes of TYPE, CLASS, TTL and RDLENGTH. */
const RECORD = 10;

/** RFC 2181 section 8: 31 bits. */
const MAX_TTL = 2 ** 31 - 1;

/** Codes that depend on the zone only, not on a faulty query or server. */
const CACHEABLE_CODES: readonly number[] = [RCODE.NOERROR, RCODE.NXDOMAIN, RCODE.YXDOMAIN];

/**
 * Computes the freshness lifetime of a DNS response in HTTP caches (RFC 8484 5.1).
 *
 * The lifetime in seconds: the smallest TTL in the answer section. A negative response is also
 * limited by TTL and MINIMUM of the SOA in the authority section (RFC 2308 section 5), and a
 * referral by the TTL of its NS records. Null: a failure, or a response without a TTL, which must
 * not be cached. `response` is a complete message.
 */
export function freshness(response: Uint8Array): number | null {
  if (!CACHEABLE_CODES.includes(response[3] & 15)) return null;
  const view = new DataView(response.buffer, response.byteOffset, response.byteLength);
  const answers = view.getUint16(6);
  const records = answers + view.getUint16(8);
  let p = HEADER_LENGTH;
  for (let i = view.getUint16(4); i > 0; i--) p = skipName(response, p, response.length) + 4;
  let least: number | null = null;
  for (let i = 0; i < records; i++) {
    p = skipName(response, p, response.length);
    const type = view.getUint16(p);
    const end = p + RECORD + view.getUint16(p + 8);
    const isSoa = type === TYPE.SOA && i >= answers;
    if (i < answers || isSoa || answers === 0) {
      const ttl = view.getUint32(p + 4);
      // MINIMUM is the last of the five numbers in the rdata (RFC 1035 3.3.13).
      const lifetime = isSoa ? Math.min(ttl, view.getUint32(end - 4)) : ttl;
      least = Math.min(least ?? MAX_TTL, lifetime > MAX_TTL ? 0 : lifetime);
    }
    p = end;
  }
  return least;
}

interface DnsResponse {
  readonly message: Uint8Array;
  /** Whether the response is only for this client, for example because of a DNS cookie. */
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
export function dohRoutes(answer: AnswerDns, queries: RateLimit) {
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
      description: 'The response is the DNS message of the nameserver. Needs no token; `dns.doh` turns it on.',
      example: { query: { dns: 'AAABAAABAAAAAAAAA3d3dwdleGFtcGxlA2NvbQAAAQAB' } },
      query: { dns: text('the DNS message in base64url without padding') },
      run(context) {
        admit(context);
        return respond(readMessage(context.parameters.getAll('dns')), context);
      },
    }),
    publicBytesRoute({
      ...described,
      operationId: 'resolveByPost',
      method: 'POST',
      changes: false,
      summary: 'Send a DNS query (RFC 8484)',
      description: 'As by GET, for queries that must not be cached or are too long for a URL.',
      example: { file: 'query.bin' },
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
