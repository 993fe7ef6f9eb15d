/** Schemas of the history of a domain. */
import { Type } from '@sinclair/typebox';
import { count, flag, id, list, oneOf, orNull, text, time } from '../../../core/base/schema.ts';
import { bodySchema } from '../../http/json-body.ts';
import { pageFields } from '../../http/lists.ts';
import { pastSettings } from '../../sites/proxy/schema.ts';

const pastRecord = Type.Object(
  {
    id: id('the record'),
    name: text('relative to the domain; "@" is the apex', { examples: ['www'] }),
    type: text('such as "A"'),
    content: text('in canonical presentation form', { examples: ['192.0.2.9'] }),
    ttl: count('seconds'),
    proxied: orNull(Type.Boolean(), 'as in a record'),
  },
  { title: 'PastRecord' },
);

const recordChange = Type.Object(
  {
    kind: oneOf(['created', 'updated', 'deleted'], 'what happened to the record'),
    before: orNull(pastRecord, 'null: the record was created'),
    after: orNull(pastRecord, 'null: the record was deleted'),
  },
  { title: 'RecordChange' },
);

const commentsChange = Type.Object(
  {
    name: text('relative to the domain; "@" is the apex', { examples: ['www'] }),
    type: text('such as "A"'),
    before: orNull(Type.String(), 'null: the records had no comment'),
    after: orNull(Type.String(), 'null: the records have no comment'),
  },
  { title: 'CommentChange' },
);

const pastProxy = Type.Object(
  {
    is_enabled: flag('whether the proxy is on'),
    origin_host: orNull(Type.String(), 'null: each name has its own addresses'),
    origin_port: orNull(Type.Integer(), 'the port of the origin'),
    origin_protocol: orNull(Type.String(), '"http" or "https"'),
    ...pastSettings,
  },
  { title: 'PastProxy' },
);

const pastDnssec = Type.Object(
  {
    is_enabled: flag('whether the zone is signed'),
    algorithm: orNull(Type.Integer(), 'the DNS security algorithm'),
    keys: count('the number of own keys'),
    foreign_keys: count('the number of keys of other providers'),
  },
  { title: 'PastDnssec' },
);

const domainChange = Type.Object(
  {
    seq: count('the sequence number of the change'),
    at: time('when the change was made'),
    actor: orNull(
      Type.Object({
        id: id('the account that made the change'),
        username: Type.String({ examples: ['alice'] }),
        token_name: orNull(Type.String(), 'the label of the token or the name of the TSIG key'),
      }),
      'who made the change; null: the service',
    ),
    by_admin: flag('whether an administrator made the change for the owner'),
    action: orNull(Type.String(), 'as in the audit log; null: the service made the change'),
    is_creation: flag('whether the change created the domain'),
    records: list(recordChange, 'the changed records, at most 100, and fewer if they are long'),
    record_count: count('the number of changed records'),
    comments: list(commentsChange, 'the changed comments of records'),
    proxy: orNull(
      Type.Object({ before: orNull(pastProxy, 'null: not set'), after: orNull(pastProxy) }),
      'null: the change does not concern the proxy, or the token lacks the scope `proxy:read`',
    ),
    dnssec: orNull(
      Type.Object({ before: orNull(pastDnssec, 'null: off'), after: orNull(pastDnssec) }),
      'null: the change does not concern DNSSEC',
    ),
    is_complete: flag('false: the change was too large, and its values are not stored'),
  },
  { title: 'DomainChange' },
);

export const historyResponse = Type.Object({
  changes: list(domainChange, 'newest first'),
  begin: count('the earliest change after which the state can be restored'),
  is_complete: flag('whether the history reaches back to the creation of the domain'),
  ...pageFields,
});

export const restoreBody = bodySchema(
  Type.Object({
    dry_run: Type.Optional(Type.Boolean({ description: 'true or false; true only returns what would change' })),
  }),
);

export const restoreResponse = Type.Object({
  seq: count('the sequence number whose state is restored'),
  dry_run: flag('whether nothing was changed'),
  records: list(recordChange, 'the changed records, at most 1,000, and fewer if they are long'),
  record_count: count('the number of changed records'),
  comments: list(commentsChange, 'the changed comments of records'),
});
