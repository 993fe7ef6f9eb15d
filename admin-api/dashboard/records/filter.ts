/** Filters records by text and type. */
import type { Fields } from './edits.ts';

export interface Filter {
  /** Part of a name, a value or a comment. Case-insensitive. */
  readonly text: string;
  /** Empty: all types. */
  readonly type: string;
}

export function matchesFilter({ name, type, content, comment }: Fields, filter: Filter): boolean {
  if (filter.type !== '' && filter.type !== type) return false;
  if (filter.text === '') return true;
  const text = filter.text.toLowerCase();
  return [name, content, comment ?? ''].some((part) => part.toLowerCase().includes(text));
}
