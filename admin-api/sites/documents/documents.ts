/**
 * The documents of a domain's sites, with their endpoints: what each is called, its fields, how it
 * is checked and shown. Types, validation, OpenAPI, revisions, versions, and the types of clients
 * follow from this table.
 */
import { Type } from '@sinclair/typebox';
import type { ReadRuleCounts } from '../../../core/cluster/peer-queries.ts';
import { compileErrorPages, ERROR_PAGES } from '../../../core/site/error-pages/error-pages.ts';
import { errorPagesBody, errorPagesView, MAX_PAGES } from '../../../core/site/error-pages/schema.ts';
import { MAX_PAGE_BYTES, PLACEHOLDERS } from '../../../core/site/error-pages/template.ts';
import type { Ejections } from '../../../core/site/health/ejections.ts';
import { LOGS } from '../../../core/site/logs/document.ts';
import { logsBody, logsView } from '../../../core/site/logs/schema.ts';
import { ORIGINS } from '../../../core/site/pools/document.ts';
import { originsBody, originsView } from '../../../core/site/pools/schema.ts';
import { checkProtection } from '../../../core/site/protection/check.ts';
import { fullProtection, PROTECTION } from '../../../core/site/protection/document.ts';
import { protectionBody, protectionView } from '../../../core/site/protection/schema.ts';
import { RULES } from '../../../core/site/rules/index.ts';
import { rulesBody, rulesView } from '../../../core/site/rules/schema.ts';
import type { Services } from '../../change/services.ts';
import { URL_FAULTS } from '../../http/receiver-url.ts';
import type { OriginRules } from '../proxy/origin-rules.ts';
import { documentRoutes } from './document-routes.ts';
import { errorPagePreviewRoute } from './error-page-preview.ts';
import { readLogs, viewLogs } from './logs.ts';
import { type DomainLogs, logsStateRoutes } from './logs-state.ts';
import { ORIGIN_FAULTS, originHealthRoute, readOrigins, viewOrigins } from './origins.ts';
import { withoutSecrets } from './rule-logins.ts';
import { readRules, ruleCountersRoute, ruleTemplatesRoute } from './rules.ts';

export interface SiteDocumentParts {
  readonly originRules: OriginRules;
  readonly ejections: Pick<Ejections, 'endOf' | 'faultOf'>;
  readonly logs: DomainLogs;
  readonly readRuleCounts: ReadRuleCounts;
}

const placeholders = Object.keys(PLACEHOLDERS)
  .map((name) => `\`{{${name}}}\``)
  .join(', ');

/** Bytes: in JSON, a character of HTML may take two. */
const ERROR_PAGES_LIMIT = 2 * (MAX_PAGES + 1) * MAX_PAGE_BYTES;

export const siteDocumentRoutes = (services: Services, parts: SiteDocumentParts) => [
  ...documentRoutes(services, {
    document: ERROR_PAGES,
    path: 'error-pages',
    name: 'ErrorPages',
    title: 'error pages',
    description: `Pages that visitors see instead of those of the edge, when the edge itself responds with a status from 400 to 599. Responses of the origin are not replaced, and programs that prefer JSON or text get these. Placeholders are ${placeholders}; their values are escaped. A page runs no scripts, sends no forms and loads nothing from other hosts.`,
    example: { pages: [{ status: '5xx', html: '<!doctype html><title>{{title}}</title><h1>We are back soon</h1>' }] },
    commands: { get: 'waypost error-pages get example.com', set: 'waypost error-pages set example.com 5xx 5xx.html' },
    body: Type.Object(errorPagesBody),
    view: errorPagesView,
    faults: ['invalid_error_page'],
    limit: ERROR_PAGES_LIMIT,
    check({ pages, maintenance = null }) {
      const document = { pages: pages.map(({ status, html }) => ({ status, html })), maintenance };
      compileErrorPages(document);
      return document;
    },
    show: ({ pages, maintenance = null }) => ({ pages, maintenance }),
  }),
  errorPagePreviewRoute(services),
  ...documentRoutes(services, {
    document: PROTECTION,
    path: 'protection',
    name: 'Protection',
    title: 'protection',
    description:
      'Limits of the sites of a domain on each node, budgets for slow clients, the challenge for visitors, and the demands on TLS. A field that is omitted gets its default. A changed minimum version or list of authorities holds for new requests at once: those over older connections get 421.',
    example: { limits: { connections: 2000 }, challenge: { mode: 'auto' } },
    commands: {
      get: 'waypost protection get example.com',
      set: 'waypost protection set example.com limits.connections=2000 challenge.mode=auto',
    },
    body: Type.Object(protectionBody),
    view: protectionView,
    faults: ['invalid_protection', 'invalid_authorities'],
    check: ({ limits, slow, uploads, challenge, tls }) => checkProtection({ limits, slow, uploads, challenge, tls }),
    show: fullProtection,
  }),
  ...documentRoutes(services, {
    document: ORIGINS,
    path: 'origins',
    name: 'Origins',
    title: 'origins of names and paths',
    description:
      'Each entry sends the requests for a name and path to a pool of origins. Requests that no entry matches go to the origin of the proxy. Host names are not resolved now: the edge checks every address when it connects. An empty list removes all entries.',
    example: { origins: [{ path: '/api/', pool: [{ origin: 'api.example.net', port: 443, protocol: 'https' }] }] },
    commands: { get: 'waypost origins get example.com', set: 'waypost origins set example.com origins.json' },
    body: Type.Object(originsBody),
    view: originsView,
    faults: ORIGIN_FAULTS,
    limit: 4 << 20,
    check: ({ origins }, about) => readOrigins(origins, about, parts.originRules),
    show: viewOrigins,
  }),
  originHealthRoute(services, parts.ejections),
  ...documentRoutes(services, {
    document: LOGS,
    path: 'logs',
    name: 'Logs',
    title: 'delivery of request logs',
    description:
      'Requests to the sites of the domain are delivered as lines of JSON, in batches with gzip, to an HTTPS endpoint or to a bucket. A POST has `webhook-id` and `webhook-timestamp`, and with a signing secret `webhook-signature` as Standard Webhooks specifies, over the compressed body. `waypost-lines` and `waypost-dropped` are the numbers of lines in the batch and of those dropped since the last one. Each node delivers its own requests. A failed batch is retried for 15 minutes; lines wait in limited memory, and those that are dropped are counted. Secrets are stored encrypted and never shown; those that are omitted stay.',
    example: { enabled: true, endpoint: { url: 'https://logs.example.com/waypost' }, sample: 0.1 },
    commands: {
      get: 'waypost logs get example.com',
      set: 'waypost logs set example.com --receiver https://logs.example.com/waypost --sample 0.1',
    },
    body: Type.Object(logsBody),
    view: logsView,
    faults: ['invalid_logs', ...URL_FAULTS],
    check: readLogs,
    show: viewLogs,
  }),
  ...logsStateRoutes(services, parts.logs),
  ...documentRoutes(services, {
    document: RULES,
    path: 'rules',
    name: 'Rules',
    title: 'rules',
    description:
      'Rules run for each request of the sites of the domain, from first to last. A rule whose match holds does its action: one that changes something lets the next rule follow, one that decides (allow, deny, redirect, error_page, maintenance, and limit, basic_auth, authenticate or challenge if the request does not pass) stops. Passwords are stored as hashes, client secrets encrypted, and neither is returned; a user without a password keeps the stored one, and a login with the same issuer and client_id its client secret.',
    example: {
      rules: [
        {
          name: 'docs',
          match: { path: { prefix: ['/docs'] } },
          action: { type: 'redirect', location: 'https://docs.example.com{uri}', status: 301 },
        },
      ],
    },
    commands: {
      get: 'waypost rules get example.com',
      set: 'waypost rules set example.com rules.json',
      versions: 'waypost rules versions example.com',
      version: 'waypost rules versions example.com 1',
      restore: 'waypost rules restore example.com 1',
    },
    body: Type.Object({ rules: rulesBody }),
    view: { rules: rulesView },
    faults: ['invalid_rule', ...URL_FAULTS],
    check: ({ rules }, about) => readRules(rules, about, parts.originRules.allowPrivate),
    show: ({ rules }) => ({ rules: withoutSecrets(rules) }),
  }),
  ruleCountersRoute(services, services.config.nodeName, parts.readRuleCounts),
  ruleTemplatesRoute(services),
];
