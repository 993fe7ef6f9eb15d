/**
 * The parser of scripts makes the trees that acorn makes, and finds the same errors in the same
 * places: of programs, pieces of them, and damaged ones.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Options, parse } from 'acorn';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseScript } from '../../../../../admin-api/miniapp/audit/script/parser.ts';
import { depth } from '../../../../support/depth.ts';
import { Random } from '../../../../support/random.ts';
import { SEED } from '../../../../support/seed.ts';
import { mutateText } from '../audit/mutate-text.ts';

const MUTATIONS = depth({ quick: 500, moderate: 2000, full: 100_000 });

/** Of which two or three make most of what is peculiar about the language's tokens. */
const PIECES = [
  ...['<!--x', '-->', '\n-->', ' <!-- x\n', '\n', '\r\n', '\u2028', '\u00a0', '\t', '\v', '\ufeff', '//c\n', '/*c*/'],
  ...['`', '${', '}', '{', '(', ')', '[', ']', ';', ',', '.', '?.', '...', ':', '?', '=>', '=', '+=', '??=', '\\'],
  ...['/', '/a/g', '/[/]/', '/(?<n>a)/', '/(/', '++', '--', '**', '-', '+', '<', '>>', '&', '&&', '|', '%', '!', '!='],
  ...['async ', 'await ', 'yield ', 'let ', 'of ', 'in ', 'static ', 'get ', 'using ', 'eval', 'arguments', 'enum '],
  ...['class A ', 'function f', 'function*g', 'if ', 'else ', 'for(', 'for await(', 'while(', 'do ', 'try{', 'catch'],
  ...['var ', 'const ', 'return ', 'new ', 'new.target', 'super', 'import ', 'import(', 'export ', 'from ', 'typeof '],
  ...['delete ', 'instanceof ', 'interface ', 'this', 'null', '"use strict";', "'a'", '"b\\n"', "'\n", '"', "'"],
  ...[
    'a',
    'b ',
    'a.b',
    'a(b)',
    'toString',
    '__proto__',
    '#x',
    '\\u0061',
    'v\\u0061r',
    '\u00e4',
    '\u{10400}',
    'a\u0301',
  ],
  ...['0', '1', '08', '017', '1_0', '0x1f', '0x1n', '1n', '.5', '1.', '1e3', '1e', '123456789', '1234567890', '3in '],
];

const ACORN = readFileSync(fileURLToPath(import.meta.resolve('acorn')), 'utf8');

const OPTIONS: readonly Options[] = [
  { ecmaVersion: 'latest', sourceType: 'script', allowHashBang: true },
  { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true },
  { ecmaVersion: 'latest', sourceType: 'script', allowHashBang: true, allowReturnOutsideFunction: true },
];

/** What the walk and the evaluation write, for which our nodes have room. */
const ROOM = new Set(['parent', 'scope', 'evaluatedBy', 'values']);

const plain = (tree: object): string =>
  JSON.stringify(tree, (key, value: unknown) => {
    if (ROOM.has(key) || typeof value === 'bigint' || value instanceof RegExp) return value && String(value);
    // Members may come in another order.
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });

interface Outcome {
  readonly tree?: string;
  readonly htmlComments?: readonly number[];
  readonly error?: string;
  readonly pos?: number;
}

const TOO_DEEP: Outcome = { error: 'nested too deeply' };

function outcomeOf(parsed: () => Outcome): Outcome {
  try {
    return parsed();
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof RangeError)) throw error;
    const { message, pos } = error as Error & { pos?: number };
    // How deep the stack is when it is full depends on what each parser has on it.
    return message.startsWith('Not enough stack space') ? TOO_DEEP : { error: message, pos };
  }
}

const ofAcorn = (text: string, options: Options): Outcome =>
  outcomeOf(() => {
    const htmlComments: number[] = [];
    const onComment = (_isBlock: boolean, _text: string, start: number) => {
      if ('<-'.includes(text[start])) htmlComments.push(start);
    };
    return { tree: plain(parse(text, { ...options, onComment })), htmlComments };
  });

const ofOurs = (text: string, options: Options): Outcome =>
  outcomeOf(() => {
    const { program, htmlComments } = parseScript(text, options);
    return { tree: plain(program), htmlComments };
  });

/** Brackets without which nothing is nested too deeply. */
const DEEP = 500;

const test = suite(`admin-api/miniapp/audit/script/parser, seed ${SEED}`);

function isParsed(text: string, options: Options): boolean {
  const expected = ofAcorn(text, options);
  const own = ofOurs(text, options);
  // Both say so of an error whose text has words of it, too.
  if (own !== expected && (own === TOO_DEEP || expected === TOO_DEEP)) {
    // Each level takes a bracket, at least.
    assert.ok(text.split(/[([{]/).length > DEEP, `${options.sourceType}: ${JSON.stringify(text.slice(0, 2000))}`);
    return false;
  }
  assert.equal(own, expected, `${options.sourceType}: ${JSON.stringify(text.slice(0, 2000))}`);
  return expected.tree !== undefined;
}

test('a whole program', () => {
  assert.ok(isParsed(ACORN, OPTIONS[1]));
  assert.not.ok(isParsed(ACORN, OPTIONS[0]));
});

test('names have distinct entries in the table of names', () => {
  // Of the same hash: 31 * 'A' + 'a' = 31 * 'B' + 'B'.
  const text = 'Aa(BB, Aa, BB); var Aa; let BBAa, AaBB, AaAa, BBBB;';
  assert.ok(isParsed(text, OPTIONS[0]));
});

test('a string for a name that is imported', () => {
  assert.ok(isParsed('import { "a" as b } from "c"; export { b as "d" };', OPTIONS[1]));
  assert.not.ok(isParsed('import { "a" } from "b";', OPTIONS[1]));
});

test('comments of HTML', () => {
  for (const text of ['a <!--b\n.c', 'a <!--b\n(c)', 'a\n--> b\n(c)', 'x = a <!b', 'a --> b', '#!a\n-->b', '-->a'])
    for (const options of OPTIONS) isParsed(text, options);
});

test(`${MUTATIONS} concatenated fragments`, () => {
  const random = new Random(SEED);
  let parsed = 0;
  for (let n = 0; n < MUTATIONS; n++) {
    const pieces = Array.from({ length: 1 + random.below(9) }, () => random.pick(PIECES) + random.pick(['', '', ' ']));
    if (isParsed(pieces.join(''), random.pick(OPTIONS))) parsed++;
  }
  assert.ok(parsed > MUTATIONS / 50, `${parsed} are programs`);
});

test(`${MUTATIONS} damaged programs`, () => {
  const random = new Random(SEED);
  const functions = ACORN.split(/\n(?=pp[.$\d]*\.\w+ = )/).filter(({ length }) => length < 4000);
  let parsed = 0;
  for (let n = 0; n < MUTATIONS; n++) {
    const text = mutateText(random.pick(functions), random);
    if (isParsed(random.below(4) > 0 ? text : text + random.pick(PIECES), random.pick(OPTIONS))) parsed++;
  }
  assert.ok(parsed > MUTATIONS / 50, `${parsed} are programs`);
});

test.run();
