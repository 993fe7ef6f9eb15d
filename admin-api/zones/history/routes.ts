/** Endpoints of the history of a domain. */
import { EDIT_FAULTS, ownedOrDeleted } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import { replyWithList } from '../../http/list-reply.ts';
import { MAX_LIMIT, pageQuery, readIdCursor, searchQuery } from '../../http/lists.ts';
import { route } from '../../http/route.ts';
import { allows } from '../../people/auth/scopes.ts';
import { listChanges } from './list.ts';
import { restoreRecords } from './restore.ts';
import { historyResponse, restoreBody, restoreResponse } from './schema.ts';

const HISTORY = '/api/v1/domains/{domain_id}/history';

export function historyRoutes(services: Services) {
  return [
    route({
      operationId: 'listHistory',
      method: 'GET',
      path: HISTORY,
      tag: 'domains',
      summary: 'List the changes of a domain with the values before and after, newest first',
      description:
        'Changes of records, their comments, proxy and DNSSEC; the values of the proxy need the scope `proxy:read` too. A page with long values or of a search may have fewer items than `limit`. At least the last 1,000 changes are stored, unless their values are larger than 4 MB. `begin` is the earliest change after which the state can be restored; the audit log reaches further, without values. A deleted domain that can be restored has its history, too.',
      example: { command: 'waypost history list example.com' },
      scope: 'dns',
      query: { ...pageQuery, ...searchQuery('actor, action or one of its records') },
      response: historyResponse,
      faults: { 404: ['no_such_domain'] },
      run(context) {
        const { caller, params } = context;
        const domain = ownedOrDeleted(services.reader, caller, parseId(params.domain_id));
        const { q: matches } = context.query;
        const showsProxy = allows(caller.token.scopes, 'proxy', 'read');
        return replyWithList(services.streams, context, 'changes', {
          maxPart: MAX_LIMIT,
          read({ limit, after }) {
            const before = after === null ? Number.POSITIVE_INFINITY : readIdCursor(after);
            return listChanges(services, domain, { limit, before, matches, showsProxy });
          },
          view: (change) => change,
        });
      },
    }),
    route({
      operationId: 'restoreRecords',
      method: 'POST',
      path: `${HISTORY}/{seq}/restore`,
      tag: 'domains',
      summary: 'Restore the records and their comments to their state after an earlier change, in one batch',
      description:
        'With `dry_run`, nothing is changed; the response shows what would change, and its ETag makes the restore conditional on that. Deleted records return with new ids. Records at the apex that an import has set, and those of DNSSEC, are not restored. 409 `history_incomplete` says from which change on the domain can be restored.',
      example: { body: { dry_run: true }, command: 'waypost history restore example.com 17 --dry-run' },
      scope: 'dns',
      conditional: true,
      body: restoreBody,
      bodyOptional: true,
      response: restoreResponse,
      faults: {
        404: ['no_such_domain', 'no_such_change'],
        409: [...EDIT_FAULTS, 'history_incomplete'],
        422: ['batch_too_large'],
      },
      run: (context) => restoreRecords(services, context, context.body.dry_run ?? false),
    }),
  ];
}
