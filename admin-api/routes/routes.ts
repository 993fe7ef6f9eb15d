/**
 * All endpoints that the OpenAPI document describes. Clients are typed from the type of this list:
 * see http/client.ts.
 */
import type { Registry } from '../../core/base/metrics/index.ts';
import type { ClusterState } from '../../core/cluster/cluster-state.ts';
import type { ReadStatistics } from '../../core/cluster/peer-queries.ts';
import type { Readiness } from '../../core/cluster/readiness.ts';
import type { WatchRequests } from '../../core/observe/tail/request-tail.ts';
import type { Services } from '../change/services.ts';
import { deliveriesRoutes } from '../events/deliveries/routes.ts';
import { type EventStreams, eventRoutes } from '../events/index.ts';
import { webhookRoutes } from '../events/webhooks/routes.ts';
import type { RequestOf, ResponseOf } from '../http/client.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import type { Sync } from '../http/route.ts';
import type { Packages } from '../miniapp/packages/index.ts';
import { factorRoutes } from '../people/accounts/factor-routes.ts';
import { accountRoutes } from '../people/accounts/routes.ts';
import { auditRoutes } from '../people/audit/routes.ts';
import type { Authenticator } from '../people/auth/authenticate.ts';
import { tokenRoutes } from '../people/auth/routes.ts';
import { sessionRoutes } from '../people/auth/session-routes.ts';
import type { Sessions } from '../people/auth/sessions.ts';
import type { SignInParts } from '../people/auth/sign-in.ts';
import type { TokenUses } from '../people/auth/token-uses.ts';
import { ownAccountRoutes } from '../people/own-account/routes.ts';
import { type SiteDocumentParts, siteDocumentRoutes } from '../sites/documents/documents.ts';
import type { OpenConnection } from '../sites/proxy/origin-test.ts';
import { proxyRoutes } from '../sites/proxy/routes.ts';
import { tailRoutes } from '../sites/tail/routes.ts';
import { binRoutes } from '../zones/bin/routes.ts';
import { dnssecRoutes } from '../zones/dnssec/routes.ts';
import { type AnswerDns, dohRoutes } from '../zones/doh/routes.ts';
import { domainRoutes } from '../zones/domains/routes.ts';
import { historyRoutes } from '../zones/history/routes.ts';
import { importRoutes } from '../zones/imports/routes.ts';
import { distributionRoutes } from '../zones/nameservers/routes.ts';
import { overviewRoutes } from '../zones/overview/routes.ts';
import { recordRoutes } from '../zones/records/routes.ts';
import type { PreparePool } from '../zones/records/zonefile/pool.ts';
import { searchRoutes } from '../zones/search/routes.ts';
import { statisticsRoutes } from '../zones/statistics/routes.ts';
import { steeringRoutes } from '../zones/steering/routes.ts';
import type { TargetWarnings } from '../zones/targets/target-warnings.ts';
import { tsigRoutes } from '../zones/tsig/routes.ts';
import { healthRoutes } from './health.ts';
import { metricsRoutes } from './metrics.ts';
import { nodeRoutes } from './nodes.ts';

interface ApiParts extends SiteDocumentParts {
  readonly services: Services;
  readonly signIn: SignInParts;
  readonly authenticator: Authenticator;
  readonly sessions: Sessions;
  readonly tokenUses: TokenUses;
  readonly eventStreams: EventStreams;
  readonly zoneFiles: PreparePool;
  readonly targetWarnings: TargetWarnings;
  readonly packages: Packages['routes'];
  readonly ready: () => Readiness;
  readonly describeNodes: () => Promise<ClusterState>;
  readonly metrics: Registry;
  readonly sync: (sequence: number) => Sync;
  /** Opens the connections of origin tests. */
  readonly openConnection: OpenConnection;
  readonly watchRequests: WatchRequests;
  readonly readStatistics: ReadStatistics;
  /** Undefined: DNS over HTTPS is off. */
  readonly doh: { readonly answer: AnswerDns; readonly queries: RateLimit } | undefined;
}

export function apiRoutes(parts: ApiParts) {
  const { services, signIn, authenticator, eventStreams } = parts;
  const { config } = services;
  return [
    ...healthRoutes(parts.ready, config.nodeName),
    ...nodeRoutes(parts.describeNodes),
    ...metricsRoutes(parts.metrics, config.admin.metrics, authenticator),
    ...tokenRoutes(signIn, parts.tokenUses),
    ...sessionRoutes(signIn, parts.sessions),
    ...tsigRoutes(services),
    ...accountRoutes(services, signIn.passwords),
    ...factorRoutes(services),
    ...ownAccountRoutes(signIn),
    ...auditRoutes(services, parts.sync),
    ...eventRoutes(services, authenticator, eventStreams),
    ...domainRoutes(services, (domain) => parts.targetWarnings.list(domain)),
    ...binRoutes(services),
    ...distributionRoutes(services),
    ...recordRoutes(services, parts.zoneFiles, parts.targetWarnings),
    ...importRoutes(services),
    ...historyRoutes(services),
    ...steeringRoutes(services),
    ...dnssecRoutes(services),
    ...proxyRoutes(services, parts.originRules, parts.openConnection),
    ...siteDocumentRoutes(services, parts),
    ...tailRoutes(services, authenticator, eventStreams, parts.watchRequests),
    ...overviewRoutes(services),
    ...searchRoutes(services),
    ...statisticsRoutes(services, parts.readStatistics),
    ...webhookRoutes(services),
    ...deliveriesRoutes(services),
    ...parts.packages,
    ...(parts.doh === undefined ? [] : dohRoutes(parts.doh.answer, parts.doh.queries)),
  ];
}

export type ApiRoute = ReturnType<typeof apiRoutes>[number];

type Operation<Id extends ApiRoute['operationId']> = Extract<ApiRoute, { readonly operationId: Id }>;

/** The fields of a response, besides `ok`, such as `ApiResponse<'getDomain'>`. */
export type ApiResponse<Id extends ApiRoute['operationId']> = ResponseOf<Operation<Id>>;

/** The body of a request. */
export type ApiBody<Id extends ApiRoute['operationId']> = RequestOf<Operation<Id>>;
