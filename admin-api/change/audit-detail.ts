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
  const { length } = JSON.stringify(detail);
  if (length <= max) return detail;
  const part = { ...(shorten(detail, 0) as Detail), shortened: length };
  return JSON.stringify(part).length <= max ? part : { shortened: length };
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
