/** Generators of names, rdata and zones for the properties of core/wire. All of them make normalised data (lower case). */

import { type Name, parseName } from '../../../core/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../../core/wire/types.ts';
import fc from '../../support/fc.ts';

export const ORIGIN: Name = parseName('example.com.');

const concat = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));

/** Any byte but upper-case letters: names are stored in lower case. */
const labelByte = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0x61, max: 0x7a }) },
  { weight: 2, arbitrary: fc.constantFrom(...Buffer.from('.\\";()@$ -_*0\t\n\r')) },
  { weight: 1, arbitrary: fc.nat(255).filter((c) => c < 0x41 || c > 0x5a) },
);

const label = fc
  .oneof(
    { weight: 9, arbitrary: fc.array(labelByte, { minLength: 1, maxLength: 8 }) },
    { weight: 1, arbitrary: fc.array(labelByte, { minLength: 60, maxLength: 63 }) },
  )
  .map((bytes) => Uint8Array.from([bytes.length, ...bytes]));

/** Labels without the root, at most `max` bytes. */
const labels = (max: number) =>
  fc.array(label, { maxLength: 6 }).map((parts) => {
    while (parts.reduce((n, part) => n + part.length, 0) > max) parts.pop();
    return concat(...parts);
  });

export const anyName: fc.Arbitrary<Name> = labels(254).map((bytes) => concat(bytes, Uint8Array.of(0)));

export const nameInZone: fc.Arbitrary<Name> = labels(255 - ORIGIN.length).map((bytes) => concat(bytes, ORIGIN));

const bytes = (minLength: number, maxLength: number) => fc.uint8Array({ minLength, maxLength });

const join = (...parts: fc.Arbitrary<Uint8Array>[]) => fc.tuple(...parts).map((list) => concat(...list));

const string = fc
  .oneof({ weight: 9, arbitrary: bytes(0, 20) }, { weight: 1, arbitrary: bytes(250, 255) })
  .map((text) => Uint8Array.from([text.length, ...text]));

/** Addresses with runs of zeros and with the mapped prefix more often than chance has them. */
const ipv6 = fc
  .tuple(
    fc.array(fc.constantFrom(0, 0, 0, 1, 0xffff, 0x0db8), { minLength: 8, maxLength: 8 }),
    bytes(16, 16),
    fc.constantFrom('groups', 'random', 'mapped'),
  )
  .map(([groups, random, shape]) => {
    if (shape === 'random') return random;
    if (shape === 'mapped') return concat(new Uint8Array(10), Uint8Array.of(255, 255), random.subarray(12));
    return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 255]));
  });

const tag = fc
  .array(fc.constantFrom(...Buffer.from('abcxyz0189')), { minLength: 1, maxLength: 20 })
  .map((text) => Uint8Array.from([text.length, ...text]));

const digest = (lengths: readonly (readonly [number, number])[]) =>
  fc
    .constantFrom(...lengths)
    .chain(([algorithm, length]) => bytes(length, length).map((data) => Uint8Array.from([algorithm, ...data])));

const textOf = (texts: fc.Arbitrary<string>) => texts.map((text) => Uint8Array.from(Buffer.from(text, 'latin1')));

const string8 = (texts: fc.Arbitrary<string>) => textOf(texts).map((text) => Uint8Array.from([text.length, ...text]));

/** Values of the tags whose grammar is checked (RFC 8659 4.2), and any bytes for other tags. */
const caaProperty = fc.oneof(
  join(tag, bytes(0, 300)),
  join(
    string8(fc.constantFrom('issue', 'issuewild', 'issuemail')),
    textOf(
      fc.stringMatching(
        /^([a-z0-9]{1,5}(-{1,2}[a-z0-9]{1,5}){0,2}(\.[a-z0-9]{1,5}){0,2} {0,3})?(; ?|(; ?[a-z]{1,4}=[!-:<-~]{0,9} ?){0,3})$/,
      ),
    ),
  ),
);

/** Without groups and back references: readers that compile the expression look at those. */
const substitution = fc.stringMatching(/^!\^?[a-zA-Z0-9 .:@"#&;-]{1,20}\$?!([a-zA-Z .:@"#;()-]|\\[!"a-z\\]){0,12}!i?$/);

const naptrRewrite = fc.oneof(
  join(fc.constant(Uint8Array.of(0)), anyName),
  join(string8(substitution), fc.constant(Uint8Array.of(0))),
);

const uri = textOf(fc.stringMatching(/^[a-z][a-z0-9+.-]{0,5}:[!#$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]{0,60}$/));

/** A digit and a power of ten; zero has one form. */
const extent = fc
  .tuple(fc.nat(9), fc.nat(9))
  .map(([digit, power]) => Uint8Array.of(digit === 0 ? 0 : (digit << 4) | power));

const angle = (degrees: number) =>
  fc.integer({ min: -degrees * 3_600_000, max: degrees * 3_600_000 }).map((value) => {
    const out = Buffer.alloc(4);
    out.writeUInt32BE(0x80000000 + value);
    return Uint8Array.from(out);
  });

/** A value of a parameter of SVCB by its key. */
const PARAMS: readonly (readonly [key: number, value: fc.Arbitrary<Uint8Array>])[] = [
  [
    1,
    fc
      .array(fc.oneof(bytes(1, 9), textOf(fc.constantFrom('h2', 'h3', 'http/1.1', 'f\\oo,bar', '\\', ',', '"'))), {
        minLength: 1,
        maxLength: 4,
      })
      .map((items) => concat(...items.map((item) => Uint8Array.from([item.length, ...item])))),
  ],
  [3, bytes(2, 2)],
  [4, fc.array(bytes(4, 4), { minLength: 1, maxLength: 3 }).map((list) => concat(...list))],
  [5, bytes(1, 40)],
  [6, fc.array(ipv6, { minLength: 1, maxLength: 3 }).map((list) => concat(...list))],
  [7, textOf(fc.constantFrom('/dns-query{?dns}', '/q{?x,dns}', '/\u00c3\u00bc{?dns}', '/{dns}'))],
  [8, fc.constant(new Uint8Array(0))],
  [667, bytes(0, 30)],
  [65534, bytes(0, 4)],
];

const svcParams = fc
  .tuple(
    fc.tuple(...PARAMS.map(([key, value]) => value.map((bytes) => [key, bytes] as const))),
    fc.subarray(PARAMS.map(([key]) => key)),
    fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }),
    fc.boolean(),
  )
  .map(([values, chosen, flags, noDefault]) => {
    const params = values.filter(([key]) => chosen.includes(key));
    if (noDefault && chosen.includes(1)) params.push([2, new Uint8Array(0)]);
    const wanted = params
      .map(([key]) => key)
      .sort((a, b) => a - b)
      .filter((_, i) => flags[i]);
    if (wanted.length > 0) params.push([0, Uint8Array.from(wanted.flatMap((key) => [key >> 8, key & 255]))]);
    params.sort(([a], [b]) => a - b);
    return concat(...params.map(([key, value]) => Uint8Array.from([key >> 8, key & 255, 0, value.length, ...value])));
  });

const svcb = join(bytes(2, 2), anyName, svcParams);

/** Type to a generator of its rdata. Every row of the table is here; a test holds that. */
export const RDATA: ReadonlyMap<number, fc.Arbitrary<Uint8Array>> = new Map([
  [TYPE.A, bytes(4, 4)],
  [TYPE.AAAA, ipv6],
  [TYPE.CNAME, anyName],
  [TYPE.ALIAS, anyName],
  [TYPE.NS, anyName],
  [TYPE.PTR, anyName],
  [TYPE.DNAME, anyName],
  [TYPE.MX, join(bytes(2, 2), anyName)],
  [TYPE.SRV, join(bytes(6, 6), anyName)],
  [TYPE.SOA, join(anyName, anyName, bytes(20, 20))],
  [TYPE.TXT, fc.array(string, { minLength: 1, maxLength: 5 }).map((list) => concat(...list))],
  [TYPE.CAA, join(bytes(1, 1), caaProperty)],
  [
    TYPE.DS,
    join(
      bytes(3, 3),
      digest([
        [1, 20],
        [2, 32],
        [3, 32],
        [4, 48],
        [200, 7],
      ]),
    ),
  ],
  [
    TYPE.SSHFP,
    join(
      bytes(1, 1),
      digest([
        [1, 20],
        [2, 32],
        [9, 5],
      ]),
    ),
  ],
  [
    TYPE.TLSA,
    join(
      bytes(2, 2),
      digest([
        [0, 90],
        [1, 32],
        [2, 64],
      ]),
    ),
  ],
  [TYPE.NAPTR, join(bytes(4, 4), string8(fc.stringMatching(/^[a-zA-Z0-9]{0,3}$/)), string, naptrRewrite)],
  [TYPE.URI, join(bytes(4, 4), uri)],
  [TYPE.SVCB, svcb],
  [TYPE.HTTPS, svcb],
  [TYPE.LOC, join(fc.constant(Uint8Array.of(0)), extent, extent, extent, angle(90), angle(180), bytes(4, 4))],
]);

/** Types without a row: one with a mnemonic, one without. */
const OPAQUE = [13, 65280];

export const typeAndRdata: fc.Arbitrary<{ type: number; rdata: Uint8Array }> = fc.oneof(
  ...[...RDATA].map(([type, arbitrary]) => arbitrary.map((rdata) => ({ type, rdata }))),
  ...OPAQUE.map((type) => bytes(0, 40).map((rdata) => ({ type, rdata }))),
);

export const record: fc.Arbitrary<ResourceRecord> = fc
  .tuple(nameInZone, typeAndRdata, fc.integer({ min: 0, max: 0x7fffffff }))
  .map(([name, data, ttl]) => ({ name, type: data.type, ttl, rdata: data.rdata }));
