/** Schemas of domains in requests and responses. */
import { Type } from '@sinclair/typebox';
import { bodySchema } from '../http/json-body.ts';
import { count, flag, id, list, nextCursorSchema, text, time, totalSchema } from '../http/schema.ts';

export const domainBody = bodySchema(
  Type.Object({
    domain: text('a string, a domain name such as "example.com"', { minLength: 1, maxLength: 1024 }),
  }),
);

export const domainView = Type.Object(
  {
    id: id('the domain'),
    domain: text('its name, in A-labels, without the last dot'),
    nameservers: list(Type.String(), 'the nameservers to set at the registrar'),
    record_count: count('the number of its records'),
    revision: count('the sequence number of its last change'),
    proxy_enabled: flag('whether the proxy is on'),
    account_id: id('the account that owns it'),
    created_at: time('when it was created'),
    updated_at: time('when it or its records were last changed'),
  },
  { title: 'Domain' },
);

export const domainResponse = Type.Object({ domain: domainView });
export const domainsResponse = Type.Object({
  domains: list(domainView, 'sorted by name, in canonical order, unless `sort` says otherwise'),
  next_cursor: nextCursorSchema,
  total: totalSchema,
});
