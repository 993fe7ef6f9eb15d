/** Patterns: the automaton agrees with RE2 on generated expressions, hostile ones stay cheap. */

import { RE2JS } from 're2js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BUILD_STEPS } from '../../../../core/site/rules/limits.ts';
import { type Automaton, buildAutomaton } from '../../../../core/site/rules/pattern/automaton.ts';
import { parseGlob } from '../../../../core/site/rules/pattern/glob.ts';
import { PatternError } from '../../../../core/site/rules/pattern/pattern-error.ts';
import { parseRegex } from '../../../../core/site/rules/pattern/regex.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';

const test = suite('patterns of rules');

const compile = (regex: string, ignoreCase = false): Automaton =>
  buildAutomaton(parseRegex(regex, ignoreCase), { steps: BUILD_STEPS });
const compileGlob = (glob: string): Automaton => buildAutomaton(parseGlob(glob, false), { steps: BUILD_STEPS });

/** Expressions over few characters, so that texts often match. */
const { expression } = fc.letrec<{ expression: string; atom: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    tie('atom'),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `${a}${b}`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(?:${a}|${b})`),
    fc
      .tuple(tie('expression'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?', '+?'))
      .map(([a, quantifier]) => `(?:${a})${quantifier}`),
    tie('expression').map((inner) => `(${inner})`),
    tie('expression').map((inner) => `(?i:${inner})`),
  ),
  atom: fc.constantFrom(
    ...['a', 'b', 'c', 'A', '/', '-', '.', '^', '$', '\\.', '\\d', '\\w', '\\s', '\\W', '\\b', '\\B', '[ab]', '[^a]'],
    ...['[a-c/]', '[^\\w]', '[\\d-]', '\\x41', '', '1', '_', '[]a]', '[a\\]]', '[^]]'],
  ),
}));
const text = fc.string({ unit: fc.constantFrom(...'abcABC/-._ 1]'), maxLength: 12 });

test('the automaton and RE2 agree on generated expressions and texts', () => {
  fc.assert(
    fc.property(
      expression,
      fc.array(text, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      (regex, texts, ignoreCase) => {
        const automaton = compile(regex, ignoreCase);
        const reference = RE2JS.compile(regex, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
        for (const value of texts)
          assert.is(automaton.test(value), reference.matcher(value).find(), `${regex} ${value}`);
      },
    ),
    { numRuns: depth({ quick: 200, moderate: 800, full: 100_000 }) },
  );
});

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['(?=a)', /look-around/],
  ['(?!a)', /look-around/],
  ['(?<=a)b', /look-around/],
  ['(?<!a)b', /look-around/],
  ['(a)\\1', /back-reference/],
  ['a**', /repeats a repetition/],
  ['a++', /possessive/],
  ['*a', /nothing before/],
  ['(a', /"\(" without/],
  ['a)', /"\)" without/],
  ['[a', /"\[" without/],
  ['[b-a]', /does not rise/],
  ['[[:alpha:]]', /POSIX/],
  ['a\\', /single backslash/],
  ['\\q', /unknown escape/],
  ['\\xZZ', /hexadecimal/],
  ['a{3,2}', /bad repetition/],
  ['a{1001}', /bad repetition/],
  ['ä€', /above U\+00FF/],
  ['('.repeat(60) + ')'.repeat(60), /groups within/],
  ['(?:a{1000}){1000}', /too large/],
  ['(a|b)*a(a|b){12}', /too complex/],
  ['((a{0,30}){0,30}){0,30}', /too large/],
  ['(.*a.{9}|.*b.{9}|.*c.{9})', /too complex|too long/],
];

for (const [regex, problem] of REFUSED)
  test(`refuses ${regex.slice(0, 40)}`, () => {
    assert.throws(
      () => compile(regex),
      (error: unknown) => error instanceof PatternError && problem.test(error.message),
    );
  });

test('no text makes a pattern slower than one look-up for each character', () => {
  // Each of these takes an engine that backtracks longer than the universe exists.
  for (const regex of [
    '(a*)*b',
    '(a|a)*b',
    '(a|aa)+$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(.*)(.*)(.*)(.*)(.*)x',
    '(x+x+)+y',
  ]) {
    const automaton = compile(regex);
    assert.is(automaton.test('a'.repeat(100_000)), regex === '(a|aa)+$');
    assert.is(automaton.bytes < 100_000, true);
  }
});

const GLOBS: readonly (readonly [glob: string, path: string, matches: boolean])[] = [
  ['/a/*.js', '/a/b.js', true],
  ['/a/*.js', '/a/b/c.js', false],
  ['/a/**.js', '/a/b/c.js', true],
  ['/a/**/c', '/a/b/d/c', true],
  ['/a/?', '/a/b', true],
  ['/a/?', '/a//', false],
  ['/a', '/ab', false],
  ['/a', '/a', true],
  ['/a.b', '/axb', false],
  ['/\\*', '/*', true],
  ['/\\*', '/a', false],
  ['**', '', true],
];
for (const [glob, path, matches] of GLOBS)
  test(`the glob ${glob} ${matches ? 'matches' : 'does not match'} ${path}`, () => {
    assert.is(compileGlob(glob).test(path), matches);
  });

test.run();
