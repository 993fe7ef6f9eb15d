/** Lists the certificates of an account's domains, or only those that need attention. */

import { Steps } from '../../../core/base/steps.ts';
import { formatHost } from '../../../core/dns/wire/name.ts';
import { domainsInOrder, ORDER, POSITION } from '../../../core/store/domain-orders.ts';
import { type Id, nameKey } from '../../../core/store/keys.ts';
import type { Reader } from '../../../core/store/reader.ts';
import {
  type Account,
  certificateProblemAt,
  type Domain,
  type ProxyConfig,
  type Token,
} from '../../../core/store/rows.ts';
import type { StoreReader } from '../../../core/store/store-reader.ts';
import { invalidCursor, type ListPart, nameCursor, type Page, readNameCursor } from '../../http/lists.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';

type Listed = ReturnType<typeof viewListed>;

/**
 * All certificates are sorted by name, those that need attention by the time since when they do.
 * `token`: of the caller, which may be restricted to domains. Throws HttpError 400 for a malformed
 * cursor.
 */
export async function listCertificates(
  reader: StoreReader,
  account: Account,
  { domains: only }: Pick<Token, 'domains'>,
  page: Page,
  onlyProblems: boolean,
): Promise<ListPart<Listed>> {
  if (only !== undefined) return listOfDomains(reader, account, only, page, onlyProblems);
  const { environment } = reader;
  const { limit, after } = page;
  const now = nowSeconds();
  const range = { after, limit: limit + 1 };
  if (onlyProblems) {
    if (after !== null && after.length !== POSITION) throw invalidCursor();
    const found = domainsInOrder(environment, account.id, ORDER.problem, range);
    const due = found.filter(({ position }) => position.readUIntBE(0, 6) <= now);
    const rows = await viewAll(reader, due.slice(0, limit).map(idOf), now);
    return { rows, last: due.length > limit ? due[limit - 1].position : null };
  }
  const start = after === null ? null : nameKey(readNameCursor(after));
  const found = domainsInOrder(environment, account.id, ORDER.proxied, { ...range, after: start });
  const rows = await viewAll(reader, found.slice(0, limit).map(idOf), now);
  const last = found.length > limit ? reader.domain(found[limit - 1].id) : undefined;
  return { rows, last: last === undefined ? null : nameCursor(last.apex) };
}

const idOf = ({ id }: { readonly id: Id }): Id => id;

/** Certificates of a restricted token, whose domains are few, sorted by name. */
function listOfDomains(
  reader: StoreReader,
  account: Account,
  ids: readonly Id[],
  { limit, after }: Page,
  onlyProblems: boolean,
): ListPart<Listed> {
  const now = nowSeconds();
  const start = after === null ? null : nameKey(readNameCursor(after));
  const rest = ids
    .flatMap((id) => {
      const domain = reader.domain(id);
      const row = reader.proxy(id);
      if (domain?.accountId !== account.id || row?.enabled !== true) return [];
      return [{ apex: domain.apex, key: nameKey(domain.apex), view: viewListed(reader, domain, row, now) }];
    })
    .filter(({ key, view }) => !(onlyProblems && view.problem === null) && !(start && Buffer.compare(key, start) <= 0))
    .sort((a, b) => Buffer.compare(a.key, b.key));
  const rows = rest.slice(0, limit);
  return { rows: rows.map(({ view }) => view), last: rest.length > limit ? nameCursor(rows[limit - 1].apex) : null };
}

/** Yields to the event loop. */
async function viewAll(reader: Reader, ids: readonly Id[], now: number): Promise<Listed[]> {
  const steps = new Steps();
  const views: Listed[] = [];
  for (const id of ids) {
    const domain = reader.domain(id);
    const row = reader.proxy(id);
    if (domain !== undefined && row !== undefined) views.push(viewListed(reader, domain, row, now));
    await steps.next();
  }
  return views;
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
export function problemOf(row: ProxyConfig, isUploaded: boolean, now: number): string | null {
  const since = certificateProblemAt(row);
  if (since === null || since > now) return null;
  if (row.sslError !== null) return row.sslError;
  if (row.sslExpiresAt === null)
    return 'The certificate was requested more than an hour ago and is not there yet; check that the domain is delegated to our nameservers.';
  const end = formatTime(row.sslExpiresAt);
  return isUploaded
    ? `The uploaded certificate ends at ${end} UTC; upload a new one, or delete it to get one automatically.`
    : `The certificate ends at ${end} UTC and was not renewed; order it again, and see the reason.`;
}
