/** The response to a request for the records of a domain: a page, or the whole list. */
import type { Domain } from '../../../core/store/rows.ts';
import { etag, ownedDomain } from '../../change/owned-domain.ts';
import { requireReading } from '../../change/record-policies.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { MAX_LIMIT, nextCursor, pageOf } from '../../http/lists.ts';
import { matchesTag } from '../../http/revision.ts';
import type { Context, RawReply } from '../../http/route.ts';
import { callerOwner } from '../../http/slot-owner.ts';
import type { TargetWarnings } from '../targets/target-warnings.ts';
import { commentFinder } from './comment.ts';
import { type Filter, filterOf, type RecordsQuery, readRecordPage } from './list.ts';
import type { RecordPageCache } from './pages.ts';
import { ptrFinder } from './ptrs.ts';
import { RecordSerializer } from './text.ts';
import { openWholeList } from './whole-list.ts';

/** A whole list that fits into one page is built and cached as a page. */
const SMALL = { limit: MAX_LIMIT, after: null };

/** Throws HttpError 400, 404 and 503, and InvalidError. */
export async function listRecords(
  services: Services,
  warnings: TargetWarnings,
  pages: RecordPageCache,
  context: Context<Caller, unknown, RecordsQuery>,
): Promise<RawReply> {
  const { caller, headers, params, query, parameters } = context;
  const domain = ownedDomain(services.reader, caller, parseId(params.domain_id));
  const { revision, recordCount } = services.reader.zoneState(domain.id);
  headers['Content-Type'] = 'application/json';
  requireReading(caller);
  const { token } = caller;
  // Tokens with policies see their own part of a list.
  const key = `${domain.id} ${parameters}${token.policies === undefined ? '' : ` ${token.id}`}`;
  let page = pages.get(key, revision);
  let tag = etag(revision);
  if (page === undefined) {
    const filter = filterOf(domain, token, query);
    const { descending } = query.sort;
    const requested = pageOf(query);
    const stream = () => streamRecords(services, warnings, context, domain, filter, descending);
    if (requested === null && isAll(filter) && recordCount > MAX_LIMIT) return stream();
    const { entries, last, total } = await readRecordPage(services, domain, requested ?? SMALL, filter, descending);
    if (requested === null && last !== null) return stream();
    const texts = new RecordSerializer(
      domain,
      services.aliases,
      warnings.of(domain),
      commentFinder(services.environment, domain),
      ptrFinder(services.environment, domain),
    );
    const records = entries.map((entry) => texts.serialize(entry)).join();
    const cursor = JSON.stringify(nextCursor(last, context));
    const body = Buffer.from(`{"ok":true,"records":[${records}],"next_cursor":${cursor},"total":${total}}`);
    page = { revision, body, link: headers.Link };
    // The states of targets change without a new revision of the domain.
    if (texts.hasTarget) tag = etag(revision, body);
    else pages.put(key, page);
  }
  if (page.link !== undefined) headers.Link = page.link;
  headers.ETag = tag;
  return { raw: page.body };
}

/** Whether the filter selects all records. */
const isAll = ({ name, type, content, search, policies }: Filter): boolean =>
  policies === undefined && name === null && type === null && content === null && search === '';

async function streamRecords(
  services: Services,
  warnings: TargetWarnings,
  context: Context<Caller>,
  domain: Domain,
  filter: Filter,
  descending: boolean,
): Promise<RawReply> {
  const { caller, client, headers, header } = context;
  // Only a list without target states has this tag, so an equal tag means an unchanged list.
  const tag = etag(services.reader.zoneState(domain.id).revision);
  if (matchesTag(header('if-none-match'), tag)) {
    headers.ETag = tag;
    return { raw: '' };
  }
  const raw = await services.streams.open(callerOwner(context), client, async () => {
    // The domain may have been deleted while the request waited.
    const current = ownedDomain(services.reader, caller, domain.id);
    const list = await openWholeList(services, warnings.of(current), current, filter, descending);
    headers.ETag = list.tag;
    nextCursor(list.last, context);
    return list;
  });
  return { raw };
}
