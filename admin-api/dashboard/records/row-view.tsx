/** A row of the table of records: as text, or as inputs while it is edited. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../../ui/parts/icon.tsx';
import { IconButton } from '../../ui/parts/icon-button.tsx';
import type { RecordView } from '../api/views.ts';
import { toUnicode } from '../names.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { TEXTS } from '../texts.ts';
import { ContentDialog } from './content-dialog.tsx';
import { type Fields, hasPtr, isWebType, type RowFault } from './edits.ts';
import { Faults } from './faults.tsx';
import { formsOf } from './forms/forms.ts';
import { InlineFields, inlineForm } from './inline-fields.tsx';
import { type FixedBy, type Row, stateOf } from './rows.ts';
import { TtlChoice, ttlText } from './ttl-choice.tsx';
import { RECORD_TYPES } from './types.ts';
import { zoneLine } from './zone-line.ts';

/** Id of the note that says that the proxy of the domain is off. */
export const PROXY_NOTE = 'proxy-note';

interface RowProps {
  readonly row: Row;
  /** Counts from 1, without the header row. */
  readonly position: number;
  readonly faults: readonly RowFault[];
  /** The content as the service stores it, with full names; the typed one if that is not known. */
  readonly content: string;
  /** The role of the user or the kind of the zone allows no changes. */
  readonly isReadOnly: boolean;
  /** Why this record cannot be changed. Null: it can be, unless nothing can. */
  readonly fixedBy: FixedBy | null;
  readonly isEditing: boolean;
  readonly isSelected: boolean;
  /** Whether the name is proxied if the record does not set it. */
  readonly isProxiedByDefault: boolean;
  /** Whether the proxy of the domain is on. */
  readonly isProxyOn: boolean;
  readonly onSelect: (isSelected: boolean, isRange: boolean) => void;
  readonly onEdit: () => void;
  readonly onDone: () => void;
  /** Called when the user cancels editing. `before`: the fields before the edit. */
  readonly onCancel: (before: Fields) => void;
  readonly onChange: (fields: Fields) => void;
  /** Sets `proxied` for all records at the name. */
  readonly onProxied: (proxied: boolean | null) => void;
  readonly onDuplicate: () => void;
  /** Deletes the record, or restores a deleted one. */
  readonly onRemove: () => void;
}

export function RowView(props: RowProps) {
  return props.isEditing ? <EditedRow {...props} /> : <TextRow {...props} isReadOnly={isFixed(props)} />;
}

const isFixed = ({ isReadOnly, fixedBy }: RowProps): boolean => isReadOnly || fixedBy !== null;

function TextRow(props: RowProps) {
  const { row, position, faults, content, isReadOnly, fixedBy, isSelected, onSelect, onEdit } = props;
  const texts = TEXTS.records;
  const { name, type, ttl, comment, ptr } = row.fields;
  const state = stateOf(row);
  const unicode = toUnicode(name === '' ? '@' : name);
  const isDeleted = row.kind === 'stored' && row.change?.after === null;
  const fault = faults[0]?.message;
  const alias = row.kind === 'stored' && row.change === undefined ? row.record.alias : undefined;
  return (
    <tr
      class={`row ${state === null ? '' : `row-${state}`} ${isSelected ? 'row-selected' : ''} ${fixedBy === null ? '' : 'row-fixed'}`}
      aria-rowindex={position + 1}
      data-record={row.kind === 'stored' ? row.record.id : undefined}
      onDblClick={isDeleted || isReadOnly ? undefined : onEdit}
    >
      <td class="cell-select">
        <input
          type="checkbox"
          checked={isSelected}
          aria-label={texts.selectRecord(unicode, type)}
          onClick={(event) => onSelect(event.currentTarget.checked, event.shiftKey)}
        />
      </td>
      <th scope="row" class="cell-name" title={unicode === name ? name : `${unicode} (${name})`}>
        {unicode}
      </th>
      <td class="cell-type">{type}</td>
      <td class="cell-content" title={content}>
        {state !== null && <span class={`badge badge-${state}`}>{texts.states[state]}</span>}
        {fault === undefined ? <code>{content}</code> : <span class="fault">{fault}</span>}
        {ptr === true && (
          <span class="record-comment" title={texts.ptrKept}>
            PTR
          </span>
        )}
        {comment && (
          <span class="record-comment" title={comment}>
            {comment}
          </span>
        )}
        {fixedBy !== null && (
          <span class="record-comment" title={texts.fixed[fixedBy].long}>
            <Icon name="lock" /> {texts.fixed[fixedBy].short}
          </span>
        )}
        {alias !== undefined && <AliasNote alias={alias} />}
      </td>
      <td class="cell-proxy">
        {isWebType(type) && (
          <ProxySwitch
            fields={row.fields}
            byDefault={props.isProxiedByDefault}
            isProxyOn={props.isProxyOn}
            isDisabled={isDeleted || isReadOnly}
            onChange={props.onProxied}
          />
        )}
      </td>
      <td class="cell-ttl">{ttlText(ttl)}</td>
      <td class="cell-actions">
        <RowActions {...props} isDeleted={isDeleted} unicode={unicode} />
      </td>
    </tr>
  );
}

function RowActions({
  row: { fields },
  content,
  isReadOnly,
  isDeleted,
  unicode,
  onEdit,
  onDuplicate,
  onRemove,
}: RowProps & { readonly isDeleted: boolean; readonly unicode: string }) {
  const texts = TEXTS.records;
  const { type } = fields;
  const copy = (
    <CopyButton text={zoneLine({ ...fields, content })} icon="copy" description={texts.copyRecord(unicode, type)} />
  );
  if (isReadOnly) return copy;
  return (
    <>
      {!isDeleted && (
        <>
          <button
            type="button"
            class="button button-quiet button-edit"
            aria-label={texts.editRecord(unicode, type)}
            onClick={onEdit}
          >
            {texts.edit}
          </button>
          {copy}
          <IconButton icon="duplicate" label={texts.duplicateRecord(unicode, type)} onClick={onDuplicate} />
        </>
      )}
      <IconButton
        icon={isDeleted ? 'restore' : 'remove'}
        label={isDeleted ? texts.restoreRecord(unicode, type) : texts.removeRecord(unicode, type)}
        onClick={onRemove}
      />
    </>
  );
}

function EditedRow(props: RowProps) {
  const { row, position, faults, content, onChange, onDone, onCancel, onProxied, onRemove } = props;
  const texts = TEXTS.records;
  const { fields } = row;
  const isNew = row.kind === 'added';
  const first = useRef<HTMLInputElement>(null);
  const before = useRef(fields);
  const isFormOpen = useSignal(false);
  useLayoutEffect(() => first.current?.focus(), []);
  const inline = inlineForm(fields.type, fields.content);
  const set = (changed: Partial<Fields>): void => onChange({ ...fields, ...changed });
  const finish = (event: KeyboardEvent): void => {
    const isButton = event.target instanceof HTMLButtonElement;
    if (event.key === 'Escape') onCancel(before.current);
    else if (event.key === 'Enter' && !isButton) onDone();
    else return;
    event.preventDefault();
  };
  // An empty value is not reported while the user has not typed it yet.
  const shown = faults.filter(({ field }) => field !== 'content' || fields.content !== '');
  const isWrong = (field: string): boolean => shown.some((fault) => fault.field === field);
  const faultsOf = (...names: string[]) => (
    <Faults
      faults={shown.filter(({ field }) => names.includes(field))}
      onChoose={(choice) => set({ content: choice })}
    />
  );
  return (
    <tr class="row row-edited" aria-rowindex={position + 1} onKeyDown={isFormOpen.value ? undefined : finish}>
      <td class="cell-select" />
      <td class="cell-name">
        <input
          ref={isNew ? first : undefined}
          aria-label={texts.name}
          aria-invalid={isWrong('name')}
          title={texts.apexHint}
          placeholder="@"
          value={fields.name}
          spellcheck={false}
          autocapitalize="none"
          onInput={(event) => set({ name: event.currentTarget.value })}
        />
        {faultsOf('name')}
      </td>
      <td class="cell-type">
        {isNew ? (
          <select
            aria-label={texts.type}
            aria-invalid={isWrong('type')}
            value={fields.type}
            onChange={(event) => set({ type: event.currentTarget.value })}
          >
            {typeChoices(fields.type).map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        ) : (
          fields.type
        )}
        {faultsOf('type')}
      </td>
      <td class="cell-content" colSpan={isWebType(fields.type) ? 1 : 2}>
        <div class="with-button">
          {inline === undefined ? (
            <input
              ref={isNew ? undefined : first}
              aria-label={texts.content}
              aria-invalid={isWrong('content')}
              placeholder={RECORD_TYPES[fields.type]}
              value={fields.content}
              spellcheck={false}
              autocapitalize="none"
              onInput={(event) => set({ content: event.currentTarget.value })}
            />
          ) : (
            <InlineFields
              key={fields.type}
              form={inline}
              content={fields.content}
              isInvalid={isWrong('content')}
              onChange={(value) => set({ content: value })}
              first={isNew ? undefined : first}
            />
          )}
          {formsOf(fields.type).length > 0 && (
            <IconButton
              icon="form"
              label={texts.openForm(fields.type)}
              onClick={() => {
                isFormOpen.value = true;
              }}
            />
          )}
        </div>
        {faultsOf('content', 'id', '')}
        {content !== fields.content && !isWrong('content') && <p class="hint">{texts.fullContent(content)}</p>}
        <input
          class="comment-input"
          aria-label={texts.comment}
          aria-invalid={isWrong('comment')}
          placeholder={texts.commentHint}
          value={fields.comment ?? ''}
          onInput={(event) => set({ comment: event.currentTarget.value })}
        />
        {faultsOf('comment')}
        {hasPtr(fields.type) && (
          <label class="check">
            <input
              type="checkbox"
              checked={fields.ptr === true}
              onChange={(event) => set({ ptr: event.currentTarget.checked })}
            />
            {texts.keepPtr}
          </label>
        )}
        {faultsOf('ptr')}
        {isFormOpen.value && (
          <ContentDialog
            fields={fields}
            faults={shown}
            content={content}
            onChange={onChange}
            onClose={() => {
              isFormOpen.value = false;
            }}
          />
        )}
      </td>
      {isWebType(fields.type) && (
        <td class="cell-proxy">
          <ProxyChoice value={fields.proxied ?? null} onChange={onProxied} />
          {faultsOf('proxied')}
        </td>
      )}
      <td class="cell-ttl">
        <TtlChoice value={fields.ttl} isInvalid={isWrong('ttl')} onChange={(ttl) => set({ ttl })} />
        {faultsOf('ttl')}
      </td>
      <td class="cell-actions">
        <button type="button" class="button" onClick={onDone}>
          {texts.done}
        </button>
        <IconButton
          icon="remove"
          label={texts.removeRecord(fields.name === '' ? '@' : fields.name, fields.type)}
          onClick={onRemove}
        />
      </td>
    </tr>
  );
}

/** A duplicated record can have a type that is not in the list. */
const typeChoices = (current: string): string[] => [...new Set([...Object.keys(RECORD_TYPES), current])];

/** The current addresses of an ALIAS record, with the time of their lookup. */
function AliasNote({ alias }: { readonly alias: NonNullable<RecordView['alias']> }) {
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

interface ProxySwitchProps {
  readonly fields: Fields;
  /** Whether the service proxies the name if its records do not set it. */
  readonly byDefault: boolean;
  readonly isProxyOn: boolean;
  readonly isDisabled: boolean;
  readonly onChange: (proxied: boolean) => void;
}

/**
 * The switch that proxies a name. It shows what is served: orange when proxied, outlined while the
 * proxy of the domain is off, grey when the name is not to be proxied.
 */
function ProxySwitch({
  fields: { name, proxied = null },
  byDefault,
  isProxyOn,
  isDisabled,
  onChange,
}: ProxySwitchProps) {
  const texts = TEXTS.records.proxy;
  const isOn = proxied ?? byDefault;
  const state = !isOn ? 'off' : isProxyOn ? 'on' : 'waiting';
  const hints = [state === 'waiting' ? texts.waitingHint : '', proxied === null ? texts.automaticHint : ''];
  return (
    <button
      type="button"
      role="switch"
      class={`switch switch-${state}`}
      aria-checked={isOn}
      aria-disabled={isDisabled}
      aria-label={texts.of(name === '' ? '@' : name)}
      aria-describedby={state === 'waiting' ? PROXY_NOTE : undefined}
      title={hints.filter((hint) => hint !== '').join(' ') || undefined}
      onClick={() => {
        if (!isDisabled) onChange(!isOn);
      }}
    >
      <span class="switch-dot" />
      {texts[state]}
    </button>
  );
}

interface ProxyChoiceProps {
  readonly value: boolean | null;
  readonly onChange: (proxied: boolean | null) => void;
}

const VALUES: Readonly<Record<string, boolean | null>> = { automatic: null, on: true, off: false };

function ProxyChoice({ value, onChange }: ProxyChoiceProps) {
  const texts = TEXTS.records.proxy;
  return (
    <select
      aria-label={texts.label}
      value={Object.keys(VALUES).find((key) => VALUES[key] === value)}
      onChange={({ currentTarget }) => onChange(VALUES[currentTarget.value])}
    >
      <option value="automatic">{texts.automatic}</option>
      <option value="on">{texts.on}</option>
      <option value="off">{texts.off}</option>
    </select>
  );
}
