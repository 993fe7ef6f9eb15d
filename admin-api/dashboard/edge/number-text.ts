/** Parses numbers of text fields. */

/** Returns `empty` for an empty field. Returns invalid text unchanged, so the API reports it. */
export function readNumber<Empty>(text: string, empty: Empty): number | Empty {
  const trimmed = text.trim();
  if (trimmed === '') return empty;
  const value = Number(trimmed);
  return Number.isNaN(value) ? (trimmed as unknown as number) : value;
}

export const formatNumber = (value: number | null): string => (value === null ? '' : String(value));
