/** The endpoint that searches domains and records of an account. */
import { Type } from '@sinclair/typebox';
import { id, integer, list, orNull, text } from '../../../core/base/schema.ts';
import { formatHost } from '../../../core/dns/wire/name.ts';
import { ACTING_FAULTS, accountOf, accountQuery } from '../../change/acting.ts';
import type { Services } from '../../change/services.ts';
import { pageQuery, searchBy } from '../../http/lists.ts';
import { route } from '../../http/route.ts';
import { normalizeSearch } from '../domains/search-text.ts';
import { findRecords } from './find.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

const searchResponse = Type.Object({
  domains: list(
    Type.Object(
      { id: id('the domain'), domain: text('its name', { examples: ['example.com'] }) },
      { title: 'FoundDomain' },
    ),
    'domains whose name has the text; only without `after`',
  ),
  records: list(
    Type.Object(
      {
        id: id('the record'),
        domain_id: id('its domain'),
        domain: text('the name of the domain', { examples: ['example.com'] }),
        name: Type.String({ description: 'its name relative to the domain', examples: ['www'] }),
        type: text('its type', { examples: ['A'] }),
        content: Type.String({ description: 'its content', examples: ['192.0.2.1'] }),
        comment: orNull(Type.String(), 'the comment of all records of its name and type, or null'),
      },
      { title: 'FoundRecord' },
    ),
    'records whose name, content or comment has the text',
  ),
  next: orNull(Type.String(), 'goes on with the search as `after`; null: all records were read'),
});

export function searchRoutes(services: Services) {
  const { reader, search } = services;
  return [
    route({
      operationId: 'searchAccount',
      method: 'GET',
      path: '/api/v1/search',
      tag: 'records',
      summary: 'Search domains and records of an account',
      description:
        'In names, contents and comments, in any case. A request reads records for some milliseconds only: it may find none although `next` says that more follow.',
      scope: 'dns',
      query: {
        ...accountQuery,
        ...searchBy('name, content or comment', normalizeSearch),
        after: pageQuery.cursor,
        limit: Type.Optional(integer(1, MAX_LIMIT, `the maximum number of records; the default is ${DEFAULT_LIMIT}`)),
      },
      response: searchResponse,
      faults: { ...ACTING_FAULTS, 400: ['invalid_cursor'] },
      async run(context) {
        const account = accountOf(reader, context);
        const { q, after, limit = DEFAULT_LIMIT } = context.query;
        if (q === '') return { domains: [], records: [], next: null };
        const { ids } = after === null ? await search.find(account.id, { wanted: q, after: null, limit }) : { ids: [] };
        const { records, next } = findRecords(services, account, q, { limit, after });
        return {
          domains: ids.flatMap((domainId) => {
            const domain = reader.domain(domainId);
            return domain === undefined ? [] : [{ id: domain.id, domain: formatHost(domain.apex) }];
          }),
          records: [...records],
          next: next === null ? null : next.toString('base64url'),
        };
      },
    }),
  ];
}
