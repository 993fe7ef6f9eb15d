/** Schemas of domains in requests and responses. */
import { Type } from '@sinclair/typebox';
import { DELEGATION_STATES } from '../../core/delegation/state.ts';
import { DNSSEC_PHASES } from '../../core/store/rows.ts';
import { bodySchema } from '../http/json-body.ts';
import { count, flag, id, list, nextCursorSchema, oneOf, orNull, text, time, totalSchema } from '../http/schema.ts';

export const domainBody = bodySchema(
  Type.Object({
    domain: text('a string, a domain name such as "example.com"', { minLength: 1, maxLength: 1024 }),
    kind: Type.Optional(
      oneOf(
        ['primary', 'catalog'],
        '"primary" (the default) or "catalog", a zone that lists the other domains (RFC 9432)',
      ),
    ),
    members: Type.Optional(
      oneOf(
        ['account', 'all'],
        '"account" (the default), so that a catalog lists the domains of its account, or "all", for administrators',
      ),
    ),
  }),
);

const fields = {
  id: id('the domain'),
  domain: text('its name, in A-labels, without the last dot'),
  kind: oneOf(
    ['primary', 'secondary', 'catalog'],
    '"primary": its records are changed here; "secondary": they come from its primaries; "catalog": it lists the other domains',
  ),
  members: orNull(oneOf(['account', 'all']), 'whose domains a catalog lists; null: it is no catalog'),
  nameservers: list(Type.String(), 'the nameservers to set at the registrar'),
  record_count: count('the number of its records'),
  revision: count('the sequence number of its last change'),
  proxy_enabled: flag('whether the proxy is on'),
  account_id: id('the account that owns it'),
  created_at: time('when it was created'),
  updated_at: time('when it or its records were last changed'),
};

export const domainView = Type.Object(fields, { title: 'Domain' });

const delegationState = oneOf(
  DELEGATION_STATES,
  '"live": the parent zone has these nameservers; "partial": some of them, or others as well; "elsewhere": others only; "none": no nameservers; "unknown": the parent has not been asked or has not answered',
);

/** What lists have as well, since it changes without a new revision of the domain. */
const listedDomainView = Type.Object(
  {
    ...fields,
    delegation: delegationState,
    dnssec_status: oneOf(['off', ...DNSSEC_PHASES] as const, 'the state of DNSSEC'),
    dnssec_problem: flag('whether the parent zone lacks a DS record, has a wrong one, or cannot be asked'),
  },
  { title: 'ListedDomain' },
);

const hosts = (description: string) => list(Type.String(), description);

export const delegationResponse = Type.Object({
  domain: Type.Object({ id: id('the domain'), domain: text('its name') }),
  state: delegationState,
  expected: hosts('the nameservers that the parent zone should have'),
  seen: hosts('the nameservers that its servers have'),
  missing: hosts('expected nameservers that at least one of its servers does not have'),
  extra: hosts('nameservers that it has, although they are not expected'),
  parent: orNull(Type.String(), 'the parent zone; empty for the root zone; null: not found yet'),
  checked_at: orNull(time('when the parent zone last answered'), 'when the parent zone last answered; null: never'),
  next_check_at: orNull(time('when it is asked again'), 'when it is asked again in the background; null: not known'),
  error: orNull(Type.String(), 'why the last check failed, or null'),
});

export const domainResponse = Type.Object({ domain: domainView });
export const domainsResponse = Type.Object({
  domains: list(listedDomainView, 'sorted by name, in canonical order, unless `sort` says otherwise'),
  next_cursor: nextCursorSchema,
  total: totalSchema,
});
