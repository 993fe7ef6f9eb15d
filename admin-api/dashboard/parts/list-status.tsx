/** Shows the failure of a list, or a placeholder during its first load. */
import { FailureNote } from './notes.tsx';
import type { PagedList } from './paged-list.ts';
import { Skeleton } from './skeleton.tsx';

export function ListStatus<Row>({ list: { found, failure, reload } }: { readonly list: PagedList<Row> }) {
  if (failure.value !== null) return <FailureNote failure={failure.value} retry={reload} />;
  return found.value === null ? <Skeleton /> : null;
}
