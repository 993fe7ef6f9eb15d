/**
 * The head of a request, checked (RFC 9112 sections 3 and 6, RFC 9110 section 7): what node's parser, strict as it is, lets pass and no handler may see.
 * The parser itself refuses bare CR and LF, obs-fold, blanks around names, control characters, Content-Length beside Transfer-Encoding
 * or twice or as anything but digits, codings that don't end in chunked, chunked twice, chunk sizes that are no hexadecimal number or
 * no 64 bits, and what follows a request with `Connection: close`. Two forms of the start line it takes without leaving a trace: more than one blank
 * between its parts, which RFC 9112 section 3 lets a recipient take, and GET, POST and OPTIONS of RTSP, which are framed as those of HTTP are.
 */
import { type IncomingMessage, METHODS } from 'node:http';
import { authorityOf, isPath } from '../exchange/authority.ts';
import type { FieldList } from '../exchange/exchange.ts';
import { isToken } from '../exchange/fields.ts';
import type { Http1Reason } from './counters.ts';
import type { Http1Limits } from './limits.ts';

/** Why a request is refused, by status. */
export interface Refusal {
  readonly status: number;
  readonly reason: Http1Reason;
}

export interface RequestHead {
  readonly method: string;
  readonly version: '1.0' | '1.1';
  readonly authority: string;
  readonly path: string;
  readonly headers: FieldList;
  /** Octets of the body; undefined when it comes in chunks. */
  readonly length: number | undefined;
  /** `TE: trailers`, RFC 9110 section 10.1.4. */
  readonly takesTrailers: boolean;
  readonly expectsContinue: boolean;
  /** `Connection: close`. */
  readonly isLast: boolean;
}

/** What is left of those that the parser knows. ICE and RTSP, whose start lines it takes for those of HTTP, have methods of their own. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS.filter((one) => one !== 'SOURCE' && one !== 'CONNECT'));

const refuse = (status: number, reason: Http1Reason): Refusal => ({ status, reason });

/** A refusal has a `status`, a head has none. */
export function requestHead(
  message: IncomingMessage,
  isEncrypted: boolean,
  limits: Http1Limits,
): RequestHead | Refusal {
  const { httpVersionMajor, httpVersionMinor, rawHeaders, method = '', url = '' } = message;
  // Without a version the parser takes a request for one of HTTP/0.9.
  if (httpVersionMajor !== 1) return refuse(505, 'version');
  const version = httpVersionMinor === 0 ? '1.0' : '1.1';
  if (!KNOWN_METHODS.has(method)) return refuse(501, 'method');
  if (url.length > limits.targetLength) return refuse(414, 'target_too_long');
  if (rawHeaders.length > limits.headerFields * 2) return refuse(431, 'header_too_large');

  const headers: string[] = [];
  let host: string | undefined;
  let connection = '';
  let coding: string | undefined;
  let length = 0;
  let te = '';
  let expect = '';
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i].toLowerCase();
    const value = rawHeaders[i + 1];
    switch (name) {
      case 'host':
        if (host !== undefined) return refuse(400, 'authority');
        host = value;
        break;
      case 'connection':
        connection += `,${value}`;
        break;
      case 'transfer-encoding':
        coding = coding === undefined ? value : `${coding},${value}`;
        break;
      case 'te':
        te += `,${value}`;
        break;
      case 'expect':
        expect += expect === '' ? value : `,${value}`;
        break;
      case 'keep-alive':
      case 'proxy-connection':
      case 'upgrade':
        break;
      case 'content-length':
        length = Number(value);
        headers.push(name, value);
        break;
      default:
        headers.push(name, value);
    }
  }

  if (!Number.isSafeInteger(length)) return refuse(413, 'body_too_large');
  if (coding !== undefined) {
    // Chunks to a version that has none: RFC 9112 section 6.1 calls the framing faulty.
    if (version === '1.0') return refuse(400, 'malformed');
    if (coding.toLowerCase() !== 'chunked') return otherCoding(coding);
  }
  if (host === undefined && version === '1.1') return refuse(400, 'authority');
  const expectsContinue = expect.toLowerCase() === '100-continue';
  if (expect !== '' && !expectsContinue && version === '1.1') return refuse(417, 'expectation');

  const isOrigin = url.charCodeAt(0) === 0x2f || url === '*';
  const target = isOrigin ? null : absoluteForm(url, method, isEncrypted);
  if (!isOrigin && target === null) return refuse(400, 'target');
  const authority = authorityOf(target?.authority ?? host ?? '');
  if (authority === '' || (host !== undefined && authorityOf(host) === '')) return refuse(400, 'authority');
  const path = target?.path ?? url;
  if (!isPath(path, method)) return refuse(400, 'target');

  const takesTrailers = te !== '' && te.split(',').some((one) => one.trim().toLowerCase() === 'trailers');
  if (takesTrailers) headers.push('te', 'trailers');
  return {
    method,
    version,
    authority,
    path,
    headers: connection === '' ? headers : withoutNominated(headers, connection),
    length: coding === undefined ? length : undefined,
    takesTrailers,
    expectsContinue: expectsContinue && version === '1.1' && (length !== 0 || coding !== undefined),
    isLast: connection !== '' && CLOSE.test(connection),
  };
}

/** A member of the list under Connection. The parser misses it behind a tab, and in HTTP/1.0 beside keep-alive, which counts for less (RFC 9112 section 9.3). */
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;

/** RFC 9112 section 6.3: only chunks, which come last, tell where a body ends; and of what may come before them nothing is known here. */
function otherCoding(coding: string): Refusal {
  const names = coding.split(',').map((one) => one.trim().toLowerCase());
  const isWhole = names.pop() === 'chunked' && names.every((one) => isToken(one) && one !== 'chunked');
  return isWhole ? refuse(501, 'transfer_coding') : refuse(400, 'malformed');
}

/** RFC 9112 section 3.2.2: its authority counts, not that of Host. Null: of another scheme than the connection's, or none of HTTP. */
function absoluteForm(url: string, method: string, isEncrypted: boolean): { authority: string; path: string } | null {
  const parts = /^(https?):\/\/([^/?#]*)(.*)$/i.exec(url);
  if (parts === null || (parts[1].length === 5) !== isEncrypted) return null;
  const rest = parts[3];
  if (rest === '') return { authority: parts[2], path: method === 'OPTIONS' ? '*' : '/' };
  return { authority: parts[2], path: rest.charCodeAt(0) === 0x2f ? rest : `/${rest}` };
}

/** RFC 9110 section 7.6.1: what Connection names concerns the connection. Not the length: the body has it all the same. */
function withoutNominated(headers: readonly string[], connection: string): FieldList {
  const names = connection
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    .filter((one) => !UNAFFECTED.has(one));
  if (names.length === 0) return headers;
  return headers.filter((_, i) => !names.includes(headers[i & ~1]));
}

/** What stands in most Connection fields and names none of the fields that are left, and the two that stay. */
const UNAFFECTED: ReadonlySet<string> = new Set(['', 'close', 'keep-alive', 'upgrade', 'te', 'content-length']);
