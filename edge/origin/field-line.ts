/**
 * Builds the field lines of requests to origins. A name is validated once per thread. Of some names
 * the last line is cached, because most fields of a visitor repeat from request to request.
 */
import { isConnectionSpecific, isFieldName, isFieldValue } from '../http/exchange/fields.ts';

/** A validated field name. */
interface KnownName {
  /** The client sets this field itself, or never sends it. */
  readonly isOurs: boolean;
  /** Whether the last line of this name is cached. */
  readonly isCached: boolean;
  /** The cached value and line; at first those of the empty value. */
  value: string;
  line: string;
}

/** Visitors choose names, so the cache is limited: number of names, and characters of a name. */
const MAX_NAMES = 512;
const MAX_NAME_LENGTH = 64;
/** Characters of a cached value. Longer values seldom repeat. */
const MAX_VALUE_LENGTH = 256;
const names = new Map<string, KnownName>();

/**
 * Names whose lines are cached: browsers and the edge repeat them. Other values may be secret, or
 * change each time.
 */
const CACHED: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'cdn-loop',
  'content-type',
  'dnt',
  'forwarded',
  'origin',
  'pragma',
  'priority',
  'sec-ch-ua',
  'sec-ch-ua-mobile',
  'sec-ch-ua-platform',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-fetch-user',
  'upgrade-insecure-requests',
  'user-agent',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-requested-with',
]);

/**
 * `name: value` with its line end; empty for a field that the client sets itself. Throws TypeError
 * for an invalid field (RFC 9110 sections 5.1 and 5.5).
 */
export function fieldLine(name: string, value: string): string {
  const entry = names.get(name) ?? validateName(name);
  if (value === entry.value) return entry.line;
  if (!isFieldValue(value)) throw new TypeError(`No header field can be this: ${name}`);
  const line = lineOf(entry.isOurs, name, value);
  if (!entry.isCached || value.length > MAX_VALUE_LENGTH) return line;
  entry.value = value;
  entry.line = line;
  // Makes V8 flatten the string once, instead of in each request that contains it.
  line.charCodeAt(0);
  return line;
}

function validateName(name: string): KnownName {
  if (!isFieldName(name)) throw new TypeError(`No header field can be this: ${name}`);
  const isOurs = isSetByClient(name);
  const isCached = CACHED.has(name);
  const entry: KnownName = { isOurs, isCached, value: '', line: lineOf(isOurs, name, '') };
  if (name.length > MAX_NAME_LENGTH) return entry;
  if (names.size >= MAX_NAMES) names.clear();
  names.set(name, entry);
  return entry;
}

const lineOf = (isOurs: boolean, name: string, value: string): string => (isOurs ? '' : `${name}: ${value}\r\n`);

function isSetByClient(name: string): boolean {
  switch (name) {
    case 'host':
    case 'content-length':
    case 'te':
    case 'expect':
      return true;
    default:
      return isConnectionSpecific(name);
  }
}
