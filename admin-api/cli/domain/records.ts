/** Lists and changes the records of a domain through the API. */
import type { ApiClient, ApiRequest, Json } from '../base/client.ts';
import { type Domain, domainPath } from '../base/domains.ts';
import { pages, type Query, rows, rowsOf } from '../base/pages.ts';
import { count, shown } from '../base/table.ts';

export interface Batch {
  /** Rows of the API. */
  readonly delete?: readonly Json[];
  readonly put?: readonly Json[];
  readonly post?: readonly Json[];
}

export interface RecordFilter {
  readonly name?: string;
  readonly type?: string;
  readonly content?: string;
}

const recordsPath = (domain: Domain): string => domainPath(domain, '/records');

export function recordPages(api: ApiClient, domain: Domain, filter: RecordFilter): AsyncGenerator<readonly Json[]> {
  return pages(api, recordsPath(domain), 'records', query(filter));
}

export async function findRecords(api: ApiClient, domain: Domain, filter: RecordFilter): Promise<Json[]> {
  const found: Json[] = [];
  for await (const row of rows(api, recordsPath(domain), 'records', query(filter))) found.push(row);
  return found;
}

const query = ({ name, type, content }: RecordFilter): Query => ({ name, type, content });

/** Sends all changes as one batch. `headers` can contain a condition. Throws ApiError. */
export async function sendBatch(
  api: ApiClient,
  domain: Domain,
  batch: Batch,
  headers?: ApiRequest['headers'],
): Promise<Json> {
  const { delete: deletions = [], put = [], post = [] } = batch;
  const json = { delete: deletions.map((row) => row.id), put, post };
  return api.json({ method: 'POST', path: domainPath(domain, '/records/batch'), json, headers });
}

/** Formats the response to a batch: the counts, then one line per record. */
export function describeBatch(domain: Domain, batch: Batch, body: Json): [string, ...string[]] {
  const parts: [string, string, readonly Json[]][] = [
    ['deleted', '-', batch.delete ?? []],
    ['updated', '~', rowsOf(body.updated)],
    ['created', '+', rowsOf(body.created)],
  ];
  const some = parts.filter(([, , records]) => records.length > 0);
  const counts = some.map(([verb, , records]) => `${verb} ${count(records.length, 'record')}`);
  return [
    `${domain.domain}: ${counts.join(', ') || 'nothing to change'}`,
    ...some.flatMap(([, mark, records]) => records.map((record) => `  ${mark} ${recordLine(record)}`)),
    ...rowsOf(body.warnings).map((warning) => `  ! ${shown(warning.message)}`),
  ];
}

/** The comment of a record, as in a zone file. */
export const commentNote = ({ comment }: Json): string => (typeof comment === 'string' ? `  ; ${shown(comment)}` : '');

/** The warnings of a record in a list. */
export const warningNote = ({ warnings }: Json): string =>
  rowsOf(warnings)
    .map(({ message }) => `  ! ${shown(message)}`)
    .join('');

/** Formats a record as a line of a zone file, followed by its id. */
export function recordLine({ id, name, ttl, type, content, proxied, comment }: Json): string {
  const more = proxied === true ? '  proxied' : proxied === false ? '  not proxied' : '';
  if (name === undefined) return `record ${shown(id)}`;
  const note = commentNote({ comment });
  return `${[name, ttl, type, content].map(shown).join(' ')}${more}${note}${id === undefined ? '' : `  (id ${shown(id)})`}`;
}
