/**
 * The head of an HTTP/1.1 request to an origin (RFC 9112 section 3). The client chooses the framing
 * itself. It rejects values that could be parsed as another line. Whatever the caller passes, no
 * second request can be smuggled.
 */
import { isPath } from '../http/exchange/authority.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { isToken } from '../http/exchange/fields.ts';
import { derivedOf, type RecurringLines } from '../http/exchange/recurring-fields.ts';
import { fieldLine } from './field-line.ts';
import type { OriginRequest } from './origin.ts';

/**
 * Methods that expect a body. Without one, the request has a content-length of 0 (RFC 9110 section
 * 8.6).
 */
const EXPECTS_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Whether the method gives the request's content no meaning (RFC 9110 section 9.3.1). An origin
 * that does not read such content would parse it as the next request, so the connection is closed
 * afterwards.
 */
export const isLastOnConnection = ({ method, body, protocol }: OriginRequest): boolean =>
  protocol === '' && body.length !== 0 && !EXPECTS_BODY.has(method);

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
    if (!isToken(protocol)) throw new TypeError(`No protocol: ${protocol}`);
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

function framingLine({ method, body, protocol }: OriginRequest): string {
  if (protocol !== '') return '';
  const { length } = body;
  if (length === undefined) return 'transfer-encoding: chunked\r\n';
  if (!Number.isSafeInteger(length) || length < 0) throw new TypeError(`No length of a body: ${length}`);
  return length > 0 || (method !== 'GET' && EXPECTS_BODY.has(method)) ? `content-length: ${length}\r\n` : '';
}
