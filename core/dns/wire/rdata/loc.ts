/** LOC (RFC 1876), version 0: a location, its size, and the precision. Others are opaque. */
import { TYPE } from '../types.ts';
import type { FieldReader } from './field-reader.ts';
import type { FieldKind, RdataRow } from './kind.ts';
import type { WireReader } from './wire-reader.ts';

/** Milliseconds of arc in a degree. */
const DEGREE = 3_600_000;
/** What the equator and the prime meridian are on the wire (section 2). */
const MERIDIAN = 0x80000000;
/** Centimetres below the spheroid that altitudes are counted from. */
const LOWEST = 10_000_000;

interface Axis {
  readonly what: 'latitude' | 'longitude';
  /** Degrees. */
  readonly max: number;
  readonly letters: readonly [positive: string, negative: string];
}
const LATITUDE: Axis = { what: 'latitude', max: 90, letters: ['N', 'S'] };
const LONGITUDE: Axis = { what: 'longitude', max: 180, letters: ['E', 'W'] };

/**
 * Size, horizontal and vertical precision, with what each is when left out, in centimetres (section
 * 3).
 */
const EXTENTS = [
  ['size', 100],
  ['horizontal precision', 1_000_000],
  ['vertical precision', 1000],
] as const;

/** `d [m [s]] letter`. Milliseconds of arc, on the wire. */
function parseAngle(input: FieldReader, { what, max, letters }: Axis): number {
  const rule = `must be degrees up to ${max}, optional minutes and seconds, then ${letters.join(' or ')}`;
  const parts: number[] = [];
  for (;;) {
    const text = input.word(what);
    const sign = letters.indexOf(text.toUpperCase());
    if (sign >= 0 && parts.length > 0) {
      const [degrees, minutes = 0, seconds = 0] = parts;
      const angle = degrees * DEGREE + minutes * 60_000 + seconds;
      if (angle > max * DEGREE) input.fail(what, rule);
      return sign === 0 ? MERIDIAN + angle : MERIDIAN - angle;
    }
    const pattern = parts.length < 2 ? /^\d{1,3}$/ : /^\d{1,2}(\.\d{0,3})?$/;
    const value = Number(text);
    if (parts.length === 3 || !pattern.test(text) || (parts.length > 0 && value >= 60)) input.fail(what, rule, text);
    parts.push(parts.length < 2 ? value : Math.round(value * 1000));
  }
}

/** Metres with two decimals at most, `m` or not, in centimetres. */
function parseMetres(input: FieldReader, what: string, min: number, max: number): number {
  const text = input.word(what);
  const digits = /^([+-]?\d{1,8}(?:\.\d{1,2})?)m?$/i.exec(text)?.[1];
  const value = digits === undefined ? Number.NaN : Math.round(Number(digits) * 100);
  if (!(value >= min && value <= max))
    input.fail(what, `must be ${min / 100} to ${max / 100} metres, with two decimals at most`, text);
  return value;
}

/** Largest extent: 9 × 10^9 cm. */
const MAX_EXTENT = 9e9;

/**
 * Centimetres as a digit and a power of ten (section 2, SIZE): further digits are cut off, as in
 * other servers.
 */
function encodeExtent(centimetres: number): number {
  let power = 0;
  let digit = centimetres;
  for (; digit >= 10; power++) digit = Math.floor(digit / 10);
  return (digit << 4) | power;
}

interface Location {
  /** Milliseconds of arc, north and east positive. */
  readonly latitude: number;
  readonly longitude: number;
  /** Centimetres. */
  readonly altitude: number;
  readonly extents: readonly number[];
}

function read(input: WireReader): Location {
  const version = input.u8();
  if (version !== 0) input.fail(`version ${version} is unknown`);
  const extents = EXTENTS.map(([what]) => {
    const byte = input.u8();
    const digit = byte >> 4;
    const power = byte & 15;
    // A zero has one form only, as each other number has.
    if (digit > 9 || power > 9 || (digit === 0 && power > 0))
      input.fail(`the ${what} is not a digit and a power of ten`);
    return digit * 10 ** power;
  });
  const angle = ({ what, max }: Axis): number => {
    const value = input.u32() - MERIDIAN;
    if (Math.abs(value) > max * DEGREE) input.fail(`the ${what} is more than ${max} degrees`);
    return value;
  };
  return { extents, latitude: angle(LATITUDE), longitude: angle(LONGITUDE), altitude: input.u32() - LOWEST };
}

function formatAngle(value: number, [positive, negative]: Axis['letters']): string {
  const angle = Math.abs(value);
  const minutes = Math.floor(angle / 60_000);
  const seconds = ((angle % 60_000) / 1000).toFixed(3);
  return `${Math.floor(minutes / 60)} ${minutes % 60} ${seconds} ${value < 0 ? negative : positive}`;
}

const formatMetres = (centimetres: number): string => `${(centimetres / 100).toFixed(2)}m`;

const location: FieldKind = {
  parse(input, out) {
    const latitude = parseAngle(input, LATITUDE);
    const longitude = parseAngle(input, LONGITUDE);
    const altitude = parseMetres(input, 'altitude', -LOWEST, 0xffffffff - LOWEST);
    out.u8(0);
    for (const [what, otherwise] of EXTENTS)
      out.u8(encodeExtent(input.left > 0 ? parseMetres(input, what, 0, MAX_EXTENT) : otherwise));
    out.u32(latitude);
    out.u32(longitude);
    out.u32(altitude + LOWEST);
  },
  format(input) {
    const { latitude, longitude, altitude, extents } = read(input);
    return [
      formatAngle(latitude, LATITUDE.letters),
      formatAngle(longitude, LONGITUDE.letters),
      ...[altitude, ...extents].map(formatMetres),
    ].join(' ');
  },
  /** Degrees and metres. */
  take(input, into) {
    const { latitude, longitude, altitude, extents } = read(input);
    into.latitude = latitude / DEGREE;
    into.longitude = longitude / DEGREE;
    into.altitude = altitude / 100;
    EXTENTS.forEach(([what], i) => {
      into[what.replace(' ', '_')] = extents[i] / 100;
    });
  },
};

export const LOC_ROWS: readonly RdataRow[] = [
  {
    type: TYPE.LOC,
    example: '52 22 23.000 N 4 53 32.000 E -2.00m 1m 10000m 10m',
    fields: [location],
    // Section 2: other versions may have other fields.
    isOpaque: (rdata) => rdata.length > 0 && rdata[0] !== 0,
  },
];
