/** Converts the proxy of a domain from rows to responses. */

import { formatHost } from '../../../core/dns/wire/name.ts';
import type { Id } from '../../../core/store/keys.ts';
import type { Domain, ProxyConfig } from '../../../core/store/rows.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';
import { viewSettings } from './settings.ts';
import type { ProxyState } from './state.ts';

export const DEFAULT_PORT = 443;
const DEFAULT_PROTOCOL = 'https';

/** The settings of a domain whose proxy was never set. */
export function noProxy(domainId: Id): ProxyConfig {
  const now = nowSeconds();
  return {
    domainId,
    enabled: false,
    originHost: null,
    originPort: null,
    originProtocol: null,
    sslStatus: 'none',
    sslIssuedAt: null,
    sslExpiresAt: null,
    sslError: null,
    orderRequestedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** The response of all proxy endpoints except the purge. */
export function proxyReply(domain: Domain, row: ProxyConfig, state: ProxyState) {
  const { certificate, coverage, exposed, warnings } = state;
  return {
    domain: { id: domain.id, domain: formatHost(domain.apex) },
    proxy: {
      domain_id: domain.id,
      is_enabled: row.enabled ? (1 as const) : (0 as const),
      // Before an origin is set: its host is empty, port and protocol are the defaults of PUT.
      origin_host: row.originHost ?? '',
      origin_port: row.originPort ?? DEFAULT_PORT,
      origin_protocol: row.originProtocol ?? DEFAULT_PROTOCOL,
      ...viewSettings(row),
      ssl_status: row.sslStatus,
      ssl_issued_at: timeOrNull(row.sslIssuedAt),
      ssl_expires_at: timeOrNull(row.sslExpiresAt),
      ssl_error: row.sslError,
      certificate,
      certificates: coverage.certificates,
      uncovered: coverage.uncovered,
      exposed,
      warnings,
    },
  };
}

const timeOrNull = (seconds: number | null): string | null => (seconds === null ? null : formatTime(seconds));
