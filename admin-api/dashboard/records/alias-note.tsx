/** The current addresses of an ALIAS record, with the time of their lookup. */
import type { RecordView } from '../api/views.ts';
import { TEXTS } from '../texts.ts';

export function AliasNote({ alias }: { readonly alias: NonNullable<RecordView['alias']> }) {
  const texts = TEXTS.records.alias;
  const { status, addresses, checked_at: checkedAt, error } = alias;
  const shown = addresses.length === 0 ? texts.none : addresses.join(', ');
  const age = checkedAt === null ? texts.never : texts.age(Date.now() - Date.parse(`${checkedAt.replace(' ', 'T')}Z`));
  return (
    <span class="alias" title={checkedAt === null ? undefined : TEXTS.utc(checkedAt)}>
      {texts.addresses(shown, age)}
      {error !== null && <span class="fault"> {texts.problem(texts.statuses[status], error)}</span>}
    </span>
  );
}
