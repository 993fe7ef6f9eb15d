/**
 * Which requests a stored response answers (RFC 9111 section 4.1). What Vary names is taken from the request when the response is stored, as
 * pairs of name and value; a later request must have the same ones. Values are normalised as far as their field is known not to care.
 */
import type { FieldList } from '../../http/exchange/field-list.ts';
import type { StoredResponse } from '../stored-response.ts';
import { fieldValue, members, trimmed } from './fields.ts';
import { parseHttpDate } from './http-date.ts';

/**
 * Every request whose response may be stored asks the origin for this, whatever the visitor takes: the edge compresses by itself, and what
 * is stored is then one response for all visitors instead of one for each way to write Accept-Encoding. So the field selects nothing.
 */
export const ORIGIN_ACCEPT_ENCODING = 'identity';

/** More names than any origin has reason to give. */
const MOST_NAMES = 16;

/** Of a field that the request did not have: no value can hold it. */
const ABSENT = '\0';

/** They tell who asks: a response for each visitor is not worth its place, and its key would be a secret that lies on a disk. */
const PERSONAL: ReadonlySet<string> = new Set(['cookie', 'authorization']);

/** The edge says them to the origin, of each visitor or request anew: nobody else can be given the answer. */
const OF_ONE_REQUEST: ReadonlySet<string> = new Set([
  'cdn-loop',
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-request-id',
]);
/** What they are for the origin stands in the key, or is the same for all (`ORIGIN_ACCEPT_ENCODING`). */
const SELECT_NOTHING: ReadonlySet<string> = new Set(['accept-encoding', 'x-forwarded-host', 'x-forwarded-proto']);

/** Fields that are known to be lists (RFC 9110 section 12.5), and those of them in which case means nothing. */
const LISTS: ReadonlySet<string> = new Set(['accept', 'accept-charset', 'accept-language']);
const CASELESS: ReadonlySet<string> = new Set(['accept-charset', 'accept-language']);

/** The names of Vary, in lower case and in order, without what selects nothing; undefined for "*", for what is another in each request, or for too many. */
export function varyNames(vary: string): string[] | undefined {
  const names = [...new Set(members(vary.toLowerCase()))];
  if (names.length > MOST_NAMES || names.some((name) => name === '*' || OF_ONE_REQUEST.has(name))) return undefined;
  return names.filter((name) => !SELECT_NOTHING.has(name)).sort();
}

/** Pairs of name and value for `StoredResponse.selecting`; undefined when a response with this Vary cannot be reused, or not by others. */
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

/** Whether the request is one that this response was stored for. */
export function isSelected(selecting: FieldList, request: FieldList): boolean {
  for (let i = 0; i < selecting.length; i += 2)
    if (selectingValue(selecting[i], request) !== selecting[i + 1]) return false;
  return true;
}

function selectingValue(name: string, request: FieldList): string {
  const value = fieldValue(request, name);
  if (value === undefined) return ABSENT;
  // What stands in quotes is left as it is.
  return LISTS.has(name) && !value.includes('"') ? listValue(name, value) : value;
}

/** What there is to leave out of a list; browsers write theirs without. */
const UNTIDY = /[ \t]|,,|^,|,$/;

/** Blanks around "," and ";" mean nothing there; the order may, since some origins take the first of those that are equal. */
function listValue(name: string, value: string): string {
  const list = UNTIDY.test(value) ? members(value).map(withoutBlanks).join(',') : value;
  return CASELESS.has(name) ? list.toLowerCase() : list;
}

const withoutBlanks = (member: string): string => member.split(';').map(trimmed).join(';');

/** Of several that a request selects the most recent by its Date answers it (section 4.1). */
export function isNewer(one: StoredResponse, other: StoredResponse): boolean {
  const difference = dateOf(one) - dateOf(other);
  return difference > 0 || (difference === 0 && one.responseTime > other.responseTime);
}

function dateOf({ headers, responseTime }: StoredResponse): number {
  const date = fieldValue(headers, 'date');
  const time = date === undefined ? Number.NaN : parseHttpDate(date, responseTime);
  return Number.isNaN(time) ? responseTime : time;
}
