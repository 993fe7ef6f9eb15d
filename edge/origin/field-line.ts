/**
 * Field lines of requests to origins. A name is judged once for the thread; a line that comes
 * again, as most of a visitor's do from request to request, is neither judged nor put together
 * again: of some names the last one is kept.
 */
import { isConnectionSpecific, isFieldName, isFieldValue } from '../http/exchange/fields.ts';

/** What is known of a name. */
interface KnownName {
  /** The client says this field itself, or nobody does. */
  readonly isOurs: boolean;
  /** Whether lines of this name are kept. */
  readonly isKept: boolean;
  /** The last line that was kept; that of the empty value before there was one. */
  value: string;
  line: string;
}

/** Visitors choose names: no more than so many are known, of so many characters. */
const MOST_KNOWN = 512;
const LONGEST_NAME = 64;
/** Characters: longer ones seldom come again. */
const LONGEST_VALUE = 256;
const names = new Map<string, KnownName>();

/**
 * Lines that browsers, and the edge, say alike repeatedly. Of other names none is kept: it may
 * be a secret, or another one each time.
 */
const KEPT: ReadonlySet<string> = new Set([
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
 * `name: value` with its line end; empty for a field that is the client's to say. Throws TypeError
 * for what is no field (RFC 9110 section 5.1, 5.5).
 */
export function fieldLine(name: string, value: string): string {
  const entry = names.get(name) ?? learn(name);
  if (value === entry.value) return entry.line;
  if (!isFieldValue(value)) throw new TypeError(`No header field can be this: ${name}`);
  const line = lineOf(entry.isOurs, name, value);
  if (!entry.isKept || value.length > LONGEST_VALUE) return line;
  entry.value = value;
  entry.line = line;
  // Once in one piece, instead of with each request that it is a part of.
  line.charCodeAt(0);
  return line;
}

function learn(name: string): KnownName {
  if (!isFieldName(name)) throw new TypeError(`No header field can be this: ${name}`);
  const isOurs = isSaidByClient(name);
  const isKept = KEPT.has(name);
  const entry: KnownName = { isOurs, isKept, value: '', line: lineOf(isOurs, name, '') };
  if (name.length > LONGEST_NAME) return entry;
  if (names.size >= MOST_KNOWN) names.clear();
  names.set(name, entry);
  return entry;
}

const lineOf = (isOurs: boolean, name: string, value: string): string => (isOurs ? '' : `${name}: ${value}\r\n`);

function isSaidByClient(name: string): boolean {
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
