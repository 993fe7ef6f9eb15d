/** Lists and changes the records of a domain through the API. */
import type { ApiBody, ApiResponse } from '../../routes/routes.ts';
import type { ApiClient, Change } from '../base/client.ts';
import type { Domain } from '../base/domains.ts';
import { pages } from '../base/pages.ts';
import { count, shown } from '../base/table.ts';

/** A record as the API returns it. */
export type RecordRow = ApiResponse<'listRecords'>['records'][number];

type BatchBody = ApiBody<'changeRecords'>;
export type NewRecord = NonNullable<BatchBody['post']>[number];
export type ChangedRecord = NonNullable<BatchBody['put']>[number];

export interface Batch {
  /** For the output, records have more than their id. */
  readonly delete?: readonly DeletedRecord[];
  readonly put?: readonly ChangedRecord[];
  readonly post?: readonly NewRecord[];
}

export type DeletedRecord = Pick<RecordRow, 'id'> & Partial<RecordRow>;

export interface RecordFilter {
  readonly name?: string;
  readonly type?: string;
  readonly content?: string;
}

const RECORDS = '/api/v1/domains/{domain_id}/records';

export const recordPages = (
  api: ApiClient,
  domain: Pick<Domain, 'id'>,
  { name, type, content }: RecordFilter = {},
): AsyncGenerator<readonly RecordRow[]> =>
  pages(api, RECORDS, 'records', { path: { domain_id: domain.id }, query: { name, type, content } });

export async function findRecords(
  api: ApiClient,
  domain: Pick<Domain, 'id'>,
  filter?: RecordFilter,
): Promise<RecordRow[]> {
  const found: RecordRow[] = [];
  for await (const page of recordPages(api, domain, filter)) found.push(...page);
  return found;
}

/**
 * Sends all changes as one batch. `revision`: that of the domain, if the batch is only for this
 * one. Throws ApiError.
 */
export async function sendBatch(
  api: ApiClient,
  domain: Pick<Domain, 'id'>,
  batch: Batch,
  revision?: number,
): Promise<ApiResponse<'changeRecords'> & Change> {
  const { delete: deletions = [], put = [], post = [] } = batch;
  return api.POST(`${RECORDS}/batch`, {
    params: {
      path: { domain_id: domain.id },
      header: revision === undefined ? undefined : { 'If-Match': `"${revision}"` },
    },
    body: { delete: deletions.map(({ id }) => id), put, post },
  });
}

/** Formats the response to a batch: the counts, then one line per record. */
export function describeBatch(
  { domain }: Domain,
  batch: Batch,
  { updated, created, warnings = [] }: ApiResponse<'changeRecords'>,
): [string, ...string[]] {
  const parts: [string, string, readonly DeletedRecord[]][] = [
    ['deleted', '-', batch.delete ?? []],
    ['updated', '~', updated],
    ['created', '+', created],
  ];
  const some = parts.filter(([, , records]) => records.length > 0);
  const counts = some.map(([verb, , records]) => `${verb} ${count(records.length, 'record')}`);
  return [
    `${domain}: ${counts.join(', ') || 'nothing to change'}`,
    ...some.flatMap(([, mark, records]) => records.map((record) => `  ${mark} ${recordLine(record)}`)),
    ...warnings.map(({ message }) => `  ! ${shown(message)}`),
  ];
}

/** The comment of a record, as in a zone file. */
export const commentNote = ({ comment }: Pick<DeletedRecord, 'comment'>): string =>
  typeof comment === 'string' ? `  ; ${shown(comment)}` : '';

/** The warnings of a record in a list. */
export const warningNote = ({ warnings = [] }: RecordRow): string =>
  warnings.map(({ message }) => `  ! ${shown(message)}`).join('');

/** Formats a record as a line of a zone file, followed by its id. */
export function recordLine({ id, name, ttl, type, content, proxied, comment, ptr }: DeletedRecord): string {
  const way = proxied === true ? '  proxied' : proxied === false ? '  not proxied' : '';
  const more = ptr === true ? `${way}  with PTR` : way;
  if (name === undefined) return `record ${shown(id)}`;
  const note = commentNote({ comment });
  return `${[name, ttl, type, content].map(shown).join(' ')}${more}${note}  (id ${shown(id)})`;
}
