/** One entry of a list with the class `diff`: what was, and what is in its place. */
import type { ComponentChildren } from 'preact';
import { TEXTS } from '../texts.ts';

interface DiffEntryProps {
  /** Null: it is new. */
  readonly before: string | null;
  /** Null: it is deleted. */
  readonly after: string | null;
  /** Marks in front of it. */
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
