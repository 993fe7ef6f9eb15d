/** Numbers in fields of text. */

/** For an empty field, `empty`. Text that is no number stays text, so that the API names it. */
export function readNumber<Empty>(text: string, empty: Empty): number | Empty {
  const trimmed = text.trim();
  if (trimmed === '') return empty;
  const value = Number(trimmed);
  return Number.isNaN(value) ? (trimmed as unknown as number) : value;
}

export const formatNumber = (value: number | null): string => (value === null ? '' : String(value));
