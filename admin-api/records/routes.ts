/** Endpoints of records and master files. */
import { Type } from '@sinclair/typebox';
import { etag, ownedDomain } from '../domains/owned.ts';
import { describeDomain } from '../domains/service.ts';
import { bytesRoute, type Caller, type Context, type Route, route } from '../http/app.ts';
import { HttpError } from '../http/errors.ts';
import { bodySchema } from '../http/json-body.ts';
import { nextCursor, readPage } from '../http/lists.ts';
import { REVISION, type Services } from '../services.ts';
import { listRecords, readFilter } from './list.ts';
import { createRecord, deleteRecord, type Target, updateRecord, type Written } from './service.ts';
import { viewRecord } from './view.ts';
import { exportZone } from './zonefile/export.ts';
import { importZone } from './zonefile/import.ts';
import type { PreparePool } from './zonefile/pool.ts';

const recordBody = bodySchema(
  Type.Object({
    name: Type.String({
      maxLength: 1024,
      description: 'a string, the name in the domain, such as "www"; "@" is the domain itself',
    }),
    type: Type.String({ maxLength: 40, description: 'a string, the type of the record, such as "A"' }),
    content: Type.String({ maxLength: 300_000, description: 'a string, such as "192.0.2.1"' }),
    ttl: Type.Optional(Type.Integer({ description: 'a whole number of seconds' })),
    priority: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 65535, description: 'a whole number from 0 to 65535' }),
    ),
  }),
);

const ZONE_TYPES = ['text/dns', 'text/plain'];
const RECORDS = '/api/v1/domains/{domain_id}/records';
const RECORD = `${RECORDS}/{record_id}`;
const ZONEFILE = '/api/v1/domains/{domain_id}/zonefile';

export function recordRoutes(services: Services, pool: PreparePool): Route[] {
  return [
    route({
      method: 'GET',
      path: RECORDS,
      scope: 'dns',
      run(context) {
        const domain = ownedDomain(services.reader, context.caller, context.params.domain_id);
        const { rows, last } = listRecords(
          services,
          domain,
          readPage(context.query),
          readFilter(domain, context.query),
        );
        context.headers.ETag = etag(services.reader.zoneState(domain.id).revision);
        return { records: rows.map((row) => viewRecord(domain, row)), next_cursor: nextCursor(last, context) };
      },
    }),
    route({
      method: 'POST',
      path: RECORDS,
      scope: 'dns',
      body: recordBody,
      run: async (context) =>
        written(context, await createRecord(services, context.caller, target(context), context.body)),
    }),
    route({
      method: 'PUT',
      path: RECORD,
      scope: 'dns',
      body: recordBody,
      run: async (context) =>
        written(
          context,
          await updateRecord(services, context.caller, target(context), context.params.record_id, context.body),
        ),
    }),
    route({
      method: 'DELETE',
      path: RECORD,
      scope: 'dns',
      async run(context) {
        const { sequence } = await deleteRecord(services, context.caller, target(context), context.params.record_id);
        context.headers[REVISION] = String(sequence);
        return {};
      },
    }),
    route({
      method: 'GET',
      path: ZONEFILE,
      scope: 'dns',
      run({ caller, params, headers }) {
        const domain = ownedDomain(services.reader, caller, params.domain_id);
        headers['Content-Type'] = 'text/dns; charset=utf-8';
        headers.ETag = etag(services.reader.zoneState(domain.id).revision);
        return { raw: exportZone(services, domain) };
      },
    }),
    bytesRoute({
      method: 'PUT',
      path: ZONEFILE,
      scope: 'dns',
      types: ZONE_TYPES,
      limit: services.config.admin.maxBody,
      async run(context) {
        const keepApex = readApex(context.query.get('apex'));
        const imported = await importZone(services, pool, context.caller, target(context), context.body, keepApex);
        context.headers[REVISION] = String(imported.sequence);
        return { domain: describeDomain(services, imported.domain), records: imported.count };
      },
    }),
  ];
}

function target<B>({ params, header }: Context<Caller, B>): Target {
  return { domainId: params.domain_id, ifMatch: header('if-match') };
}

function written<B>({ headers }: Context<Caller, B>, { domain, record, sequence }: Written) {
  headers[REVISION] = String(sequence);
  return { record: viewRecord(domain, record) };
}

/** Throws HttpError 400. */
function readApex(value: string | null): boolean {
  if (value === null || value === 'service') return false;
  if (value === 'keep') return true;
  throw new HttpError(400, 'invalid_apex', '"apex" is "keep" (the file\'s own SOA timers and NS) or "service".');
}
