/** Endpoints of domains. */
import { Type } from '@sinclair/typebox';
import { type Route, route } from '../http/app.ts';
import { bodySchema } from '../http/json-body.ts';
import { nextCursor, readPage } from '../http/lists.ts';
import { REVISION, type Services } from '../services.ts';
import { etag, ownedDomain } from './owned.ts';
import { createDomain, deleteDomain, describeDomain, listDomains } from './service.ts';

const domainBody = bodySchema(
  Type.Object({
    domain: Type.String({
      minLength: 1,
      maxLength: 1024,
      description: 'a string, a domain name such as "example.com"',
    }),
  }),
);

export function domainRoutes(services: Services): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/v1/domains',
      scope: 'dns',
      run(context) {
        const { rows, last } = listDomains(services, context.caller, readPage(context.query), context.query.get('q'));
        return {
          domains: rows.map((domain) => describeDomain(services, domain)),
          next_cursor: nextCursor(last, context),
        };
      },
    }),
    route({
      method: 'POST',
      path: '/api/v1/domains',
      scope: 'dns',
      body: domainBody,
      async run({ caller, body, headers }) {
        const { domain, sequence } = await createDomain(services, caller, body.domain);
        headers[REVISION] = String(sequence);
        return { domain: describeDomain(services, domain) };
      },
    }),
    route({
      method: 'GET',
      path: '/api/v1/domains/{domain_id}',
      scope: 'dns',
      run({ caller, params, headers }) {
        const view = describeDomain(services, ownedDomain(services.reader, caller, params.domain_id));
        headers.ETag = etag(view.revision);
        return { domain: view };
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/v1/domains/{domain_id}',
      scope: 'dns',
      async run({ caller, params, headers, header }) {
        headers[REVISION] = String(await deleteDomain(services, caller, params.domain_id, header('if-match')));
        return {};
      },
    }),
  ];
}
