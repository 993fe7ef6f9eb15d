/** One change of a domain: author, time, and the values before and after. */
import { useSignal } from '@preact/signals';
import type { DomainChange } from '../api/views.ts';
import { actionText } from '../audit/describe.ts';
import { DiffEntry } from '../parts/diff-entry.tsx';
import { Time } from '../parts/time.tsx';
import { TEXTS } from '../texts.ts';
import { commentLine, recordLine, settingLines } from './change-lines.ts';

/** Number of lines in the collapsed view. */
const FIRST_LINES = 8;

/** Changes of the domain as a whole, which are complete without a record. */
const OF_THE_DOMAIN: ReadonlySet<string> = new Set(['domain.delete', 'domain.restore']);

interface ChangeItemProps {
  readonly change: DomainChange;
  /** Whether this is the latest change, so its state is the current state. */
  readonly isLatest: boolean;
  /** Null: the state after the change cannot be restored. */
  readonly onRestore: (() => void) | null;
}

export function ChangeItem({ change, isLatest, onRestore }: ChangeItemProps) {
  const texts = TEXTS.history;
  const isOpen = useSignal(false);
  const lines = [...settingLines(change), ...change.records.map(recordLine), ...change.comments.map(commentLine)];
  const shown = isOpen.value ? lines : lines.slice(0, FIRST_LINES);
  const hidden = lines.length - shown.length;
  const unlisted = change.is_complete ? change.record_count - change.records.length : 0;
  return (
    <li class="change">
      <div class="change-head">
        <h2>{actionText(change.action)}</h2>
        <p class="hint">
          <Time value={change.at} format="relative" />{' '}
          {change.actor === null ? texts.byService : texts.by(change.actor.username)}
          {change.actor?.token_name != null && ` ${texts.with(change.actor.token_name)}`}{' '}
          {change.by_admin && <span class="badge">{texts.byAdmin}</span>}
        </p>
        {isLatest && <span class="badge">{texts.latest}</span>}
        {!isLatest && onRestore !== null && (
          <button type="button" class="button" onClick={onRestore}>
            {texts.restore}
          </button>
        )}
      </div>
      {!change.is_complete && <p class="note note-warning">{texts.large(change.record_count)}</p>}
      {lines.length > 0 && (
        <ul class="diff">
          {shown.map(({ before, after }, i) => (
            <DiffEntry key={i} before={before} after={after} />
          ))}
        </ul>
      )}
      {lines.length === 0 && change.is_complete && !change.is_creation && !OF_THE_DOMAIN.has(change.action ?? '') && (
        <p class="hint">{texts.unchanged}</p>
      )}
      {hidden > 0 && (
        <button
          type="button"
          class="button button-quiet"
          onClick={() => {
            isOpen.value = true;
          }}
        >
          {texts.moreRecords(hidden)}
        </button>
      )}
      {hidden === 0 && unlisted > 0 && <p class="hint">{texts.notListed(unlisted)}</p>}
    </li>
  );
}
