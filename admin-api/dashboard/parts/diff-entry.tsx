/** An entry of a list with the class `diff`: the old and the new text. */
import type { ComponentChildren } from 'preact';
import { TEXTS } from '../texts.ts';

interface DiffEntryProps {
  /** Null: added. */
  readonly before: string | null;
  /** Null: deleted. */
  readonly after: string | null;
  /** Badges before the entry. */
  readonly children?: ComponentChildren;
}

export function DiffEntry({ before, after, children }: DiffEntryProps) {
  return (
    <li>
      {children}
      {before !== null && (
        <del>
          <span class="hidden">{TEXTS.saving.before}</span>
          {before}
        </del>
      )}
      {after !== null && (
        <ins>
          <span class="hidden">{TEXTS.saving.after}</span>
          {after}
        </ins>
      )}
    </li>
  );
}
