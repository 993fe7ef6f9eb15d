/** GET /metrics: the metrics in the formats of Prometheus. */
import { BlockList, isIPv4 } from 'node:net';
import { type Registry, selectFormat } from '../../core/base/metrics/index.ts';
import type { Authentication } from '../http/caller.ts';
import { publicRoute } from '../http/route.ts';
import { UNAUTHORIZED } from '../http/unauthorized.ts';

/** The setting `admin.metrics`. */
export type MetricsAccess = 'loopback' | 'token' | 'off';

/**
 * Loopback addresses (RFC 1122 3.2.1.3, RFC 4291 2.5.3). BlockList also matches IPv4-mapped ones.
 */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Headers of proxies: RFC 7239, its predecessors, and Via (RFC 9110 7.6.3). */
const FORWARDING = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
] as const;

/**
 * Whether a request needs a token; with `loopback`, direct requests from this machine need none.
 */
export function needsToken(
  access: MetricsAccess,
  remoteAddress: string,
  header: (name: string) => string | undefined,
): boolean {
  if (access !== 'loopback') return true;
  if (!LOOPBACK.check(remoteAddress, isIPv4(remoteAddress) ? 'ipv4' : 'ipv6')) return true;
  return FORWARDING.some((name) => header(name) !== undefined);
}

/**
 * A token must be of an administrator, with the scope `account:read` or `account`. Empty for `off`.
 */
export function metricsRoutes(registry: Registry, access: MetricsAccess, authenticator: Authentication) {
  if (access === 'off') return [];
  return [
    publicRoute({
      operationId: 'getMetrics',
      method: 'GET',
      path: '/metrics',
      tag: 'operations',
      summary: 'Read the metrics of this node',
      description: 'In the text format of Prometheus, or as OpenMetrics if Accept requests it.',
      responseType: 'text/plain',
      faults: { 401: UNAUTHORIZED, 403: ['api_disabled', 'token_network', 'forbidden', 'insufficient_scope'] },
      run({ remoteAddress, isSecure, header, headers }) {
        if (needsToken(access, remoteAddress, header)) {
          const caller = authenticator.authenticate({ method: 'GET', header, isSecure, remoteAddress });
          authenticator.requireAccess(caller, 'account', 'read', true);
        }
        const format = selectFormat(header('accept'));
        headers['Content-Type'] = format.contentType;
        headers['Cache-Control'] = 'no-store';
        headers.Vary = 'Accept';
        return { raw: registry.expose(format) };
      },
    }),
  ];
}
