/**
 * Which requests a stored response answers (RFC 9111 section 4.1). The cache stores the request
 * fields that Vary names, as pairs of name and value. A later request must have the same values.
 * Values are normalised where the definition of the field permits it.
 */
import type { FieldList } from '../../http/exchange/field-list.ts';
import type { StoredResponse } from '../stored-response.ts';
import { fieldValue, members, trimmed } from './fields.ts';
import { parseHttpDate } from './http-date.ts';

/**
 * The cache sends this to the origin whatever the visitor accepts. The edge compresses responses
 * itself, so one stored response serves all visitors. Otherwise each spelling of Accept-Encoding
 * would need its own. So this field does not select responses.
 */
export const ORIGIN_ACCEPT_ENCODING = 'identity';

/** No origin has a reason to name more. */
const MAX_NAMES = 16;

/** The value of a field that the request does not have. No real value contains this byte. */
const ABSENT = '\0';

/**
 * Fields that identify a visitor. A response per visitor wastes memory, and its key would keep a
 * secret on disk.
 */
const PERSONAL: ReadonlySet<string> = new Set(['cookie', 'authorization']);

/** The edge sets these for each visitor or request, so no other request has the same value. */
const SET_BY_EDGE: ReadonlySet<string> = new Set([
  ...['cdn-loop', 'forwarded', 'via', 'x-forwarded-for', 'x-real-ip', 'x-request-id'],
]);
/**
 * The key contains their values for the origin, or they are the same in all requests
 * (`ORIGIN_ACCEPT_ENCODING`).
 */
const NOT_SELECTING: ReadonlySet<string> = new Set([
  ...['accept-encoding', 'x-forwarded-host', 'x-forwarded-port', 'x-forwarded-proto'],
]);

/** Fields that are lists (RFC 9110 section 12.5), and the case-insensitive ones among them. */
const LISTS: ReadonlySet<string> = new Set(['accept', 'accept-charset', 'accept-language']);
const CASELESS: ReadonlySet<string> = new Set(['accept-charset', 'accept-language']);

/**
 * The selecting names in Vary, in lower case and sorted. Undefined: "*", a field that differs in
 * each request, or too many names.
 */
export function varyNames(vary: string): string[] | undefined {
  const names = [...new Set(members(vary.toLowerCase()))];
  if (names.length > MAX_NAMES || names.some((name) => name === '*' || SET_BY_EDGE.has(name))) return undefined;
  return names.filter((name) => !NOT_SELECTING.has(name)).sort();
}

/**
 * Pairs of name and value for `StoredResponse.selecting`. Undefined: the response cannot be reused
 * for other requests.
 */
export function selectingFields(vary: string, request: FieldList): FieldList | undefined {
  const selecting: string[] = [];
  if (vary === '') return selecting;
  const names = varyNames(vary);
  if (names === undefined) return undefined;
  for (const name of names) {
    const value = selectingValue(name, request);
    if (value !== ABSENT && PERSONAL.has(name)) return undefined;
    selecting.push(name, value);
  }
  return selecting;
}

/** Whether the request has the fields that this response was stored for. */
export function isSelected(selecting: FieldList, request: FieldList): boolean {
  for (let i = 0; i < selecting.length; i += 2)
    if (selectingValue(selecting[i], request) !== selecting[i + 1]) return false;
  return true;
}

function selectingValue(name: string, request: FieldList): string {
  const value = fieldValue(request, name);
  if (value === undefined) return ABSENT;
  // A quoted string stays unchanged.
  return LISTS.has(name) && !value.includes('"') ? listValue(name, value) : value;
}

/** Finds optional characters in a list; browsers send none. */
const UNTIDY = /[ \t]|,,|^,|,$/;

/**
 * Removes blanks around "," and ";", which have no meaning. The order stays: some origins prefer
 * the first of equal members.
 */
function listValue(name: string, value: string): string {
  const list = UNTIDY.test(value) ? members(value).map(withoutBlanks).join(',') : value;
  return CASELESS.has(name) ? list.toLowerCase() : list;
}

const withoutBlanks = (member: string): string => member.split(';').map(trimmed).join(';');

/** Of several selected responses, the one with the most recent Date answers (section 4.1). */
export function isNewer(left: StoredResponse, right: StoredResponse): boolean {
  const difference = dateOf(left) - dateOf(right);
  return difference > 0 || (difference === 0 && left.responseTime > right.responseTime);
}

function dateOf({ headers, responseTime }: StoredResponse): number {
  const date = fieldValue(headers, 'date');
  const time = date === undefined ? Number.NaN : parseHttpDate(date, responseTime);
  return Number.isNaN(time) ? responseTime : time;
}
