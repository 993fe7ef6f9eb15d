/** Endpoints of deleted domains. */
import { BIN_DAYS } from '../../../core/upkeep/domains/bin.ts';
import { ACTING_FAULTS, accountOf, accountQuery } from '../../change/acting.ts';
import { parseId, type Services } from '../../change/services.ts';
import { replyWithList } from '../../http/list-reply.ts';
import { pageQuery } from '../../http/lists.ts';
import { route } from '../../http/route.ts';
import { NAME_FAULTS } from '../domains/create.ts';
import { deletedDomainsResponse, domainResponse } from '../domains/schema.ts';
import { describeDeleted, listDeleted, restoreDeleted } from './service.ts';

const DELETED = '/api/v1/domains/deleted';

export function binRoutes(services: Services) {
  return [
    route({
      operationId: 'listDeletedDomains',
      method: 'GET',
      path: DELETED,
      tag: 'domains',
      summary: 'List deleted domains that can be restored',
      description: `Domains stay for ${BIN_DAYS} days. At most as many domains, records and bytes stay as the plan allows in use, and at least 100 domains; then the oldest are deleted for good. They count towards no limit of the plan.`,
      scope: 'dns',
      query: { ...pageQuery, ...accountQuery },
      response: deletedDomainsResponse,
      faults: ACTING_FAULTS,
      run(context) {
        const account = accountOf(services.reader, context);
        return replyWithList(services.streams, context, 'domains', {
          read: (page) => listDeleted(services, account, page),
          view: (id) => describeDeleted(services, account, id),
        });
      },
    }),
    route({
      operationId: 'restoreDomain',
      method: 'POST',
      path: `${DELETED}/{domain_id}/restore`,
      tag: 'domains',
      summary: 'Restore a deleted domain',
      description:
        'It returns with its id, records, settings, DNSSEC keys and history, if its name is still free and the plan has room for it.',
      scope: 'dns',
      response: domainResponse,
      faults: { 404: ['no_such_domain'], 409: ['zone_exists', 'plan_limit'], 422: NAME_FAULTS },
      run: (context) => restoreDeleted(services, context, parseId(context.params.domain_id)),
    }),
  ];
}
