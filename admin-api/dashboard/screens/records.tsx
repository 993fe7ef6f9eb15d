/** The records of a domain: filter, add, edit in place, delete, and save as one batch. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { FailureNote } from '../parts/notes.tsx';
import { isNarrow } from '../parts/screen-size.ts';
import { useShortcut } from '../parts/shortcuts.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { isChangeOf, useChanges } from '../parts/use-changes.ts';
import { VirtualRows } from '../parts/virtual-rows.tsx';
import {
  changeAddition,
  changeRecord,
  deleteRecord,
  type Fields,
  type RowFault,
  removeAddition,
  restoreRecord,
} from '../records/edits.ts';
import type { Filter } from '../records/filter.ts';
import { RowView } from '../records/row-view.tsx';
import { addedKey, type Row, rowsOf, storedKey } from '../records/rows.ts';
import { SaveBar } from '../records/save-bar.tsx';
import { editorOf, type ZoneEditor } from '../records/zone-editor.ts';
import { currentQuery, replaceQuery } from '../router.ts';
import type { ScreenProps } from '../screen.ts';
import { TEXTS } from '../texts.ts';

/** As in the style sheet. */
const ROW = 44;
const NARROW_ROW = 132;
const COLUMNS = 5;
/** A search of the API starts when the user has stopped typing for this time. */
const TYPING_MS = 300;
const NEW_RECORD: Fields = { name: '', type: 'A', content: '', ttl: 1 };

export function Records({ domainId }: ScreenProps) {
  const editor = useMemo(() => editorOf(domainId), [domainId]);
  const domain = editor.domain.value;
  useEffect(() => void editor.load(), [editor]);
  useChanges(isChangeOf(domainId, 'records', 'domain'), () => editor.refresh());
  const filter = { text: currentQuery.value.get('q') ?? '', type: currentQuery.value.get('type') ?? '' };
  useEffect(() => {
    const timer = setTimeout(() => editor.filterLarge(filter), TYPING_MS);
    return () => clearTimeout(timer);
  }, [editor, filter.text, filter.type]);

  return (
    <>
      {editor.failure.value !== null && <FailureNote failure={editor.failure.value} retry={() => editor.load()} />}
      {domain === null && editor.failure.value === null && <Skeleton />}
      {domain !== null && <RecordTable editor={editor} filter={filter} />}
      <SaveBar editor={editor} />
    </>
  );
}

function RecordTable({ editor, filter }: { readonly editor: ZoneEditor; readonly filter: Filter }) {
  const texts = TEXTS.records;
  const search = useRef<HTMLInputElement>(null);
  const editedKey = useSignal<string | null>(null);
  const records = editor.records.value;
  const edits = editor.edits.value;
  // The API has filtered the records of a large zone.
  const shown = editor.isLarge.value ? { text: '', type: '' } : filter;
  const rows = useMemo(() => rowsOf(records, edits, shown), [records, edits, shown.text, shown.type]);
  const types = useMemo(() => [...new Set(records.map(({ type }) => type))].sort(), [records]);
  const add = (): void => {
    editedKey.value = addedKey(editor.add(NEW_RECORD));
    scrollTo({ top: 0 });
  };
  useShortcut('/', TEXTS.help.search, () => search.current?.focus());
  useShortcut('n', TEXTS.help.addRecord, add);
  const total = editor.domain.value?.record_count ?? records.length;
  const isFiltered = filter.text !== '' || filter.type !== '';

  return (
    <>
      <div class="tools">
        <input
          ref={search}
          type="search"
          aria-label={texts.filter}
          placeholder={editor.isLarge.value ? texts.filterExactHint : texts.filterHint}
          value={filter.text}
          onInput={(event) => replaceQuery({ q: event.currentTarget.value })}
        />
        <select
          aria-label={texts.typeFilter}
          value={filter.type}
          onChange={(event) => replaceQuery({ type: event.currentTarget.value })}
        >
          <option value="">{texts.allTypes}</option>
          {[...new Set([...types, ...(filter.type === '' ? [] : [filter.type])])].map((type) => (
            <option key={type}>{type}</option>
          ))}
        </select>
        <button type="button" class="button button-main" onClick={add}>
          {texts.add}
        </button>
        <p class="hint" role="status">
          {texts.count(rows.length, Math.max(total, rows.length))}
        </p>
      </div>
      {rows.length === 0 && editor.isComplete.value && <NoRecords isFiltered={isFiltered} add={add} />}
      {rows.length > 0 && (
        <table class="table records" aria-rowcount={rows.length + 1}>
          <thead>
            <tr>
              <th scope="col" class="cell-name">
                {texts.name}
              </th>
              <th scope="col" class="cell-type">
                {texts.type}
              </th>
              <th scope="col" class="cell-content">
                {texts.content}
              </th>
              <th scope="col" class="cell-ttl">
                {texts.ttl}
              </th>
              <th scope="col" class="cell-actions">
                <span class="hidden">{texts.actions}</span>
              </th>
            </tr>
          </thead>
          <VirtualRows
            count={rows.length}
            rowHeight={isNarrow.value ? NARROW_ROW : ROW}
            columns={COLUMNS}
            renderRow={(index) => {
              const row = rows[index];
              return (
                <RowView
                  key={row.key}
                  row={row}
                  position={index + 1}
                  faults={editor.faults.value.filter((fault) => keyOf(fault) === row.key)}
                  isEditing={editedKey.value === row.key}
                  onEdit={() => {
                    editedKey.value = row.key;
                  }}
                  onDone={() => {
                    editedKey.value = null;
                  }}
                  onChange={(fields) => changeRow(editor, row, fields)}
                  onRemove={() => {
                    if (editedKey.value === row.key) editedKey.value = null;
                    removeRow(editor, row);
                  }}
                />
              );
            }}
          />
        </table>
      )}
    </>
  );
}

const keyOf = ({ row: { kind, id } }: RowFault): string => (kind === 'added' ? addedKey(id) : storedKey(id));

function changeRow(editor: ZoneEditor, row: Row, fields: Fields): void {
  const edits = editor.edits.value;
  editor.edit(
    row.kind === 'added'
      ? changeAddition(edits, row.addition.key, fields)
      : changeRecord(edits, row.change?.before ?? row.record, fields),
  );
}

function removeRow(editor: ZoneEditor, row: Row): void {
  const edits = editor.edits.value;
  if (row.kind === 'added') editor.edit(removeAddition(edits, row.addition.key));
  else if (row.change?.after === null) editor.edit(restoreRecord(edits, row.record));
  else editor.edit(deleteRecord(edits, row.change?.before ?? row.record));
}

function NoRecords({ isFiltered, add }: { readonly isFiltered: boolean; readonly add: () => void }) {
  const texts = TEXTS.records;
  return (
    <section class="empty">
      <h2>{isFiltered ? texts.noMatch : texts.empty}</h2>
      {isFiltered ? (
        <button type="button" class="button" onClick={() => replaceQuery({ q: '', type: '' })}>
          {texts.clearFilter}
        </button>
      ) : (
        <>
          <p>{texts.emptyHint}</p>
          <button type="button" class="button button-main" onClick={add}>
            {texts.add}
          </button>
        </>
      )}
    </section>
  );
}
