/** Shows the effects of an import: counts, the first records of each kind, and faulty lines. */
import type { ImportPreview, ImportWarning } from '../api/views.ts';
import { TEXTS } from '../texts.ts';
import { zoneLine } from './zone-line.ts';

export interface Previewed {
  readonly changes: ImportPreview;
  readonly warnings: readonly ImportWarning[];
  /** Number of further warnings. */
  readonly omitted: number;
  /** Records of the zone after the import. */
  readonly records: number;
  /** The ETag of the zone that the preview compared the file with. */
  readonly etag: string;
}

interface ImportReportProps {
  readonly previewed: Previewed;
  /** Adds the records to the domain instead of replacing its records. */
  readonly adds: boolean;
  /** The file. Null: too large to show its lines. */
  readonly text: string | null;
}

export function ImportReport({ previewed, adds, text }: ImportReportProps) {
  const texts = TEXTS.zoneFile;
  const { changes, warnings, omitted, records } = previewed;
  const { created, changed, deleted, unchanged, errors, errors_omitted: errorsOmitted = 0 } = changes;
  const refused = errors.length + errorsOmitted;
  const lines = text?.split('\n') ?? [];
  return (
    <section class="import-report" aria-label={texts.report}>
      {refused > 0 && (
        <p role="alert" class="note note-bad">
          {texts.refused(refused)}
        </p>
      )}
      <LineList title={texts.errors(refused)} isBad entries={errors} lines={lines} more={errorsOmitted} />
      <p role="status" class={refused > 0 ? 'hint' : 'note note-good'}>
        {adds
          ? texts.wouldAdd(created.count, changed.count + unchanged)
          : texts.wouldReplace(created.count, changed.count, deleted.count, unchanged, records)}
      </p>
      {!adds && deleted.count > 0 && (
        <>
          <p class="note note-warning">{texts.deletes(deleted.count)}</p>
          <Records
            title={texts.deleted(deleted.count)}
            count={deleted.count}
            lines={deleted.records.map(zoneLine)}
            mark="−"
          />
        </>
      )}
      <LineList title={texts.warnings(warnings.length + omitted)} entries={warnings} lines={lines} more={omitted} />
      <Records
        title={texts.created(created.count)}
        count={created.count}
        lines={created.records.map(zoneLine)}
        mark="+"
      />
      {!adds && (
        <Records
          title={texts.changed(changed.count)}
          count={changed.count}
          lines={changed.records.map((record) => `${zoneLine(record)} ${texts.ttlBefore(record.ttl_before)}`)}
          mark="~"
        />
      )}
    </section>
  );
}

interface LineListProps {
  readonly title: string;
  readonly isBad?: boolean;
  readonly entries: readonly { readonly line: number; readonly message: string }[];
  readonly lines: readonly string[];
  /** Number of entries that are not listed. */
  readonly more: number;
}

function LineList({ title, isBad = false, entries, lines, more }: LineListProps) {
  const texts = TEXTS.zoneFile;
  if (entries.length === 0) return null;
  return (
    <details class="card" open>
      <summary class={isBad ? 'fault' : ''}>{title}</summary>
      <ul class="line-list">
        {entries.map(({ line, message }, i) => (
          <li key={`${line} ${i}`}>
            <span class={isBad ? 'fault' : ''}>{texts.line(line, message)}</span>
            {lines[line - 1] !== undefined && <code>{lines[line - 1]}</code>}
          </li>
        ))}
      </ul>
      {more > 0 && <p class="hint">{texts.more(more)}</p>}
    </details>
  );
}

interface RecordsProps {
  readonly title: string;
  readonly count: number;
  readonly lines: readonly string[];
  readonly mark: '+' | '~' | '−';
}

const CLASSES = { '+': 'plan-created', '~': 'plan-changed', '−': 'plan-deleted' } as const;

function Records({ title, count, lines, mark }: RecordsProps) {
  if (count === 0) return null;
  return (
    <details class="card" open>
      <summary>{title}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls is reached by keyboard */}
      <ul class="plan" tabIndex={0} aria-label={title}>
        {lines.map((line) => (
          <li key={line} class={CLASSES[mark]}>
            {`${mark} ${line}`}
          </li>
        ))}
      </ul>
      {count > lines.length && <p class="hint">{TEXTS.zoneFile.more(count - lines.length)}</p>}
    </details>
  );
}
