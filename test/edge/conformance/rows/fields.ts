/**
 * RFC 9113 sections 8.2 and 8.3: which fields make a request malformed, and what a handler is given
 * of the others.
 */
import { END_HEADERS, END_STREAM, headers } from '../frames.ts';
import { block, type Line } from '../hpack.ts';
import { answer, type Expectation, malformed, type Row, request, requestLines, row, scene, works } from '../row.ts';
import { INDEX } from '../site.ts';

const WHOLE = END_HEADERS | END_STREAM;
const site = { needs: ['site'] } as const;

const withLine = (name: string, value: string): Buffer => headers(1, request({}, [name, value]), WHOLE);
const withPseudo = (fields: Readonly<Record<string, string | null>>, ...lines: readonly Line[]): Buffer =>
  headers(1, request(fields, ...lines), WHOLE);
const withLines = (lines: readonly Line[]): Buffer => headers(1, block(lines), WHOLE);

/** What the handler is given, of a request for /tell. */
function tells(part: Readonly<Record<string, unknown>>): Expectation {
  return {
    ...answer(1),
    text: JSON.stringify(part),
    holds: (outcome) => {
      if (outcome.scope !== 'answer' || outcome.status !== '200') return false;
      const event = JSON.parse(outcome.body) as Record<string, unknown>;
      return Object.entries(part).every(([key, value]) => JSON.stringify(event[key]) === JSON.stringify(value));
    },
  };
}
const tell = (says: string, section: string, part: Readonly<Record<string, unknown>>, ...lines: readonly Line[]): Row =>
  row(section, says, tells(part), [withPseudo({ ':path': '/tell' }, ...lines)], site);

const NAMES: readonly (readonly [says: string, name: string])[] = [
  ['in upper case', 'X-Upper'],
  ['with one letter in upper case', 'x-uppeR'],
  ['with a space', 'x a'],
  ['with a space at its end', 'x '],
  ['with NUL', 'x\0a'],
  ['with LF', 'x\na'],
  ['with CR', 'x\ra'],
  ['with DEL', 'x\x7f'],
  ['with a byte above ASCII', 'x\x80'],
  ['with another', 'x\xff'],
  ['with a colon within', 'x:a'],
  ['with a colon at its end', 'x:'],
  ['that is empty', ''],
  ['with a bracket, which no token has', 'x(a)'],
];

const VALUES: readonly (readonly [says: string, value: string])[] = [
  ['with NUL', 'a\0b'],
  ['with LF', 'a\nb'],
  ['with CR', 'a\rb'],
  ['with CR LF and a field', 'a\r\nx: y'],
  ['that begins with a space', ' a'],
  ['that begins with a tab', '\ta'],
  ['that ends with a space', 'a '],
  ['that ends with a tab', 'a\t'],
  ['that is a space', ' '],
  ['with another control character', 'a\x01b'],
  ['with DEL', 'a\x7fb'],
];

const characters: readonly Row[] = [
  ...NAMES.map(([says, name]) => row('9113 8.2.1', `a name ${says}`, malformed, [withLine(name, 'a')])),
  ...VALUES.map(([says, value], i) =>
    // RFC 9113 names NUL, LF, CR and blanks at the ends; RFC 9110 section 5.5 calls other controls
    // invalid.
    row('9113 8.2.1', `a value ${says}`, malformed, [withLine('x', value)], i < 9 ? {} : { permits: [answer(1)] }),
  ),
  row('9113 8.2.1', 'a value with NUL in a pseudo-header', malformed, [withPseudo({ ':path': '/\0' })]),
  row('9113 8.2.1', 'a value with LF in cookie', malformed, [withLine('cookie', 'a=1\nb=2')]),
  tell('an empty value', '9113 8.2.1', { headers: ['x', ''] }, ['x', '']),
  tell('a value with blanks within', '9113 8.2.1', { headers: ['x', 'a \t b'] }, ['x', 'a \t b']),
  tell('a value of bytes above ASCII', '9110 5.5', { headers: ['x', 'caf\xe9\x80\xff'] }, ['x', 'caf\xe9\x80\xff']),
  tell('a name of every kind of character', '9110 5.1', { headers: ["!#$%&'*+-.^_`|~09az", 'a'] }, [
    "!#$%&'*+-.^_`|~09az",
    'a',
  ]),
  tell(
    'repeated names stay in their order',
    '9110 5.3',
    { headers: ['x', '1', 'y', '2', 'x', '3'] },
    ['x', '1'],
    ['y', '2'],
    ['x', '3'],
  ),
];

const connection: readonly Row[] = [
  ...(
    [
      ['connection', 'keep-alive'],
      ['connection', 'x'],
      ['keep-alive', 'timeout=5'],
      ['proxy-connection', 'keep-alive'],
      ['transfer-encoding', 'chunked'],
      ['upgrade', 'websocket'],
      ['te', 'gzip'],
      ['te', 'trailers, deflate'],
      ['te', ''],
    ] as const
  ).map(([name, value]) => row('9113 8.2.2', `${name}: ${value}`, malformed, [withLine(name, value)])),
  row('9113 8.2.2', 'te: trailers', answer(1, INDEX), [withLine('te', 'trailers')]),
  tell(
    'crumbs of cookie are one line again',
    '9113 8.2.3',
    { headers: ['cookie', 'a=1; b=2; c=3', 'x', 'y'] },
    ['cookie', 'a=1'],
    ['x', 'y'],
    ['cookie', 'b=2'],
    ['cookie', 'c=3'],
  ),
];

const [METHOD, SCHEME, AUTHORITY, PATH] = requestLines();

const pseudo: readonly Row[] = [
  row('9113 8.3', 'an unknown pseudo-header', malformed, [withPseudo({ ':test': 'ok' })]),
  row('9113 8.3', 'a pseudo-header without a name', malformed, [withPseudo({ ':': 'ok' })]),
  row('9113 8.3', 'a pseudo-header in upper case', malformed, [withPseudo({ ':method': null, ':Method': 'GET' })]),
  row('9113 8.3', 'a pseudo-header of responses', malformed, [withPseudo({ ':status': '200' })]),
  row('9113 8.3', 'a pseudo-header after a field', malformed, [
    withLines([METHOD, SCHEME, AUTHORITY, ['x', 'y'], PATH]),
  ]),
  row('9113 8.3', 'a pseudo-header after cookie', malformed, [
    withLines([METHOD, SCHEME, PATH, ['cookie', 'a=b'], AUTHORITY]),
  ]),
  row('9113 8.3', 'in any order', answer(1, INDEX), [withLines([PATH, AUTHORITY, METHOD, SCHEME])]),
  ...[METHOD, SCHEME, PATH].map(([name]) =>
    row('9113 8.3.1', `without ${name}`, malformed, [withPseudo({ [name]: null })]),
  ),
  ...[METHOD, SCHEME, AUTHORITY, PATH].map((line) =>
    row('9113 8.3.1', `${line[0]} twice`, malformed, [withLines([METHOD, SCHEME, AUTHORITY, PATH, line])]),
  ),
  row('9113 8.3.1', 'an empty :method', malformed, [withPseudo({ ':method': '' })]),
  row('9113 8.3.1', 'a :method that is no token', malformed, [withPseudo({ ':method': 'GE T' })]),
  row('9113 8.3.1', 'an empty :scheme', malformed, [withPseudo({ ':scheme': '' })]),
  row('9113 8.3.1', 'a :scheme that is none', malformed, [withPseudo({ ':scheme': 'ht tp' })]),
  row('9113 8.3.1', 'an empty :path', malformed, [withPseudo({ ':path': '' })]),
  row('9113 8.3.1', 'a :path without a slash', malformed, [withPseudo({ ':path': 'index.html' })]),
  row('9113 8.3.1', 'a :path with a fragment', malformed, [withPseudo({ ':path': '/#top' })], {
    permits: [answer(1), answer(1, undefined, '404')],
  }),
  row('9113 8.3.1', 'a :path with a space', malformed, [withPseudo({ ':path': '/a b' })]),
  row('9113 8.3.1', 'a :path in absolute form', malformed, [withPseudo({ ':path': 'http://conformance.test/' })]),
  row('9113 8.3.1', 'an asterisk for GET', malformed, [withPseudo({ ':path': '*' })], { permits: [answer(1)] }),
  row(
    '9113 8.3.1',
    'an asterisk for OPTIONS',
    tells({ method: 'OPTIONS', path: '*' }),
    [withPseudo({ ':path': '*', ':method': 'OPTIONS' })],
    site,
  ),
  row(
    '9113 8.3.1',
    'a query is part of :path',
    tells({ path: '/tell?a=b&c' }),
    [withPseudo({ ':path': '/tell?a=b&c' })],
    site,
  ),
  row('9113 8.3.1', 'user information in :authority', malformed, [withPseudo({ ':authority': 'a@conformance.test' })], {
    permits: [answer(1)],
  }),
  row('9113 8.3.1', 'an empty :authority', malformed, [withPseudo({ ':authority': '' })], {
    permits: [answer(1, undefined, '400')],
  }),
  row('9113 8.3.1', 'an :authority that is none', malformed, [withPseudo({ ':authority': 'a b' })]),
  ...['[::1', '::1', '[::g]', '[::1]x', 'a:65536', 'a:b', 'a:1:2', 'a/b', 'a?b', 'a#b', '%zz', ':80', '\\'].map(
    (text) =>
      row('9110 4.2.1', `an :authority that is none: ${text}`, malformed, [withPseudo({ ':authority': text })], {
        permits: [answer(1)],
      }),
  ),
  ...(
    [
      ['[2001:DB8::1]:8443', '[2001:db8::1]:8443'],
      ['192.0.2.1', '192.0.2.1'],
      ['WWW.Conformance.Test:65535', 'www.conformance.test:65535'],
      ['conformance.test:', 'conformance.test'],
      ['a_b.conformance.test', 'a_b.conformance.test'],
    ] as const
  ).map(([text, authority]) =>
    row(
      '9110 4.2.3',
      `${text} as :authority`,
      tells({ authority }),
      [withPseudo({ ':authority': text, ':path': '/tell' })],
      site,
    ),
  ),
  row(
    '9113 8.3.1',
    'host for :authority',
    tells({ authority: 'conformance.test', headers: [] }),
    [withPseudo({ ':authority': null, ':path': '/tell' }, ['host', 'Conformance.test'])],
    site,
  ),
  row(
    '9113 8.3.1',
    'host that says the same',
    tells({ authority: 'conformance.test:8080', headers: [] }),
    [withPseudo({ ':authority': 'conformance.test:8080', ':path': '/tell' }, ['host', 'conformance.test:8080'])],
    site,
  ),
  row('9113 8.3.1', 'host with another value', malformed, [withPseudo({}, ['host', 'other.test'])], {
    permits: [answer(1)],
  }),
  row('9110 7.2', 'host twice', malformed, [
    withPseudo({ ':authority': null }, ['host', 'conformance.test'], ['host', 'conformance.test']),
  ]),
  row('9110 7.2', 'neither', answer(1, '', '400'), [withPseudo({ ':authority': null })], {
    needs: ['site'],
    permits: [malformed],
  }),
];

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]$/;

/**
 * A request on a stream of its own for each byte there is: those of `isRight` are answered, all
 * others reset.
 */
const bytes = (says: string, line: (byte: string) => Line, isRight: (byte: string) => boolean): Row =>
  scene('9113 8.2.1', says, async (client) => {
    for (let code = 0; code < 256; code++) {
      const byte = String.fromCharCode(code);
      const streamId = 2 * code + 1;
      client.send(headers(streamId, request({ ':method': 'HEAD' }, line(byte)), WHOLE));
      const { resetBy } = await client.until(`the end of stream ${streamId}`, () => {
        const stream = client.stream(streamId);
        return stream.isEnded || stream.resetBy !== undefined ? stream : undefined;
      });
      if (resetBy !== (isRight(byte) ? undefined : 'PROTOCOL_ERROR'))
        throw new Error(`0x${code.toString(16)}: ${resetBy ?? 'no error'}`);
    }
    await works(client);
  });

const everyByte: readonly Row[] = [
  bytes(
    'every byte in a name',
    (byte) => [`x${byte}y`, 'a'],
    (byte) => TOKEN.test(byte),
  ),
  bytes(
    'every byte as a name',
    (byte) => [byte, 'a'],
    (byte) => TOKEN.test(byte),
  ),
  bytes(
    'every byte in a value',
    (byte) => ['x', `a${byte}b`],
    // RFC 9110 section 5.5: all but controls.
    (byte) => byte === '\t' || (byte >= ' ' && byte !== '\x7f'),
  ),
];

export const FIELDS: readonly Row[] = [...characters, ...everyByte, ...connection, ...pseudo];
