/**
 * What is no response of HTTP/1.1, or could be read as another one by somebody before or behind us
 * (RFC 9112 sections 2.2, 4 to 7 and 11): never passed on, and the connection is not used again.
 * `malformed` for what is wrong, `reset` for what broke off.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { until } from '../../support/until.ts';
import { faultOf, request, saying, seen, withOrigin } from './rig.ts';

/** So that a row that is not refused tells soon. */
const QUICK = { limits: { headerTimeout: 5000, idleTimeout: 5000 } };

type Row = readonly [name: string, bytes: string, fault: 'malformed' | 'reset'];

const head = (lines: string): string => `HTTP/1.1 200 OK\r\n${lines}\r\n`;
const chunked = (body: string): string => head('Transfer-Encoding: chunked\r\n') + body;

const STATUS_LINES: readonly Row[] = [
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 'malformed'],
  ['HTTP/0.9', '<html></html>', 'malformed'],
  ['HTTP/1.2', 'HTTP/1.2 200 OK\r\n\r\n', 'malformed'],
  ['HTTP/2.0', 'HTTP/2.0 200 OK\r\n\r\n', 'malformed'],
  ['HTTP/1.', 'HTTP/1. 200 OK\r\n\r\n', 'malformed'],
  ['HTTP/01.1', 'HTTP/01.1 200 OK\r\n\r\n', 'malformed'],
  ['version in lower case', 'http/1.1 200 OK\r\n\r\n', 'malformed'],
  ['two blanks behind the version', 'HTTP/1.1  200 OK\r\n\r\n', 'malformed'],
  ['a tab behind the version', 'HTTP/1.1\t200 OK\r\n\r\n', 'malformed'],
  ['an empty line first', '\r\nHTTP/1.1 200 OK\r\n\r\n', 'malformed'],
  ['a blank first', ' HTTP/1.1 200 OK\r\n\r\n', 'malformed'],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n', 'malformed'],
  ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n', 'malformed'],
  ['a status below 100', 'HTTP/1.1 099 OK\r\n\r\n', 'malformed'],
  ['a status with a sign', 'HTTP/1.1 +20 OK\r\n\r\n', 'malformed'],
  ['a status that is no number', 'HTTP/1.1 2x0 OK\r\n\r\n', 'malformed'],
  ['no status', 'HTTP/1.1 \r\n\r\n', 'malformed'],
  ['no status and no blank', 'HTTP/1.1\r\n\r\n', 'malformed'],
  ['NUL in the reason', 'HTTP/1.1 200 O\0K\r\n\r\n', 'malformed'],
  ['CR in the reason', 'HTTP/1.1 200 O\rK\r\n\r\n', 'malformed'],
  ['LF behind the status line', 'HTTP/1.1 200 OK\nA: b\r\n\r\n', 'malformed'],
];

const FIELDS: readonly Row[] = [
  ['LF alone everywhere', 'HTTP/1.1 200 OK\nA: b\n\n', 'malformed'],
  ['LF behind a field', head('A: b\nContent-Length: 0\r\n'), 'malformed'],
  ['LF for the end', 'HTTP/1.1 200 OK\r\nA: b\r\n\nabc', 'malformed'],
  ['CR alone in a value', head('A: b\rContent-Length: 5\r\n'), 'malformed'],
  ['CR alone for the end', 'HTTP/1.1 200 OK\r\nA: b\r\n\rabc', 'malformed'],
  ['CR CR LF', head('A: b\r\r\n'), 'malformed'],
  ['obs-fold', head('A: b\r\n c\r\n'), 'malformed'],
  ['obs-fold by a tab', head('A: b\r\n\tc\r\n'), 'malformed'],
  ['obs-fold of a length', head('Content-Length:\r\n 2\r\n'), 'malformed'],
  ['obs-fold of a coding', head('Transfer-Encoding:\r\n chunked\r\n'), 'malformed'],
  ['a blank before the first field', head(' A: b\r\n'), 'malformed'],
  ['a blank before a colon', head('A : b\r\n'), 'malformed'],
  ['a tab before a colon', head('A\t: b\r\n'), 'malformed'],
  ['a blank before the colon of a length', head('Content-Length : 2\r\n'), 'malformed'],
  ['a blank before the colon of a coding', head('Transfer-Encoding : chunked\r\n'), 'malformed'],
  ['a field without a name', head(': b\r\n'), 'malformed'],
  ['a field without a colon', head('abc\r\n'), 'malformed'],
  ['a name in quotes', head('"a": b\r\n'), 'malformed'],
  ['a name beyond ASCII', head('\xe9: b\r\n'), 'malformed'],
  ['a name with NUL', head('a\0: b\r\n'), 'malformed'],
  ['NUL in a value', head('A: b\0c\r\n'), 'malformed'],
  ['a control character in a value', head('A: b\x01c\r\n'), 'malformed'],
  ['DEL in a value', head('A: b\x7fc\r\n'), 'malformed'],
  ['a head above the limit', head(`A: ${'b'.repeat(70_000)}\r\n`), 'malformed'],
  ['many fields above the limit', head('A: b\r\n'.repeat(12_000)), 'malformed'],
  ['a head without an end', `HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(20_000)}`, 'malformed'],
];

const LENGTHS: readonly Row[] = [
  ['two lengths', head('Content-Length: 2\r\nContent-Length: 3\r\n'), 'malformed'],
  ['a list of two lengths', head('Content-Length: 2, 3\r\n'), 'malformed'],
  ['a list with an empty member', head('Content-Length: 2,\r\n'), 'malformed'],
  ['a length behind a blank of Latin-1', head('Content-Length: \xa02\r\n'), 'malformed'],
  ['a list of lengths with a blank of Latin-1', head('Content-Length: 2,\xa02\r\n'), 'malformed'],
  ['an empty length', head('Content-Length: \r\n'), 'malformed'],
  ['a length with a sign', head('Content-Length: +2\r\n'), 'malformed'],
  ['a negative length', head('Content-Length: -2\r\n'), 'malformed'],
  ['a hexadecimal length', head('Content-Length: 0x2\r\n'), 'malformed'],
  ['a length with a fraction', head('Content-Length: 2.0\r\n'), 'malformed'],
  ['a length with a blank inside', head('Content-Length: 2 2\r\n'), 'malformed'],
  ['a length with a unit', head('Content-Length: 2b\r\n'), 'malformed'],
  ['a length above 2^53', head('Content-Length: 9007199254740993\r\n'), 'malformed'],
  ['a length of 16 digits', head('Content-Length: 1000000000000000\r\n'), 'malformed'],
  ['a length of 23 digits', head('Content-Length: 99999999999999999999999\r\n'), 'malformed'],
  ['length and coding', head('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n'), 'malformed'],
  ['coding and length', head('Transfer-Encoding: chunked\r\nContent-Length: 2\r\n'), 'malformed'],
  ['length 0 and coding', head('Content-Length: 0\r\nTransfer-Encoding: chunked\r\n'), 'malformed'],
  ['chunked twice', head('Transfer-Encoding: chunked, chunked\r\n'), 'malformed'],
  ['chunked in two fields', head('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n'), 'malformed'],
  ['gzip in chunks', head('Transfer-Encoding: gzip, chunked\r\n'), 'malformed'],
  ['chunked not last', head('Transfer-Encoding: chunked, identity\r\n'), 'malformed'],
  ['identity', head('Transfer-Encoding: identity\r\n'), 'malformed'],
  ['an empty coding', head('Transfer-Encoding:\r\n'), 'malformed'],
  ['an empty coding and a length', head('Transfer-Encoding:\r\nContent-Length: 2\r\n'), 'malformed'],
  ['a coding with a parameter', head('Transfer-Encoding: chunked;a=b\r\n'), 'malformed'],
  ['a coding with a vertical tab', head('Transfer-Encoding: \x0bchunked\r\n'), 'malformed'],
  // The value of the public suite (docs/internals/cache.md).
  ['no coding at all (headers-store-Transfer-Encoding)', head('Transfer-Encoding: 25ts25\r\n'), 'malformed'],
  ['xchunked', head('Transfer-Encoding: xchunked\r\n'), 'malformed'],
  ['chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 'malformed'],
];

const CHUNKS: readonly Row[] = [
  ['no size', chunked('\r\nabc\r\n0\r\n\r\n'), 'malformed'],
  ['a size that is no number', chunked('g\r\nabc\r\n0\r\n\r\n'), 'malformed'],
  ['a size with 0x', chunked('0x3\r\nabc\r\n0\r\n\r\n'), 'malformed'],
  ['a negative size', chunked('-3\r\nabc\r\n0\r\n\r\n'), 'malformed'],
  ['a size with a sign', chunked('+3\r\nabc\r\n0\r\n\r\n'), 'malformed'],
  ['a blank before the size', chunked(' 3\r\nabc\r\n0\r\n\r\n'), 'malformed'],
  ['a blank behind the size', chunked('3 \r\nabc\r\n0\r\n\r\n'), 'malformed'],
  ['a size of 17 digits', chunked('00000000000000003\r\nabc\r\n0\r\n\r\n'), 'malformed'],
  ['a size above 2^53', chunked('20000000000001\r\nabc'), 'malformed'],
  ['a size above 2^64', chunked('10000000000000003\r\nabc\r\n0\r\n\r\n'), 'malformed'],
  ['LF behind the size', chunked('3\nabc\r\n0\r\n\r\n'), 'malformed'],
  ['CR behind the size', chunked('3\rabc\r\n0\r\n\r\n'), 'malformed'],
  ['LF behind the data', chunked('3\r\nabc\n0\r\n\r\n'), 'malformed'],
  ['data longer than said', chunked('3\r\nabcd\r\n0\r\n\r\n'), 'malformed'],
  ['data shorter than said', chunked('3\r\nab\r\n0\r\n\r\n'), 'malformed'],
  ['nothing behind the data', chunked('3\r\nabc0\r\n\r\n'), 'malformed'],
  ['LF in an extension', chunked('3;a=b\nabc\r\n0\r\n\r\n'), 'malformed'],
  ['CR in an extension', chunked('3;a\rb\r\nabc\r\n0\r\n\r\n'), 'malformed'],
  ['NUL in an extension', chunked('3;a\0b\r\nabc\r\n0\r\n\r\n'), 'malformed'],
  ['an extension without a semicolon', chunked('3 a=b\r\nabc\r\n0\r\n\r\n'), 'malformed'],
  ['an extension without an end', chunked(`3;${'a'.repeat(20_000)}`), 'malformed'],
  ['many extensions', chunked(`${`1;${'a'.repeat(1000)}\r\nx\r\n`.repeat(20)}0\r\n\r\n`), 'malformed'],
  ['LF behind the last chunk', chunked('0\n\r\n'), 'malformed'],
  ['LF for the end', chunked('0\r\n\n'), 'malformed'],
  ['CR alone for the end', chunked('0\r\n\rX'), 'malformed'],
  ['a trailer without a colon', chunked('0\r\nabc\r\n\r\n'), 'malformed'],
  ['a trailer by obs-fold', chunked('0\r\na: b\r\n c\r\n\r\n'), 'malformed'],
  ['a trailer that begins with a blank', chunked('0\r\n a: b\r\n\r\n'), 'malformed'],
  ['LF behind a trailer', chunked('0\r\na: b\n\r\n'), 'malformed'],
  ['trailers above the limit', chunked(`0\r\na: ${'b'.repeat(70_000)}\r\n\r\n`), 'malformed'],
];

const INFORMS: readonly Row[] = [
  [
    '101 that was not requested',
    'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
    'malformed',
  ],
  ['1xx with a length', 'HTTP/1.1 103 Early\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\n\r\n', 'malformed'],
  ['1xx in chunks', 'HTTP/1.1 100 Continue\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 'malformed'],
  ['1xx without an end', 'HTTP/1.1 103 Early\r\n\r\n'.repeat(100), 'malformed'],
  ['1xx alone', 'HTTP/1.1 103 Early\r\n\r\n', 'reset'],
];

const CUT: readonly Row[] = [
  ['nothing', '', 'reset'],
  ['half a status line', 'HTTP/1.1 20', 'reset'],
  ['half a head', 'HTTP/1.1 200 OK\r\nA: b\r\n', 'reset'],
  ['half a body', `${head('Content-Length: 5\r\n')}abc`, 'reset'],
  ['no body', head('Content-Length: 5\r\n'), 'reset'],
  ['half a chunk', chunked('5\r\nabc'), 'reset'],
  ['no last chunk', chunked('3\r\nabc\r\n'), 'reset'],
  ['no end of the trailers', chunked('3\r\nabc\r\n0\r\n'), 'reset'],
  ['half a trailer', chunked('3\r\nabc\r\n0\r\na: b\r\n'), 'reset'],
];

for (const [name, bytes, fault] of [...STATUS_LINES, ...FIELDS, ...LENGTHS, ...CHUNKS, ...INFORMS, ...CUT])
  test(`${name}: ${fault}`, () =>
    withOrigin(
      saying(bytes, { end: fault === 'reset' }),
      async (origin, { fetch, counters }) => {
        assert.is(await faultOf(seen(fetch(request(origin.port)))), fault);
        assert.is(counters.open, 0);
        await until(() => origin.sockets.size === 0, 'the connection is closed');
        assert.is(origin.accepted, 1, 'it is not asked again');
      },
      QUICK,
    ));

test('a 101 with another protocol than was asked for', () =>
  withOrigin(
    saying('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n'),
    async ({ port }, { fetch }) => {
      assert.is(await faultOf(fetch(request(port, { protocol: 'websocket' }))), 'malformed');
    },
  ));

test('a 101 whose Connection does not name the upgrade', () =>
  withOrigin(saying('HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\n'), async ({ port }, { fetch }) => {
    assert.is(await faultOf(fetch(request(port, { protocol: 'websocket' }))), 'malformed');
  }));

test.run();
