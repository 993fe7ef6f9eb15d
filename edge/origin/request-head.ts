/**
 * The head of an HTTP/1.1 request to an origin (RFC 9112 section 3). The client chooses the framing
 * itself. It rejects values that could be parsed as another line. Whatever the caller passes, no
 * second request can be smuggled.
 */
import { isPath } from '../http/exchange/authority.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { isConnectionSpecific, isFieldName, isFieldValue, isToken } from '../http/exchange/fields.ts';
import { derivedOf, type RecurringLines } from '../http/exchange/recurring-fields.ts';
import type { OriginRequest } from './origin.ts';

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
 * Methods that expect a body. Without one, the request has a content-length of 0 (RFC 9110 section
 * 8.6).
 */
const EXPECTS_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Whether the connection is closed afterwards. It is that of one visitor (PROXY protocol), or the
 * method gives the request's content no meaning (RFC 9110 section 9.3.1): an origin that does not
 * read such content would parse it as the next request.
 */
export const isLastOnConnection = ({ method, body, protocol, origin }: OriginRequest): boolean =>
  protocol === '' && (origin.proxyProtocol !== undefined || (body.length !== 0 && !EXPECTS_BODY.has(method)));

/** The head of a request, in Latin-1. Cached lines stand between two texts. */
export interface RequestHead {
  readonly before: string;
  /** Null: the whole head is in `before`. */
  readonly lines: RecurringLines | null;
  readonly after: string;
}

/** The head as one text. */
export const headText = ({ before, lines, after }: RequestHead): string =>
  lines === null ? before : before + lines.text + after;

/** Includes the empty line. Throws TypeError for an invalid method, path, authority or field. */
export function requestHead(request: OriginRequest): RequestHead {
  const { method, path, headers } = request;
  const authority = request.origin.hostHeader ?? request.authority;
  if (method !== 'GET' && (!isToken(method) || method === 'CONNECT'))
    throw new TypeError(`No method of a request to an origin: ${method}`);
  if (!isPath(path, method)) throw new TypeError('No path of a request to an origin.');
  if (!isAuthority(authority)) throw new TypeError(`No authority: ${authority}`);
  const before = `${method} ${path} HTTP/1.1\r\nhost: ${authority}\r\n`;
  const after = `${idLine(request)}${connectionLines(request)}${framingLine(request)}\r\n`;
  const lines = recurringLines(headers);
  if (lines !== null) return { before, lines, after };
  return { before: before + fieldLines(headers) + after, lines, after: '' };
}

let lastAuthority = '';

/** Whether the text is safe as the value of Host. */
function isAuthority(text: string): boolean {
  if (text === lastAuthority && text !== '') return true;
  if (!/^[A-Za-z0-9\-._~%!$&'()*+,;=:[\]]+$/.test(text)) return false;
  lastAuthority = text;
  return true;
}

const idLine = ({ id }: OriginRequest): string => (id === undefined ? '' : `x-request-id: ${id}\r\n`);

function recurringLines(headers: FieldList): RecurringLines | null {
  const derived = derivedOf(headers);
  if (derived === undefined) return null;
  if (derived.lines === undefined) {
    const text = fieldLines(headers);
    derived.lines = { text, bytes: Buffer.from(text, 'latin1') };
  }
  return derived.lines;
}

/** Omits the fields that the client sets itself. Also for trailers. */
export function fieldLines(headers: FieldList): string {
  if (headers.length % 2 !== 0) throw new TypeError('A name without a value.');
  let lines = '';
  for (let i = 0; i < headers.length; i += 2) lines += fieldLine(headers[i], headers[i + 1]);
  return lines;
}

/**
 * The connection-specific fields: for an upgrade (RFC 9110 section 7.8), for trailers, which
 * Connection must nominate too (section 10.1.4), and to close the connection.
 */
function connectionLines(request: OriginRequest): string {
  const { headers, protocol } = request;
  if (protocol !== '') {
    if (!protocol.split('/', 2).every(isToken)) throw new TypeError(`No protocol: ${protocol}`);
    return `connection: upgrade\r\nupgrade: ${protocol}\r\n`;
  }
  const isLast = isLastOnConnection(request);
  if (takesTrailers(headers)) return `connection: te${isLast ? ', close' : ''}\r\nte: trailers\r\n`;
  return isLast ? 'connection: close\r\n' : '';
}

function takesTrailers(headers: FieldList): boolean {
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] === 'te' && headers[i + 1].toLowerCase() === 'trailers') return true;
  return false;
}

function framingLine({ method, body }: OriginRequest): string {
  const { length } = body;
  if (length === undefined) return 'transfer-encoding: chunked\r\n';
  if (!Number.isSafeInteger(length) || length < 0) throw new TypeError(`No length of a body: ${length}`);
  return length > 0 || (method !== 'GET' && EXPECTS_BODY.has(method)) ? `content-length: ${length}\r\n` : '';
}

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

/**
 * Builds the field lines of requests to origins. A name is validated once per thread. Of some names
 * the last line is cached, because most fields of a visitor repeat from request to request.
 *
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
