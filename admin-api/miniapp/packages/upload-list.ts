/** Lists of uploads, which are sorted by time. */
import { TIME_KEY, timeKey } from '../../../core/store/keys.ts';
import type { Upload } from '../../../core/store/rows.ts';
import { invalidCursor, type ListPart, type Page } from '../../http/lists.ts';

/** `read`: the uploads after a time key. Throws HttpError 400. */
export function partOfUploads(
  { limit, after }: Page,
  read: (after: Buffer | null, limit: number) => Upload[],
): ListPart<Upload> {
  if (after !== null && after.length !== TIME_KEY) throw invalidCursor();
  const found = read(after, limit + 1);
  const rows = found.slice(0, limit);
  return { rows, last: found.length > limit ? timeKey(rows[rows.length - 1]) : null };
}
