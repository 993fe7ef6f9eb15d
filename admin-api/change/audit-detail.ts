/**
 * Bounds the details of an audit entry. The audit log keeps entries for more than a year, so it
 * records what happened, and large values only in part.
 */

type Detail = Readonly<Record<string, unknown>>;

/** Characters of the details of an entry as JSON. */
export const MAX_DETAIL = 4096;
/** The same while the audit log of the account is more than half full. */
export const MAX_SCARCE_DETAIL = 200;
/** Characters of a text, and members of a list or an object, of details that are shortened. */
const MAX_TEXT = 256;
const MAX_MEMBERS = 10;
const MAX_DEPTH = 3;

/**
 * Returns the details, or a shortened copy with the member `shortened`: the number of characters of
 * all of them.
 */
export function boundDetail(detail: Detail, max: number): Detail {
  if (longest(detail, 0) <= max) return detail;
  const { length } = JSON.stringify(detail);
  if (length <= max) return detail;
  const part = { ...(shorten(detail, 0) as Detail), shortened: length };
  return JSON.stringify(part).length <= max ? part : { shortened: length };
}

/** Characters of an escaped one, such as \u0000, and of anything that is no text. */
const ESCAPED = 6;
const OTHER = 24;

/** A bound of the length as JSON, in a fraction of its time; infinite if the value is deep. */
function longest(value: unknown, depth: number): number {
  if (typeof value === 'string') return ESCAPED * value.length + 2;
  if (typeof value !== 'object' || value === null) return OTHER;
  if (depth > MAX_DEPTH || Array.isArray(value)) return Number.POSITIVE_INFINITY;
  let sum = 2;
  for (const name in value) sum += ESCAPED * name.length + 4 + longest((value as Detail)[name], depth + 1);
  return sum;
}

function shorten(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length <= MAX_TEXT ? value : `${value.slice(0, MAX_TEXT)}…`;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const members = value.slice(0, MAX_MEMBERS).map((member) => shorten(member, depth + 1));
    return value.length <= MAX_MEMBERS ? members : [...members, '…'];
  }
  const members = Object.entries(value).slice(0, MAX_MEMBERS);
  return Object.fromEntries(members.map(([name, member]) => [name.slice(0, MAX_TEXT), shorten(member, depth + 1)]));
}
