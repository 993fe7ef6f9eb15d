/** A row of the table of records: as text, or as inputs while it is edited. */
import { useEffect, useRef } from 'preact/hooks';
import { toUnicode } from '../names.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { TEXTS } from '../texts.ts';
import type { Fields, RowFault } from './edits.ts';
import { type Row, stateOf } from './rows.ts';
import { RECORD_TYPES, TTL_PRESETS } from './types.ts';
import { zoneLine } from './zone-line.ts';

interface RowProps {
  readonly row: Row;
  /** From 1, without the header. */
  readonly position: number;
  readonly faults: readonly RowFault[];
  readonly isEditing: boolean;
  readonly onEdit: () => void;
  readonly onDone: () => void;
  readonly onChange: (fields: Fields) => void;
  /** Deletes the record; restores it if it is deleted. */
  readonly onRemove: () => void;
}

export function RowView(props: RowProps) {
  return props.isEditing ? <EditedRow {...props} /> : <TextRow {...props} />;
}

function TextRow({ row, position, faults, onEdit, onRemove }: RowProps) {
  const texts = TEXTS.records;
  const { name, type, content, ttl } = row.fields;
  const state = stateOf(row);
  const unicode = toUnicode(name);
  const isDeleted = row.kind === 'stored' && row.change?.after === null;
  const fault = faults[0]?.message;
  return (
    <tr
      class={`row ${state === null ? '' : `row-${state}`}`}
      aria-rowindex={position + 1}
      onDblClick={isDeleted ? undefined : onEdit}
    >
      <th scope="row" class="cell-name" title={unicode === name ? name : `${unicode} (${name})`}>
        {unicode}
      </th>
      <td class="cell-type">{type}</td>
      <td class="cell-content" title={content}>
        <code>{content}</code>
      </td>
      <td class="cell-ttl">{ttl === 1 ? texts.ttlAutomatic : texts.ttlSeconds(ttl)}</td>
      <td class="cell-actions">
        {state !== null && (
          <span class={`badge badge-${state}`} title={fault}>
            {texts.states[state]}
          </span>
        )}
        {fault !== undefined && <span class="hidden">{fault}</span>}
        <CopyButton text={zoneLine(row.fields)} description={texts.copyRecord(unicode, type)} />
        {!isDeleted && (
          <button
            type="button"
            class="button button-quiet"
            aria-label={texts.editRecord(unicode, type)}
            onClick={onEdit}
          >
            {texts.edit}
          </button>
        )}
        <button
          type="button"
          class="button button-quiet"
          aria-label={isDeleted ? texts.restoreRecord(unicode, type) : texts.removeRecord(unicode, type)}
          onClick={onRemove}
        >
          {isDeleted ? texts.restore : texts.remove}
        </button>
      </td>
    </tr>
  );
}

function EditedRow({ row, position, faults, onChange, onDone, onRemove }: RowProps) {
  const texts = TEXTS.records;
  const { fields } = row;
  const isNew = row.kind === 'added';
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const faultOf = (field: string): string | undefined => faults.find((fault) => fault.field === field)?.message;
  const set = (changed: Partial<Fields>): void => onChange({ ...fields, ...changed });
  const finish = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' || event.key === 'Escape') onDone();
  };
  return (
    <tr class="row row-edited" aria-rowindex={position + 1} onKeyDown={finish}>
      <td class="cell-name">
        <input
          ref={isNew ? first : undefined}
          aria-label={texts.name}
          aria-invalid={faultOf('name') !== undefined}
          title={faultOf('name') ?? texts.apexHint}
          value={fields.name}
          spellcheck={false}
          onInput={(event) => set({ name: event.currentTarget.value })}
        />
      </td>
      <td class="cell-type">
        {isNew ? (
          <select
            aria-label={texts.type}
            value={fields.type}
            onChange={(event) => set({ type: event.currentTarget.value })}
          >
            {Object.keys(RECORD_TYPES).map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        ) : (
          fields.type
        )}
      </td>
      <td class="cell-content">
        <input
          ref={isNew ? undefined : first}
          aria-label={texts.content}
          aria-invalid={faultOf('content') !== undefined}
          title={faultOf('content')}
          placeholder={RECORD_TYPES[fields.type]}
          value={fields.content}
          spellcheck={false}
          onInput={(event) => set({ content: event.currentTarget.value })}
        />
      </td>
      <td class="cell-ttl">
        <select
          aria-label={texts.ttl}
          aria-invalid={faultOf('ttl') !== undefined}
          value={String(fields.ttl)}
          onChange={(event) => set({ ttl: Number(event.currentTarget.value) })}
        >
          {ttlChoices(fields.ttl).map((ttl) => (
            <option key={ttl} value={String(ttl)}>
              {ttl === 1 ? texts.ttlAutomatic : texts.ttlSeconds(ttl)}
            </option>
          ))}
        </select>
      </td>
      <td class="cell-actions">
        <button type="button" class="button" onClick={onDone}>
          {texts.done}
        </button>
        <button type="button" class="button button-quiet" onClick={onRemove}>
          {texts.remove}
        </button>
      </td>
    </tr>
  );
}

const ttlChoices = (current: number): number[] => [...new Set([...TTL_PRESETS, current])].sort((a, b) => a - b);
