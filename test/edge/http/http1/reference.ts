/**
 * Requests of HTTP/1.1 read slowly and plainly, all of a text at once (RFC 9112): what the reader
 * of the edge is compared with.
 */
import { METHODS } from 'node:http';
import { authorityOf, isPath } from '../../../../edge/http/exchange/authority.ts';
import { trailerFields } from '../../../../edge/http/exchange/fields.ts';
import type { Http1Limits } from '../../../../edge/http/http1/limits.ts';

/**
 * A request as it was read, with what of its body came; or the status by which all that follows is
 * refused.
 */
export type Seen = Request | { readonly refused: number };
export interface Request {
  readonly method: string;
  readonly version: string;
  readonly isLast: boolean;
  readonly protocol: string;
  /** Its framing is sound, and it is not handled: then nothing below is said. */
  readonly status: number;
  readonly authority: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly expectsContinue: boolean;
  body: string;
  /** Null: it has not ended. */
  trailers: readonly string[] | null;
}

export interface Reading {
  readonly seen: Seen[];
  /** The text ends within a line. */
  isWithin: boolean;
}

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const CONTROL = '\\x00-\\x08\\x0a-\\x1f\\x7f';
const EXTENSION = `;${TOKEN}(?:=(?:${TOKEN}|"(?:[^"\\\\${CONTROL}]|\\\\[^${CONTROL}])*"))?`;
const START = new RegExp(`^(${TOKEN}) ([\\x21-\\x7e]*)(.*)$`, 's');
const FIELD = new RegExp(`^(${TOKEN}):[\\t ]*((?:[^\\x00-\\x08\\x0a-\\x1f\\x7f]*[^\\x00-\\x20\\x7f])?)([\\t ]*)\\r$`);
const CHUNK = new RegExp(`^([0-9A-Fa-f]+)((?:${EXTENSION})*)\\r$`);
const UNSAFE = BigInt(Number.MAX_SAFE_INTEGER);

class Refused extends Error {
  constructor(readonly status: number) {
    super();
  }
}
class Within extends Error {}

export function readAll(text: string, limits: Http1Limits, isEncrypted: boolean): Reading {
  const reading: Reading = { seen: [], isWithin: false };
  let rest = text;
  const line = (): string => {
    const end = rest.indexOf('\n');
    if (end < 0) {
      reading.isWithin = rest !== '';
      throw new Within();
    }
    const word = rest.slice(0, end);
    rest = rest.slice(end + 1);
    return word;
  };
  const take = (length: number): string => {
    const part = rest.slice(0, length);
    rest = rest.slice(length);
    return part;
  };
  /** Field lines up to the empty one. */
  const fields = (before: number, isTrailers = false): string[][] => {
    const lines: string[][] = [];
    let bytes = before;
    for (let word = line(); word !== '\r'; word = line()) {
      const [, name, value, behind] = FIELD.exec(word) ?? refuse(400);
      bytes += word.length + 1;
      lines.push([name.toLowerCase(), value]);
      if (bytes > limits.headerBytes || lines.length > limits.headerFields) refuse(431);
      const frames = name.toLowerCase() === 'content-length' || name.toLowerCase() === 'transfer-encoding';
      if (frames && behind.endsWith('\t')) refuse(400);
      const isSingle = ['authorization', 'content-type'].includes(name.toLowerCase());
      if (!isTrailers && isSingle && lines.filter(([other]) => other === name.toLowerCase()).length > 1) refuse(400);
      if (name.toLowerCase() === 'content-length') {
        if (lines.filter(([other]) => other === 'content-length').length > 1 || !/^\d+$/.test(value)) refuse(400);
        if (BigInt(value) >= 1n << 64n) refuse(400);
      }
    }
    return lines;
  };
  try {
    for (;;) {
      let first = line();
      for (let empty = 1; first === '\r'; empty++, first = line()) if (empty > 64) refuse(400);
      const start = startLine(first, limits.targetLength);
      const request = headOf(start, fields(first.length + 1), isEncrypted);
      reading.seen.push(request.seen);
      const { seen, length } = request;
      if (seen.protocol !== '') {
        // The tunnel follows the body.
        if (length !== 0 && rest.length >= (length ?? 0)) seen.trailers = [];
        seen.body = rest;
        return reading;
      }
      if (length !== undefined) {
        seen.body = take(length);
        if (seen.body.length < length) return reading;
      } else {
        for (;;) {
          const [, size] = CHUNK.exec(line()) ?? refuse(400);
          if (BigInt(`0x${size}`) > UNSAFE) refuse(400);
          if (Number(`0x${size}`) === 0) break;
          const part = take(Number(`0x${size}`));
          seen.body += part;
          if (part.length < Number(`0x${size}`)) return reading;
          if (rest !== '' && !'\r\n'.startsWith(rest.slice(0, 2))) refuse(400);
          line();
        }
      }
      const trailers = length === undefined ? fields(0, true) : [];
      if (trailers.some(([name]) => name === 'content-length' || name === 'transfer-encoding')) refuse(400);
      seen.trailers = trailerFields(trailers.flat());
    }
  } catch (error) {
    if (error instanceof Refused) reading.seen.push({ refused: error.status });
    else if (!(error instanceof Within)) throw error;
    return reading;
  }
}

function refuse(status: number): never {
  throw new Refused(status);
}

interface Start {
  readonly method: string;
  readonly target: string;
  readonly version: string;
}

function startLine(line: string, most: number): Start {
  const [, method, target, tail] = START.exec(line) ?? refuse(400);
  const isKnown = METHODS.includes(method) && method !== 'CONNECT' && method !== 'SOURCE';
  if (target.length > most) refuse(414);
  if (target === '') refuse(400);
  if (tail === '\r') refuse(505);
  if (!tail.startsWith(' ')) refuse(400);
  const version = /^ HTTP\/(\d\.\d)\r$/.exec(tail)?.[1];
  if (version === undefined) refuse(isKnown ? 400 : 501);
  if (version !== '1.0' && version !== '1.1') refuse(505);
  if (!isKnown) refuse(501);
  return { method, target, version };
}

function headOf(
  { method, target, version }: Start,
  lines: readonly string[][],
  isEncrypted: boolean,
): { seen: Request; length: number | undefined } {
  const all = (name: string): string[] => lines.filter(([text]) => text === name).map(([, value]) => value);
  const list = (name: string): string[] =>
    all(name)
      .join(',')
      .split(',')
      .map((text) => text.trim().toLowerCase());
  const codings = all('transfer-encoding');
  const [contentLength] = all('content-length');
  if (codings.length > 0) {
    if (contentLength !== undefined || version === '1.0') refuse(400);
    const named = list('transfer-encoding');
    const isWhole =
      named.at(-1) === 'chunked' && named.slice(0, -1).every((text) => text !== 'chunked' && isToken(text));
    if (codings.join(',').toLowerCase() !== 'chunked') refuse(isWhole ? 501 : 400);
  } else if (contentLength !== undefined && BigInt(contentLength) > UNSAFE) refuse(413);
  const length = codings.length > 0 ? undefined : Number(contentLength ?? 0);

  const options = list('connection');
  const upgrades = options.includes('upgrade') && list('upgrade').some((text) => text !== '');
  const isTunnel = upgrades && version === '1.1' && length !== undefined && length <= 65_536;
  const isWebSocket = isTunnel && method === 'GET' && length === 0 && list('upgrade').includes('websocket');
  const expects = all('expect')
    .filter((text) => text !== '')
    .join(',')
    .toLowerCase();
  const target_ = resource(method, target, version, all('host'), isEncrypted);
  let { status } = target_;
  if (status === 0 && version === '1.1' && expects !== '' && expects !== '100-continue') status = 417;
  const other =
    isTunnel && ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method) ? otherProtocol(all('upgrade')) : '';
  const protocol = status !== 0 ? '' : isWebSocket ? 'websocket' : other;

  const ours = ['host', 'connection', 'transfer-encoding', 'te', 'expect', 'keep-alive', 'proxy-connection', 'upgrade'];
  const kept = lines.filter(([name]) => !ours.includes(name));
  const cookie = kept.findIndex(([name]) => name === 'cookie');
  const crumbs = all('cookie').filter((crumb) => crumb !== '');
  const headers = kept
    .filter(([name], i) => name !== 'cookie' || i === cookie)
    .map(([name, value]) => [name, name === 'cookie' ? crumbs.join('; ') : value])
    .filter(([name]) => name === 'content-length' || !options.includes(name))
    .flat();
  if (list('te').includes('trailers')) headers.push('te', 'trailers');
  const isLast = options.includes('close') || (version === '1.0' && !options.includes('keep-alive')) || upgrades;
  const isOurs = status === 0;
  const seen: Request = {
    ...{ method, version, isLast, protocol, status },
    authority: isOurs ? target_.authority : '',
    path: isOurs ? target_.path : '',
    headers: isOurs ? headers : [],
    expectsContinue: isOurs && expects !== '' && version === '1.1' && length !== 0,
    ...{ body: '', trailers: null },
  };
  return { seen, length };
}

/** The only protocol, unless it is one that is never passed on. */
function otherProtocol(lines: readonly string[]): string {
  const text = lines.filter((line) => line !== '').join(',');
  const parts = text.split('/');
  if (parts.length > 2 || !parts.every((part) => isToken(part) && part.length <= 32)) return '';
  const name = parts[0].toLowerCase();
  return /^(?:h2|h2c.*|h3|https?|tls|websocket)$/.test(name) ? '' : text;
}

const isToken = (text: string): boolean => new RegExp(`^${TOKEN}$`).test(text);

/** RFC 9112 section 3.2. `status`: why it is none of ours, or 0. */
function resource(
  method: string,
  target: string,
  version: string,
  hosts: readonly string[],
  isEncrypted: boolean,
): { status: number; authority: string; path: string } {
  const none = { status: 400, authority: '', path: '' };
  if (hosts.length > 1 || (hosts.length === 0 && version === '1.1')) return none;
  const [host] = hosts;
  if (host !== undefined && authorityOf(host) === '') return none;
  if (target.startsWith('/') || target === '*') {
    const authority = authorityOf(host ?? '');
    return authority !== '' && isPath(target, method) ? { status: 0, authority, path: target } : none;
  }
  const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/i.exec(target);
  if (parts === null) return none;
  const carried = isEncrypted ? ['https'] : ['http', 'https'];
  if (!carried.includes(parts[1].toLowerCase())) return { ...none, status: 421 };
  const authority = authorityOf(parts[2]);
  const slash = parts[3].startsWith('/') ? '' : '/';
  const path = parts[3] === '' && method === 'OPTIONS' ? '*' : slash + parts[3];
  return authority !== '' && isPath(path, method) ? { status: 0, authority, path } : none;
}
