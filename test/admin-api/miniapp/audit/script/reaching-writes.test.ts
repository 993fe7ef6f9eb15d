/**
 * Which writes a use may see: programs that are made are run, and what a variable was when it was
 * used must be among the values that the analysis gives. Cases show what it distinguishes.
 */
import { Script } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Evaluator } from '../../../../../admin-api/miniapp/audit/script/evaluate.ts';
import { parseScript } from '../../../../../admin-api/miniapp/audit/script/parser.ts';
import { walk } from '../../../../../admin-api/miniapp/audit/script/walk.ts';
import { depth as atLevel } from '../../../../support/depth.ts';
import { Random } from '../../../../support/random.ts';
import { SEED } from '../../../../support/seed.ts';

const test = suite('admin-api/miniapp/audit/script/reaching-writes');

const PROGRAMS = atLevel({ quick: 1500, moderate: 1500, full: 100_000 });
/** Runs of a program, each with other conditions. */
const RUNS = 12;

/** For each call of `use` by its first argument: what its second may be; undefined: anything. */
function seenBy(source: string): ReadonlyMap<number, ReadonlySet<unknown> | undefined> {
  const { program } = parseScript(source, { ecmaVersion: 'latest', sourceType: 'script' });
  const walked = walk(program, false);
  const evaluator = new Evaluator(walked, 'script', new Map());
  const seen = new Map<number, ReadonlySet<unknown> | undefined>();
  for (const { args } of walked.calls.get('use') ?? []) {
    const [index, value] = args;
    const values = evaluator.valuesOf(value);
    const isKnown = values.every(({ kind }) => kind === 'constant');
    const constants = values.map((each) => (each.kind === 'constant' ? each.value : undefined));
    seen.set(index.type === 'Literal' ? Number(index.value) : -1, isKnown ? new Set(constants) : undefined);
  }
  return seen;
}

/** Makes a function with a parameter `x` that is written and used in all ways there are. */
class Maker {
  readonly #random: Random;
  #uses = 0;
  #labels = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  program(): string {
    const isStrict = this.#random.below(4) === 0 ? '"use strict"; ' : '';
    return `function f(x) { ${isStrict}${this.#statements(2, '')} }\nf('p');\n`;
  }

  #statements(depth: number, label: string): string {
    const statements: string[] = [];
    for (let n = 1 + this.#random.below(3); n > 0; n--) statements.push(this.#statement(depth, label));
    return statements.join(' ');
  }

  #statement(depth: number, label: string): string {
    const inner = (name = label): string => `{ ${this.#statements(depth - 1, name)} }`;
    if (depth === 0 || this.#random.below(3) === 0) return this.#simple(label);
    switch (this.#random.below(14)) {
      case 0:
        return `if (${this.#condition()}) ${inner()} else ${inner()}`;
      case 1:
        return `if (${this.#condition()}) ${inner()}`;
      case 2:
        return `while (${this.#condition()} && c()) ${inner('loop')}`;
      case 3:
        return `do ${inner('loop')} while (c() && ${this.#condition()});`;
      case 4:
        return `for (${this.#expression()}; c() && ${this.#condition()}; ${this.#expression()}) ${inner('loop')}`;
      case 5:
        return `for (${this.#random.pick(['x', '[x]', 'const w'])} of ['qr', 'st']) ${inner('loop')}`;
      case 6:
        return `for (x in { k: ${this.#expression()} }) ${inner('loop')}`;
      case 7:
        return `switch (${this.#expression()}) { case 1: ${this.#statements(depth - 1, 'switch')} case c(): ${this.#statements(depth - 1, 'switch')} default: ${this.#statements(depth - 1, 'switch')} case (${this.#expression()}, 2): ${this.#statements(depth - 1, 'switch')} }`;
      case 8:
        return `try ${inner()} catch ${inner()}`;
      case 9:
        return `try ${inner()} finally ${inner()}`;
      case 10: {
        const name = `l${this.#labels++}`;
        return `${name}: { ${this.#statements(depth - 1, name)} }`;
      }
      case 11:
        return `var y = ${this.#expression()}, { [${this.#expression()}]: z = ${this.#expression()} } = { a: ${this.#expression()} };`;
      case 12:
        return this.#random.below(3) === 0
          ? `(() => ${inner('')})();`
          : `class C${this.#labels++} { [${this.#expression()}] = ${this.#use()}; }`;
      default:
        return `var x = ${this.#value()};`;
    }
  }

  #simple(label: string): string {
    switch (this.#random.below(9)) {
      case 0:
        return 'if (c()) throw 0;';
      case 1:
        if (label === 'loop') return `if (c()) ${this.#random.pick(['break', 'continue'])};`;
        return label === 'switch' ? 'break;' : label === '' ? `${this.#use()};` : `if (c()) break ${label};`;
      case 2:
        return this.#random.below(20) === 0 ? `arguments[0] = ${this.#value()};` : `${this.#use()};`;
      case 3:
      case 4:
        return `${this.#use()};`;
      default:
        return `${this.#expression()};`;
    }
  }

  #value = (): string => `'${this.#random.pick(['a', 'b', 'c', 'd'])}'`;
  #use = (): string => `use(${this.#uses++}, x)`;
  #condition = (): string => (this.#random.below(3) === 0 ? this.#expression() : 'c()');

  #expression(depth = 1): string {
    const inner = (): string => (depth === 0 ? this.#use() : this.#expression(depth - 1));
    switch (this.#random.below(20)) {
      case 0:
        return `(c() ? ${inner()} : ${inner()})`;
      case 1:
        return `(c() && ${inner()})`;
      case 2:
        return `(c() || ${inner()})`;
      case 3:
        return `(${inner()}, ${inner()})`;
      case 4:
        return `[${inner()}, ${inner()}].length`;
      case 5:
        return `o?.[${inner()}]?.m(${inner()})`;
      case 6:
        return `({ [${inner()}]: ${inner()} }).a`;
      case 7:
        return `([x, o[${inner()}]] = [${this.#value()}, ${inner()}])`;
      case 8:
        return `({ a: x, [${inner()}]: o.b } = { a: ${this.#value()}, b: ${inner()} })`;
      case 9:
        return `(x ${this.#random.pick(['||=', '&&=', '??='])} (${inner()}, ${this.#value()}))`;
      case 10:
        return `(x += '')`;
      case 11:
        return `(o[${inner()}] = ${inner()})`;
      case 12:
        return `(${inner()} + ${inner()})`;
      case 13:
        return `\`\${${inner()}}\${${inner()}}\``;
      case 14:
        return `(x = ${this.#random.pick(['undefined', 'null', this.#value()])})`;
      case 15:
        return `(x = (${inner()}, x))`;
      default:
        return this.#random.below(2) === 0 ? this.#use() : `(x = (${inner()}, ${this.#value()}))`;
    }
  }
}

type Run = (o: object, c: () => boolean, use: (index: number, value: unknown) => number) => void;

test('the values of a variable include its value at each use', () => {
  const random = new Random(SEED);
  let narrowed = 0;
  for (let n = 0; n < PROGRAMS; n++) {
    const source = new Maker(random).program();
    const seen = seenBy(source);
    if ([...seen.values()].some((values) => values !== undefined && values.size < 4)) narrowed++;
    const run = new Script(`(function (o, c, use) { ${source} })`).runInThisContext() as Run;
    const use = (index: number, value: unknown): number => {
      const values = seen.get(index);
      // A declaration without a value is none.
      if (value !== undefined && values !== undefined && !values.has(value))
        assert.unreachable(`${String(value)} at ${index}, not ${[...values]}, seed ${SEED}:\n${source}`);
      return 1;
    };
    for (let again = 0; again < RUNS; again++) {
      let left = 100;
      try {
        run({}, () => left-- > 0 && random.below(2) === 0, use);
      } catch (error) {
        if (error instanceof assert.Assertion) throw error;
      }
    }
  }
  assert.ok(narrowed > PROGRAMS / 4, `only in ${narrowed} programs a use saw fewer values`);
});

/** Body of a function with the parameter `x`, and what `use(0, x)` may see; 'p' is the argument. */
const CASES: readonly (readonly [string, readonly string[]])[] = [
  ["x = 'a'; use(0, x);", ['a']],
  ["use(0, x); x = 'a';", ['p']],
  ["if (x = 'a', c()) use(0, x);", ['a']],
  ["if (c()) x = 'a'; use(0, x);", ['a', 'p']],
  ["if (c()) x = 'a'; else x = 'b'; use(0, x);", ['a', 'b']],
  ["c() ? x = 'a' : (c(), x = 'b'), use(0, x);", ['a', 'b']],
  ["c() && (x = 'a', use(0, x));", ['a']],
  ["while (c()) { use(0, x); x = 'a'; }", ['a', 'p']],
  ["while (c()) { x = 'a'; use(0, x); x = 'b'; }", ['a']],
  ["for (x = 'a'; c();) { use(0, x); x = 'b'; }", ['a', 'b']],
  ["x = 'a'; try { x = 'b'; c(); } catch { use(0, x); }", ['a', 'b']],
  ["switch (c()) { case 0: x = 'a'; case 1: use(0, x); }", ['a', 'p']],
  ["l: { if (c()) break l; x = 'a'; } use(0, x);", ['a', 'p']],
  ["x = 'a'; (() => { x = 'b'; })(); x = 'c'; use(0, x);", ['a', 'b', 'c', 'p']],
  ["x = 'a'; class A { static y = use(0, x); } x = 'b';", ['a', 'b', 'p']],
  ["x = 'a'; arguments[0] = 'b'; use(0, x);", ['anything']],
];

test('uses see the writes before them', () => {
  for (const [body, expected] of CASES) {
    const values = seenBy(`function f(x) { ${body} }\nf('p');`).get(0);
    assert.equal([...(values ?? ['anything'])].sort(), expected, body);
  }
});

test.run();
