/** Which records a filter shows. */
import type { Fields } from './edits.ts';

export interface Filter {
  /** Part of a name or a value, in any case. */
  readonly text: string;
  /** Empty: all types. */
  readonly type: string;
}

export function matchesFilter({ name, type, content }: Fields, filter: Filter): boolean {
  if (filter.type !== '' && filter.type !== type) return false;
  if (filter.text === '') return true;
  const text = filter.text.toLowerCase();
  return name.toLowerCase().includes(text) || content.toLowerCase().includes(text);
}
