/**
 * Programs that are made: of safe pieces they have no finding, and of damaged ones the audit comes
 * to its end.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { depth } from '../../../../support/depth.ts';
import fc from '../../../../support/fc.ts';
import { Random } from '../../../../support/random.ts';
import { SEED } from '../../../../support/seed.ts';
import { MARKUP_CASES } from '../corpus/markup-cases.ts';
import { SCRIPT_CASES } from '../corpus/script-cases.ts';
import { auditedFiles, auditedScript, codesOf, type Files } from './audited.ts';

const RUNS = depth({ quick: 50, moderate: 100, full: 1500 });

const test = suite('admin-api/miniapp/audit/web/generated');

/** Names of the platform among them: what a program has declared itself is its own. */
const name = fc.constantFrom(
  'a',
  'b',
  'items',
  'fetch',
  'eval',
  'localStorage',
  'navigator',
  'Function',
  'WebSocket',
  'open',
);

const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.integer().map(String),
    fc.string({ maxLength: 8 }).map((text) => JSON.stringify(text)),
    name,
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a} + ${b})`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `[${a}, ${b}]`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a} ? ${b} : null)`),
    fc.tuple(name, tie('expression')).map(([a, b]) => `${a}(${b})`),
    fc.tuple(name, tie('expression')).map(([a, b]) => `new ${a}(${b})`),
    fc.tuple(name, tie('expression')).map(([a, b]) => `${a}[${b}]`),
    fc.tuple(name, tie('expression')).map(([a, b]) => `((${a}) => ${b})(1)`),
    fc.tuple(name, tie('expression')).map(([a, b]) => `(function ({ ${a} }) { return ${b}; })({})`),
    fc.tuple(name, tie('expression')).map(([a, b]) => `${a}.size === ${b}`),
  ),
}));

/** Each name is declared in a scope of its own around the program, in one of the ways there are. */
const declared = (body: string): string => `(function (a, b, eval, ...items) {
  const { fetch, x: [localStorage] } = b;
  let navigator = a; class Function {} function WebSocket() {}
  try { a(); } catch (open) { ${body} }
})(1, { fetch: 2, x: [3] }, String);`;

test('programs that declare their names have no finding', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(expression, { minLength: 1, maxLength: 6 }), async (expressions) => {
      assert.equal(codesOf(await auditedScript(declared(`${expressions.join(';\n')};`))), []);
    }),
    { numRuns: RUNS },
  );
});

test('of the same names undeclared, forbidden ones are found', async () => {
  const barred = { fetch: 'direct_network', localStorage: 'direct_storage', eval: 'eval', WebSocket: 'direct_network' };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.entries(barred)), expression, async ([used, code], body) => {
      const script = `(function (${['a', 'b', 'items'].join(', ')}) { ${body}; ${used}(1); })(1);`;
      assert.ok(codesOf(await auditedScript(script)).includes(code));
    }),
    { numRuns: RUNS },
  );
});

test('the audit of damaged sources ends', async () => {
  const random = new Random(SEED);
  const sources = [...SCRIPT_CASES, ...MARKUP_CASES]
    .flatMap(({ triggers, nearMiss }) => [triggers, nearMiss] as Files[])
    .map((files) => Object.fromEntries(Object.entries(files).filter(([path]) => /\.(?:js|html|css|svg)$/.test(path))))
    .filter((files) => Object.values(files).every(({ length }) => length < 5000));
  const require = createRequire(import.meta.url);
  sources.push({ 'app.js': readFileSync(require.resolve('acorn'), 'utf8').slice(0, 6000) });
  for (let run = 0; run < RUNS * 5; run++) {
    const files = { ...random.pick(sources) };
    const path = random.pick(Object.keys(files));
    files[path] = damaged(Buffer.from(files[path] as string), random);
    await auditedFiles(files);
  }
});

const PIECES = [
  '<',
  '>',
  '"',
  "'",
  '`',
  '${',
  '}',
  '{',
  '(',
  ')',
  '[',
  ']',
  '\\',
  '/*',
  '*/',
  '<!--',
  ']]>',
  '\0',
  '\u2028',
  'eval',
  'Host',
  'window[',
  'javascript:',
  '<script>',
  'url(',
  '@import',
  '=>',
  'async ',
  'class ',
  '...',
  '?.',
];

function damaged(source: Buffer, random: Random): Buffer {
  let out = source;
  for (let n = 1 + random.below(4); n > 0; n--) {
    const at = random.below(out.length + 1);
    const end = Math.min(out.length, at + random.below(20));
    const between = random.pick([
      Buffer.from(random.pick(PIECES)),
      out.subarray(random.below(out.length + 1)).subarray(0, 60),
      Buffer.from(random.bytes(2)),
      Buffer.alloc(0),
    ]);
    out = Buffer.concat([out.subarray(0, at), between, out.subarray(random.pick([at, end]))]);
  }
  return out;
}

test.run();
