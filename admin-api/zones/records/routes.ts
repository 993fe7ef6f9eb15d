/** Endpoints of records and zone files. */
import { Type } from '@sinclair/typebox';
import { NOTHING, oneOf, text } from '../../../core/base/schema.ts';
import { mayGenerate } from '../../../core/dns/wire/master/index.ts';
import { formatHost } from '../../../core/dns/wire/name.ts';
import type { Domain } from '../../../core/store/rows.ts';
import { ACTING_FAULTS, accountOf, accountQuery } from '../../change/acting.ts';
import { SMALL_IMPORT } from '../../change/import-slots.ts';
import { EDIT_FAULTS, editableDomain, etag, ownedDomain } from '../../change/owned-domain.ts';
import type { RunningImport } from '../../change/running-import.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { parameter, type Query, trueOrFalse } from '../../http/query.ts';
import { bytesRoute, type Context, type Faults, type Reply, route } from '../../http/route.ts';
import { callerOwner } from '../../http/slot-owner.ts';
import { checkDomain, NAME_FAULTS } from '../domains/create.ts';
import type { TargetWarnings } from '../targets/target-warnings.ts';
import { batchSize, changeRecords, previewRecords } from './batch.ts';
import { recordsQuery } from './list.ts';
import { listRecords } from './list-reply.ts';
import { RecordPageCache } from './pages.ts';
import { listPtrs, ptrsQuery, ptrsResponse } from './ptr-list.ts';
import {
  batchBody,
  batchResponse,
  DEFAULT_PREVIEW_LIMIT,
  dryRunQuery,
  importResponse,
  MAX_PREVIEW_LIMIT,
  recordBody,
  recordResponse,
  recordsResponse,
} from './schema.ts';
import { createRecord, deleteRecord, updateRecord } from './service.ts';
import { withWarnings, withZoneWarnings } from './target-warnings.ts';
import { openExport } from './zonefile/export.ts';
import { createFromZoneFile, importZone, previewImport } from './zonefile/import.ts';
import type { PreparePool } from './zonefile/pool.ts';

const ZONE_TYPES = ['text/dns', 'text/plain'];
const RECORDS = '/api/v1/domains/{domain_id}/records';
const RECORD = `${RECORDS}/{record_id}` as const;
const ZONEFILE = '/api/v1/domains/{domain_id}/zonefile';
/** Enough for ten thousand records of a few hundred bytes. */
const MAX_BATCH_BODY = 8 << 20;
/** Batches with more changes are queued with imports. */
const LARGE_BATCH = 1000;
/** Stored bytes of a zone of some thousand records, which an import reads and replaces. */
const SMALL_ZONE = 4 * SMALL_IMPORT;

const RECORD_FAULTS: Faults = {
  409: [
    ...EDIT_FAULTS,
    ...['cname_at_apex', 'cname_conflict', 'alias_conflict', 'dname_conflict', 'record_exists', 'occluded', 'steered'],
    ...['ptr_conflict', 'ptr_kept'],
  ],
  422: [
    'invalid_name',
    'name_outside',
    'invalid_type',
    'invalid_content',
    'relative_target',
    'invalid_ttl',
    'invalid_host',
    'not_proxiable',
    'no_ptr',
    'no_reverse_zone',
    'target_is_cname',
    'soa_is_ours',
    'dnssec_is_ours',
    'apex_ns_is_ours',
    'ds_at_apex',
    'ns_at_wildcard',
    'too_many_types',
    'rrset_too_large',
    'name_too_large',
  ],
};
const importQuery = {
  apex: Type.Optional(
    oneOf(
      ['keep', 'service'],
      '"keep" uses the SOA timers and apex NS of the file, "service" (the default) ignores them',
    ),
  ),
  strict: parameter(
    Type.Optional(
      oneOf(['true', 'false'], '"true" treats warnings as errors, so nothing is imported; "false" is the default'),
    ),
    trueOrFalse('warnings are errors'),
  ),
  bad_lines: Type.Optional(
    oneOf(
      ['reject', 'skip'],
      '"skip" leaves out lines with errors and records that the zone cannot have, with a warning for each, unless `strict` is "true"; "reject" (the default) imports nothing then',
    ),
  ),
};
const IMPORT_FAULTS = ['invalid_apex', 'invalid_strict', 'invalid_bad_lines'] as const;
const NO_DOMAIN = ['no_such_domain'];
const NO_RECORD = [...NO_DOMAIN, 'no_such_record'];

export function recordRoutes(services: Services, pool: PreparePool, warnings: TargetWarnings) {
  const pages = new RecordPageCache();
  const complete = (reply: Reply) => withWarnings(services, warnings, reply);
  return [
    route({
      operationId: 'listRecords',
      method: 'GET',
      path: RECORDS,
      tag: 'records',
      summary: 'List records',
      description:
        'All records of a domain, or those that the filters select. Records of one name and type share `ttl` and `comment`.',
      example: { query: { type: 'A' }, command: 'waypost record list example.com --type A' },
      scope: 'dns',
      forLimited: true,
      conditional: true,
      query: recordsQuery,
      response: recordsResponse,
      faults: {
        404: NO_DOMAIN,
        422: ['invalid_name', 'name_outside', 'invalid_type'],
      },
      run: (context) => listRecords(services, warnings, pages, context),
    }),
    route({
      operationId: 'createRecord',
      method: 'POST',
      path: RECORDS,
      tag: 'records',
      summary: 'Create a record',
      description:
        '`name` is relative to the domain, with `@` for the apex. When the response is sent, the record is served.',
      example: {
        body: { name: 'www', type: 'A', content: '192.0.2.9', ttl: 600 },
        command: 'waypost record add example.com www A 192.0.2.9 --ttl 600',
      },
      scope: 'dns',
      forLimited: true,
      conditional: true,
      body: recordBody,
      response: recordResponse,
      faults: { ...RECORD_FAULTS, 404: NO_DOMAIN },
      run: (context) => createRecord(services, context, context.body),
      complete,
    }),
    route({
      operationId: 'replaceRecord',
      method: 'PUT',
      path: RECORD,
      tag: 'records',
      summary: 'Replace a record',
      description: 'The id does not change. `ttl` and `proxied` keep their values when they are omitted.',
      example: { body: { name: 'www', type: 'A', content: '192.0.2.8' } },
      scope: 'dns',
      forLimited: true,
      conditional: true,
      body: recordBody,
      response: recordResponse,
      faults: { ...RECORD_FAULTS, 404: NO_RECORD },
      run: (context) => updateRecord(services, context, parseId(context.params.record_id), context.body),
      complete,
    }),
    route({
      operationId: 'deleteRecord',
      method: 'DELETE',
      path: RECORD,
      tag: 'records',
      summary: 'Delete a record',
      description: 'Other records of the same name and type stay.',
      example: { command: 'waypost record rm example.com 17 --yes' },
      scope: 'dns',
      forLimited: true,
      conditional: true,
      response: NOTHING,
      faults: { 404: NO_RECORD, 409: [...EDIT_FAULTS, 'steered'], 422: ['apex_ns_is_ours', 'dnssec_is_ours'] },
      run: (context) => deleteRecord(services, context, parseId(context.params.record_id)),
    }),
    route({
      operationId: 'changeRecords',
      method: 'POST',
      path: `${RECORDS}/batch`,
      tag: 'records',
      summary: 'Change many records in one batch',
      description:
        'All changes are made in one revision, or none. Deletions and replacements are applied first, so the order within a batch does not matter. `dry_run=true` makes no change and lists every fault of every entry.',
      example: {
        body: {
          post: [
            { name: 'mail', type: 'A', content: '192.0.2.25' },
            { name: '@', type: 'MX', content: '10 mail.example.com.' },
          ],
        },
        command: 'waypost record set example.com mail A 192.0.2.25 192.0.2.26',
      },
      scope: 'dns',
      forLimited: true,
      conditional: true,
      query: dryRunQuery,
      body: batchBody,
      limit: MAX_BATCH_BODY,
      response: batchResponse,
      faults: {
        ...RECORD_FAULTS,
        400: ['invalid_dry_run'],
        404: NO_RECORD,
        422: [...RECORD_FAULTS[422], 'batch_too_large', 'named_twice'],
        503: ['busy'],
      },
      run(context) {
        const { query, body } = context;
        const isLarge = batchSize(body) > LARGE_BATCH;
        const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
          isLarge ? services.imports.run(context, work) : work();
        return query.dry_run
          ? inTurn(() => previewRecords(services, context, body))
          : inTurn(() => changeRecords(services, context, body));
      },
      complete,
    }),
    route({
      operationId: 'listPtrs',
      method: 'GET',
      path: '/api/v1/domains/{domain_id}/ptrs',
      tag: 'records',
      summary: 'List addresses and their PTR records',
      description:
        'For each A and AAAA record: whether a reverse zone of the account has a PTR record that names it. `state=problem` lists names without PTR record.',
      example: { query: { state: 'problem' }, command: 'waypost record ptr example.com' },
      scope: 'dns',
      query: ptrsQuery,
      response: ptrsResponse,
      faults: { 404: NO_DOMAIN },
      run: (context) => listPtrs(services, context),
    }),
    route({
      operationId: 'exportZone',
      method: 'GET',
      path: ZONEFILE,
      tag: 'records',
      summary: 'Export the domain as a zone file (RFC 1035 section 5)',
      description:
        'The file has all records, also those that the service adds at the apex, and is read by other nameservers.',
      example: { command: 'waypost zone export example.com' },
      scope: 'dns',
      conditional: true,
      query: {
        for: Type.Optional(
          oneOf(
            ['waypost', 'bind', 'knot', 'nsd'],
            'the server that reads the file; all but "waypost" (the default) get the addresses of ALIAS records in their place, and comments for records that they do not load',
          ),
        ),
      },
      responseType: 'text/dns',
      faults: { 400: ['invalid_for'], 404: NO_DOMAIN, 503: ['busy'] },
      async run(context) {
        const { caller, params, headers, client, query } = context;
        const server = query.for === undefined || query.for === 'waypost' ? null : query.for;
        const find = (): Domain => ownedDomain(services.reader, caller, parseId(params.domain_id));
        find();
        const raw = await services.streams.open(callerOwner(context), client, () => {
          const zone = openExport(services, find(), server);
          // The addresses of an ALIAS change without a revision.
          if (server === null) headers.ETag = etag(zone.revision);
          return zone;
        });
        headers['Content-Type'] = 'text/dns; charset=utf-8';
        return { raw };
      },
    }),
    bytesRoute({
      operationId: 'importZone',
      method: 'PUT',
      path: ZONEFILE,
      tag: 'records',
      summary: 'Replace all records with those of a zone file',
      description:
        'Everything that Knot, NSD and BIND load is imported; `warnings` lists questionable records. DNSSEC records and owners outside of the zone are dropped, with a warning. `$GENERATE` is expanded, `$INCLUDE` is rejected. `dry_run=true` makes no change, and compares the file with the zone.',
      example: { file: 'example.com.zone', command: 'waypost zone import example.com.zone --replace' },
      scope: 'dns',
      conditional: true,
      bodyTypes: ZONE_TYPES,
      limit: services.config.admin.maxBody,
      query: {
        ...dryRunQuery,
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: MAX_PREVIEW_LIMIT,
            description: `with \`dry_run\`, the maximum number of listed records of each kind, 1 to ${MAX_PREVIEW_LIMIT}; the default is ${DEFAULT_PREVIEW_LIMIT}`,
          }),
        ),
        ...importQuery,
      },
      response: importResponse,
      faults: {
        400: [...IMPORT_FAULTS, 'invalid_dry_run', 'invalid_limit'],
        404: NO_DOMAIN,
        409: [...EDIT_FAULTS, 'steered'],
        422: ['invalid_zonefile'],
        503: ['busy'],
        507: ['insufficient_memory'],
      },
      async run(context) {
        const { body, query, params } = context;
        const { limit = DEFAULT_PREVIEW_LIMIT, dry_run: isPreview } = query;
        const options = importOptions(query);
        const run = <T>(work: (running?: RunningImport) => Promise<T>) => {
          if (isSmallImport(services, context, body)) return work();
          const { id, accountId, apex } = editableDomain(services.reader, context.caller, parseId(params.domain_id));
          const { recordCount: replaced } = services.reader.zoneState(id);
          const target = { accountId, domain: formatHost(apex), domainId: id };
          return services.imports.runImport(context, { file: body, replaced, ...target }, work);
        };
        if (isPreview)
          return run((running) => {
            running?.begin('comparing');
            return previewImport(services, pool, context, body, { ...options, limit });
          });
        const { reply, leads } = await run((running) => importZone(services, pool, context, body, options, running));
        return leads ? withZoneWarnings(services, warnings, reply) : reply;
      },
    }),
    bytesRoute({
      operationId: 'createDomainFromZoneFile',
      method: 'POST',
      path: '/api/v1/domains/zonefile',
      tag: 'domains',
      summary: 'Create a domain with the records of a zone file',
      description:
        'Domain and records are created in one revision, so the domain is never served empty. The file is read like that of an import.',
      example: {
        query: { domain: 'example.net' },
        file: 'example.net.zone',
        command: 'waypost zone import example.net.zone',
      },
      scope: 'dns',
      bodyTypes: ZONE_TYPES,
      limit: services.config.admin.maxBody,
      query: { ...accountQuery, domain: text('the name of the domain, such as "example.com"'), ...importQuery },
      response: importResponse,
      faults: {
        ...ACTING_FAULTS,
        400: [...IMPORT_FAULTS],
        409: ['zone_exists', 'plan_limit'],
        422: [...NAME_FAULTS, 'invalid_zonefile'],
        503: ['busy'],
        507: ['insufficient_memory'],
      },
      async run(context) {
        const { body, query } = context;
        const name = query.domain ?? '';
        const create = (running?: RunningImport) =>
          createFromZoneFile(services, pool, context, name, importOptions(query), running);
        const start = () => {
          if (body.length <= SMALL_IMPORT && !mayGenerate(body)) return create();
          const domain = formatHost(checkDomain(services, context, name));
          const target = { accountId: accountOf(services.reader, context).id, domain, domainId: null };
          return services.imports.runImport(context, { file: body, ...target }, create);
        };
        const { reply, leads } = await start();
        return leads ? withZoneWarnings(services, warnings, reply) : reply;
      },
    }),
  ];
}

const importOptions = ({ apex, strict, bad_lines: badLines }: Query<typeof importQuery>) => ({
  keepApex: apex === 'keep',
  strict,
  skipsFaults: badLines === 'skip',
});

/** Whether file and zone are small. Throws HttpError 404. */
function isSmallImport(
  { reader }: Services,
  { caller, params }: Pick<Context<Caller>, 'caller' | 'params'>,
  body: Uint8Array,
): boolean {
  if (body.length > SMALL_IMPORT || mayGenerate(body)) return false;
  const { id } = ownedDomain(reader, caller, parseId(params.domain_id));
  return reader.zoneState(id).bytes <= SMALL_ZONE;
}
