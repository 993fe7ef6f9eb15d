/** The actions for the selected rows. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import { copyText } from '../parts/copy-button.tsx';
import { TEXTS } from '../texts.ts';
import { type BulkChange, BulkPreview } from './bulk-preview.tsx';
import { changeMany, differences, isWebType, type StoredRecord, setProxied } from './edits.ts';
import { fixedBy, type Row } from './rows.ts';
import { ttlText } from './ttl-choice.tsx';
import { TTL_PRESETS } from './types.ts';
import type { ZoneEditor } from './zone-editor.ts';
import { zoneLine } from './zone-line.ts';

interface BulkBarProps {
  readonly editor: ZoneEditor;
  readonly rows: readonly Row[];
  /** The steered record sets, whose records stay as they are. */
  readonly steered: ReadonlySet<string>;
  readonly isReadOnly: boolean;
  readonly onClear: () => void;
}

type ProxyChoice = 'on' | 'off' | 'automatic';

const PROXIED: Readonly<Record<ProxyChoice, boolean | null>> = { on: true, off: false, automatic: null };

export function BulkBar({ editor, rows, steered, isReadOnly, onClear }: BulkBarProps) {
  const texts = TEXTS.records.bulk;
  const copy = async (): Promise<void> => {
    await copyText(rows.map(({ fields }) => `${zoneLine(fields)}\n`).join(''));
    announce(texts.copied(rows.length));
  };
  const editable = rows.filter((row) => fixedBy(row, steered) === null);
  const fixed = isReadOnly ? 0 : rows.length - editable.length;
  return (
    <section class="bulk" aria-label={texts.title}>
      <p role="status">
        {texts.selected(rows.length)}
        {fixed > 0 && <span class="hint"> {texts.fixed(fixed)}</span>}
      </p>
      {!isReadOnly && editable.length > 0 && <BulkEdits editor={editor} rows={editable} onClear={onClear} />}
      <button type="button" class="button" onClick={copy}>
        {texts.copy}
      </button>
      <button type="button" class="button button-quiet" onClick={onClear}>
        {texts.clear}
      </button>
    </section>
  );
}

function BulkEdits({ editor, rows, onClear }: Omit<BulkBarProps, 'isReadOnly' | 'steered'>) {
  const texts = TEXTS.records.bulk;
  const stored = rows.flatMap((row): StoredRecord[] => (row.kind === 'stored' ? [row.record] : []));
  const added = new Set(rows.flatMap((row) => (row.kind === 'added' ? [row.addition.key] : [])));
  const preview = useSignal<BulkChange | null>(null);
  const setTtl = (ttl: number): void => {
    const next = changeMany(editor.edits.value, stored, added, (fields) => ({ ...fields, ttl }));
    editor.editMany(next, texts.changed(differences(editor.edits.value, next).length));
  };
  // The proxy is shared by all records of a name, so more than the selected ones may change.
  const switchProxy = (state: ProxyChoice): void => {
    const named = rows.map(({ fields }) => fields).filter(({ type }) => isWebType(type));
    preview.value = {
      title: texts.proxyTitle(TEXTS.records.proxy[state]),
      edits: setProxied(editor.edits.value, editor.records.value, named, PROXIED[state]),
      label: texts.change,
      done: texts.changed,
    };
  };
  const remove = (): void => {
    editor.editMany(
      changeMany(editor.edits.value, stored, added, () => null),
      texts.removed(rows.length),
    );
    onClear();
  };
  return (
    <>
      {preview.value !== null && (
        <BulkPreview
          editor={editor}
          change={preview.value}
          explanation={TEXTS.records.preview.explanation}
          onClose={() => {
            preview.value = null;
          }}
        />
      )}
      <select
        aria-label={texts.ttl}
        value=""
        onChange={({ currentTarget }) => {
          setTtl(Number(currentTarget.value));
          currentTarget.value = '';
        }}
      >
        <option value="" disabled>
          {texts.ttl}
        </option>
        {TTL_PRESETS.map((ttl) => (
          <option key={ttl} value={String(ttl)}>
            {ttlText(ttl)}
          </option>
        ))}
      </select>
      {rows.some(({ fields }) => isWebType(fields.type)) && (
        <select
          aria-label={texts.proxy}
          value=""
          onChange={({ currentTarget }) => {
            switchProxy(currentTarget.value as ProxyChoice);
            currentTarget.value = '';
          }}
        >
          <option value="" disabled>
            {texts.proxy}
          </option>
          {Object.keys(PROXIED).map((key) => (
            <option key={key} value={key}>
              {TEXTS.records.proxy[key as ProxyChoice]}
            </option>
          ))}
        </select>
      )}
      <button type="button" class="button" onClick={remove}>
        {texts.remove}
      </button>
    </>
  );
}
