/** The endpoint of server-sent events. */
import { Type } from '@sinclair/typebox';
import { text } from '../../core/base/schema.ts';
import { ACTING_FAULTS, accountOf, accountQuery, mayActFor } from '../change/acting.ts';
import type { Services } from '../change/services.ts';
import type { Authentication, Credentials } from '../http/caller.ts';
import { HttpError } from '../http/errors.ts';
import { route } from '../http/route.ts';
import { EventStream, type EventStreams, type Viewer } from './event-stream.ts';
import { streamReply } from './sent-events.ts';

export function eventRoutes(services: Services, authentication: Authentication, streams: EventStreams) {
  const { reader, journal } = services;
  return [
    route({
      operationId: 'streamEvents',
      method: 'GET',
      path: '/api/v1/events',
      tag: 'operations',
      summary: 'Receive changes as server-sent events',
      description:
        'Each event `change` has `{"seq", "kind", "id"}`: the sequence number of the change, the kind of the object (`domain`, `records`, `proxy`, `certificate`, `purge`, `dnssec`, `delegation`, `account`, `token`, `session`, `tsig_key`, `webhook`, `app`, `upload`), and its id; for parts of a domain, that of the domain. Only changes of the own account whose scope the token has, and of its domains if it is restricted to some; an administrator whose token has the scope `account` receives those of all accounts. With the header `Last-Event-ID`, or `after`, the stream continues after that change. The event `reload` says that changes were missed: read everything again. Comments keep the connection open. The stream ends when its token or session ends.',
      scope: 'dns',
      forRestricted: true,
      query: {
        ...accountQuery,
        after: Type.Optional(text('as Last-Event-ID, which has precedence, for clients that cannot send it')),
      },
      responseType: 'text/event-stream',
      faults: { ...ACTING_FAULTS, 429: ['too_many_streams'] },
      run(context) {
        const { query, header, isSecure, remoteAddress } = context;
        const credentials: Credentials = { method: 'GET', header, isSecure, remoteAddress };
        const named = query.account === null ? null : accountOf(reader, context).id;
        const stream = new EventStream({
          streams,
          journal,
          lastEventId: header('last-event-id') ?? query.after,
          authorize: () => authorize(credentials, named),
        });
        return streamReply(context, stream);
      },
    }),
  ];

  /** Also called before each chunk. Throws HttpError. `named`: the account in the query. */
  function authorize(credentials: Credentials, named: number | null): Viewer {
    const caller = authentication.reauthenticate(credentials);
    authentication.requireAccess(caller, 'dns', 'read', false);
    const { account, token } = caller;
    if (named !== null && !mayActFor(reader, caller, named))
      throw new HttpError(403, 'forbidden', 'Only administrators can act for another account.');
    const seesAll = account.role === 'admin' && token.scopes.includes('account');
    return { caller, accountId: named ?? (seesAll ? null : account.id) };
  }
}
