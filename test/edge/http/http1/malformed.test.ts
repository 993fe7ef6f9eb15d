/**
 * What is no request of HTTP/1.1, or could be read as another one by somebody before or behind us
 * (RFC 9112 sections 2.2, 3, 5, 6, 7 and 11.2): refused with its status, the connection ended,
 * nothing given to the handler, and nothing of what follows taken for a request.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Http1Reason } from '../../../../edge/http/http1/counters.ts';
import { describe, withServer } from './server.ts';

const HOST = 'Host: site.test\r\n';
const get = (lines: string): string => `GET / HTTP/1.1\r\n${HOST}${lines}\r\n`;
const post = (lines: string, body: string): string => `POST / HTTP/1.1\r\n${HOST}${lines}\r\n${body}`;
const chunked = (body: string): string => post('Transfer-Encoding: chunked\r\n', body);
/** Must never be seen as a request. */
const SMUGGLED = `GET /smuggled HTTP/1.1\r\n${HOST}\r\n`;

type Row = readonly [name: string, bytes: string, status: number, reason: Http1Reason];
const HEADS: readonly Row[] = [
  ['LF alone everywhere', 'GET / HTTP/1.1\nHost: site.test\n\n', 400, 'malformed'],
  ['LF behind the start line', `GET / HTTP/1.1\n${HOST}\r\n`, 400, 'malformed'],
  ['LF behind a field', `GET / HTTP/1.1\r\nHost: site.test\nX: a\r\n\r\n`, 400, 'malformed'],
  ['LF for the end', `GET / HTTP/1.1\r\n${HOST}\n`, 400, 'malformed'],
  ['CR alone in a value', get('X: a\rTransfer-Encoding: chunked\r\n'), 400, 'malformed'],
  ['CR alone for the end', `GET / HTTP/1.1\r\n${HOST}\rX`, 400, 'malformed'],
  ['obs-fold', get('X: a\r\n b\r\n'), 400, 'malformed'],
  ['obs-fold by a tab', get('X: a\r\n\tb\r\n'), 400, 'malformed'],
  ['obs-fold of a coding', post('Transfer-Encoding:\r\n chunked\r\n', '0\r\n\r\n'), 400, 'malformed'],
  ['obs-fold of a length', post('Content-Length:\r\n 3\r\n', 'abc'), 400, 'malformed'],
  ['blank before the first field', `GET / HTTP/1.1\r\n X: a\r\n${HOST}\r\n`, 400, 'malformed'],
  ['blank before a colon', get('X : a\r\n'), 400, 'malformed'],
  ['blank before the colon of a coding', post('Transfer-Encoding : chunked\r\n', '0\r\n\r\n'), 400, 'malformed'],
  ['field without a name', get(': a\r\n'), 400, 'malformed'],
  ['field without a colon', get('abc\r\n'), 400, 'malformed'],
  ['NUL in a value', get('X: a\0b\r\n'), 400, 'malformed'],
  ['control character in a value', get('X: a\x01b\r\n'), 400, 'malformed'],
  ['DEL in a value', get('X: a\x7fb\r\n'), 400, 'malformed'],
  ['a name that is no token', get('X(: a\r\n'), 400, 'malformed'],
  ['a name beyond ASCII', get('X\xe9: a\r\n'), 400, 'malformed'],

  ['length and coding', post('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'), 400, 'malformed'],
  ['coding and length', post('Transfer-Encoding: chunked\r\nContent-Length: 3\r\n', '0\r\n\r\n'), 400, 'malformed'],
  ['the same length twice', post('Content-Length: 3\r\nContent-Length: 3\r\n', 'abc'), 400, 'malformed'],
  ['two lengths', post('Content-Length: 3\r\nContent-Length: 4\r\n', 'abc'), 400, 'malformed'],
  ['a list of lengths', post('Content-Length: 3, 3\r\n', 'abc'), 400, 'malformed'],
  ['a length with a sign', post('Content-Length: +3\r\n', 'abc'), 400, 'malformed'],
  ['a negative length', post('Content-Length: -3\r\n', 'abc'), 400, 'malformed'],
  ['a hexadecimal length', post('Content-Length: 0x3\r\n', 'abc'), 400, 'malformed'],
  ['an empty length', post('Content-Length: \r\n', 'abc'), 400, 'malformed'],
  ['a length with a vertical tab', post('Content-Length: \x0b3\r\n', 'abc'), 400, 'malformed'],
  ['a length of 23 digits', post('Content-Length: 99999999999999999999999\r\n', 'abc'), 400, 'malformed'],
  ['a length above 2^53', post('Content-Length: 9007199254740993\r\n', 'abc'), 413, 'body_too_large'],
  ['chunked twice', post('Transfer-Encoding: chunked, chunked\r\n', '0\r\n\r\n'), 400, 'malformed'],
  [
    'chunked in two fields',
    post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
    400,
    'malformed',
  ],
  ['chunked not last', post('Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n'), 400, 'malformed'],
  ['identity', post('Transfer-Encoding: identity\r\n', '0\r\n\r\n'), 400, 'malformed'],
  ['a coding like chunked', post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'), 400, 'malformed'],
  ['chunked in quotes', post('Transfer-Encoding: "chunked"\r\n', '0\r\n\r\n'), 400, 'malformed'],
  ['chunked with a parameter', post('Transfer-Encoding: chunked;a=b\r\n', '0\r\n\r\n'), 400, 'malformed'],
  ['chunked behind a vertical tab', post('Transfer-Encoding: \x0bchunked\r\n', '0\r\n\r\n'), 400, 'malformed'],
  ['an empty member before chunked', post('Transfer-Encoding: ,chunked\r\n', '0\r\n\r\n'), 400, 'malformed'],
  ['an empty coding', post('Transfer-Encoding:\r\n', '0\r\n\r\n'), 400, 'malformed'],
  ['an unknown coding', post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'), 501, 'transfer_coding'],
  [
    'an unknown coding in a field of its own',
    post('Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
    501,
    'transfer_coding',
  ],
  ['chunks in HTTP/1.0', `POST / HTTP/1.0\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400, 'malformed'],

  ['HTTP/0.9', 'GET /\r\n\r\n', 505, 'version'],
  ['HTTP/0.9, said', `GET / HTTP/0.9\r\n${HOST}\r\n`, 505, 'version'],
  ['HTTP/1.2', `GET / HTTP/1.2\r\n${HOST}\r\n`, 505, 'version'],
  ['HTTP/2.0', `GET / HTTP/2.0\r\n${HOST}\r\n`, 505, 'version'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505, 'version'],
  ['a version of three digits', `GET / HTTP/1.10\r\n${HOST}\r\n`, 400, 'malformed'],
  ['http in lower case', `GET / http/1.1\r\n${HOST}\r\n`, 400, 'malformed'],
  ['a method in lower case', `get / HTTP/1.1\r\n${HOST}\r\n`, 501, 'method'],
  ['an unknown method', `FOO / HTTP/1.1\r\n${HOST}\r\n`, 501, 'method'],
  ['a method of RTSP', `DESCRIBE / RTSP/1.0\r\n${HOST}\r\n`, 501, 'method'],
  ['a method of Icecast', `SOURCE / ICE/1.0\r\n${HOST}\r\n`, 501, 'method'],
  ['CONNECT', `CONNECT site.test:443 HTTP/1.1\r\n${HOST}\r\n`, 501, 'method'],
  ['a method that is no token', `G(T / HTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed'],
  ['a handshake of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'malformed'],
  ['tabs in the start line', `GET\t/\tHTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed'],
  ['two blanks in the start line', `GET  / HTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed'],
  ['two blanks before the version', `GET /  HTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed'],
  ['a method of ours for another protocol', `GET / RTSP/1.1\r\n${HOST}\r\n`, 400, 'malformed'],
  ['empty lines without end', '\r\n'.repeat(1_000), 400, 'malformed'],
  ['LF before the start line', `\n${get('')}`, 400, 'malformed'],
  ['CR alone before the start line', `\r${get('')}`, 400, 'malformed'],
  ['blank behind the version', `GET / HTTP/1.1 \r\n${HOST}\r\n`, 400, 'malformed'],

  ['a fragment', `GET /a#b HTTP/1.1\r\n${HOST}\r\n`, 400, 'target'],
  ['an asterisk with GET', `GET * HTTP/1.1\r\n${HOST}\r\n`, 400, 'target'],
  ['a path without a slash', `GET a HTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed'],
  ['a path beyond ASCII', `GET /\xe9 HTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed'],
  ['another scheme', `GET ftp://site.test/ HTTP/1.1\r\n${HOST}\r\n`, 421, 'target'],
  ['authorization twice', `GET / HTTP/1.1\r\n${HOST}Authorization: a\r\nAuthorization: a\r\n\r\n`, 400, 'malformed'],
  ['content-type twice', `GET / HTTP/1.1\r\n${HOST}Content-Type: a/b\r\ncontent-type: c/d\r\n\r\n`, 400, 'malformed'],
  ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400, 'authority'],
  ['no Host, with an absolute target', 'GET http://site.test/ HTTP/1.1\r\n\r\n', 400, 'authority'],
  ['no Host in HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n', 400, 'authority'],
  ['two Hosts', get('Host: other.test\r\n'), 400, 'authority'],
  ['the same Host twice', get(HOST), 400, 'authority'],
  ['an empty Host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n', 400, 'authority'],
  ['a Host with a path', 'GET / HTTP/1.1\r\nHost: site.test/a\r\n\r\n', 400, 'authority'],
  ['a list of Hosts', 'GET / HTTP/1.1\r\nHost: site.test, other.test\r\n\r\n', 400, 'authority'],
  ['user information', 'GET / HTTP/1.1\r\nHost: a@site.test\r\n\r\n', 400, 'authority'],
  ['user information in the target', `GET http://a@site.test/ HTTP/1.1\r\n${HOST}\r\n`, 400, 'authority'],
  ['an absolute target without a host', `GET http:///a HTTP/1.1\r\n${HOST}\r\n`, 400, 'authority'],
  ['a target of 9,000 characters', `GET /${'a'.repeat(9_000)} HTTP/1.1\r\n${HOST}\r\n`, 414, 'target_too_long'],
  ['a field of 40,000 bytes', get(`X: ${'a'.repeat(40_000)}\r\n`), 431, 'header_too_large'],
  ['a name of 40,000 bytes', get(`${'a'.repeat(40_000)}: a\r\n`), 431, 'header_too_large'],
  ['2,000 fields', get('a: b\r\n'.repeat(2_000)), 431, 'header_too_large'],
  ['129 fields', get('a: b\r\n'.repeat(128)), 431, 'header_too_large'],
  ['an unknown expectation', get('Expect: 200-ok\r\n'), 417, 'expectation'],
];

/** Behind a head that is well-formed: the handler sees it, and a body that breaks off. */
const BODIES: readonly Row[] = [
  ['a chunk size with 0x', chunked('0x3\r\nabc\r\n0\r\n\r\n'), 400, 'malformed'],
  ['a chunk size with a sign', chunked('+3\r\nabc\r\n0\r\n\r\n'), 400, 'malformed'],
  ['a blank before a chunk size', chunked(' 3\r\nabc\r\n0\r\n\r\n'), 400, 'malformed'],
  ['a blank behind a chunk size', chunked('3 \r\nabc\r\n0\r\n\r\n'), 400, 'malformed'],
  ['no chunk size', chunked('\r\nabc\r\n0\r\n\r\n'), 400, 'malformed'],
  ['a chunk size above 2^64', chunked('10000000000000003\r\nabc\r\n0\r\n\r\n'), 400, 'malformed'],
  ['LF behind a chunk size', chunked('3\nabc\r\n0\r\n\r\n'), 400, 'malformed'],
  ['LF behind a chunk', chunked('3\r\nabc\n0\r\n\r\n'), 400, 'malformed'],
  ['LF behind the last chunk size', chunked('3\r\nabc\r\n0\n\r\n'), 400, 'malformed'],
  ['LF for the end of chunks', chunked('3\r\nabc\r\n0\r\n\n'), 400, 'malformed'],
  ['a chunk longer than its size', chunked('3\r\nabcXX0\r\n\r\n'), 400, 'malformed'],
  ['a chunk without its CRLF', chunked('3\r\nabc0\r\n\r\n'), 400, 'malformed'],
  ['LF in a chunk extension', chunked('3;a\nabc\r\n0\r\n\r\n'), 400, 'malformed'],
  ['CR in a chunk extension', chunked('3;a\rb\nabc\r\n0\r\n\r\n'), 400, 'malformed'],
  ['NUL in a chunk extension', chunked('3;a\0\r\nabc\r\n0\r\n\r\n'), 400, 'malformed'],
  [
    'a chunk extension of 20,000 bytes',
    chunked(`3;${'a'.repeat(20_000)}\r\nabc\r\n0\r\n\r\n`),
    413,
    'chunk_extensions',
  ],
  ['a length in the trailers', chunked('0\r\nContent-Length: 5\r\n\r\n'), 400, 'malformed'],
  ['obs-fold in the trailers', chunked('0\r\nX: a\r\n b\r\n\r\n'), 400, 'malformed'],
  ['LF in the trailers', chunked('0\r\nX: a\nY: b\r\n\r\n'), 400, 'malformed'],
  ['trailers of 40,000 bytes', chunked(`0\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`), 431, 'header_too_large'],
];

test('a malformed head is refused and never handled', async () => {
  let handled = 0;
  await withServer(
    (exchange) => {
      handled++;
      return describe(exchange);
    },
    async ({ send, counters, errors }) => {
      for (const [name, bytes, status, reason] of HEADS) {
        const before = counters.get(reason);
        const answer = await send(bytes + SMUGGLED);
        assert.is(answer.status, status, `${name}: ${answer.text.slice(0, 200)}`);
        assert.ok(answer.closed, name);
        assert.match(answer.text, /\r\nconnection: close\r\n/, name);
        assert.is(answer.text.split('HTTP/1.1 ').length, 2, `${name}: one response`);
        assert.is(counters.get(reason), before + 1, `${name}: counted as ${reason}`);
      }
      // RFC 9110 section 9.3.2: no content, whatever the response to HEAD says.
      assert.match((await send('HEAD / HTTP/1.1\r\n\r\n')).text, /^HTTP\/1\.1 400 [^\0]*\r\n\r\n$/);
      assert.is(handled, 0);
      assert.equal(errors, []);
    },
  );
});

test('a malformed body is refused, and nothing behind it handled', async () => {
  const paths: string[] = [];
  await withServer(
    async (exchange) => {
      paths.push(exchange.path);
      try {
        await describe(exchange);
      } catch (error) {
        paths.push((error as Error).message);
      }
    },
    async ({ send, counters, errors }) => {
      for (const [name, bytes, status, reason] of BODIES) {
        const before = counters.get(reason);
        paths.length = 0;
        const answer = await send(bytes + SMUGGLED);
        assert.is(answer.status, status, `${name}: ${answer.text}`);
        assert.ok(answer.closed, name);
        assert.is(counters.get(reason), before + 1, `${name}: counted as ${reason}`);
        assert.equal(paths, ['/', 'The request ended before its time (protocol).'], name);
      }
      assert.equal(errors, []);
    },
  );
});

test('unusual but well-formed requests are handled', async () => {
  const rows: readonly (readonly [bytes: string, seen: Record<string, unknown>])[] = [
    [`\r\n\r\n${get('')}`, { path: '/', method: 'GET' }],
    [`GET http://Other.Test:80?a HTTP/1.1\r\n${HOST}\r\n`, { path: '/?a', authority: 'other.test:80' }],
    [`OPTIONS http://other.test HTTP/1.1\r\n${HOST}\r\n`, { path: '*', authority: 'other.test' }],
    [`OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, { path: '*' }],
    [get('X: \t a \t \r\n'), { headers: ['x', 'a'] }],
    [get('X: \r\nX: \xe9\r\n'), { headers: ['x', '', 'x', '\xe9'] }],
    [
      get('Connection: close, X-Hop, Content-Length\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nContent-Length: 0\r\n'),
      { headers: ['content-length', '0'] },
    ],
    [chunked('3;a=b;c="d e"\r\nabc\r\n0000\r\n\r\n'), { body: 'abc', headers: [] }],
    [post('transfer-encoding: ChUnKeD\r\n', '3\r\nabc\r\n0\r\nHost: evil.test\r\nX-T: 1\r\n\r\n'), { body: 'abc' }],
    [get('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'), { headers: [] }],
    [post('Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 3\r\n', 'abc'), { body: 'abc' }],
    [get('Upgrade: websocket\r\n'), { path: '/' }],
  ];
  await withServer(describe, async ({ send }) => {
    for (const [bytes, expected] of rows) {
      const answer = await send(bytes, '}\r\n0\r\n\r\n');
      assert.is(answer.status, 200, bytes);
      const seen = JSON.parse(answer.text.slice(answer.text.indexOf('{'), answer.text.lastIndexOf('}') + 1));
      for (const [name, value] of Object.entries(expected)) assert.equal(seen[name], value, bytes);
    }
  });
});

test.run();
