/**
 * The head of a request to an origin (RFC 9112 section 3). One framing goes out, the client's own
 * choice, and nothing goes out that could be read as a further line: whatever the caller let
 * through, no second request can begin here.
 */
import { isPath } from '../http/exchange/authority.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { isToken } from '../http/exchange/fields.ts';
import { derivedOf, type RecurringLines } from '../http/exchange/recurring-fields.ts';
import { fieldLine } from './field-line.ts';
import type { OriginRequest } from './origin.ts';

/** Methods whose requests have a body as a rule: without one they say so (RFC 9110 section 8.6). */
const EXPECTS_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Whether a request has content that its method gives no meaning (RFC 9110 section 9.3.1). An
 * origin that leaves such content unread takes it for the next request on the connection: there
 * must be none.
 */
export const isLastOnConnection = ({ method, body, protocol }: OriginRequest): boolean =>
  protocol === '' && body.length !== 0 && !EXPECTS_BODY.has(method);

/** The head of a request, in Latin-1: lines that recur stand between two texts. */
export interface RequestHead {
  readonly before: string;
  /** Null: all is in `before`. */
  readonly lines: RecurringLines | null;
  readonly after: string;
}

/** In one text. */
export const headText = ({ before, lines, after }: RequestHead): string =>
  lines === null ? before : before + lines.text + after;

/**
 * With the empty line. Throws TypeError for a method, path, authority or field that cannot be sent.
 */
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

/** One Host, and no other text in its place. */
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

/** Without the fields that are the client's to say. Also for trailers. */
export function fieldLines(headers: FieldList): string {
  if (headers.length % 2 !== 0) throw new TypeError('A name without a value.');
  let lines = '';
  for (let i = 0; i < headers.length; i += 2) lines += fieldLine(headers[i], headers[i + 1]);
  return lines;
}

/**
 * RFC 9110 section 7.8 for an upgrade; section 10.1.4 for trailers, which the connection learns,
 * too.
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
