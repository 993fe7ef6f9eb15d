/** The endpoint of the live tail. */
import type { WatchRequests } from '../../../core/observe/tail/request-tail.ts';
import { ownedDomain } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import { type OpenStreams, streamReply } from '../../events/index.ts';
import type { Authentication, Caller, Credentials } from '../../http/caller.ts';
import { route } from '../../http/route.ts';
import { MAX_RATE, TailStream } from './tail-stream.ts';

export function tailRoutes(
  { reader }: Services,
  authentication: Authentication,
  streams: OpenStreams,
  watch: WatchRequests,
) {
  return [
    route({
      operationId: 'tailRequests',
      method: 'GET',
      path: '/api/v1/domains/{domain_id}/requests/tail',
      tag: 'proxy',
      summary: 'Watch the requests of a domain as server-sent events',
      description: `Each event \`requests\` has \`{"node", "omitted", "requests"}\`: requests that the edge of a node has answered since the last event, and how many more there were. At most ${MAX_RATE} requests are sent in a second, chosen at random. A request has \`time\`, \`client\`, \`scheme\`, \`host\`, \`method\`, \`path\` (without the query), \`version\`, \`status\`, \`bytes\` of the body, \`ms\`, \`origin_ms\` (until the response of the origin began; null without one), \`cache\` (as in the access log) and \`user_agent\` (null without one). Nothing is stored: the stream begins now and cannot be resumed. Comments keep the connection open. The stream ends when its token or session ends, or when the domain is deleted.`,
      example: { command: 'waypost proxy tail example.com' },
      scope: 'proxy',
      responseType: 'text/event-stream',
      faults: { 404: ['no_such_domain'], 429: ['too_many_streams'] },
      run(context) {
        const { params, header, isSecure, remoteAddress } = context;
        const credentials: Credentials = { method: 'GET', header, isSecure, remoteAddress };
        const domainId = parseId(params.domain_id);
        ownedDomain(reader, context.caller, domainId);
        const authorize = (): Caller => {
          const caller = authentication.reauthenticate(credentials);
          authentication.requireAccess(caller, 'proxy', 'read', false);
          ownedDomain(reader, caller, domainId);
          return caller;
        };
        return streamReply(context, new TailStream({ streams, authorize, domainId, watch }));
      },
    }),
  ];
}
