import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InvalidError } from '../../../../../core/base/errors.ts';
import { formatRdata, parseRdata, rdataToObject } from '../../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../../core/dns/wire/types.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/**
 * Content, canonical form, size and precisions on the wire. The first five are those of RFC 1876
 * section 4.
 */
const GOOD: readonly (readonly [content: string, canonical: string, extents: string])[] = [
  ['42 21 54 N 71 06 18 W -24m 30m', '42 21 54.000 N 71 6 18.000 W -24.00m 30.00m 10000.00m 10.00m', '331613'],
  ['42 21 43.952 N 71 5 6.344 W -24m 1m 200m', '42 21 43.952 N 71 5 6.344 W -24.00m 1.00m 200.00m 10.00m', '122413'],
  ['52 14 05 N 00 08 50 E 10m', '52 14 5.000 N 0 8 50.000 E 10.00m 1.00m 10000.00m 10.00m', '121613'],
  ['32 7 19 S 116 2 25 E 10m', '32 7 19.000 S 116 2 25.000 E 10.00m 1.00m 10000.00m 10.00m', '121613'],
  [
    '42 21 28.764 N 71 00 51.617 W -44m 2000m',
    '42 21 28.764 N 71 0 51.617 W -44.00m 2000.00m 10000.00m 10.00m',
    '251613',
  ],
  ['42 N 71 W 0', '42 0 0.000 N 71 0 0.000 W 0.00m 1.00m 10000.00m 10.00m', '121613'],
  ['42 30 n 71 6 w 1.5 2 3 4', '42 30 0.000 N 71 6 0.000 W 1.50m 2.00m 3.00m 4.00m', '223242'],
  ['90 S 180 E -100000.00m', '90 0 0.000 S 180 0 0.000 E -100000.00m 1.00m 10000.00m 10.00m', '121613'],
  ['90 0 0 N 180 0 0 W 42849672.95m', '90 0 0.000 N 180 0 0.000 W 42849672.95m 1.00m 10000.00m 10.00m', '121613'],
  ['0 N 0 E 0m 0 90000000m 0.01', '0 0 0.000 N 0 0 0.000 E 0.00m 0.00m 90000000.00m 0.01m', '009910'],
  // One digit is kept (section 2, SIZE).
  ['0 S 0 W +1M 1999m 0.99m 15', '0 0 0.000 N 0 0 0.000 E 1.00m 1000.00m 0.90m 10.00m', '159113'],
  ['0 59 59.999 S 0 0 0.001 W 0', '0 59 59.999 S 0 0 0.001 W 0.00m 1.00m 10000.00m 10.00m', '121613'],
  // The figure's values by hand: 0x80000000 + (42 × 3600 + 21 × 60 + 54) × 1000, and so on.
  [
    '\\# 16 00331613 89172dd0 70be15f0 00988d20',
    '42 21 54.000 N 71 6 18.000 W -24.00m 30.00m 10000.00m 10.00m',
    '331613',
  ],
];

test('locations and their canonical form', () => {
  for (const [content, canonical, extents] of GOOD) {
    const rdata = parseRdata(TYPE.LOC, content);
    assert.is(formatRdata(TYPE.LOC, rdata), canonical, content);
    assert.is(hex(rdata.subarray(0, 4)), `00${extents}`, content);
    assert.is(rdata.length, 16);
    assert.is(hex(parseRdata(TYPE.LOC, canonical)), hex(rdata), canonical);
  }
});

test('the wire form counts from the equator, the prime meridian and 100 km below (RFC 1876 section 2)', () => {
  assert.is(hex(parseRdata(TYPE.LOC, '0 N 0 E 0')), '00121613800000008000000000989680');
  assert.is(hex(parseRdata(TYPE.LOC, '0 0 0.001 N 0 0 0.001 W 0.01')), '0012161380000001' + '7fffffff' + '00989681');
});

const BAD: readonly (readonly [content: string, message: RegExp])[] = [
  ['', /latitude is missing/],
  ['N 0 E 0', /latitude must be degrees/],
  ['42', /latitude is missing/],
  ['42 N', /longitude is missing/],
  ['42 N 71 W', /altitude is missing/],
  ['91 N 0 E 0', /latitude must be degrees up to 90/],
  ['90 0 0.001 N 0 E 0', /latitude must be degrees up to 90/],
  ['0 N 180 0 0.001 E 0', /longitude must be degrees up to 180/],
  ['0 60 N 0 E 0', /latitude/],
  ['0 0 60 N 0 E 0', /latitude/],
  ['0 0 0 0 N 0 E 0', /latitude/],
  ['0 0 0.0001 N 0 E 0', /latitude/],
  ['0.5 N 0 E 0', /latitude/],
  ['-1 N 0 E 0', /latitude/],
  ['0 E 0 N 0', /latitude/],
  ['0 N 0 S 0', /longitude/],
  ['0 N 0 E -100000.01m', /altitude must be -100000 to 42849672.95/],
  ['0 N 0 E 42849672.96', /altitude/],
  ['0 N 0 E 1.234m', /altitude/],
  ['0 N 0 E 1km', /altitude/],
  ['0 N 0 E 1e3', /altitude/],
  ['0 N 0 E 0 -1', /size/],
  ['0 N 0 E 0 90000000.01', /size/],
  ['0 N 0 E 0 1 x', /horizontal precision/],
  ['0 N 0 E 0 1 1 1 1', /is unexpected/],
  ['0 N 0 E "0"', /quoted/],
  ['\\# 15 001216138000000080000000009896', /missing/],
  ['\\# 17 0012161380000000800000000098968000', /extra bytes at the end/],
  ['\\# 16 00a21613800000008000000000989680', /size is not a digit/],
  ['\\# 16 001a1613800000008000000000989680', /size is not a digit/],
  ['\\# 16 00020013800000008000000000989680', /size is not a digit/],
  ['\\# 16 00121613935072018000000000989680', /latitude is more than 90/],
  ['\\# 16 00121613800000000000000000989680', /longitude is more than 180/],
];

test('locations that no record can hold', () => {
  for (const [content, message] of BAD)
    assert.throws(
      () => parseRdata(TYPE.LOC, content),
      (error: unknown) => {
        const right = error instanceof InvalidError && error.pointer === '/content' && message.test(error.message);
        if (!right) console.error(content, error);
        return right;
      },
      content,
    );
});

test('the structured form is in degrees and metres', () => {
  const rdata = parseRdata(TYPE.LOC, '42 21 54 N 71 06 18 W -24.5m 30m');
  assert.equal(rdataToObject(TYPE.LOC, rdata), {
    latitude: 42.365,
    longitude: -71.105,
    altitude: -24.5,
    size: 30,
    horizontal_precision: 10000,
    vertical_precision: 10,
  });
});

test('another version than 0 is kept without a look at its fields', () => {
  for (const text of ['\\# 16 01121613800000008000000000989680', '\\# 1 ff'])
    assert.is(formatRdata(TYPE.LOC, parseRdata(TYPE.LOC, text)), text);
});

test.run();
