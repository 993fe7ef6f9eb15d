/** Schemas of records in requests and responses. */
import { Type } from '@sinclair/typebox';
import { ALIAS_STATUSES } from '../../core/alias/index.ts';
import { domainView } from '../domains/schema.ts';
import { bodySchema } from '../http/json-body.ts';
import {
  anyObject,
  count,
  id,
  integer,
  list,
  nextCursorSchema,
  oneOf,
  orNull,
  readOnly,
  text,
  time,
} from '../http/schema.ts';

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
};

/** The fields that only responses set. */
const responseFields = readOnly('id', 'data', 'alias', 'created_at', 'updated_at');

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

const aliasView = Type.Object(
  {
    status: oneOf(
      ALIAS_STATUSES,
      '"stale": the lookup fails and the last good addresses are served; "failed": there are no addresses and the answer is SERVFAIL',
    ),
    addresses: list(text('an IPv4 or IPv6 address'), 'the addresses in A and AAAA answers'),
    checked_at: orNull(time('when the target was last looked up'), 'when the target was last looked up; null: never'),
    error: orNull(text('for people to read'), 'what failed or was omitted; null: nothing'),
  },
  { title: 'Alias', description: 'The state of the target of an ALIAS; only in lists, and only for ALIAS records.' },
);

export const recordView = Type.Object(
  {
    id: id('the record'),
    name: text('relative to the domain; "@" is the apex'),
    type: text('such as "A"'),
    content: text('in canonical presentation form'),
    ttl: count('seconds'),
    data: anyObject('the content, field by field'),
    proxied: orNull(
      Type.Boolean(),
      'whether the name is proxied while the proxy of the domain is on; null: the service decides',
    ),
    created_at: time('when it was created'),
    updated_at: time('when it was last changed'),
    alias: Type.Optional(aliasView),
  },
  { title: 'Record' },
);

export const recordResponse = Type.Object({ record: recordView });
export const recordsResponse = Type.Object({
  records: list(recordView, 'sorted by name, in canonical order'),
  next_cursor: nextCursorSchema,
});
export const batchResponse = Type.Object({
  deleted: list(id('a record'), 'the ids of the deleted records'),
  updated: list(recordView, 'in the order of "put"'),
  created: list(recordView, 'in the order of "post"'),
});

const importWarning = Type.Object(
  {
    line: integer(1, Number.MAX_SAFE_INTEGER, 'the line of the file, from 1'),
    code: text('such as "occluded"; stable'),
    message: text('for people to read'),
  },
  { title: 'ImportWarning' },
);

export const importResponse = Type.Object({
  domain: domainView,
  records: count('the number of records in the zone, without its SOA'),
  warnings: Type.Optional(
    list(
      importWarning,
      'questionable lines that were imported, or ignored as other servers do, sorted by line, at most 1000; omitted when there are none',
    ),
  ),
  warnings_omitted: Type.Optional(count('the number of further warnings; omitted when there are none')),
});
