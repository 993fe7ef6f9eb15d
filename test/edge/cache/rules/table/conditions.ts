/** Visitors' conditions, evaluated by the cache: RFC 9110 section 13, RFC 9111 section 4.3.2. */
import { DAY, type Lines, later, on, type Row, row, stores } from './row.ts';

const changed = on(-DAY);
const STORED: Lines = {
  'cache-control': 'max-age=3600',
  etag: '"a"',
  'last-modified': changed,
  'content-type': 'text/plain',
  'x-a': '1',
};
const { etag: _etag, ...DATED } = STORED;
const WEAK = { ...STORED, etag: 'W/"a"' };
const BARE = { 'cache-control': 'max-age=3600' };

/** The cache answers a request with a condition. */
const conditional = (name: string, stored: Lines, headers: Lines, status: 200 | 304, section = '9110 13.1.2'): Row =>
  row(section, name, stores(stored), later(10, 'cache', { headers, is: { status } }));

export const CONDITIONS: readonly Row[] = [
  conditional('If-None-Match with the tag', STORED, { 'if-none-match': '"a"' }, 304),
  conditional('If-None-Match with another tag', STORED, { 'if-none-match': '"b"' }, 200),
  conditional('If-None-Match with a list that has it', STORED, { 'if-none-match': '"b", "a" , W/"c"' }, 304),
  conditional('If-None-Match with a list that has it not', STORED, { 'if-none-match': '"b", "c"' }, 200),
  conditional('If-None-Match in two lines', STORED, { 'if-none-match': ['"b"', '"a"'] }, 304),
  conditional('If-None-Match compares weakly: weak asked', STORED, { 'if-none-match': 'W/"a"' }, 304),
  conditional('If-None-Match compares weakly: weak stored', WEAK, { 'if-none-match': '"a"' }, 304),
  conditional('If-None-Match compares weakly: both', WEAK, { 'if-none-match': 'W/"a"' }, 304),
  conditional('If-None-Match: *', STORED, { 'if-none-match': '*' }, 304),
  conditional('If-None-Match: * where there is no tag', BARE, { 'if-none-match': '*' }, 304),
  conditional('If-None-Match: "*" is a tag', STORED, { 'if-none-match': '"*"' }, 200),
  conditional('If-None-Match without quotes', STORED, { 'if-none-match': 'a' }, 200),
  conditional('If-None-Match in another case', STORED, { 'if-none-match': '"A"' }, 200),
  conditional('If-None-Match with a small w', WEAK, { 'if-none-match': 'w/"a"' }, 200),
  conditional('If-None-Match with nothing', STORED, { 'if-none-match': '' }, 200),
  conditional('If-None-Match where there is no tag', DATED, { 'if-none-match': '"a"' }, 200),
  conditional(
    'If-None-Match with a comma in the tag',
    { ...STORED, etag: '"a,b"' },
    { 'if-none-match': '"x", "a,b"' },
    304,
  ),
  conditional('a tag in a tag with a comma is none', STORED, { 'if-none-match': '"x,"a",y"' }, 200),
  conditional(
    'If-None-Match that does not hold goes before If-Modified-Since',
    STORED,
    { 'if-none-match': '"b"', 'if-modified-since': on(0) },
    200,
    '9110 13.2.2',
  ),
  conditional(
    'If-None-Match that holds goes before If-Modified-Since',
    STORED,
    { 'if-none-match': '"a"', 'if-modified-since': on(-10 * DAY) },
    304,
    '9110 13.2.2',
  ),
  conditional('If-Modified-Since with the date', STORED, { 'if-modified-since': changed }, 304, '9110 13.1.3'),
  conditional('If-Modified-Since with a later date', STORED, { 'if-modified-since': on(-10) }, 304, '9110 13.1.3'),
  conditional(
    'If-Modified-Since with an earlier date',
    STORED,
    { 'if-modified-since': on(-DAY - 1) },
    200,
    '9110 13.1.3',
  ),
  conditional('If-Modified-Since that is no date', STORED, { 'if-modified-since': 'today' }, 200, '9110 13.1.3'),
  conditional(
    'If-Modified-Since in RFC 850',
    { ...DATED, 'last-modified': 'Sun, 06 Nov 1994 08:49:37 GMT' },
    { 'if-modified-since': 'Sunday, 06-Nov-94 08:49:37 GMT' },
    304,
    '9110 13.1.3',
  ),
  conditional(
    'If-Modified-Since of asctime',
    { ...DATED, 'last-modified': 'Sun, 06 Nov 1994 08:49:37 GMT' },
    { 'if-modified-since': 'Sun Nov  6 08:49:37 1994' },
    304,
    '9110 13.1.3',
  ),
  conditional('If-Modified-Since by Date: not since', BARE, { 'if-modified-since': on(0) }, 304, '9111 4.3.2'),
  conditional(
    'If-Modified-Since by Date: since (conditional-lm-fresh-no-lm)',
    BARE,
    { 'if-modified-since': on(-1) },
    200,
    '9111 4.3.2',
  ),
  row(
    '9110 13.2.1',
    'no condition for a response other than 200',
    stores(STORED, { origin: { status: 404 } }),
    later(1, 'cache', { headers: { 'if-none-match': '"a"' }, is: { status: 404 } }),
  ),
  row(
    '9110 13.1.2',
    'HEAD with If-None-Match',
    stores(STORED),
    later(1, 'cache', { method: 'HEAD', headers: { 'if-none-match': '"a"' }, is: { status: 304 } }),
  ),
  row(
    '9110 15.4.5',
    'a 304 has what may have changed',
    stores({ ...STORED, expires: on(3600), vary: 'x-b', 'content-location': '/a' }),
    later(10, 'cache', {
      headers: { 'if-none-match': '"a"' },
      is: {
        status: 304,
        headers: {
          etag: '"a"',
          'cache-control': 'max-age=3600',
          expires: on(3600),
          vary: 'x-b',
          'content-location': '/a',
          date: on(0),
        },
        age: 10,
      },
    }),
  ),
  row(
    '9110 15.4.5',
    'a 304 has nothing that describes content',
    stores({ ...STORED, 'content-language': 'en' }),
    later(1, 'cache', {
      headers: { 'if-none-match': '"a"' },
      is: { status: 304, absent: ['content-type', 'content-language', 'content-length', 'last-modified'] },
    }),
  ),
  row(
    '9110 15.4.5',
    'a 304 has Last-Modified where there is no tag',
    stores(DATED),
    later(1, 'cache', {
      headers: { 'if-modified-since': changed },
      is: { status: 304, headers: { 'last-modified': changed } },
    }),
  ),
  row(
    '9110 15.4.5',
    'a 304 has other fields, such as those of CORS',
    stores({ ...STORED, 'access-control-allow-origin': '*' }),
    later(1, 'cache', {
      headers: { 'if-none-match': '"a"' },
      is: { status: 304, headers: { 'access-control-allow-origin': '*' } },
    }),
  ),
  row(
    '9111 4.3.2',
    'a condition of a visitor on a miss is answered after the origin',
    stores(STORED, { headers: { 'if-none-match': '"a"' }, expect: { from: 'origin', status: 304 } }),
    later(1, 'cache'),
  ),
  row(
    '9111 4.3.2',
    'a condition of a visitor on a stale one is answered after the origin',
    stores({ ...STORED, 'cache-control': 'max-age=5' }),
    later(10, 'validated', {
      headers: { 'if-none-match': '"a"' },
      origin: { status: 304, headers: { etag: '"a"' } },
      is: { status: 304 },
    }),
  ),
  row(
    '9111 4.3.2',
    'a visitor has the old one, the origin a new one',
    stores({ ...STORED, 'cache-control': 'max-age=5' }),
    later(10, 'origin', { headers: { 'if-none-match': '"a"' }, origin: { headers: { ...STORED, etag: '"b"' } } }),
  ),
  row(
    '9111 4.3.2',
    'a visitor has the new one already',
    stores({ ...STORED, 'cache-control': 'max-age=5' }),
    later(10, 'origin', {
      headers: { 'if-none-match': '"b"' },
      origin: { headers: { ...STORED, etag: '"b"' } },
      is: { status: 304 },
    }),
  ),
  row(
    '9110 13.1.1',
    "If-Match is the origin's to judge",
    stores(STORED),
    later(1, 'origin', {
      headers: { 'if-match': '"b"' },
      origin: { status: 412 },
      is: { status: 412, originRequest: { 'if-match': '"b"' } },
    }),
    later(2, 'cache'),
  ),
  row(
    '9110 13.1.4',
    "If-Unmodified-Since is the origin's to judge",
    stores(STORED),
    later(1, 'origin', {
      headers: { 'if-unmodified-since': changed },
      is: { originRequest: { 'if-unmodified-since': changed } },
    }),
    later(2, 'cache'),
  ),
];
