/** Endpoints of domains. */
import { type Static, Type } from '@sinclair/typebox';
import { flag, integer, oneOf, text } from '../../../core/base/schema.ts';
import type { Domain } from '../../../core/store/rows.ts';
import { BIN_DAYS } from '../../../core/upkeep/domains/bin.ts';
import { ACTING_FAULTS, accountOf, accountQuery } from '../../change/acting.ts';
import { etag, ownedDomain } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import { replyWithList } from '../../http/list-reply.ts';
import { MAX_WHOLE, pageQuery, searchBy, sortQuery } from '../../http/lists.ts';
import { RateLimit } from '../../http/rate-limit.ts';
import { route } from '../../http/route.ts';
import { checkDomains, createDomain, createDomains, NAME_FAULTS } from './create.ts';
import { checkDelegation, describeDelegation } from './delegation.ts';
import { DOMAIN_SORTS, listDomains, SORT_ALIASES } from './list.ts';
import { scanDomain } from './scan.ts';
import {
  delegationResponse,
  deletedResponse,
  domainBody,
  domainNameResponse,
  domainResponse,
  domainsBody,
  domainsResponse,
  type domainWarning,
  newDomainsResponse,
  presentRecordsResponse,
  primariesBody,
} from './schema.ts';
import { normalizeSearch } from './search-text.ts';
import {
  deleteDomain,
  describeDomain,
  describeListed,
  discardDeleted,
  replacePrimaries,
  transferZone,
} from './service.ts';
import { DOMAIN_STATES } from './state-filter.ts';

const DOMAINS = '/api/v1/domains';
const DOMAIN = `${DOMAINS}/{domain_id}` as const;

const DELEGATION = `${DOMAIN}/delegation` as const;
const PRIMARY_FAULTS = ['invalid_primary', 'private_primary', 'unknown_tsig_key'] as const;
/** Maximum delegation checks of an account per minute. */
const CHECKS = 30;
/** Maximum scans of an account per minute. */
const SCANS = 6;
const ONE_MINUTE = 60;

/** Finds the warnings of a domain: see admin-api/zones/targets/target-warnings.ts. */
type FindWarnings = (domain: Domain) => Promise<readonly Static<typeof domainWarning>[]>;

export function domainRoutes(services: Services, findWarnings: FindWarnings) {
  const checks = new RateLimit('delegation', services.config.rateLimit === 0 ? 0 : CHECKS, ONE_MINUTE);
  const scans = new RateLimit('present-records', services.config.rateLimit === 0 ? 0 : SCANS, ONE_MINUTE);
  return [
    route({
      operationId: 'listDomains',
      method: 'GET',
      path: DOMAINS,
      tag: 'domains',
      summary: 'List domains',
      description:
        'Those of the account, in pages if there are many. With `account`, an administrator reads those of another account.',
      example: { query: { q: 'example', sort: 'name' }, command: 'waypost domain list --filter example' },
      scope: 'dns',
      forLimited: true,
      forRestricted: true,
      query: {
        ...pageQuery,
        ...accountQuery,
        ...searchBy('name, in A-labels or in Unicode,', normalizeSearch),
        ...sortQuery(DOMAIN_SORTS, SORT_ALIASES),
        state: Type.Optional(
          oneOf(
            DOMAIN_STATES,
            'only domains in this state: "problems" (a certificate, DNSSEC, a transfer or an incomplete delegation needs attention), "proxied", "signed", or "not_delegated" (the parent zone has other nameservers or none); a page may then have fewer items, or none, although `next_cursor` leads to more',
          ),
        ),
      },
      response: domainsResponse,
      faults: ACTING_FAULTS,
      run(context) {
        const { query, caller } = context;
        const account = accountOf(services.reader, context);
        const { sort, q: search, state } = query;
        // The user probably searches next. An alphabetical list is read from the same names.
        if (caller.session !== undefined && sort.key !== 'alphabetical') services.search.prepare(account.id);
        return replyWithList(services.streams, context, 'domains', {
          maxPart: MAX_WHOLE,
          read: (page) => listDomains(services, account, caller.token, { page, sort, search, state }),
          view(id) {
            const domain = services.reader.domain(id);
            return domain?.accountId === account.id ? describeListed(services, domain) : undefined;
          },
        });
      },
    }),
    route({
      operationId: 'createDomain',
      method: 'POST',
      path: DOMAINS,
      tag: 'domains',
      summary: 'Create a domain',
      description: 'The limit on domains is that of the account which gets the domain.',
      example: { body: { domain: 'example.net' }, command: 'waypost domain add example.net' },
      scope: 'dns',
      query: accountQuery,
      body: domainBody,
      response: domainResponse,
      faults: {
        ...ACTING_FAULTS,
        409: ['zone_exists', 'plan_limit'],
        422: [...NAME_FAULTS, 'contradiction', ...PRIMARY_FAULTS],
      },
      run: (context) => createDomain(services, context, context.body),
    }),
    route({
      operationId: 'createDomains',
      method: 'POST',
      path: `${DOMAINS}/batch`,
      tag: 'domains',
      summary: 'Create many domains, all or none',
      description: 'Up to 1,000 domains in one revision. An error has the pointer of its domain.',
      example: {
        body: { domains: [{ domain: 'example.net' }, { domain: 'example.org' }] },
        command: 'waypost domain add-all names.txt',
      },
      scope: 'dns',
      query: accountQuery,
      body: domainsBody,
      response: newDomainsResponse,
      faults: {
        ...ACTING_FAULTS,
        409: ['zone_exists', 'plan_limit'],
        422: [...NAME_FAULTS, 'contradiction', 'named_twice', ...PRIMARY_FAULTS],
      },
      run: (context) => createDomains(services, context, context.body),
    }),
    route({
      operationId: 'checkDomain',
      method: 'GET',
      path: `${DOMAINS}/check`,
      tag: 'domains',
      summary: 'Check whether domains can be created',
      description:
        'The errors are those of the creation of a domain with this name, and of as many domains as `count` says.',
      example: { query: { domain: 'example.net' } },
      scope: 'dns',
      query: {
        ...accountQuery,
        domain: Type.Optional(text('the name of the domain, such as "example.com"')),
        count: Type.Optional(integer(1, 1_000_000, 'a number of new domains, for which the plan must have room')),
      },
      response: domainNameResponse,
      faults: { ...ACTING_FAULTS, 400: ['invalid_count'], 409: ['zone_exists', 'plan_limit'], 422: NAME_FAULTS },
      run: (context) => checkDomains(services, context, context.query),
    }),
    route({
      operationId: 'getDomain',
      method: 'GET',
      path: DOMAIN,
      tag: 'domains',
      summary: 'Get a domain',
      description:
        'Its nameservers, number of records, revision, and for a secondary zone its primaries. The ETag is for If-Match of writes.',
      example: { command: 'waypost domain show example.com' },
      scope: 'dns',
      forLimited: true,
      conditional: true,
      response: domainResponse,
      faults: { 404: ['no_such_domain'] },
      async run({ caller, params, headers }) {
        const domain = ownedDomain(services.reader, caller, parseId(params.domain_id));
        // Warnings are about records, which policies may not name.
        const warnings = caller.token.policies === undefined ? await findWarnings(domain) : [];
        const view = { ...describeDomain(services, domain), ...(warnings.length > 0 && { warnings }) };
        // The states of secondary zones and of targets change without a new revision.
        const isConstant = view.secondary === null && warnings.length === 0;
        headers.ETag = etag(view.revision, isConstant ? undefined : Buffer.from(JSON.stringify(view)));
        return { domain: view };
      },
    }),
    route({
      operationId: 'deleteDomain',
      method: 'DELETE',
      path: DOMAIN,
      tag: 'domains',
      summary: 'Delete a domain with all its records',
      scope: 'dns',
      description: `The domain is no longer served, and its name is free. It can be restored for ${BIN_DAYS} days. A signed domain whose parent zone has a DS record is not deleted: disable DNSSEC first, or set force.`,
      example: { command: 'waypost domain rm example.com --yes' },
      query: {
        force: Type.Optional(flag('true to delete the domain although its parent zone has a DS record')),
        permanent: Type.Optional(flag('true to delete the domain for good, also one that was deleted before')),
      },
      conditional: true,
      response: deletedResponse,
      faults: { 404: ['no_such_domain'], 409: ['dnssec_ds_present', 'listed_zone'] },
      run(context) {
        const id = parseId(context.params.domain_id);
        const isDeleted = services.reader.deletedDomain(id) !== undefined;
        if (context.query.permanent === true && isDeleted) return discardDeleted(services, context, id);
        return deleteDomain(services, context, id, context.query);
      },
    }),
    route({
      operationId: 'replacePrimaries',
      method: 'PUT',
      path: `${DOMAIN}/primaries`,
      tag: 'domains',
      summary: 'Replace the primaries of a secondary zone',
      description: 'The new primaries are asked at once.',
      example: {
        body: { primaries: [{ address: '192.0.2.1' }] },
        command: 'waypost domain primaries secondary.example 192.0.2.1',
      },
      scope: 'dns',
      conditional: true,
      body: primariesBody,
      response: domainResponse,
      faults: {
        404: ['no_such_domain'],
        409: ['not_secondary', 'listed_zone'],
        422: ['contradiction', ...PRIMARY_FAULTS],
      },
      run: (context) => replacePrimaries(services, context, parseId(context.params.domain_id), context.body.primaries),
    }),
    route({
      operationId: 'transferZone',
      method: 'POST',
      path: `${DOMAIN}/transfer`,
      tag: 'domains',
      summary: 'Ask the primaries of a secondary zone now',
      description: 'Waits for the transfer. If it fails, `secondary.error` of the response has the reason.',
      example: { command: 'waypost domain transfer secondary.example' },
      scope: 'dns',
      query: {
        force: Type.Optional(flag('true to transfer the whole zone, also if its serial is older or the same')),
      },
      response: domainResponse,
      faults: { 404: ['no_such_domain'], 409: ['not_secondary'] },
      run: (context) => transferZone(services, context, parseId(context.params.domain_id), context.query.force),
    }),
    route({
      operationId: 'getDelegation',
      method: 'GET',
      path: DELEGATION,
      tag: 'domains',
      summary: 'Get the delegation of a domain, as it was last seen',
      description: 'The parent zones of all domains are asked in the background.',
      scope: 'dns',
      response: delegationResponse,
      faults: { 404: ['no_such_domain'] },
      run: (context) => describeDelegation(services, context),
    }),
    route({
      operationId: 'checkDelegation',
      method: 'POST',
      path: `${DELEGATION}/check`,
      tag: 'domains',
      summary: 'Ask the parent zone now',
      description: `Asks every nameserver of the parent zone. An account may check ${CHECKS} times a minute.`,
      scope: 'dns',
      response: delegationResponse,
      faults: { 404: ['no_such_domain'] },
      run: (context) => checkDelegation(services, context, checks),
    }),
    route({
      operationId: 'scanDomain',
      method: 'GET',
      path: `${DOMAIN}/present-records`,
      tag: 'domains',
      summary: 'Find the records at the current nameservers',
      description: `Asks one of the nameservers that the domain has now for records at about 130 well-known names. Records at other names are not found. An account may scan ${SCANS} times a minute; a result is reused for 30 seconds.`,
      scope: 'dns',
      response: presentRecordsResponse,
      faults: { 404: ['no_such_domain'] },
      run: (context) => scanDomain(services, context, scans),
    }),
  ];
}
