/**
 * Generators of names, rdata and zones for the properties of core/dns/wire. All of them make
 * normalised data (lower case).
 */

import { labelCount, type Name, parseName } from '../../../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../../../core/dns/wire/types.ts';
import fc from '../../../support/fc.ts';

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
  .map((values) => Uint8Array.from([values.length, ...values]));

/** Labels without the root, at most `max` bytes. */
const labels = (max: number) =>
  fc.array(label, { maxLength: 6 }).map((parts) => {
    while (parts.reduce((n, part) => n + part.length, 0) > max) parts.pop();
    return concat(...parts);
  });

export const anyName: fc.Arbitrary<Name> = labels(254).map((joined) => concat(joined, Uint8Array.of(0)));

export const nameInZone: fc.Arbitrary<Name> = labels(255 - ORIGIN.length).map((joined) => concat(joined, ORIGIN));

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
    .chain(([number, length]) => bytes(length, length).map((rdata) => Uint8Array.from([number, ...rdata])));

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
    fc.tuple(...PARAMS.map(([key, value]) => value.map((encoded) => [key, encoded] as const))),
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

const aNumber = (size: number) => bytes(size, size);

/** Names one after another behind a number of `skip` bytes. */
const namesAfter = (skip: number, count = 1) => join(aNumber(skip), ...Array.from({ length: count }, () => anyName));

const data = (least = 1) => bytes(least, 80);

/** Algorithms with keys of any form: BIND looks into those of others. */
const algorithm = fc.constantFrom(8, 13, 15, 200).map((number) => Uint8Array.of(number));

const keyOf = (flags: fc.Arbitrary<Uint8Array>) => join(flags, fc.constant(Uint8Array.of(3)), algorithm, bytes(32, 80));

const dnskey = keyOf(fc.constantFrom(256, 257, 0).map((flags) => Uint8Array.of(flags >> 8, flags & 255)));

/** Types of a bit map, without those that only queries have. */
const typeBits = (least: number) =>
  fc
    .uniqueArray(fc.oneof(fc.constantFrom(1, 2, 6, 15, 46, 47, 257, 1234, 65280), fc.integer({ min: 1, max: 40 })), {
      minLength: least,
      maxLength: 8,
    })
    .map((types) => {
      const windows = new Map<number, Uint8Array>();
      for (const type of types.sort((a, b) => a - b)) {
        const bits = windows.get(type >> 8) ?? new Uint8Array(32);
        bits[(type & 255) >> 3] |= 0x80 >> (type & 7);
        windows.set(type >> 8, bits);
      }
      return concat(...[...windows].map(([window, bits]) => concat(Uint8Array.of(window), trimmed(bits))));
    });

/** Without the zero bytes at its end, and its length before it. */
function trimmed(value: Uint8Array, flag = 0): Uint8Array {
  let length = value.length;
  while (length > 0 && value[length - 1] === 0) length--;
  return Uint8Array.from([flag | length, ...value.subarray(0, length)]);
}

const nxtBits = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }).map((types) => {
  const bits = new Uint8Array(16);
  for (const type of types) bits[type >> 3] |= 0x80 >> (type & 7);
  return trimmed(bits).subarray(1);
});

/** BIND takes times for those of the century around now. */
const time = fc.integer({ min: 1_500_000_000, max: 0x7fffffff }).map((seconds) => {
  const out = Buffer.alloc(4);
  out.writeUInt32BE(seconds);
  return Uint8Array.from(out);
});

const typeNumber = fc.constantFrom(1, 15, 257, 65280).map((type) => Uint8Array.of(type >> 8, type & 255));

/** The signer has as many labels as the owner at most: BIND looks. */
const signature = anyName.chain((signer) =>
  join(
    typeNumber,
    algorithm,
    fc.nat(1).map((more) => Uint8Array.of(labelCount(signer) + more)),
    fc.nat(0x7fff).map((ttl) => Uint8Array.of(0, 0, ttl >> 8, ttl & 255)),
    time,
    time,
    aNumber(2),
    fc.constant(signer),
    bytes(64, 80),
  ),
);

const salt = bytes(0, 12).map((text) => Uint8Array.from([text.length, ...text]));

const nsec3Parameters = join(
  fc.constantFrom(Uint8Array.of(1, 0), Uint8Array.of(1, 1)),
  fc.nat(100).map((n) => Uint8Array.of(0, n)),
  salt,
);

/** A gateway with its type: bytes between the two are `between`. */
const gateway = (between: fc.Arbitrary<Uint8Array>) =>
  fc
    .tuple(
      between,
      fc.oneof(
        fc.constant([0, new Uint8Array(0)] as const),
        aNumber(4).map((address) => [1, address] as const),
        ipv6.map((address) => [2, address] as const),
        anyName.map((name) => [3, name] as const),
      ),
    )
    .map(([head, [type, value]]) => concat(Uint8Array.of(type), head, value));

const relay = fc
  .tuple(fc.boolean(), gateway(fc.constant(new Uint8Array(0))))
  .map(([optional, encoded]) => Uint8Array.from([encoded[0] | (optional ? 0x80 : 0), ...encoded.subarray(1)]));

const hostIdentity = fc
  .tuple(fc.nat(255), bytes(1, 20), bytes(1, 60), fc.array(anyName, { maxLength: 2 }))
  .map(([number, keyTag, key, servers]) =>
    concat(Uint8Array.of(keyTag.length, number, 0, key.length), keyTag, key, ...servers),
  );

const prefix = fc
  .tuple(fc.constantFrom([1, 4] as const, [2, 16] as const), fc.boolean(), bytes(16, 16), fc.nat(32))
  .map(([[family, size], negated, address, length]) =>
    concat(Uint8Array.of(0, family, length), trimmed(address.subarray(0, size), negated ? 0x80 : 0)),
  );

const ports = fc.uniqueArray(fc.nat(1000), { maxLength: 5 }).map((list) => {
  const bits = new Uint8Array(8192);
  for (const port of list) bits[port >> 3] |= 0x80 >> (port & 7);
  return bits.subarray(0, list.length === 0 ? 0 : (Math.max(...list) >> 3) + 1);
});

const a6 = fc.tuple(fc.integer({ min: 0, max: 128 }), bytes(16, 16), anyName).map(([length, address, name]) => {
  const suffix = address.slice(length >> 3);
  if (suffix.length > 0) suffix[0] &= 0xff >> (length & 7);
  return concat(Uint8Array.of(length), suffix, length === 0 ? new Uint8Array(0) : name);
});

const digits = (least: number) => fc.stringMatching(new RegExp(`^[0-9]{${least},12}$`));

const tlsa = join(
  bytes(2, 2),
  digest([
    [0, 90],
    [1, 32],
    [2, 64],
  ]),
);

const dsDigest = digest([
  [1, 20],
  [2, 32],
  [4, 48],
]);

const txt = fc.array(string, { minLength: 1, maxLength: 5 }).map((list) => concat(...list));

const coordinate = string8(fc.stringMatching(/^-?[0-9]{1,2}(\.[0-9]{1,5})?$/));

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
  [TYPE.MD, anyName],
  [TYPE.MF, anyName],
  [TYPE.MB, anyName],
  [TYPE.MG, anyName],
  [TYPE.MR, anyName],
  [TYPE.MINFO, namesAfter(0, 2)],
  [TYPE.RP, namesAfter(0, 2)],
  [TYPE.AFSDB, namesAfter(2)],
  [TYPE.RT, namesAfter(2)],
  [TYPE['NSAP-PTR'], anyName],
  [TYPE.PX, namesAfter(2, 2)],
  [TYPE.KX, namesAfter(2)],
  [TYPE.TALINK, namesAfter(0, 2)],
  [TYPE.LP, namesAfter(2)],
  [TYPE.DSYNC, join(fc.constantFrom(Uint8Array.of(0, 59), Uint8Array.of(0, 62)), aNumber(3), anyName)],
  [TYPE.SPF, txt],
  [TYPE.NINFO, txt],
  [TYPE.AVC, txt],
  [TYPE.WALLET, txt],
  [TYPE.CLA, txt],
  [TYPE.RESINFO, txt],
  [TYPE.HINFO, join(string, string)],
  [TYPE.X25, string8(digits(4))],
  [TYPE.ISDN, fc.oneof(string, join(string, string))],
  [TYPE.GPOS, join(coordinate, coordinate, coordinate)],
  [TYPE.CDS, join(aNumber(2), algorithm, dsDigest)],
  [TYPE.DLV, join(aNumber(2), algorithm, dsDigest)],
  [TYPE.TA, join(aNumber(2), algorithm, dsDigest)],
  [TYPE.SMIMEA, tlsa],
  [
    TYPE.ZONEMD,
    join(
      aNumber(5),
      digest([
        [1, 48],
        [2, 64],
        [240, 12],
      ]),
    ),
  ],
  [TYPE.DNSKEY, dnskey],
  [TYPE.CDNSKEY, dnskey],
  [TYPE.KEY, fc.oneof(dnskey, fc.constant(Uint8Array.of(0xc1, 0, 3, 0)))],
  [TYPE.RKEY, keyOf(fc.constant(new Uint8Array(2)))],
  [TYPE.RRSIG, signature],
  [TYPE.SIG, signature],
  [TYPE.NSEC, join(anyName, typeBits(1))],
  [TYPE.NXT, join(anyName, nxtBits)],
  [
    TYPE.NSEC3,
    join(
      nsec3Parameters,
      bytes(20, 20).map((hash) => Uint8Array.from([20, ...hash])),
      typeBits(0),
    ),
  ],
  [TYPE.NSEC3PARAM, nsec3Parameters],
  [TYPE.CSYNC, join(aNumber(4), fc.constant(Uint8Array.of(0, 3)), typeBits(0))],
  [TYPE.CERT, join(fc.constantFrom(Uint8Array.of(0, 3), Uint8Array.of(0, 1)), aNumber(2), algorithm, data())],
  [TYPE.OPENPGPKEY, data()],
  [TYPE.DHCID, data(35)],
  [TYPE.HHIT, data()],
  [TYPE.BRID, data()],
  [TYPE.EID, data()],
  [TYPE.NIMLOC, data()],
  [TYPE.SINK, join(aNumber(3), data())],
  [TYPE.DOA, join(aNumber(9), string, data(0))],
  [
    TYPE.IPSECKEY,
    fc
      .tuple(aNumber(1), gateway(fc.constantFrom(Uint8Array.of(1), Uint8Array.of(2))), data())
      .map((parts) => concat(...parts)),
  ],
  [TYPE.AMTRELAY, join(aNumber(1), relay)],
  [TYPE.HIP, hostIdentity],
  [TYPE.NID, aNumber(10)],
  [TYPE.L32, aNumber(6)],
  [TYPE.L64, aNumber(10)],
  [TYPE.EUI48, aNumber(6)],
  [TYPE.EUI64, aNumber(8)],
  [TYPE.IPN, aNumber(8)],
  [TYPE.APL, fc.array(prefix, { maxLength: 3 }).map((list) => concat(...list))],
  [TYPE.WKS, join(aNumber(4), aNumber(1), ports)],
  [TYPE.NSAP, data()],
  [
    TYPE.ATMA,
    fc.oneof(join(fc.constant(Uint8Array.of(0)), data()), join(fc.constant(Uint8Array.of(1)), textOf(digits(1)))),
  ],
  [TYPE.A6, a6],
  [TYPE.LOC, join(fc.constant(Uint8Array.of(0)), extent, extent, extent, angle(90), angle(180), bytes(4, 4))],
]);

/** Types without a row: one with a mnemonic, one without. */
const OPAQUE = [10, 65280];

export const typeAndRdata: fc.Arbitrary<{ type: number; rdata: Uint8Array }> = fc.oneof(
  ...[...RDATA].map(([type, arbitrary]) => arbitrary.map((rdata) => ({ type, rdata }))),
  ...OPAQUE.map((type) => bytes(0, 40).map((rdata) => ({ type, rdata }))),
);

export const record: fc.Arbitrary<ResourceRecord> = fc
  .tuple(nameInZone, typeAndRdata, fc.integer({ min: 0, max: 0x7fffffff }))
  .map(([name, rdata, ttl]) => ({ name, type: rdata.type, ttl, rdata: rdata.rdata }));
