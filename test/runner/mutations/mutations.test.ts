import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../support/random.ts';
import { instrumented } from './instrument.ts';
import { choose, type Mutation, mutationsOf } from './mutators.ts';

const FILE = 'core/room/file.ts';
const faults = (text: string): string[] =>
  mutationsOf(FILE, text).map(({ kind, from, to }) => `${kind}: ${from} → ${to}`);

test('a mutation breaks an expression or a statement', () => {
  assert.equal(faults('const ok = a < b;'), ['comparison: a < b → (a) <= (b)']);
  assert.equal(faults('export const LIMIT = 8 * size;'), [
    'arithmetic: 8 * size → (8) / (size)',
    'constant: 8 → 8 + 1',
  ]);
  assert.equal(faults('async function f() { const x = await g(a, b); }'), [
    'await: await g(a, b) → g(a, b)',
    'arguments: g(a, b) → g(b, a)',
  ]);
  assert.equal(faults('if (ready) start();'), ['condition: ready → !(ready)', 'removal: start(); → ;']);
});

test('types, imports, texts, log calls and thrown errors have no mutations', () => {
  const text = [
    `import { a } from './1.ts';`,
    'interface Shape { readonly kind: 1; }',
    'type Kind = 1 | 2;',
    `log.warn('one', 1);`,
    `throw new RangeError('one', 1);`,
    `const text = 'a' + b;`,
    'const row = { 1: a } as Row<1>;',
  ];
  assert.equal(faults(text.join('\n')), []);
});

test('the key of a mutation stays when its code moves', () => {
  const [before] = mutationsOf(FILE, 'function f() { return a < b; }');
  const [, after] = mutationsOf(FILE, '\nfunction g() { return a < b; }\nfunction f() { return a < b; }');
  assert.is(after.key, before.key);
  const [first, second] = mutationsOf(FILE, 'function f() { return a < b || a < b; }').filter(
    ({ kind }) => kind === 'comparison',
  );
  assert.is.not(first.key, second.key);
});

test('the copy has both texts, and a number selects the broken one, also of nested mutations', () => {
  const text = 'if (1 < 2) { add(3); } else add(5);';
  const mutants = mutationsOf(FILE, text).map((mutation, id) => ({ id, mutation }));
  const [code] = instrumented(text, mutants).split('\nfunction __mutant');
  const run = (active: number): number => {
    let sum = 0;
    new Function('__mutant', 'add', code)(
      (id: number) => id === active,
      (n: number) => (sum += n),
    );
    return sum;
  };
  assert.is(run(-1), 3);
  const sums = Object.fromEntries(
    mutants.map(({ id, mutation: { kind, from } }) => [`${kind} ${from}`, run(id)] as const),
  );
  assert.equal(sums, {
    'comparison 1 < 2': 3,
    'condition 1 < 2': 5,
    'constant 1': 5,
    'constant 2': 3,
    'removal add(3);': 0,
    'constant 3': 4,
    'removal add(5);': 3,
    'constant 5': 3,
  });
});

test('the choice takes modules in turn, and is the same for a seed', () => {
  const mutation = (room: string, id: number): Mutation => ({
    ...mutationsOf(FILE, '1;')[0],
    room,
    key: `${room}${id}`,
  });
  const mutations = ['a', 'a', 'a', 'b', 'c'].map(mutation);
  const chosen = choose(mutations, 4, new Random(7));
  assert.equal(
    chosen
      .map(({ room }) => room)
      .slice(0, 3)
      .sort(),
    ['a', 'b', 'c'],
  );
  assert.is(chosen[3].room, 'a');
  assert.equal(choose(mutations, 4, new Random(7)), chosen);
});

test.run();
