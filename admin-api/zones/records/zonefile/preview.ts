/** Previews an import: compares a zone file with the zone, and changes nothing. */
import { Draft } from '../../../../core/journal/draft/draft.ts';
import { IdTaker } from '../../../../core/journal/draft/id-taker.ts';
import { editableDomain, requireMatch } from '../../../change/owned-domain.ts';
import { parseId, type Services } from '../../../change/services.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Context } from '../../../http/route.ts';
import { describeDomain } from '../../domains/service.ts';
import { generateRoom } from './generate-room.ts';
import { type ImportOptions, viewWarnings } from './import.ts';
import type { PreparePool } from './pool.ts';
import { encodeStored } from './stored.ts';

/** Maximum number of errors in one response. */
const MAX_ERRORS = 1000;

interface PreviewOptions extends ImportOptions {
  /** Maximum number of listed records of each kind. */
  readonly limit: number;
}

/** Bad lines are a part of the preview. Throws HttpError 404 and 412. */
export async function previewImport(
  services: Services,
  pool: PreparePool,
  context: Context<Caller>,
  bytes: Uint8Array,
  { keepApex, strict, limit }: PreviewOptions,
) {
  const { environment, journal } = services;
  const draft = new Draft(environment, journal.head, new IdTaker(journal.ids));
  const domain = editableDomain(draft, context.caller, parseId(context.params.domain_id));
  requireMatch(services, draft, domain, context.header('if-match'));
  const stored = await encodeStored(services, domain);
  const { apex } = domain;
  const { maxGenerated } = generateRoom(services, domain.accountId, domain.id);
  const compared = await pool.compare({ bytes, apex, keepApex, strict, stored, limit, maxGenerated });
  const { count, created, changed, deleted, unchanged, errors, warnings } = compared;
  const listed = errors.slice(0, MAX_ERRORS).map(({ line, message }) => ({ line, message }));
  return {
    domain: describeDomain(services, domain),
    records: count,
    ...viewWarnings(warnings),
    preview: {
      created: { count: created.count, records: created.records },
      changed: { count: changed.count, records: changed.records },
      deleted: { count: deleted.count, records: deleted.records },
      unchanged,
      errors: listed,
      ...(errors.length > MAX_ERRORS && { errors_omitted: errors.length - MAX_ERRORS }),
    },
  };
}
