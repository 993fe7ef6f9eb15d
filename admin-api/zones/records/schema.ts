/** Schemas of records in requests and responses. */
import { type TSchema, Type } from '@sinclair/typebox';
import { anyObject, count, id, integer, list, oneOf, orNull, readOnly, text, time } from '../../../core/base/schema.ts';
import { ALIAS_STATUSES } from '../../../core/upkeep/alias/index.ts';
import { bodySchema } from '../../http/json-body.ts';
import { pageFields } from '../../http/lists.ts';
import { parameter, trueOrFalse } from '../../http/query.ts';
import { domainView, targetWarningFields } from '../domains/schema.ts';

const TTL = Type.Integer({ minimum: 0, description: 'seconds', examples: [600] });

/** Maximum characters of a comment. */
const MAX_COMMENT = 1000;

const fields = {
  name: text('a string, the name in the domain, such as "www"; "@" is the apex', { maxLength: 1024 }),
  type: text('a string, the type of the record, such as "A"', { maxLength: 40 }),
  content: text('a string, such as "192.0.2.1"', { maxLength: 300_000 }),
  ttl: Type.Optional(Type.Integer({ description: 'a whole number of seconds, 30 to 604800, or 1 for the default' })),
  priority: Type.Optional(
    orNull(Type.Integer({ minimum: 0, maximum: 65535 }), 'a whole number from 0 to 65535; used for MX and SRV'),
  ),
  proxied: Type.Optional(
    orNull(
      Type.Boolean(),
      'true or false, whether the name is proxied while the proxy of the domain is on; null: the service decides',
    ),
  ),
  comment: Type.Optional(
    orNull(
      Type.String({ maxLength: MAX_COMMENT }),
      `a string of at most ${MAX_COMMENT} characters for people to read, which all records of the name and type share; null: none`,
    ),
  ),
  ptr: Type.Optional(
    Type.Boolean({
      description:
        'true or false, whether the A or AAAA records of the name keep their PTR records in reverse zones of the account; omitted: as before',
    }),
  ),
};

/** The fields that only responses set. */
const responseFields = readOnly('id', 'data', 'alias', 'warnings', 'created_at', 'updated_at');

const newRecord = Type.Object({ ...fields, ...responseFields }, { title: 'NewRecord' });

export const recordBody = bodySchema(newRecord);

/** Maximum number of changes in one batch. */
export const MAX_BATCH = 10_000;

const recordId = integer(1, Number.MAX_SAFE_INTEGER, 'a whole number, the id of a record');

export const batchBody = bodySchema(
  Type.Object({
    delete: Type.Optional(list(recordId, 'a list of record ids', { maxItems: MAX_BATCH })),
    put: Type.Optional(
      list(
        Type.Object({ ...fields, ...responseFields, id: recordId }),
        'a list of records, each with the id of the record to replace',
        { maxItems: MAX_BATCH },
      ),
    ),
    post: Type.Optional(list(newRecord, 'a list of new records', { maxItems: MAX_BATCH })),
  }),
);

const targetWarning = Type.Object(targetWarningFields, { title: 'TargetWarning' });

const aliasView = Type.Object(
  {
    status: oneOf(
      ALIAS_STATUSES,
      '"stale": the lookup fails and the last good addresses are served; "failed": the lookup fails and there are no addresses',
    ),
    addresses: list(text('an IPv4 or IPv6 address'), 'the addresses in A and AAAA answers'),
    checked_at: orNull(time('when the target was last looked up'), 'when the target was last looked up; null: never'),
    error: orNull(
      text('for people to read', { examples: ['The transferred zone expires in a day.'] }),
      'what failed or was omitted; null: nothing',
    ),
  },
  { title: 'Alias', description: 'The state of the target of an ALIAS; only in lists, and only for ALIAS records.' },
);

const keptPtr = Type.Literal(true, {
  description: 'its PTR record is created, changed and deleted with it; omitted: no',
});

const recordView = Type.Object(
  {
    id: id('the record'),
    name: text('relative to the domain; "@" is the apex', { examples: ['www'] }),
    type: text('such as "A"'),
    content: text('in canonical presentation form', { examples: ['192.0.2.9'] }),
    ttl: TTL,
    data: anyObject('the content, field by field'),
    proxied: orNull(
      Type.Boolean(),
      'whether the name is proxied while the proxy of the domain is on; null: the service decides',
    ),
    comment: orNull(Type.String(), 'for people to read; the same for all records of the name and type; null: none'),
    ptr: Type.Optional(keptPtr),
    created_at: time('when it was created'),
    updated_at: time('when it was last changed'),
    alias: Type.Optional(aliasView),
    warnings: Type.Optional(
      list(
        targetWarning,
        'why the target of an ALIAS, or of a CNAME at a proxied name, is not served; only in lists, omitted when there are none',
      ),
    ),
  },
  { title: 'Record' },
);

/** In responses to writes. */
const recordWarnings = list(
  Type.Object(
    { ...targetWarning.properties, pointer: text('a JSON pointer into the response, such as "/record/content"') },
    { title: 'RecordWarning' },
  ),
  'targets of written ALIAS records, and of CNAME records at proxied names, that have no address that may be served; as far as lookups end within a second; omitted when there are none',
);

export const recordResponse = Type.Object({ record: recordView, warnings: Type.Optional(recordWarnings) });
export const recordsResponse = Type.Object({
  records: list(recordView, 'sorted by name, in canonical order'),
  ...pageFields,
});

const plannedRecord = Type.Object(
  {
    name: text('relative to the domain; "@" is the apex', { examples: ['www'] }),
    type: text('such as "A"'),
    content: text('in canonical presentation form', { examples: ['192.0.2.9'] }),
    ttl: TTL,
    data: anyObject('the content, field by field'),
    proxied: orNull(Type.Boolean(), 'as in a record'),
    comment: orNull(Type.String(), 'as in a record'),
    ptr: Type.Optional(keptPtr),
  },
  { title: 'PlannedRecord', description: 'A record that does not exist yet.' },
);

const batchPreview = Type.Object(
  {
    deleted: list(recordView, 'the records that would be deleted'),
    updated: list(recordView, 'the replaced records as they would be, in the order of "put"'),
    created: list(plannedRecord, 'in the order of "post"'),
    faults: list(
      Type.Object(
        {
          pointer: text('the entry of the batch and its field, such as "/post/0/content"'),
          code: text('as in an error; stable'),
          message: text('for people to read', { examples: ['The transferred zone expires in a day.'] }),
          choices: Type.Optional(list(Type.String(), 'values of the field that would be accepted; choose one')),
        },
        { title: 'BatchFault' },
      ),
      'what is wrong, at most 1000; entries with a fault are not in the other lists; empty: the batch can be made',
    ),
    faults_omitted: Type.Optional(count('the number of further faults; omitted when there are none')),
  },
  { title: 'BatchPreview', description: 'What the batch would do; only with "dry_run".' },
);

export const batchResponse = Type.Object({
  deleted: list(id('a record'), 'the ids of the deleted records; empty with "dry_run"'),
  updated: list(recordView, 'in the order of "put"; empty with "dry_run"'),
  created: list(recordView, 'in the order of "post"; empty with "dry_run"'),
  warnings: Type.Optional(recordWarnings),
  warnings_omitted: Type.Optional(count('the number of further warnings; omitted when there are none')),
  preview: Type.Optional(batchPreview),
});

export const dryRunQuery = {
  dry_run: parameter(
    Type.Optional(
      oneOf(
        ['true', 'false'],
        '"true" changes nothing, and returns in `preview` what would change; "false" is the default',
      ),
    ),
    trueOrFalse('nothing is changed'),
  ),
};

/** Maximum number of entries of each kind in the preview of an import. */
export const MAX_PREVIEW_LIMIT = 10_000;
export const DEFAULT_PREVIEW_LIMIT = 100;

const importWarning = Type.Object(
  {
    line: integer(1, Number.MAX_SAFE_INTEGER, 'the line of the file, from 1'),
    code: text('such as "occluded"; stable'),
    message: text('for people to read', { examples: ['The transferred zone expires in a day.'] }),
  },
  { title: 'ImportWarning' },
);

const importedRecord = Type.Object(
  {
    name: text('relative to the domain; "@" is the apex', { examples: ['www'] }),
    type: text('such as "A"'),
    content: text('in canonical presentation form', { examples: ['192.0.2.9'] }),
    ttl: TTL,
  },
  { title: 'ImportedRecord' },
);

const importChanges = <T extends TSchema>(items: T, description: string) =>
  Type.Object(
    { count: count('the number of records'), records: list(items, `the first of them, by \`limit\``) },
    { description },
  );

const importPreview = Type.Object(
  {
    created: importChanges(importedRecord, 'records of the file that the zone does not have'),
    changed: importChanges(
      Type.Object(
        { ...importedRecord.properties, ttl_before: count('the TTL that the zone has') },
        { title: 'ChangedRecord' },
      ),
      'records that get the TTL of the file',
    ),
    deleted: importChanges(importedRecord, 'records of the zone that the file does not have'),
    unchanged: count('the number of records that stay as they are'),
    errors: list(
      Type.Object(
        {
          line: integer(1, Number.MAX_SAFE_INTEGER, 'the line of the file, from 1'),
          message: text('for people to read', { examples: ['The transferred zone expires in a day.'] }),
        },
        { title: 'ImportError' },
      ),
      'lines that cannot be imported, sorted by line, at most 1000; the counts are without them; empty: the file can be imported',
    ),
    errors_omitted: Type.Optional(count('the number of further errors; omitted when there are none')),
  },
  { title: 'ImportPreview', description: 'What the import would do; only with "dry_run".' },
);

export const importResponse = Type.Object({
  domain: domainView,
  records: count('the number of records in the zone, without its SOA; with "dry_run", after the import'),
  warnings: Type.Optional(
    list(
      importWarning,
      'questionable lines that were imported, or ignored as other servers do, sorted by line, at most 1000; omitted when there are none',
    ),
  ),
  warnings_omitted: Type.Optional(count('the number of further warnings; omitted when there are none')),
  preview: Type.Optional(importPreview),
});
