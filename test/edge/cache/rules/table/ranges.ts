/** Ranges of stored responses: RFC 9110 section 14. */
import { type Answer, DAY, type Expectation, type Lines, later, on, type Row, row, stores } from './row.ts';

const BODY = '0123456789';
const changed = on(-DAY);
const STORED: Lines = {
  'cache-control': 'max-age=3600',
  etag: '"a"',
  'last-modified': changed,
  'content-type': 'text/plain',
};

/** A part: Content-Range without the length, and the content; null: the whole. */
const part = (range: string, expected: readonly [string, string] | null, section = '9110 14.1.2'): Row =>
  row(
    section,
    `Range: ${range.length > 60 ? `${range.slice(0, 60)}…` : range}`,
    stores(STORED, { origin: { body: BODY } }),
    later(1, 'cache', {
      headers: { range },
      is:
        expected === null
          ? { absent: ['content-range'] }
          : { status: 206, headers: { 'content-range': `bytes ${expected[0]}/10` }, body: expected[1] },
    }),
  );

const parts = (range: string, ...expected: readonly (readonly [string, string])[]): Row =>
  row(
    '9110 15.3.7.2',
    `Range: ${range}`,
    stores(STORED, { origin: { body: BODY } }),
    later(1, 'cache', {
      headers: { range },
      is: {
        status: 206,
        parts: expected.map(([from, bytes]) => [`bytes ${from}/10`, bytes]),
        absent: ['content-range'],
      },
    }),
  );

const refused = (range: string, body = BODY): Row =>
  row(
    '9110 15.5.17',
    `Range: ${range} of ${body.length} bytes`,
    stores(STORED, { origin: { body } }),
    later(1, 'cache', {
      headers: { range },
      is: { status: 416, body: '', headers: { 'content-range': `bytes */${body.length}` } },
    }),
  );

const partAnswer = (range: string, body: string): Answer => ({
  status: 206,
  headers: { 'cache-control': 'max-age=3600', 'content-range': `bytes ${range}/10` },
  body,
});

/** The origin has sent a part, which is of no use for the next request. */
const storesNoPart = (id: string, range: string, headers: Lines, answer: Answer, is: Partial<Expectation>): Row =>
  row(
    '9111 3.3',
    `a part is not stored (partial-store-partial-${id})`,
    {
      headers: { range: 'bytes=-5' },
      origin: partAnswer(range, '01234'),
      expect: { from: 'origin', status: 206, body: '01234' },
    },
    later(1, 'origin', { headers, origin: answer, is }),
  );

const WHOLE: Answer = { headers: { 'cache-control': 'max-age=3600' }, body: BODY };
/** It is requested, whatever the visitor's range. */
const OF_WHOLE: Partial<Expectation> = { status: 206, originRequest: { range: '' } };

const ifRange = (name: string, stored: Lines, value: string, status: 200 | 206): Row =>
  row(
    '9110 13.1.5',
    `If-Range: ${name}`,
    stores(stored, { origin: { body: BODY } }),
    later(10, 'cache', {
      headers: { range: 'bytes=0-1', 'if-range': value },
      is: { status, body: status === 206 ? '01' : BODY },
    }),
  );

const { etag: _etag, ...DATED } = STORED;

export const RANGES: readonly Row[] = [
  part('bytes=0-1', ['0-1', '01']),
  part('bytes=5-5', ['5-5', '5']),
  part('bytes=5-', ['5-9', '56789']),
  part('bytes=0-', ['0-9', BODY]),
  part('bytes=8-100', ['8-9', '89']),
  part('bytes=-3', ['7-9', '789']),
  part('bytes=-100', ['0-9', BODY]),
  part('BYTES=0-1', ['0-1', '01'], '9110 14.1'),
  part('bytes=00-01', ['0-1', '01']),
  part('bytes=3-99999999999999999999', ['3-9', '3456789']),
  part('bytes= 1-2 ', ['1-2', '12'], '9110 5.6.1'),
  part('bytes=,1-2,', ['1-2', '12'], '9110 5.6.1'),
  part('bytes=1-2,20-30', ['1-2', '12'], '9110 15.3.7.2'),
  part('bytes=0-4,3-6', ['0-6', '0123456'], '9110 15.3.7.2'),
  part('bytes=5-6,3-4', ['3-6', '3456'], '9110 15.3.7.2'),
  part('bytes=0-0,0-0,0-0', ['0-0', '0'], '9110 15.3.7.2'),
  part('bytes=2-1', null),
  part('bytes=99999999999999999999-1', null),
  part('bytes=0-1,2-1', null),
  part('bytes=a-b', null),
  part('bytes=1', null),
  part('bytes=', null),
  part('bytes=-', null),
  part('bytes=,', null),
  part('bytes=1-2-3', null),
  part('bytes=+1-2', null),
  part('bytes=1.0-2', null),
  part('bytes 0-1', null),
  part('bytes', null),
  part('lines=0-1', null, '9110 14.2'),
  part('', null, '9110 14.2'),
  part(`bytes=${Array.from({ length: 200 }, (_, i) => `${i}-${i}`).join(',')}`, null, '9110 17.15'),
  parts('bytes=0-1,8-9', ['0-1', '01'], ['8-9', '89']),
  parts('bytes=8-9,0-1', ['8-9', '89'], ['0-1', '01']),
  parts('bytes=-1,0-0', ['9-9', '9'], ['0-0', '0']),
  parts('bytes=0-0,2-2,4-4', ['0-0', '0'], ['2-2', '2'], ['4-4', '4']),
  parts('bytes=0-1,50-60,8-', ['0-1', '01'], ['8-9', '89']),
  parts('bytes=6-7,0-1,7-8', ['6-8', '678'], ['0-1', '01']),
  refused('bytes=10-'),
  refused('bytes=10-20'),
  refused('bytes=-0'),
  refused('bytes=10-11,20-30'),
  refused('bytes=0-', ''),
  row(
    '9110 14.1.2',
    'the last bytes of nothing',
    stores(STORED, { origin: { body: '' } }),
    later(1, 'cache', { headers: { range: 'bytes=-5' } }),
  ),
  row(
    '9110 14.2',
    'HEAD has no ranges',
    stores(STORED, { origin: { body: BODY } }),
    later(1, 'cache', { method: 'HEAD', headers: { range: 'bytes=0-1' } }),
  ),
  row(
    '9110 14.2',
    'a 404 has no ranges',
    stores(STORED, { origin: { status: 404, body: BODY } }),
    later(1, 'cache', { headers: { range: 'bytes=0-1' }, is: { status: 404 } }),
  ),
  row(
    '9110 14.2',
    'two lines of Range',
    stores(STORED, { origin: { body: BODY } }),
    later(1, 'cache', { headers: { range: ['bytes=0-1', 'bytes=3-4'] } }),
  ),
  row(
    '9110 13.2.2',
    'a 304 goes before a range',
    stores(STORED, { origin: { body: BODY } }),
    later(1, 'cache', { headers: { range: 'bytes=0-1', 'if-none-match': '"a"' }, is: { status: 304 } }),
  ),
  row(
    '9110 13.2.2',
    'a range after a condition that does not hold',
    stores(STORED, { origin: { body: BODY } }),
    later(1, 'cache', { headers: { range: 'bytes=0-1', 'if-none-match': '"b"' }, is: { status: 206, body: '01' } }),
  ),
  row(
    '9110 15.3.7',
    'a part has the fields of the whole',
    stores(STORED, { origin: { body: BODY } }),
    later(10, 'cache', {
      headers: { range: 'bytes=0-1' },
      is: {
        status: 206,
        body: '01',
        headers: {
          etag: '"a"',
          'last-modified': changed,
          'content-type': 'text/plain',
          'cache-control': 'max-age=3600',
          date: on(0),
        },
        age: 10,
      },
    }),
  ),
  row(
    '9111 3.3',
    'on a miss the whole is fetched',
    stores(STORED, {
      headers: { range: 'bytes=2-3' },
      origin: { body: BODY },
      expect: { from: 'origin', status: 206, body: '23', originRequest: { range: '' } },
    }),
    later(1, 'cache', { is: { body: BODY } }),
  ),
  row(
    '9111 3.3',
    'an unrequested 206 is not stored',
    stores({ ...STORED, 'content-range': 'bytes 0-4/10' }, { origin: { status: 206, body: '01234' } }),
    later(1, 'origin'),
  ),
  // A range that counts from the end goes to the origin as it is, unless the whole is stored.
  storesNoPart('reuse-partial', '5-9', { range: 'bytes=-5' }, partAnswer('5-9', '56789'), {
    status: 206,
    body: '56789',
  }),
  storesNoPart('reuse-partial-suffix', '5-9', { range: 'bytes=-1' }, partAnswer('9-9', '9'), {
    status: 206,
    body: '9',
  }),
  storesNoPart('reuse-partial-byterange', '5-9', { range: 'bytes=6-8' }, WHOLE, { ...OF_WHOLE, body: '678' }),
  storesNoPart('reuse-partial-absent', '5-9', { range: 'bytes=6-' }, WHOLE, { ...OF_WHOLE, body: '6789' }),
  storesNoPart('complete', '0-4', {}, WHOLE, { originRequest: { range: '' }, body: BODY }),
  row(
    '9111 4.3',
    'a range of a stale one is given after the origin was asked',
    stores({ ...STORED, 'cache-control': 'max-age=5' }, { origin: { body: BODY } }),
    later(10, 'validated', {
      headers: { range: 'bytes=0-1' },
      origin: { status: 304, headers: { etag: '"a"' } },
      is: { status: 206, body: '01', originRequest: { range: '' } },
    }),
  ),
  ifRange('the tag', STORED, '"a"', 206),
  ifRange('another tag', STORED, '"b"', 200),
  ifRange('a weak tag', STORED, 'W/"a"', 200),
  ifRange('a weak tag, weak stored', { ...STORED, etag: 'W/"a"' }, 'W/"a"', 200),
  ifRange('a tag where there is none', DATED, '"a"', 200),
  ifRange('the date', STORED, changed, 206),
  ifRange('a date one second before the answer', { ...DATED, 'last-modified': on(-1) }, on(-1), 206),
  ifRange('a later date', STORED, on(-10), 200),
  ifRange('an earlier date', STORED, on(-2 * DAY), 200),
  ifRange('a date where there is none', { 'cache-control': 'max-age=3600' }, changed, 200),
  ifRange('a date of the same second as the answer', { ...DATED, 'last-modified': on(0) }, on(0), 200),
  ifRange('what is neither', STORED, 'a', 200),
  row(
    '9110 14.2',
    'If-Range without Range is nothing',
    stores(STORED, { origin: { body: BODY } }),
    later(1, 'cache', { headers: { 'if-range': '"a"' } }),
  ),
];
