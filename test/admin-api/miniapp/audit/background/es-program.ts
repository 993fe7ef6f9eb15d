/**
 * Programs of ECMAScript 2023, made of pieces of its grammar; each parses in an engine of today.
 */
import fc from '../../../../support/fc.ts';

const name = fc.constantFrom('a', 'b', 'c', 'async', 'of', 'get', '$x', '\u00e4', 'yield_');
const list = (items: fc.Arbitrary<string>, least = 0): fc.Arbitrary<string> =>
  fc.array(items, { minLength: least, maxLength: 3 }).map((parts) => parts.join(', '));

const literal = fc.constantFrom(
  '1',
  '0x1f',
  '0b11',
  '0o17',
  '1_000',
  '10n',
  '.5',
  '1e3',
  "'a'",
  '"\\u{1f600}"',
  "'\\x41\\0'",
  'null',
  'true',
  '/a[/]b/gi',
  '/(?:a)|b{1,2}/',
  '/(?<n>a)/',
  '/a/u',
  '/[^\\]]/m',
  '`a`',
  '[]',
  '({})',
  'this',
);

const { expression, pattern, statement, block } = fc.letrec<{
  expression: string;
  pattern: string;
  statement: string;
  block: string;
  parameters: string;
}>((tie) => ({
  pattern: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 6, arbitrary: name },
    { weight: 1, arbitrary: list(tie('pattern')).map((items) => `[${items}]`) },
    { weight: 1, arbitrary: fc.tuple(name, tie('pattern')).map(([key, value]) => `{${key}: ${value}}`) },
    { weight: 1, arbitrary: fc.tuple(name, tie('pattern')).map(([first, rest]) => `[${first}, , ${rest}]`) },
    { weight: 1, arbitrary: name.map((item) => `{${item}}`) },
    { weight: 1, arbitrary: tie('expression').map((value) => `[a = ${value}]`) },
    { weight: 1, arbitrary: fc.constant('[a, ...b]') },
  ),
  parameters: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('', 'x', 'x, y') },
    { weight: 1, arbitrary: fc.constantFrom('{x, y}', '[x]', 'x, {y: [z]}') },
    { weight: 1, arbitrary: fc.constantFrom('x = 1', 'x, y = x') },
  ),
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: name },
    { weight: 3, arbitrary: literal },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          tie('expression'),
          fc.constantFrom(
            '+',
            '-',
            '*',
            '/',
            '%',
            '<',
            '>=',
            '===',
            '!=',
            '&&',
            '||',
            '&',
            '^',
            '<<',
            '>>>',
            ' in ',
            ' instanceof ',
            '+ +',
            '- -',
          ),
          tie('expression'),
        )
        .map(([a, op, b]) => `(${a})${op}(${b})`),
    },
    { weight: 1, arbitrary: fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a}) ** (${b})`) },
    { weight: 1, arbitrary: fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a}) ?? (${b})`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('!', '-', 'typeof ', 'void ', 'delete ', '~'), tie('expression'))
        .map(([op, a]) => `${op}(${a})`),
    },
    { weight: 1, arbitrary: fc.tuple(name, fc.constantFrom('++', '--')).map(([a, op]) => `${a}${op}`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(name, fc.constantFrom('=', '+=', '**=', '>>>=', '||='), tie('expression'))
        .map(([a, op, b]) => `${a} ${op} (${b})`),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(tie('expression'), list(tie('expression')))
        .map(([f, args]) => `(${f})(${args.startsWith(',') ? '' : args})`),
    },
    { weight: 1, arbitrary: fc.tuple(tie('expression'), name).map(([o, key]) => `(${o}).${key}`) },
    { weight: 1, arbitrary: fc.tuple(tie('expression'), tie('expression')).map(([o, key]) => `(${o})[${key}]`) },
    { weight: 1, arbitrary: fc.tuple(tie('expression'), name).map(([o, key]) => `(${o})?.${key}`) },
    { weight: 1, arbitrary: list(tie('expression')).map((items) => `[${items}]`) },
    { weight: 1, arbitrary: tie('expression').map((a) => `f(...(${a}))`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(name, tie('expression'))
        .map(([key, value]) => `({${key}: ${value}, x, m() {}, get y() { return 1; }, 'z': 2})`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('expression'), tie('expression')).map(([key, value]) => `({[${key}]: ${value}})`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('expression'), tie('expression'), tie('expression'))
        .map(([a, b, c]) => `(${a}) ? ${b} : ${c}`),
    },
    { weight: 1, arbitrary: fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `\`x\${${a}} \${${b}}\``) },
    { weight: 1, arbitrary: fc.tuple(name, tie('expression')).map(([tag, a]) => `${tag}\`x\${${a}}\``) },
    {
      weight: 2,
      arbitrary: fc.tuple(tie('parameters'), tie('expression')).map(([params, body]) => `((${params}) => (${body}))`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('parameters'), tie('block')).map(([params, body]) => `((${params}) => ${body})`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('parameters'), tie('block')).map(([params, body]) => `(function (${params}) ${body})`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('expression'), list(tie('expression'))).map(([f, args]) => `new (${f})(${args})`),
    },
    { weight: 1, arbitrary: fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a}, ${b})`) },
    {
      weight: 1,
      arbitrary: tie('expression').map((a) => `(function* () { var v = yield (${a}); yield* v; (yield); })`),
    },
    { weight: 1, arbitrary: tie('expression').map((a) => `(function* () { f(yield (${a})); })`) },
    { weight: 1, arbitrary: tie('expression').map((a) => `(async () => await (${a}))`) },
  ),
  block: fc.array(tie('statement'), { maxLength: 3 }).map((statements) => `{ ${statements.join(' ')} }`),
  statement: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: tie('expression').map((a) => `(${a});`) },
    { weight: 1, arbitrary: tie('expression').map((a) => `(${a})\n`) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom('var', 'let', 'const'), fc.constantFrom('p', 'q', 'r', 's', 't'), tie('expression'))
        .map(([kind, id, value]) => `${kind} ${id} = ${value};`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('pattern'), tie('expression'))
        .map(([target, value]) => `{ var [${target}] = ${value}; }`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('pattern'), tie('expression')).map(([target, value]) => `[${target}] = ${value};`),
    },
    { weight: 2, arbitrary: tie('block') },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('expression'), tie('block'), tie('statement'))
        .map(([test, then, other]) => `if (${test}) ${then} else { ${other} }`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('var', 'let', 'const'), fc.constantFrom('i', 'j'), tie('expression'), tie('block'))
        .map(([kind, i, value, body]) => `for (${kind} ${i} = ${value}; ${i} < 3; ) ${body}`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom('var ', 'let ', 'const ', ''),
          fc.constantFrom('in', 'of'),
          tie('expression'),
          tie('block'),
        )
        .map(([kind, of, value, body]) => `for (${kind}k ${of} (${value})) ${body}`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom('var ', 'let ', ''),
          fc.constantFrom('[k, l]', '{k, l}', '{k: [l]}'),
          fc.constantFrom('in', 'of'),
          tie('block'),
        )
        .map(([kind, target, of, body]) => `for (${kind}${target} ${of} a) ${body}`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('expression'), tie('block')).map(([test, body]) => `while (${test}) ${body}`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('expression'), tie('block')).map(([test, body]) => `do ${body} while (${test})`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('expression'), tie('statement'), tie('statement'))
        .map(([value, a, b]) => `switch (${value}) { case 1: ${a} break; default: { ${b} } }`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('block'), tie('block')).map(([body, handler]) => `try ${body} catch (e) ${handler}`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('block'), tie('block'), fc.constantFrom('', '{message}', '[e]'))
        .map(([body, handler, param]) => `try ${body} catch ${param && `(${param})`} ${handler} finally {}`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('parameters'), tie('block')).map(([params, body]) => `{ function g(${params}) ${body} }`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('expression'), tie('block'))
        .map(([value, body]) => `class A { x = ${value}; m() ${body} }`),
    },
    { weight: 1, arbitrary: tie('expression').map((value) => `throw ${value};`) },
    { weight: 1, arbitrary: tie('block').map((body) => `label: ${body}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ';',
        'debugger;',
        'a /* \n */ b;',
        'a // x\nb;',
        '// x\n',
        'with (a) b;',
        '<!-- x\n',
        'var a = 1, b;',
      ),
    },
  ),
}));

void pattern;
void expression;
void block;

export const program: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom('', "'use strict';\n"), fc.array(statement, { minLength: 1, maxLength: 5 }))
  .map(([directive, statements]) => directive + statements.join('\n'));
