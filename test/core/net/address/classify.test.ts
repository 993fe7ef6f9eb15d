import { BlockList } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  classifyAddress,
  formatAddress,
  isExempt,
  mayConnect,
  NO_EXEMPTIONS,
  type Prefix,
  parseAddress,
  parseExemptions,
} from '../../../../core/net/address/index.ts';
import { IPV4_RANGES, IPV6_RANGES, type SpecialRange } from '../../../../core/net/address/special.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';

const bitsOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');

/** The slow, obvious way: addresses as strings of bits, prefixes as beginnings of them. */
function reference(bytes: Uint8Array): SpecialRange {
  const bits = bitsOf(bytes);
  let best: SpecialRange | undefined;
  for (const row of bytes.length === 4 ? IPV4_RANGES : IPV6_RANGES) {
    const start = bitsOf(row.prefix.bytes).slice(0, row.prefix.bits);
    if (bits.startsWith(start) && (best === undefined || row.prefix.bits > best.prefix.bits)) best = row;
  }
  assert.ok(best !== undefined, formatAddress(bytes));
  return best as SpecialRange;
}

/** Under any prefix; the only refusal that no range explains. */
const isIsatap = (bytes: Uint8Array): boolean =>
  bytes.length === 16 && /^(00|02)005efe$/.test(Buffer.from(bytes.subarray(8, 12)).toString('hex'));

/**
 * Node's own matcher, over the ranges that we refuse. None of them has a public range inside. A
 * list for each family, since it takes an IPv4 address for its mapped form, too, which we refuse as
 * a whole.
 */
const blocked = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [family, rows] of [
  ['ipv4', IPV4_RANGES],
  ['ipv6', IPV6_RANGES],
] as const)
  for (const { prefix, public: open } of rows)
    if (!open) blocked[family].addSubnet(formatAddress(prefix.bytes), prefix.bits, family);

function compare(bytes: Uint8Array): void {
  const text = formatAddress(bytes);
  const verdict = classifyAddress(bytes);
  const row = reference(bytes);
  assert.is(verdict.public, row.public && !isIsatap(bytes), text);
  const family = bytes.length === 4 ? 'ipv4' : 'ipv6';
  if (!isIsatap(bytes)) assert.is(blocked[family].check(text, family), !verdict.public, text);
  if (!verdict.public && !isIsatap(bytes)) assert.is(verdict.name, row.name, text);
}

/**
 * Addresses of random tails under the prefixes of the tables, one bit flipped at times: ranges are
 * small, and would hardly be met by chance.
 */
const near = (rows: readonly SpecialRange[]): fc.Arbitrary<Uint8Array> => {
  const size = rows[0].prefix.bytes.length;
  return fc
    .record({
      prefix: fc.constantFrom(...rows.map((row) => row.prefix)),
      tail: fc.uint8Array({ minLength: size, maxLength: size }),
      flip: fc.option(fc.nat(size * 8 - 1)),
      edge: fc.constantFrom('first', 'last', 'inside'),
    })
    .map(({ prefix, tail, flip, edge }) => {
      const bits = [...bitsOf(prefix.bytes).slice(0, prefix.bits)];
      const rest = { first: '0'.repeat(size * 8), last: '1'.repeat(size * 8), inside: bitsOf(tail) }[edge];
      bits.push(...rest.slice(prefix.bits));
      if (flip !== null) bits[flip] = bits[flip] === '0' ? '1' : '0';
      return Uint8Array.from({ length: size }, (_, i) => Number.parseInt(bits.slice(i * 8, i * 8 + 8).join(''), 2));
    });
};

test('agrees with a string of bits and with net.BlockList', () => {
  const any = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });
  for (const addresses of [near(IPV4_RANGES), near(IPV6_RANGES), any(4), any(16)])
    fc.assert(fc.property(addresses, compare), { numRuns: depth({ quick: 300, moderate: 750, full: 60_000 }) });
});

test('IPv4 addresses embedded in IPv6 are found in every form', () => {
  const forms: readonly ((v4: Uint8Array) => Uint8Array)[] = [
    (v4) => Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...v4),
    (v4) => Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, ...v4),
    (v4) => Uint8Array.of(0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, ...v4),
    (v4) => Uint8Array.of(0, 0x64, 0xff, 0x9b, 0, 1, v4[0], v4[1], 0, v4[2], v4[3], 0, 0, 0, 0, 0),
    (v4) => Uint8Array.of(0x20, 2, ...v4, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    (v4) => Uint8Array.of(0x20, 1, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, ...v4.map((byte) => byte ^ 255)),
    (v4) => Uint8Array.of(0x26, 6, 0x47, 0, 0, 0, 0, 0, 2, 0, 0x5e, 0xfe, ...v4),
  ];
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 4, maxLength: 4 }), fc.constantFrom(...forms), (v4, form) => {
      const verdict = classifyAddress(form(v4));
      assert.not(verdict.public);
      assert.ok(!verdict.public && verdict.reason.includes(` of ${formatAddress(v4)}, `), JSON.stringify(verdict));
    }),
  );
});

test('an address has 4 or 16 bytes', () => {
  for (const length of [0, 3, 5, 15, 17]) assert.throws(() => classifyAddress(new Uint8Array(length)), RangeError);
});

test('exemptions are exact', () => {
  const at = (text: string): Uint8Array => parseAddress(text) as Uint8Array;
  const some = parseExemptions(['127.0.0.0/8', 'fd00::/8']);
  for (const text of ['127.0.0.1', '127.255.255.255', 'fd12::1']) {
    assert.ok(mayConnect(at(text), some).public, text);
    assert.not(mayConnect(at(text)).public);
  }
  for (const text of ['128.0.0.1', 'fc00::1', '::ffff:127.0.0.1', '::7f00:1', '10.0.0.1'])
    assert.not(isExempt(at(text), some), text);
  assert.ok(mayConnect(at('1.1.1.1'), some).public);
  assert.ok(mayConnect(at('::ffff:127.0.0.1'), parseExemptions(true)).public);
  assert.is(parseExemptions(false), NO_EXEMPTIONS);
  assert.not(mayConnect(at('10.0.0.1'), parseExemptions([])).public);
});

test('every row is named, sourced, and inside its family', () => {
  for (const [rows, size] of [
    [IPV4_RANGES, 4],
    [IPV6_RANGES, 16],
  ] as const) {
    const prefixes = rows.map((row): Prefix => row.prefix);
    assert.is(new Set(prefixes.map(({ text }) => text)).size, rows.length);
    for (const { prefix, name, source } of rows) {
      assert.is(prefix.bytes.length, size);
      assert.match(source, /^(RFC \d{3,4}|Microsoft|Equinix|IBM|Google)$/);
      assert.ok(name.length > 2);
    }
  }
});

test.run();
