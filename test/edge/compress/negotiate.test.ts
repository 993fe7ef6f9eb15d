/** RFC 9110 sections 8.4.1, 12.4.2 and 12.5.3. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Coding } from '../../../edge/compress/coding.ts';
import { negotiate } from '../../../edge/compress/negotiate.ts';
import fc from '../../support/fc.ts';

const BOTH: readonly Coding[] = ['br', 'gzip'];
const ALL: readonly Coding[] = ['zstd', 'br', 'gzip'];

type Row = readonly [text: string | undefined, chosen: Coding | 'identity', available?: readonly Coding[]];
const ROWS: readonly Row[] = [
  // Nothing said.
  [undefined, 'identity'],
  ['', 'identity'],
  [' ', 'identity'],
  [',', 'identity'],
  [', ,,', 'identity'],
  // What clients send.
  ['gzip', 'gzip'],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate, br, zstd', 'zstd', ALL],
  ['deflate, gzip;q=1.0, *;q=0.5', 'gzip'],
  ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'br'],
  ['identity', 'identity'],
  ['deflate', 'identity'],
  ['compress, exi, dcb, dcz', 'identity'],
  // Not made here.
  ['br', 'identity', ['gzip']],
  ['br, gzip', 'gzip', ['gzip']],
  ['zstd', 'identity'],
  ['zstd', 'zstd', ALL],
  ['gzip', 'identity', []],
  ['*', 'identity', []],
  // Names in any case, and the old one.
  ['GZIP', 'gzip'],
  ['Br', 'br'],
  ['x-gzip', 'gzip'],
  ['X-GZip;q=0.5', 'gzip'],
  ['x-gzip;q=0', 'identity'],
  ['x-br', 'identity'],
  ['gzipped', 'identity'],
  ['gzi', 'identity'],
  // Qualities.
  ['gzip;q=0', 'identity'],
  ['gzip;q=0.0', 'identity'],
  ['gzip;q=0.000', 'identity'],
  ['gzip;q=0.', 'identity'],
  ['gzip;q=0.001', 'gzip'],
  ['gzip;q=1', 'gzip'],
  ['gzip;q=1.', 'gzip'],
  ['gzip;q=1.000', 'gzip'],
  ['gzip;Q=0.5', 'gzip'],
  ['gzip;q=0.501, br;q=0.5', 'gzip'],
  ['gzip;q=0.5, br;q=0.501', 'br'],
  ['gzip;q=0.5, br;q=0.5', 'br'],
  ['br;q=0.5, gzip;q=0.50', 'br'],
  ['gzip;q=0.9, br;q=0.8', 'gzip'],
  ['gzip, br;q=0.999', 'gzip'],
  ['br;q=0, gzip;q=0.1', 'gzip'],
  ['br;q=0.2, gzip;q=0.2, zstd;q=0.2', 'zstd', ALL],
  ['br;q=0.2, gzip;q=0.3, zstd;q=0.1', 'gzip', ALL],
  // White space.
  [' gzip ', 'gzip'],
  ['\tgzip\t,\tbr;q=0', 'gzip'],
  ['gzip ;q=0', 'identity'],
  ['gzip; q=0', 'identity'],
  ['gzip \t; \tq=0 ', 'identity'],
  ['deflate ,gzip', 'gzip'],
  // The asterisk: what is not named.
  ['*', 'br'],
  ['*;q=0.1', 'br'],
  ['*;q=0', 'identity'],
  ['*, br;q=0', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=0.5, *;q=0.7', 'br'],
  ['gzip;q=0.7, *;q=0.5', 'gzip'],
  ['gzip, *;q=0', 'gzip'],
  ['br;q=0, gzip;q=0, *', 'identity'],
  // Identity, named or not.
  ['identity;q=0', 'identity'],
  ['identity;q=0, gzip', 'gzip'],
  ['identity;q=0, gzip;q=0', 'identity'],
  ['identity;q=0, deflate', 'identity'],
  ['identity;q=0, *;q=0', 'identity'],
  ['identity;q=0, *;q=0.001', 'br'],
  ['identity, gzip', 'gzip'],
  ['identity, gzip;q=0.9', 'identity'],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['identity;q=0.5, gzip;q=0.499', 'identity'],
  ['identity;q=0.5, gzip;q=0.4, br;q=0.6', 'br'],
  ['gzip;q=0.2, *;q=0.5', 'identity', ['gzip']],
  // Malformed members say nothing; the others count.
  ['gzip;q=2', 'identity'],
  ['gzip;q=1.001', 'identity'],
  ['gzip;q=0.1234', 'identity'],
  ['gzip;q=.5', 'identity'],
  ['gzip;q=-1', 'identity'],
  ['gzip;q=', 'identity'],
  ['gzip;q', 'identity'],
  ['gzip;', 'identity'],
  ['gzip;q = 1', 'identity'],
  ['gzip;q="1"', 'identity'],
  ['gzip;q=1e0', 'identity'],
  ['gzip;q=0,5', 'identity'],
  ['gzip;level=9', 'identity'],
  ['gzip;q=0.5;q=0.6', 'identity'],
  ['gzip;q=0.5;x=y', 'identity'],
  ['gzip br', 'identity'],
  ['gzip;q=5, br', 'br'],
  ['"gzip"', 'identity'],
  ['gzip\xa0', 'identity'],
  ['(gzip), br', 'br'],
  ['*;q=x, gzip', 'gzip'],
  // Named twice.
  ['gzip, gzip;q=0', 'identity'],
  ['gzip;q=0, gzip', 'identity'],
  ['gzip;q=0.9, br;q=0.5, x-gzip;q=0.1', 'br'],
];

for (const [text, chosen, available = BOTH] of ROWS)
  test(`${JSON.stringify(text)} of ${available.join(', ') || 'nothing'}: ${chosen}`, () => {
    assert.is(negotiate(text, available), chosen);
    assert.is(negotiate(text, available), chosen, 'the second time');
  });

test('the table has enough rows, each once', () => {
  const keys = ROWS.map(([text, , available]) => `${text}|${available}`);
  assert.is(new Set(keys).size, keys.length);
  assert.ok(ROWS.length >= 60);
});

test('a long value takes linear time', () => {
  const long = `${'x'.repeat(16_000)}, gzip${' '.repeat(16_000)}x, br`;
  assert.is(negotiate(long, BOTH), 'br');
  assert.is(
    negotiate(`${'deflate,'.repeat(4000)}gzip`, BOTH),
    'identity',
    'what stands behind so many is not looked at',
  );
});

test('the cache of values is bounded, and results stay correct after eviction', () => {
  for (let i = 0; i < 5000; i++) {
    assert.is(negotiate(`gzip;q=0.${i % 1000}, x-${i}`, BOTH), i % 1000 === 0 ? 'identity' : 'gzip');
  }
  for (const [text, chosen, available = BOTH] of ROWS) assert.is(negotiate(text, available), chosen, text);
});

/** As the section says it, one sentence after the other. */
function reference(text: string, available: readonly Coding[]): Coding | 'identity' {
  const members = text.split(',').flatMap((member): [string, number][] => {
    const [name, ...parameters] = member.split(';').map((piece) => piece.replace(/^[ \t]+|[ \t]+$/g, ''));
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || parameters.length > 1) return [];
    const coding = name.toLowerCase().replace(/^x-gzip$/, 'gzip');
    if (parameters.length === 0) return [[coding, 1]];
    const [key, value] = [parameters[0].slice(0, 2).toLowerCase(), parameters[0].slice(2)];
    if (key !== 'q=' || !(/^0(\.\d{0,3})?$/.test(value) || /^1(\.0{0,3})?$/.test(value))) return [];
    return [[coding, Number.parseFloat(value)]];
  });
  const qualityOf = (coding: string): number | undefined => {
    const outputs = members.filter(([name]) => name === coding).map(([, quality]) => quality);
    return outputs.length === 0 ? undefined : Math.min(...outputs);
  };
  const of = (coding: string): number | undefined => qualityOf(coding) ?? qualityOf('*');
  const choices = available
    .map((coding) => ({ coding, quality: of(coding) ?? 0 }))
    .filter((choice) => choice.quality > 0);
  const identity = of('identity');
  // stable, so the order of preference stays
  const best = choices.sort((a, b) => b.quality - a.quality)[0];
  if (best === undefined || (identity !== undefined && identity > best.quality)) return 'identity';
  return best.coding;
}

test('generated values are evaluated by RFC 9110 section 12.5.3', () => {
  const name = fc.constantFrom('gzip', 'GZip', 'x-gzip', 'br', 'zstd', 'identity', '*', 'deflate', 'gz ip', '');
  const quality = fc.oneof(
    fc.integer({ min: 0, max: 1000 }).map((n) => `;q=${n / 1000}`),
    fc.constantFrom('', '', ';q=1', ';q=0', '; q=0.5', ' ;q=0.5 ', ';q=0.0001', ';q=1.1', ';x=1', ';q=.1', ';q=0.;'),
  );
  const member = fc.tuple(name, quality).map(([a, b]) => a + b);
  const text = fc.array(member, { maxLength: 8 }).map((members) => members.join(', '));
  const available = fc.shuffledSubarray<Coding>(['br', 'gzip', 'zstd']);
  fc.assert(
    fc.property(text, available, (value, codings) => {
      assert.is(negotiate(value, codings), reference(value, codings), value);
    }),
    { numRuns: 3000 },
  );
});

test.run();
