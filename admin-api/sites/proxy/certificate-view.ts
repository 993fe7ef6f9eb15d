/** Describes the certificate of a domain and the order of the next certificate. */
import type { Reader } from '../../../core/store/reader.ts';
import type { AcmeOrder, ProxyConfig } from '../../../core/store/rows.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';
import { issuerOf } from './issuer.ts';

export interface CertificateView {
  readonly source: 'none' | 'automatic' | 'uploaded';
  readonly names: readonly string[];
  readonly issuer: string | null;
  readonly issued_at: string | null;
  readonly expires_at: string | null;
  readonly is_ordering: boolean;
  readonly challenges: readonly ('dns-01' | 'http-01')[];
  readonly requested_at: string | null;
  readonly attempted_at: string | null;
  readonly failures: number;
  readonly next_attempt_at: string | null;
  readonly renews_at: string | null;
}

/** Maximum names of a certificate in a response. */
const MAX_NAMES = 100;

/** `reader`: during a change its draft, so that the view includes the new certificate. */
export function viewCertificate(reader: Reader, row: ProxyConfig): CertificateView {
  const uploaded = reader.certificate(row.domainId);
  const automatic = reader.automaticCertificate(row.domainId);
  const order = reader.acmeOrder(row.domainId);
  const served = uploaded ?? automatic;
  const claim = order?.claim ?? null;
  const isOrdering = claim !== null && claim.until > nowSeconds();
  const isAutomatic = uploaded === undefined && row.enabled;
  return {
    source: uploaded !== undefined ? 'uploaded' : automatic !== undefined ? 'automatic' : 'none',
    names: served?.names?.slice(0, MAX_NAMES) ?? [],
    issuer: served === undefined ? null : issuerOf(served.chain),
    issued_at: timeOrNull(served?.notBefore),
    expires_at: timeOrNull(served?.notAfter),
    is_ordering: isOrdering,
    challenges: isOrdering ? [...new Set(reader.acmeChallenges(row.domainId).map(({ type }) => type))] : [],
    requested_at: timeOrNull(row.orderRequestedAt),
    attempted_at: timeOrNull(order?.triedAt),
    failures: order?.failures ?? 0,
    next_attempt_at: isAutomatic && !isOrdering ? timeOrNull(nextAttempt(order)) : null,
    renews_at: isAutomatic && automatic !== undefined ? timeOrNull(order?.renewAt) : null,
  };
}

/** The time of the next attempt; null: no attempt has failed. */
function nextAttempt(order: AcmeOrder | undefined): number | null {
  if (order === undefined || order.failures === 0) return null;
  return Math.max(order.retryAt ?? 0, order.blockedUntil ?? 0);
}

const timeOrNull = (seconds: number | null | undefined): string | null => (seconds ? formatTime(seconds) : null);
