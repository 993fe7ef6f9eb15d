/** Lists the certificates of an account's domains, or only those that need attention. */

import { Steps } from '../../../core/base/steps.ts';
import { formatHost } from '../../../core/dns/wire/name.ts';
import type { Reader } from '../../../core/store/reader.ts';
import type { Account, Domain, ProxyConfig, Token } from '../../../core/store/rows.ts';
import { reachesDomain } from '../../http/caller.ts';
import { nameCursor, type Page, readNameCursor } from '../../http/lists.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';

/** Maximum domains that are read for one page. Such a page may have fewer items. */
const SCANNED = 5000;
const BATCH = 100;
const HOUR = 3600;
const DAY = 86_400;
/** Seconds before the end of a certificate at which it needs attention. */
const MAX_WARNING = 14 * DAY;
/** Divisor of the lifetime, for short-lived certificates: the last fifth needs attention. */
const WARNING_PART = 5;

/**
 * `token`: of the caller, which may be restricted to domains. Throws HttpError 400 for a malformed
 * cursor.
 */
export async function listCertificates(
  reader: Reader,
  account: Account,
  token: Pick<Token, 'domains'>,
  { limit, after }: Page,
  onlyProblems: boolean,
) {
  const steps = new Steps();
  const now = nowSeconds();
  const rows: ReturnType<typeof viewListed>[] = [];
  let last = after === null ? null : readNameCursor(after);
  for (let scanned = 0; scanned < SCANNED; scanned += BATCH) {
    const domains = reader.domainsOf(account.id, last, BATCH);
    for (const domain of domains) {
      const row = reader.proxy(domain.id);
      const isListed = row?.enabled === true && reachesDomain(token, domain.id);
      const listed = isListed ? viewListed(reader, domain, row, now) : null;
      if (listed !== null && (!onlyProblems || listed.problem !== null)) {
        // Only a further item proves that another page exists.
        if (rows.length === limit) return { rows, last: last && nameCursor(last) };
        rows.push(listed);
      }
      last = domain.apex;
    }
    if (domains.length < BATCH) return { rows, last: null };
    await steps.next();
  }
  return { rows, last: last && nameCursor(last) };
}

function viewListed(reader: Reader, domain: Domain, row: ProxyConfig, now: number) {
  const isUploaded = reader.certificate(domain.id) !== undefined;
  return {
    domain_id: domain.id,
    domain: formatHost(domain.apex),
    ssl_status: row.sslStatus,
    ssl_expires_at: row.sslExpiresAt === null ? null : formatTime(row.sslExpiresAt),
    is_uploaded: isUploaded,
    problem: problemOf(row, isUploaded, now),
  };
}

/** The problem with the certificate and the next step; null: no problem. */
export function problemOf(
  { sslStatus, sslError, sslIssuedAt, sslExpiresAt, orderRequestedAt }: ProxyConfig,
  isUploaded: boolean,
  now: number,
): string | null {
  if (sslError !== null) return sslError;
  if (sslExpiresAt !== null) {
    const lifetime = sslExpiresAt - (sslIssuedAt ?? sslExpiresAt - MAX_WARNING);
    if (sslExpiresAt - now > Math.min(MAX_WARNING, lifetime / WARNING_PART)) return null;
    return isUploaded
      ? `The uploaded certificate ends at ${formatTime(sslExpiresAt)} UTC; upload a new one, or delete it to get one automatically.`
      : `The certificate ends at ${formatTime(sslExpiresAt)} UTC and was not renewed; order it again, and see the reason.`;
  }
  if (sslStatus === 'pending' && orderRequestedAt !== null && now - orderRequestedAt > HOUR)
    return 'The certificate was requested more than an hour ago and is not there yet; check that the domain is delegated to our nameservers.';
  return null;
}
