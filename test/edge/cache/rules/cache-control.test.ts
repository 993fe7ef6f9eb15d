/**
 * Cache-Control, compared with a parser that reads one character at a time and with generated
 * directives.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseCacheControl, parseRequestCacheControl } from '../../../../edge/cache/rules/cache-control.ts';
import { members } from '../../../../edge/cache/rules/fields.ts';
import fc, { ANY_CHARACTER } from '../../../support/fc.ts';

/** The list rule, read slowly. From an unclosed quote on, all characters are ordinary. */
function slowMembers(value: string): string[] {
  const found: string[] = [];
  let member = '';
  let rest = value;
  while (rest !== '') {
    const string = /^"(?:[^"\\]|\\[\s\S])*"/.exec(rest);
    if (rest[0] === '"' && string === null) {
      const [first, ...others] = rest.split(',');
      found.push(member + first, ...others);
      member = '';
      break;
    }
    const taken = string === null ? rest[0] : string[0];
    rest = rest.slice(taken.length);
    if (taken === ',') {
      found.push(member);
      member = '';
    } else member += taken;
  }
  found.push(member);
  return found.map((text) => text.trim()).filter((text) => text !== '');
}

const pieces = fc.constantFrom('"', '\\', ',', ' ', '\t', '=', 'a', 'max-age', 'no-store', '60', '\\"', '"a,b"', ';');
const messy = fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join(''));

test('members equal those of a character-by-character reader', () => {
  fc.assert(
    fc.property(messy, (value) => assert.equal(members(value), slowMembers(value))),
    { numRuns: 5000 },
  );
});

/** Generates a directive, and the ways to write it. */
const blanks = fc.constantFrom('', ' ', '\t', '  ');
const anyCase = (text: string) =>
  fc
    .infiniteStream(fc.boolean())
    .map((upper) => [...text].map((c) => (upper.next().value ? c.toUpperCase() : c)).join(''));
const seconds = fc.oneof(fc.nat(), fc.constantFrom(0, 1, 2_147_483_647, 2_147_483_648, 99_999_999_999));
const numbers = ['max-age', 's-maxage', 'stale-while-revalidate', 'stale-if-error'] as const;
const flags = ['no-store', 'public', 'must-revalidate', 'proxy-revalidate', 'must-understand', 'immutable'] as const;
const unknown = fc.constantFrom(
  'foo',
  'foo=bar',
  'foo="max-age=1, no-store, private"',
  'x="\\", no-cache"',
  'max-stale=1',
  'community="UCI"',
);

test('directives are read in every spelling', () => {
  const number = fc.record({ name: fc.constantFrom(...numbers), seconds, isQuoted: fc.boolean() });
  const directive = fc.oneof(
    number,
    fc.constantFrom(...flags).map((name) => ({ name })),
    unknown.map((text) => ({ text })),
  );
  const written = fc.array(fc.tuple(directive, blanks, blanks), { maxLength: 8 }).chain((list) =>
    fc.tuple(
      fc.constant(list.map(([item]) => item)),
      fc
        .tuple(
          ...list.map(([item, before, after]) => {
            if ('text' in item) return fc.constant(`${before}${item.text}${after}`);
            const argument = 'seconds' in item ? (item.isQuoted ? `="${item.seconds}"` : `=${item.seconds}`) : '';
            return anyCase(item.name).map((name) => `${before}${name}${argument}${after}`);
          }),
        )
        .map((texts) => texts.join(',')),
    ),
  );
  fc.assert(
    fc.property(written, ([list, text]) => {
      const read = parseCacheControl(text);
      const first = (name: string): number => {
        const meant = list.find((item) => 'seconds' in item && item.name === name);
        return meant === undefined || !('seconds' in meant) ? -1 : Math.min(meant.seconds, 2 ** 31);
      };
      const has = (name: string): boolean => list.some((item) => 'name' in item && item.name === name);
      assert.equal([read.maxAge, read.sMaxage, read.staleWhileRevalidate, read.staleIfError], numbers.map(first), text);
      assert.equal(
        [read.noStore, read.public, read.mustRevalidate, read.proxyRevalidate, read.mustUnderstand, read.immutable],
        flags.map(has),
        text,
      );
      assert.equal([read.noCache, read.private], [false, false], text);
    }),
    { numRuns: 2000 },
  );
});

test('a restricting directive outside of a string is never lost', () => {
  const outside = fc.constantFrom('a', '"b,c"', 'd="e\\",f"', 'max-age=1', '', '=', '"', '\\');
  fc.assert(
    fc.property(fc.array(outside, { maxLength: 5 }), fc.array(outside, { maxLength: 5 }), (before, after) => {
      if (before.some((part) => part === '"' || part === '\\')) return; // may start a string
      const read = parseCacheControl([...before, 'no-store', 'PRIVATE', 'no-cache', ...after].join(','));
      assert.equal([read.noStore, read.private, read.noCache], [true, true, true]);
    }),
  );
});

test('any text can be parsed', () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 200 }), fc.boolean(), (text, mayInsist) => {
      const { maxAge, sMaxage } = parseCacheControl(text);
      assert.ok(maxAge >= -1 && maxAge <= 2 ** 31 && sMaxage >= -1);
      parseRequestCacheControl(text, mayInsist);
    }),
  );
});

test('the cost of a long value is linear: unclosed strings, blanks, commas', () => {
  for (const part of ['"\\', '"', ' ', ',', '\\"', 'a="']) {
    const value = part.repeat(500_000 / part.length);
    parseCacheControl(value); // takes minutes if quadratic
    parseRequestCacheControl(value, true);
  }
});

test('no-cache, max-age and min-fresh of requests can be disabled', () => {
  const value = 'no-cache, max-age=0, min-fresh=9, max-stale=5, no-store, only-if-cached, stale-if-error=7';
  assert.equal(parseRequestCacheControl(value, false), {
    noStore: true,
    noCache: false,
    onlyIfCached: true,
    maxAge: -1,
    maxStale: 5,
    minFresh: -1,
    staleIfError: 7,
  });
  const heard = parseRequestCacheControl(value, true);
  assert.equal([heard.noCache, heard.maxAge, heard.minFresh], [true, 0, 9]);
});

test.run();
