/** The table of records, with its tools, rows and keyboard shortcuts. */
import { useSignal } from '@preact/signals';
import { useCallback, useMemo, useRef } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import { addressOf } from '../addresses.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { isFocusLost } from '../parts/keep-focus.ts';
import { useLazyDialog } from '../parts/lazy-dialog.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { isNarrow } from '../parts/screen-size.ts';
import { useShortcut } from '../parts/shortcuts.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { SortHeading } from '../parts/sort-heading.tsx';
import { isChangeOf, useChanges } from '../parts/use-changes.ts';
import { useResource } from '../parts/use-resource.ts';
import { ROW, VirtualRows } from '../parts/virtual-rows.tsx';
import { currentQuery, replaceQuery } from '../router.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';
import { BulkBar } from './bulk-bar.tsx';
import {
  changeAddition,
  changeRecord,
  deleteRecord,
  type Fields,
  fullContent,
  isWebType,
  type RowFault,
  removeAddition,
  restoreRecord,
  setProxied,
} from './edits.ts';
import type { Filter } from './filter.ts';
import { type Column, nextOrder, ORDER_COLUMNS, type Order, readOrder, sortRecords } from './order.ts';
import { PROXY_NOTE, RowView } from './row-view.tsx';
import { addedKey, directTargets, faultsByRow, fixedBy, isProxiedByDefault, type Row, rowsOf, setKey } from './rows.ts';
import type { ZoneEditor } from './zone-editor.ts';
import { type Pasted, pasteLines, usePastedLines } from './zone-file.ts';

/** Must equal the value in the style sheet. */
const NARROW_ROW = 132;
const COLUMNS = 7;
/** Values of the parameter `sort`, for windows without headings. */
const ORDERS = ORDER_COLUMNS.flatMap((column) => [
  { value: column === 'name' ? '' : column, label: `${TEXTS.records[column]}${TEXTS.lists.arrows.ascending}` },
  { value: `-${column}`, label: `${TEXTS.records[column]}${TEXTS.lists.arrows.descending}` },
]);
const NEW_RECORD: Fields = { name: '', type: 'A', content: '', ttl: 1 };
const NO_FAULTS: readonly RowFault[] = [];

export function RecordTable({ editor, filter }: { readonly editor: ZoneEditor; readonly filter: Filter }) {
  const texts = TEXTS.records;
  const search = useRef<HTMLInputElement>(null);
  const editedKey = useSignal<string | null>(null);
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const pasted = useSignal<Pasted | Failure | null>(null);
  const records = editor.records.value;
  const edits = editor.edits.value;
  const domain = editor.domain.value?.domain ?? '';
  // For a large zone, the API has already filtered the records.
  const shown = editor.isLarge.value ? { text: '', type: '' } : filter;
  const orderText = currentQuery.value.get('sort') ?? '';
  const order = readOrder(orderText);
  // The API sorts large zones.
  const sorted = useMemo(
    () => (editor.isLarge.value ? records : sortRecords(records, order)),
    [records, orderText, editor.isLarge.value],
  );
  const rows = useMemo(() => rowsOf(sorted, edits, shown), [sorted, edits, shown.text, shown.type]);
  const types = useMemo(() => [...new Set(records.map(({ type }) => type))].sort(), [records]);
  const targets = useMemo(() => directTargets(records, domain), [records, domain]);
  const faults = useMemo(() => faultsByRow(editor.faults.value), [editor.faults.value]);
  const selectedRows = useMemo(
    () => (selected.value.size === 0 ? [] : rows.filter(({ key }) => selected.value.has(key))),
    [rows, selected.value],
  );
  const lastSelected = useRef(0);
  const edit = (fields: Fields): void => {
    editedKey.value = addedKey(editor.add(fields));
    scrollTo({ top: 0 });
  };
  const steering = useResource(() =>
    settle(api.GET('/api/v1/domains/{domain_id}/steering', { params: { path: { domain_id: editor.domainId } } })),
  );
  useChanges(isChangeOf(editor.domainId, 'steering'), steering.load);
  const steered = useMemo(() => new Set(steering.value.value?.steering.map(setKey)), [steering.value.value]);
  // Only the records of primary zones can be edited.
  const isReadOnly = isReader.value || editor.domain.value?.kind !== 'primary';
  const add = (): void => {
    if (!isReadOnly) edit(NEW_RECORD);
  };
  useShortcut('/', TEXTS.help.search, () => search.current?.focus());
  useShortcut('n', TEXTS.help.addRecord, add);
  usePastedLines(async (text) => {
    if (isReadOnly) return;
    const result = await pasteLines(editor, text);
    pasted.value = result.ok ? result.pasted : result.failure;
    if (!result.ok) return;
    const { added, existing, errors } = result.pasted;
    if (existing === 0 && errors.length === 0) announce(texts.pasted.added(added));
    scrollTo({ top: 0 });
  });
  const clearSelection = (): void => {
    selected.value = new Set();
  };
  const select = (index: number, isSelected: boolean, isRange: boolean): void => {
    const next = new Set(selected.value);
    const [from, to] = isRange ? [lastSelected.current, index].sort((a, b) => a - b) : [index, index];
    for (const { key } of rows.slice(from, to + 1)) {
      if (isSelected) next.add(key);
      else next.delete(key);
    }
    lastSelected.current = index;
    selected.value = next;
  };
  const loadMore = useCallback(() => void editor.loadMore(), [editor]);
  const total = editor.domain.value?.record_count ?? records.length;
  const isFiltered = filter.text !== '' || filter.type !== '';
  const isProxyOn = editor.domain.value?.proxy_enabled === true;
  const waits = useMemo(
    () => !isProxyOn && rows.some(({ fields }) => isProxied(fields, targets)),
    [isProxyOn, rows, targets],
  );
  const areAllSelected = rows.length > 0 && selectedRows.length === rows.length;

  return (
    <>
      <div class="tools">
        <input
          ref={search}
          type="search"
          aria-label={texts.filter}
          placeholder={texts.filterHint}
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
        {isNarrow.value && !editor.isLarge.value && (
          <select
            aria-label={TEXTS.lists.sort}
            value={orderText}
            onChange={({ currentTarget }) => replaceQuery({ sort: currentTarget.value })}
          >
            {ORDERS.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
        {!isReadOnly && (
          <>
            <PresetButton editor={editor} />
            <button type="button" class="button button-main" onClick={add}>
              {texts.add}
            </button>
          </>
        )}
        <p class="hint" role="status">
          {texts.count(rows.length, Math.max(total, rows.length))}
        </p>
      </div>
      {waits && (
        <p id={PROXY_NOTE} class="proxy-note">
          <span class="switch-dot" aria-hidden="true" /> {texts.proxy.isOff}{' '}
          <a href={addressOf('proxy', { domain_id: editor.domainId })}>{texts.proxy.turnOn}</a>
        </p>
      )}
      {pasted.value !== null && (
        <PastedNote
          pasted={pasted.value}
          onClose={() => {
            pasted.value = null;
          }}
        />
      )}
      {selectedRows.length > 0 && (
        <BulkBar
          editor={editor}
          rows={selectedRows}
          steered={steered}
          isReadOnly={isReadOnly}
          onClear={clearSelection}
        />
      )}
      {rows.length === 0 && !editor.isComplete.value && <Skeleton />}
      {rows.length === 0 && editor.isComplete.value && (
        <NoRecords domainId={editor.domainId} isFiltered={isFiltered} isReadOnly={isReadOnly} add={add} />
      )}
      {rows.length > 0 && (
        <table class="table records" aria-rowcount={rows.length + 1} onKeyDown={moveBetweenRows}>
          <thead>
            <tr>
              <th scope="col" class="cell-select">
                <input
                  type="checkbox"
                  aria-label={texts.selectAll}
                  checked={areAllSelected}
                  onChange={() => {
                    selected.value = areAllSelected ? new Set() : new Set(rows.map(({ key }) => key));
                  }}
                />
              </th>
              <Heading column="name" order={editor.isLarge.value ? null : order} />
              <Heading column="type" order={editor.isLarge.value ? null : order} />
              <Heading column="content" order={editor.isLarge.value ? null : order} />
              <th scope="col" class="cell-proxy">
                {texts.proxy.label}
              </th>
              <Heading column="ttl" order={editor.isLarge.value ? null : order} />
              <th scope="col" class="cell-actions">
                <span class="hidden">{texts.actions}</span>
              </th>
            </tr>
          </thead>
          <VirtualRows
            count={rows.length}
            rowHeight={isNarrow.value ? NARROW_ROW : ROW}
            columns={COLUMNS}
            onEnd={loadMore}
            renderRow={(index) => {
              const row = rows[index];
              const finish = (): void => {
                editedKey.value = null;
                focusEdit(index + 1);
              };
              return (
                <RowView
                  key={row.key}
                  row={row}
                  position={index + 1}
                  faults={faults.get(row.key) ?? NO_FAULTS}
                  content={fullContent(editor.fullContents.value, row.fields)}
                  isReadOnly={isReadOnly}
                  fixedBy={fixedBy(row, steered)}
                  isEditing={editedKey.value === row.key}
                  isSelected={selected.value.has(row.key)}
                  isProxiedByDefault={isProxiedByDefault(row.fields.name, targets)}
                  isProxyOn={isProxyOn}
                  onSelect={(isSelected, isRange) => select(index, isSelected, isRange)}
                  onEdit={() => {
                    editedKey.value = row.key;
                  }}
                  onDone={finish}
                  onCancel={(before) => {
                    if (row.kind === 'added' && isUntouched(before)) removeRow(editor, row);
                    else changeRow(editor, row, before);
                    finish();
                  }}
                  onChange={(fields) => changeRow(editor, row, fields)}
                  onProxied={(proxied) => editor.edit(setProxied(editor.edits.value, records, [row.fields], proxied))}
                  onDuplicate={() => edit(row.fields)}
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

type PresetDialogProps = Parameters<typeof import('./preset-dialog.tsx').PresetDialog>[0];

/** Opens the records of providers. */
function PresetButton({ editor }: Pick<PresetDialogProps, 'editor'>) {
  const load = async () => (await import('./preset-dialog.tsx')).PresetDialog;
  const { isOpening, open, Shown, opening, opened } = useLazyDialog<PresetDialogProps>(load, { keepsKeys: false });
  return (
    <>
      <button type="button" class="button" aria-haspopup="dialog" aria-disabled={isOpening.value} onClick={open}>
        {TEXTS.presets.open}
      </button>
      {Shown !== null && <Shown key={opening} editor={editor} onClose={opened.onClose} />}
    </>
  );
}

const isUntouched = ({ name, content }: Fields): boolean => name === '' && content === '';

/** Runs after the row shows its buttons again, unless the focus is elsewhere. */
function focusEdit(position: number): void {
  requestAnimationFrame(() => {
    if (!isFocusLost()) return;
    document.querySelector<HTMLElement>(`tr[aria-rowindex="${position + 1}"] .button-edit`)?.focus();
  });
}

/** The arrow keys move the focus to the same control of the next or previous row. */
function moveBetweenRows(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const control = event.target;
  if (step === undefined || !(control instanceof HTMLElement) || control.matches('select, input:not([type=checkbox])'))
    return;
  const row = control.closest('tr');
  const index = Number(row?.getAttribute('aria-rowindex'));
  const cell = control.closest('td')?.className;
  const next = row?.parentElement?.querySelector(`tr[aria-rowindex="${index + step}"] td.${cell}`);
  if (row === null || next == null) return;
  const at = [...(control.closest('td')?.querySelectorAll('button, input') ?? [])].indexOf(control);
  const controls = next.querySelectorAll<HTMLElement>('button, input');
  const target = controls[Math.min(at, controls.length - 1)];
  if (target === undefined) return;
  event.preventDefault();
  target.focus();
}

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

function PastedNote({ pasted, onClose }: { readonly pasted: Pasted | Failure; readonly onClose: () => void }) {
  const texts = TEXTS.records.pasted;
  if ('code' in pasted) return <FailureNote failure={pasted} />;
  const { added, existing, errors } = pasted;
  if (errors.length === 0 && existing === 0) return null;
  return (
    <div class={`note ${errors.length > 0 ? 'note-bad' : 'note-good'}`} role="status">
      <p>{[texts.added(added), ...(existing === 0 ? [] : [texts.existing(existing)])].join(' ')}</p>
      <ul>
        {errors.map(({ line, message }) => (
          <li key={line}>{texts.error(line, message)}</li>
        ))}
      </ul>
      <button type="button" class="button" onClick={onClose}>
        {TEXTS.close}
      </button>
    </div>
  );
}

/** `order`: null: the API sorts. */
function Heading({ column, order }: { readonly column: Column; readonly order: Order | null }) {
  const label = TEXTS.records[column];
  const name = `cell-${column}`;
  if (order === null)
    return (
      <th scope="col" class={name}>
        {label}
      </th>
    );
  const direction = order.column !== column ? null : order.isDescending ? 'descending' : 'ascending';
  return <SortHeading label={label} name={name} direction={direction} next={nextOrder(order, column)} />;
}

/** Whether a record is proxied while the proxy of the domain is on. */
const isProxied = ({ name, type, proxied = null }: Fields, targets: ReadonlySet<string>): boolean =>
  isWebType(type) && (proxied ?? isProxiedByDefault(name, targets));

interface NoRecordsProps {
  readonly domainId: number;
  readonly isFiltered: boolean;
  readonly isReadOnly: boolean;
  readonly add: () => void;
}

function NoRecords({ domainId, isFiltered, isReadOnly, add }: NoRecordsProps) {
  const texts = TEXTS.records;
  return (
    <section class="empty">
      <h2>{isFiltered ? texts.noMatch : texts.empty}</h2>
      {isFiltered ? (
        <button type="button" class="button" onClick={() => replaceQuery({ q: '', type: '' })}>
          {texts.clearFilter}
        </button>
      ) : isReadOnly ? null : (
        <>
          <p>{texts.emptyHint}</p>
          <div class="actions">
            <button type="button" class="button button-main" onClick={add}>
              {texts.add}
            </button>
            <a class="button" href={addressOf('zoneFile', { domain_id: domainId })}>
              {texts.importFile}
            </a>
          </div>
        </>
      )}
    </section>
  );
}
