/** Invalid requests, and a server that records which of them reach its handler. */
import type { Handler, Listening } from '../../../admin-api/http/transport.ts';
import { MAX_FIELDS, MAX_HEADER } from '../../../admin-api/http/transport.ts';
import { exchange } from '../../support/raw-http.ts';
import type { Make } from './transports.ts';

/**
 * uWebSockets.js closes a connection 8 to 12 s after it was accepted. Its timer ticks every 4 s.
 */
const PATIENCE = 60_000;

const HOST = 'Host: a\r\n';
const head = (line: string, fields = HOST): string => `${line}\r\n${fields}\r\n`;
export const get = (fields: string): string => head('GET /hostile HTTP/1.1', HOST + fields);
const post = (fields: string, body: string): string => head('POST /hostile HTTP/1.1', HOST + fields) + body;
const chunked = (body: string): string => post('Transfer-Encoding: chunked\r\n', body);
const many = (count: number): string => Array.from({ length: count }, (_, i) => `X${i}: 1\r\n`).join('');

/**
 * Possible statuses; 0 is the end of the connection without a response. `timer`: with
 * uWebSockets.js, only the timer of the library ends the connection.
 */
export type Case = readonly [
  label: string,
  bytes: string,
  node: readonly number[],
  uws: readonly number[],
  end?: 'timer',
];

export const CASES: readonly Case[] = [
  ['no Host', head('GET /hostile HTTP/1.1', 'X: 1\r\n'), [400], [400]],
  ['no field at all', head('GET /hostile HTTP/1.1', ''), [400], [0], 'timer'],
  ['two Hosts', get('Host: b\r\n'), [400], [400]],
  ['HTTP/1.2', head('GET /hostile HTTP/1.2'), [400], [505]],
  ['no HTTP', 'NONSENSE\r\n\r\n', [400], [0, 505], 'timer'],
  ['HTTP/2 by preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400], [505]],
  ['HTTP/0.9', 'GET /hostile\r\n', [0, 400, 408], [0], 'timer'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400], [0, 505]],
  ['nothing but line ends', '\r\n\r\n\r\n', [0, 408], [0], 'timer'],
  ['nothing', '', [0, 408], [0], 'timer'],
  ['half a request line', 'GET /host', [0, 408], [0], 'timer'],
  ['half a header', 'GET /hostile HTTP/1.1\r\nHost: a\r\nX-', [0, 408], [0], 'timer'],
  ['lines that end with LF', 'GET /hostile HTTP/1.1\nHost: a\n\n', [400], [0, 505]],
  ['a proxy header', 'PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\nGET /hostile HTTP/1.1\r\nHost: a\r\n\r\n', [400], [505]],

  ['length and coding', post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'), [400], [400]],
  ['coding and length', post('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', '0\r\n\r\n'), [400], [400]],
  ['length twice', post('Content-Length: 3\r\nContent-Length: 3\r\n', 'abc'), [400], [400]],
  ['two lengths', post('Content-Length: 3\r\nContent-Length: 5\r\n', 'abcde'), [400], [400]],
  ['two lengths in one field', post('Content-Length: 3, 3\r\n', 'abc'), [400], [400]],
  ['length with a sign', post('Content-Length: +3\r\n', 'abc'), [400], [400]],
  ['length below zero', post('Content-Length: -3\r\n', 'abc'), [400], [400]],
  ['length in hexadecimal', post('Content-Length: 0x3\r\n', 'abc'), [400], [400]],
  ['length with a fraction', post('Content-Length: 3.0\r\n', 'abc'), [400], [400]],
  ['length with a space', post('Content-Length: 3 3\r\n', 'abc'), [400], [400]],
  ['length that is empty', post('Content-Length: \r\n', 'abc'), [400], [400]],
  ['length beyond 64 bits', post('Content-Length: 99999999999999999999999\r\n', 'abc'), [400], [400]],
  ['length beyond 53 bits', post('Content-Length: 18014398509481985\r\n', 'abc'), [400, 413], [400, 413]],
  ['a coding that is none', post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'), [400, 501], [501]],
  ['identity', post('Transfer-Encoding: identity\r\n', ''), [400, 501], [501]],
  ['gzip', post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'), [400, 501], [501]],
  ['chunked and more', post('Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n'), [400, 501], [501]],
  [
    'coding twice',
    post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', '0\r\n\r\n'),
    [400, 501],
    [501],
  ],
  [
    'chunked twice',
    post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
    [400, 501],
    [501],
  ],
  ['a space before the colon of a coding', post('Transfer-Encoding : chunked\r\n', '0\r\n\r\n'), [400], [0], 'timer'],

  ['a folded field', get('X: a\r\n b\r\n'), [400], [0], 'timer'],
  ['a fold that hides a length', get('X: a\r\n Content-Length: 3\r\n'), [400], [0], 'timer'],
  ['a field before the first', 'GET /hostile HTTP/1.1\r\n Host: a\r\n\r\n', [400], [0], 'timer'],
  ['a space in a name', get('X Y: a\r\n'), [400], [0], 'timer'],
  ['a name that is no token', get('X(): a\r\n'), [400], [0], 'timer'],
  ['a field without a colon', get('Xabc\r\n'), [400], [0], 'timer'],
  ['NUL in a name', get('X\0: a\r\n'), [400], [0], 'timer'],
  ['a name of bytes above ASCII', get('X\xfc: a\r\n'), [400], [0], 'timer'],
  ['NUL in a value', get('X: a\0b\r\n'), [400], [0], 'timer'],
  ['CR in a value', get('X: a\rb\r\n'), [400], [0], 'timer'],
  ['LF in a value', get('X: a\nY: b\r\n'), [400], [0], 'timer'],
  ['a control character in a value', get('X: a\x01b\r\n'), [400], [0], 'timer'],
  ['DEL in a value', get('X: a\x7fb\r\n'), [400], [400]],
  ['an unknown expectation', post('Expect: 200-maybe\r\nContent-Length: 3\r\n', 'abc'), [417], [417]],

  ['a field that is too long', get(`X: ${'x'.repeat(MAX_HEADER)}\r\n`), [431], [431]],
  ['a field that is far too long', get(`X: ${'x'.repeat(300_000)}\r\n`), [0, 431], [0, 431]],
  ['a request line that is too long', head(`GET /hostile${'x'.repeat(MAX_HEADER)} HTTP/1.1`), [431], [431]],
  ['a name that is too long', get(`${'x'.repeat(MAX_HEADER)}: 1\r\n`), [431], [431]],
  ['too many fields', get(many(MAX_FIELDS)), [431], [431]],
  ['far too many fields', get(many(1_500)), [431], [431]],

  ['a target without a slash', head('GET hostile HTTP/1.1'), [400], [505]],
  ['no target', head('GET  HTTP/1.1'), [400], [505]],
  ['a space in the target', head('GET /hostile x HTTP/1.1'), [400], [505]],
  ['NUL in the target', head('GET /hostile\0 HTTP/1.1'), [400], [505]],
  ['a tab for a space', head('GET\t/hostile HTTP/1.1'), [400], [505]],
  ['bytes above ASCII in the target', head('GET /hostile\xff HTTP/1.1'), [400], [400]],
  ['a fragment', head('GET /hostile#x HTTP/1.1'), [400], [400]],
  ['DEL in the target', head('GET /hostile\x7f HTTP/1.1'), [400], [400]],
  ['a target of a scheme that is not ours', head('GET ftp://a/hostile HTTP/1.1'), [400], [505]],
  ['CONNECT', head('CONNECT a:80 HTTP/1.1'), [400], [505]],
  ['a method in lower case', head('get /hostile HTTP/1.1'), [400], [400]],
  ['a method that is no token', head('G(T /hostile HTTP/1.1'), [400], [400]],
  ['a long method', head(`${'G'.repeat(300)} /hostile HTTP/1.1`), [400], [400]],
];

/** The header is valid, so the handler is called; the body is invalid and never reaches it. */
export const BODIES: readonly Case[] = [
  ['a size that is no number', chunked('zz\r\nabc\r\n0\r\n\r\n'), [400], [400]],
  ['a size below zero', chunked('-3\r\nabc\r\n0\r\n\r\n'), [400], [400]],
  ['a size beyond 64 bits', chunked('ffffffffffffffff1\r\nabc\r\n0\r\n\r\n'), [400], [400]],
  ['a size that is too large', chunked('fffffffff\r\nabc'), [408, 413], [408, 413]],
  ['extensions without end', chunked(`3;${'a'.repeat(100_000)}\r\nabc\r\n0\r\n\r\n`), [400, 413], [400]],
  ['a body that does not come', post('Content-Length: 3\r\n', ''), [408], [408]],
  ['a body of which a part comes', post('Content-Length: 3\r\n', 'a'), [408], [408]],
  ['chunks that do not come', chunked(''), [408], [408]],
  ['a chunk of which a part comes', chunked('5\r\nab'), [408], [408]],
];

export interface HostileServer {
  readonly listening: Listening;
  /** Paths of the requests that the handler saw, and the bodies that it received. */
  readonly seen: readonly string[];
  readonly bodies: readonly string[];
}

export async function startHostileServer(make: Make): Promise<HostileServer> {
  const seen: string[] = [];
  const bodies: string[] = [];
  const handler: Handler = async (request) => {
    seen.push(request.path);
    try {
      bodies.push((await request.body(1000)).toString('latin1'));
      return { status: 200, headers: {}, body: 'served' };
    } catch (error) {
      const status = error instanceof Error && 'status' in error ? Number(error.status) : 499;
      return { status, headers: {}, body: 'refused', close: true };
    }
  };
  return { listening: await make().listen({ address: '127.0.0.1', port: 0 }, handler), seen, bodies };
}

/** The wrong outcomes of `cases`, one line each. */
export async function runCases(port: number, cases: readonly Case[], name: 'node' | 'uws'): Promise<string[]> {
  const outcomes = await Promise.all(
    cases.map(async ([label, bytes, node, uws]) => {
      const { status, closed, text } = await exchange(port, bytes, { ms: PATIENCE });
      if (!closed) return `${label}: left open after ${JSON.stringify(text.slice(0, 100))}`;
      const allowed = name === 'node' ? node : uws;
      return allowed.includes(status)
        ? ''
        : `${label}: ${status}, not ${allowed} ${JSON.stringify(text.slice(0, 200))}`;
    }),
  );
  return outcomes.filter((line) => line !== '');
}
