/** Unusual requests over HTTP/2 (RFC 9113 sections 8.2, 8.3 and 10.3). */
import type { Line } from '../conformance/hpack.ts';
import { type Arrival, coded, codedWith, length, posted, SMUGGLED } from './smuggling-rig.ts';

/**
 * The fields of a request, what follows them (text: DATA; lines: trailers; null: nothing), and what
 * the origin receives. Without the last, the stream is reset or refused.
 */
export type Row2 = readonly [
  name: string,
  lines: readonly Line[],
  body: readonly (string | readonly Line[])[] | null,
  arrives?: Arrival,
];

/** An empty `:scheme` is filled in before sending. */
const SCHEME: Line = [':scheme', ''];
const requestOf = (method: string, host: string, location: string, scheme = ''): Line[] => [
  [':method', method],
  [':scheme', scheme],
  [':authority', host],
  [':path', location],
];
const pseudo = (method: string, more: readonly Line[] = []): Line[] => [
  ...requestOf(method, 'site.test', '/'),
  ...more,
];
const withField = (name: string, value: string): Line[] => pseudo('GET', [[name, value]]);
const authority = (text: string): Line[] => requestOf('GET', text, '/');
const path = (text: string): Line[] => requestOf('GET', 'site.test', text);

export const ROWS2: readonly Row2[] = [
  ['H2.CL: less than the body', pseudo('POST', [['content-length', '0']]), [SMUGGLED]],
  ['H2.CL: more than the body', pseudo('POST', [['content-length', '99']]), ['abc']],
  [
    'H2.CL: two',
    pseudo('POST', [
      ['content-length', '3'],
      ['content-length', '4'],
    ]),
    ['abc'],
  ],
  ['H2.CL: no number', pseudo('POST', [['content-length', '3 ']]), ['abc']],
  ['H2.TE', pseudo('POST', [['transfer-encoding', 'chunked']]), [`0\r\n\r\n${SMUGGLED}`]],
  ['a connection', pseudo('GET', [['connection', 'x']]), null],
  ['CRLF in a value', pseudo('GET', [['x', `a\r\nTransfer-Encoding: chunked`]]), null],
  ['LF in a value', pseudo('GET', [['x', 'a\nb']]), null],
  ['CR in a value', pseudo('GET', [['x', 'a\rb']]), null],
  ['NUL in a value', pseudo('GET', [['x', 'a\0b']]), null],
  ['CRLF in a name', pseudo('GET', [['x\r\ny', 'a']]), null],
  ['a colon in a name', pseudo('GET', [['x: y', 'a']]), null],
  ['upper case in a name', pseudo('GET', [['X', 'a']]), null],
  ['CRLF in a method', pseudo('GET / HTTP/1.1\r\nx: y'), null],
  ['a space in a path', path('/ HTTP/1.1'), null],
  ['CRLF in a path', path('/\r\nx'), null],
  ['CRLF in an authority', authority('site.test\r\nx: y'), null],
  ['two authorities', pseudo('GET', [[':authority', 'other.test']]), null],
  ['another host', pseudo('GET', [['host', 'other.test']]), null],
  ['a plain request', pseudo('GET', [['x', 'y']]), null, { fields: 'x: y\r\n' }],
  ['a body without a length', pseudo('POST'), ['abc'], posted(coded('abc'))],
  ['a body with its length', pseudo('POST', [['content-length', '3']]), ['abc'], posted(length('abc'))],
  ['a request within a body', pseudo('POST'), [SMUGGLED], posted(coded(SMUGGLED))],
  ['chunks within a body', pseudo('POST'), [`0\r\n\r\n${SMUGGLED}`], posted(coded(`0\r\n\r\n${SMUGGLED}`))],
  ['the same host', pseudo('GET', [['host', 'site.test']]), null, {}],
  [
    'cookies become one',
    pseudo('GET', [
      ['cookie', 'a=b'],
      ['cookie', 'c=d'],
    ]),
    null,
    { fields: 'cookie: a=b; c=d\r\n' },
  ],
  ['H2.CL: a length and no body', pseudo('POST', [['content-length', '5']]), null],
  ['H2.CL: a sign', pseudo('POST', [['content-length', '+3']]), ['abc']],
  ['H2.CL: a list', pseudo('POST', [['content-length', '3,3']]), ['abc']],
  ['H2.CL: hexadecimal', pseudo('POST', [['content-length', '0x3']]), ['abc']],
  ['H2.CL: beyond 2^53', pseudo('POST', [['content-length', '9007199254740993']]), ['abc']],
  ['H2.CL: more with the second frame', pseudo('POST', [['content-length', '3']]), ['abc', SMUGGLED]],
  ['H2.CL: a line break', pseudo('POST', [['content-length', '3\r\nx: y']]), ['abc']],
  ['H2.TE: identity', pseudo('POST', [['transfer-encoding', 'identity']]), ['abc']],
  ['H2.TE: upper case', pseudo('POST', [['Transfer-Encoding', 'chunked']]), ['abc']],
  ['H2.TE: a space after the name', pseudo('POST', [['transfer-encoding ', 'chunked']]), ['abc']],
  ['H2.TE: after a line break in a name', pseudo('POST', [['x: y\r\ntransfer-encoding', 'chunked']]), ['abc']],
  ['H2.TE: in trailers', pseudo('POST'), ['abc', [['transfer-encoding', 'chunked']]]],
  ['a pseudo-header in trailers', pseudo('POST'), ['abc', [[':path', '/smuggled']]]],
  ['a line break in trailers', pseudo('POST'), ['abc', [['x', 'a\r\n\r\nGET /smuggled HTTP/1.1']]]],
  ['a colon in a name of trailers', pseudo('POST'), ['abc', [['x:y', 'a']]]],
  ['a connection in trailers', pseudo('POST'), ['abc', [['connection', 'close']]]],
  ['an upgrade', withField('upgrade', 'h2c'), null],
  ['keep-alive', withField('keep-alive', 'x'), null],
  ['proxy-connection', withField('proxy-connection', 'x'), null],
  ['te that is not trailers', withField('te', 'chunked'), null],
  ['an empty name', withField('', 'a'), null],
  ['a space in a name', withField('x y', 'a'), null],
  ['DEL in a name', withField('x\x7f', 'a'), null],
  ['a byte of Latin-1 in a name', withField('x\xe9', 'a'), null],
  ['NUL in a name', withField('x\0', 'a'), null],
  ['a space before a value', withField('x', ' a'), null],
  ['a tab after a value', withField('x', 'a\t'), null],
  ['a vertical tab in a value', withField('x', 'a\x0bb'), null],
  ['DEL in a value', withField('x', '\x7f'), null],
  ['a line break in a cookie', withField('cookie', 'a=b\r\nx: y'), null],
  ['an unknown pseudo-header', withField(':x', 'y'), null],
  ['a pseudo-header of responses', withField(':status', '200'), null],
  [
    'a pseudo-header after a field',
    pseudo('GET', [
      ['x', 'y'],
      [':path', '/b'],
    ]),
    null,
  ],
  ['two paths', withField(':path', '/b'), null],
  ['two methods', withField(':method', 'POST'), null],
  ['no path', [[':method', 'GET'], SCHEME, [':authority', 'site.test']], null],
  ['no method', [SCHEME, [':authority', 'site.test'], [':path', '/']], null],
  ['an empty path', path(''), null],
  ['a path without a slash', path('a'), null],
  ['an absolute form for a path', path('http://other.test/'), null],
  ['an asterisk for a path', path('*'), null],
  ['a fragment', path('/#x'), null],
  ['NUL in a path', path('/\0'), null],
  ['a byte of Latin-1 in a path', path('/\xe9'), null],
  ['an authority with a user', authority('a@site.test'), null],
  ['an authority with a path', authority('site.test/x'), null],
  ['an authority with a space', authority('site.test x'), null],
  ['an authority with an invalid port', authority('site.test:x'), null],
  ['an empty authority', authority(''), null],
  ['an empty authority next to a host', [...authority(''), ['host', 'site.test']], null],
  [
    'two hosts',
    pseudo('GET', [
      ['host', 'site.test'],
      ['host', 'site.test'],
    ]),
    null,
  ],
  [
    'CONNECT',
    [
      [':method', 'CONNECT'],
      [':authority', 'site.test:80'],
    ],
    null,
  ],
  ['a tunnel of another protocol', [...pseudo('CONNECT'), [':protocol', 'connect-ip']], null],
  ['a tunnel by GET', withField(':protocol', 'websocket'), null],
  ['a line break in a protocol', [...pseudo('CONNECT'), [':protocol', 'websocket\r\nx: y']], null],
  ['a space in a method', pseudo('GET /x'), null],
  [
    'a scheme with a line break',
    [
      [':method', 'GET'],
      [':scheme', 'http\r\nx: y'],
      [':authority', 'site.test'],
      [':path', '/'],
    ],
    null,
  ],
  ['an unknown expectation', withField('expect', 'x'), null],
  ['TRACE', pseudo('TRACE'), null],
  ['a scheme that differs from the scheme of the connection', requestOf('GET', 'site.test', '/', 'ftp'), null],
  [
    'two credentials',
    pseudo('GET', [
      ['authorization', 'a'],
      ['authorization', 'b'],
    ]),
    null,
  ],
  [
    'two media types',
    pseudo('POST', [
      ['content-type', 'a/b'],
      ['content-type', 'c/d'],
    ]),
    ['abc'],
  ],
  [
    'two cookies',
    pseudo('GET', [
      ['cookie', 'a=1'],
      ['x', 'y'],
      ['cookie', 'b=2'],
    ]),
    null,
    { fields: 'cookie: a=1; b=2\r\nx: y\r\n' },
  ],
  ['an expectation', pseudo('POST', [['expect', '100-continue']]), ['abc'], posted(coded('abc'))],
  ['an unknown method', pseudo('SMUGGLE'), null],
  ['a method in lower case', pseudo('get'), null],
  ['a GET with a body', pseudo('GET'), ['abc'], { framed: coded('abc') }],
  ['a HEAD with a body', pseudo('HEAD', [['content-length', '3']]), ['abc'], { method: 'HEAD', framed: length('abc') }],
  [
    'the same length twice',
    pseudo('POST', [
      ['content-length', '3'],
      ['content-length', '3'],
    ]),
    ['abc'],
    posted(length('abc')),
  ],
  ['trailers', pseudo('POST'), ['abc', [['x', 'y']]], posted(codedWith('x: y\r\n', 'abc'))],
  [
    'trailers that frame',
    pseudo('POST'),
    [
      'abc',
      [
        ['content-length', '9'],
        ['host', 'x'],
        ['te', 'trailers'],
      ],
    ],
    posted(coded('abc')),
  ],
  [
    'trailers with claims about the visitor',
    pseudo('POST'),
    ['abc', [['x-forwarded-for', '1.2.3.4']]],
    posted(coded('abc')),
  ],
  ['settings of HTTP/2 for HTTP/1.1', withField('http2-settings', 'x'), null, {}],
  ['te: trailers', withField('te', 'trailers'), null, { framed: 'connection: te\r\nte: trailers\r\n\r\n' }],
  ['a byte of Latin-1 in a value', withField('x', '\xe9'), null, { fields: 'x: \xe9\r\n' }],
  ['underscores', withField('transfer_encoding', 'chunked'), null, {}],
];
