/** Generators of names, rdata and zones for the properties of core/wire. All of them make normalised data (lower case). */
import fc from 'fast-check';
import { type Name, parseName } from '../../../core/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../../core/wire/types.ts';

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

const string = fc
  .oneof({ weight: 9, arbitrary: bytes(0, 20) }, { weight: 1, arbitrary: bytes(250, 255) })
  .map((text) => Uint8Array.from([text.length, ...text]));

const join = (...parts: fc.Arbitrary<Uint8Array>[]) => fc.tuple(...parts).map((list) => concat(...list));

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

/** Type to a generator of its rdata. Every row of the table is here; a test holds that. */
export const RDATA: ReadonlyMap<number, fc.Arbitrary<Uint8Array>> = new Map([
  [TYPE.A, bytes(4, 4)],
  [TYPE.AAAA, ipv6],
  [TYPE.CNAME, anyName],
  [TYPE.NS, anyName],
  [TYPE.PTR, anyName],
  [TYPE.DNAME, anyName],
  [TYPE.MX, join(bytes(2, 2), anyName)],
  [TYPE.SRV, join(bytes(6, 6), anyName)],
  [TYPE.SOA, join(anyName, anyName, bytes(20, 20))],
  [TYPE.TXT, fc.array(string, { minLength: 1, maxLength: 5 }).map((list) => concat(...list))],
  [TYPE.CAA, join(bytes(1, 1), tag, bytes(0, 300))],
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
  [TYPE.NAPTR, join(bytes(4, 4), string, string, string, anyName)],
  [TYPE.URI, join(bytes(4, 4), bytes(1, 300))],
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
