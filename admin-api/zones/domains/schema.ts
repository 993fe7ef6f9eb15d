/** Schemas of domains in requests and responses. */
import { Type } from '@sinclair/typebox';
import { count, flag, id, integer, list, oneOf, orNull, text, time } from '../../../core/base/schema.ts';
import { DNSSEC_PHASES } from '../../../core/store/rows.ts';
import { DELEGATION_STATES } from '../../../core/upkeep/delegation/state.ts';
import { bodySchema } from '../../http/json-body.ts';
import { pageFields } from '../../http/lists.ts';

const MAX_PRIMARIES = 8;

const tlsSchema = Type.Object({
  name: Type.Optional(
    orNull(text('the name in the certificate', { minLength: 1, maxLength: 1024 }), 'the name in the certificate'),
  ),
  pin: Type.Optional(
    orNull(
      text('the SHA-256 of its public key', { maxLength: 64 }),
      'the SHA-256 of the public key (SPKI) of the certificate, in Base64',
    ),
  ),
  opportunistic: Type.Optional(flag('true to accept any certificate; then neither name nor pin is set')),
});

const primarySchema = Type.Object({
  address: text('an IP address, with a port if it is not 53, or 853 with TLS, such as "192.0.2.1"', {
    minLength: 1,
    maxLength: 64,
  }),
  tsig_key_id: Type.Optional(orNull(id('a TSIG key'), 'the id of the TSIG key that signs requests; null: none')),
  tls: Type.Optional(orNull(tlsSchema, 'how the zone is transferred over TLS (RFC 9103); null: over TCP')),
});

const primariesSchema = list(primarySchema, `a list of 1 to ${MAX_PRIMARIES} primaries; they are asked in this order`, {
  minItems: 1,
  maxItems: MAX_PRIMARIES,
});

export const primariesBody = bodySchema(Type.Object({ primaries: primariesSchema }));

export const domainNameResponse = Type.Object({
  domain: orNull(Type.String(), 'the name of the domain, as it would be stored; null: only a count was given'),
});

const newDomain = Type.Object({
  domain: text('a string, a domain name such as "example.com"', { minLength: 1, maxLength: 1024 }),
  kind: Type.Optional(
    oneOf(
      ['primary', 'secondary', 'catalog'],
      '"primary" (the default), "secondary", a zone that is transferred from primaries, or "catalog", one that lists the other domains (RFC 9432)',
    ),
  ),
  primaries: Type.Optional(primariesSchema),
  catalog: Type.Optional(
    flag('true if the secondary zone is a catalog (RFC 9432), whose members become secondary zones as well'),
  ),
  members: Type.Optional(
    oneOf(
      ['account', 'all'],
      '"account" (the default), so that a catalog lists the domains of its account, or "all", for administrators',
    ),
  ),
});

export const domainBody = bodySchema(newDomain);

const MAX_NEW_DOMAINS = 1000;

export const domainsBody = bodySchema(
  Type.Object({
    domains: list(newDomain, `a list of 1 to ${MAX_NEW_DOMAINS} domains`, { minItems: 1, maxItems: MAX_NEW_DOMAINS }),
  }),
);

const fields = {
  id: id('the domain'),
  domain: text('its name, in A-labels, without the last dot', { examples: ['example.com'] }),
  kind: oneOf(
    ['primary', 'secondary', 'catalog'],
    '"primary": its records are changed here; "secondary": they come from its primaries; "catalog": it lists the other domains',
  ),
  members: orNull(oneOf(['account', 'all']), 'whose domains a catalog lists; null: it is no catalog'),
  primaries: orNull(
    list(
      Type.Object({
        address: text('its IP address, with a port if it is not the standard one', { examples: ['192.0.2.1'] }),
        tsig_key_id: orNull(id('a TSIG key'), 'the id of the TSIG key that signs requests; null: none'),
        tls: orNull(
          Type.Object({
            name: orNull(Type.String(), 'the name in the certificate; null: it is not checked'),
            pin: orNull(Type.String(), 'the SHA-256 of its public key; null: it is not checked'),
            opportunistic: flag('whether any certificate is accepted'),
          }),
          'how the zone is transferred over TLS; null: over TCP',
        ),
      }),
      'the primaries of a secondary zone',
    ),
    'the primaries of a secondary zone; null: it is none',
  ),
  secondary: orNull(
    Type.Object({
      state: oneOf(
        ['pending', 'current', 'retrying', 'expired'],
        '"pending": it was never transferred; "current"; "retrying": the last attempt failed; "expired": no primary has confirmed it in time, and queries fail',
      ),
      serial: orNull(count(''), 'the serial of its SOA; null: it was never transferred'),
      transferred_at: orNull(time('when its content last changed'), 'when its content last changed, or null'),
      refreshed_at: orNull(time('when a primary last confirmed it'), 'when a primary last confirmed it, or null'),
      expires_at: orNull(time('when it expires'), 'when it expires unless a primary confirms it, or null'),
      error: orNull(Type.String(), 'why the last attempt failed, or null'),
      warnings: list(
        Type.Object({
          code: text('what it is, for programs', { examples: ['expires_soon'] }),
          message: text('for people to read', { examples: ['The transferred zone expires in a day.'] }),
        }),
        'the first records of the last transfer that a zone should not have',
      ),
      warnings_omitted: count('the number of further ones'),
      signatures: orNull(
        Type.Object({
          denial: oneOf(['nsec', 'nsec3', 'none'], 'how missing names are denied'),
          earliest_expiry: time('when the first signature at the apex expires'),
          problem: orNull(Type.String(), 'why validators reject answers of the zone, or null'),
        }),
        'the signatures of the primary; null: the zone is not signed',
      ),
    }),
    'the state of a secondary zone; null: it is none',
  ),
  catalog: orNull(
    Type.Object({
      problem: orNull(Type.String(), 'why its current content is not processed; null: it is'),
      zones: count('the number of zones that it lists'),
      left_out_count: count('the number of these that the account cannot have'),
      left_out: list(
        Type.Object({
          domain: text('the name of the zone', { examples: ['example.com'] }),
          code: text('why it is left out, as a code of `POST /domains`', { examples: ['zone_exists'] }),
          message: text('why it is left out', { examples: ['Another account has this domain.'] }),
        }),
        'the first of these',
      ),
    }),
    'a secondary zone that is a catalog, as this node has processed it; null: it is none',
  ),
  listed_by: orNull(id('a catalog'), 'the id of the catalog to which a secondary zone belongs; null: none'),
  nameservers: list(Type.String({ examples: ['ns1.example.net'] }), 'the nameservers to set at the registrar'),
  record_count: count('the number of its records'),
  revision: count('the sequence number of its last change'),
  proxy_enabled: flag('whether the proxy is on'),
  account_id: id('the account that owns it'),
  created_at: time('when it was created'),
  updated_at: time('when it or its records were last changed'),
};

/** See admin-api/zones/targets/target-warnings.ts. */
export const targetWarningFields = {
  code: oneOf(['no_served_address'], 'why, for programs'),
  message: text('for people to read', { examples: ['The transferred zone expires in a day.'] }),
};

export const domainWarning = Type.Object(
  { name: text('the name of the record, relative to the domain'), type: text('its type'), ...targetWarningFields },
  { title: 'DomainWarning' },
);

export const domainView = Type.Object(
  {
    ...fields,
    warnings: Type.Optional(
      list(
        domainWarning,
        'the first 20 ALIAS records, and CNAME records at proxied names, whose target has no address that may be served; only in `GET` of a single domain and in the answer to an import, omitted when there are none; in zones with more than 50,000 records only these are looked through',
      ),
    ),
  },
  { title: 'Domain' },
);

const delegationState = oneOf(
  DELEGATION_STATES,
  '"live": the parent zone has these nameservers; "partial": some of them, or others as well; "elsewhere": others only; "none": no nameservers; "unknown": the parent has not been asked or has not answered',
);

/** Adds fields that change without a new revision of the domain. */
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
  domain: Type.Object({ id: id('the domain'), domain: text('its name', { examples: ['example.com'] }) }),
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

export const presentRecordsResponse = Type.Object({
  nameservers: list(Type.String({ examples: ['ns1.example.org'] }), 'the nameservers that the domain has now'),
  is_own: flag('whether these are the nameservers of this service; then there are no records'),
  is_partial: flag('whether some questions got no answer'),
  records: list(
    Type.Object(
      {
        name: Type.String({ description: 'relative to the domain', examples: ['www'] }),
        type: text('the type', { examples: ['A'] }),
        content: Type.String({ description: 'as in a zone file', examples: ['192.0.2.1'] }),
        ttl: integer(30, 86_400, 'seconds'),
      },
      { title: 'PresentRecord' },
    ),
    'without SOA and the NS records of the apex, as `POST …/records/batch` takes them',
  ),
  error: orNull(Type.String(), 'why no nameserver could be asked, or null'),
});

export const domainResponse = Type.Object({ domain: domainView });

export const deletedResponse = Type.Object({
  restorable_until: orNull(time('until when it can be restored'), 'until when it can be restored; null: it cannot'),
});

const deletedDomain = Type.Object(
  {
    id: fields.id,
    domain: fields.domain,
    kind: fields.kind,
    record_count: fields.record_count,
    account_id: fields.account_id,
    created_at: fields.created_at,
    deleted_at: time('when it was deleted'),
    deleted_by: orNull(Type.String(), 'the user name of the one who deleted it; null: the service'),
    restorable_until: time('until when it can be restored'),
  },
  { title: 'DeletedDomain' },
);

export const deletedDomainsResponse = Type.Object({
  domains: list(deletedDomain, 'newest first'),
  ...pageFields,
});

export const newDomainsResponse = Type.Object({ domains: list(domainView, 'in the order of the request') });

export const domainsResponse = Type.Object({
  domains: list(listedDomainView, 'sorted by name, in canonical order, unless `sort` says otherwise'),
  ...pageFields,
});
