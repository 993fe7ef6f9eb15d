/**
 * What timers are given of what other modules give: functions of theirs, or texts to run as code.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditedFiles, codesOf, type Files } from './audited.ts';

const test = suite('admin-api/miniapp/audit/web/imported');

/** The codes that an app has whose page loads `app.js` as a module. */
async function codes(app: string, others: Files): Promise<string[]> {
  const page = '<script src=host-sdk.js></script><script src=k.js></script><script type=module src=app.js></script>';
  const files = { 'index.html': page, 'host-sdk.js': '', 'k.js': 'function k() {}', 'app.js': app };
  return codesOf(await auditedFiles({ ...files, ...others }));
}

/** A module, and the others of its package; what it gives the timer is text. */
const TEXTS: readonly (readonly [string, Files])[] = [
  ['import { code } from "./a.js"; setTimeout(code)', { 'a.js': 'export const code = "go()"' }],
  ['import { code as run } from "./a.js"; setTimeout(run)', { 'a.js': 'export const code = "go()"' }],
  ['import run from "./a.js"; setTimeout(run)', { 'a.js': 'export default "go()"' }],
  ['import run from "./a.js"; setTimeout(run)', { 'a.js': 'const code = "go()"; export default code' }],
  ['import run from "./a.js"; setTimeout(run)', { 'a.js': 'const code = "go()"; export { code as default }' }],
  [
    'import { "the code" as run } from "./a.js"; setTimeout(run)',
    { 'a.js': 'const code = `go()`; export { code as "the code" }' },
  ],
  ['import * as all from "./a.js"; setTimeout(all.code)', { 'a.js': 'export const code = "go()"' }],
  ['import { code } from "./a.js"; const run = code; setInterval(run, 1)', { 'a.js': 'export let code; code = k()' }],
  ['import { code } from "./a.js"; const f = (x) => setTimeout(x); f(code)', { 'a.js': 'export const code = "go()"' }],
  [
    'import { b } from "./a.js"; setTimeout(b)',
    { 'a.js': 'export { code as b } from "./c.js"', 'c.js': 'export const code = "go()"' },
  ],
  [
    'import { b } from "./a.js"; setTimeout(b)',
    { 'a.js': 'import { code } from "./c.js"; export { code as b }', 'c.js': 'export const code = "go()"' },
  ],
  [
    'import { code } from "./a.js"; setTimeout(code)',
    { 'a.js': 'export * from "./c.js"', 'c.js': 'export const code = "go()"' },
  ],
  ['import run from "./a.json" with { type: "json" }; setTimeout(run)', { 'a.json': '"go()"' }],
  [
    'import all from "./a.json" with { type: "json" }; setTimeout(all.run)',
    { 'a.json': '{"run":"go()"}', 'run.js': '' },
  ],
  [
    'import all from "./a.json" with { type: "json" }; const all2 = { run() {} }; setTimeout(all.run)',
    { 'a.json': '{}' },
  ],
];

for (const [app, others] of TEXTS)
  test(`text: ${app} ${JSON.stringify(others)}`, async () => {
    const found = await codes(app, others);
    assert.ok(found.includes('timer_undeterminable') || found.includes('string_timer'), `not ${found}`);
  });

/** The same with functions. */
const FUNCTIONS: readonly (readonly [string, Files])[] = [
  ['import { go } from "./a.js"; setTimeout(go)', { 'a.js': 'export function go() {}' }],
  ['import { go as run } from "./a.js"; setTimeout(run)', { 'a.js': 'export const go = () => {}' }],
  ['import run from "./a.js"; setTimeout(run)', { 'a.js': 'export default function () {}' }],
  ['import run from "./a.js"; setTimeout(run)', { 'a.js': 'const go = () => {}; export default go' }],
  ['import run from "./a.js"; setTimeout(run)', { 'a.js': 'function go() {} export { go as default }' }],
  ['import * as all from "./a.js"; setTimeout(all.go)', { 'a.js': 'export async function go() {}' }],
  [
    'import { go } from "./a.js"; const f = (x) => setTimeout(x); f(go)',
    { 'a.js': 'export const go = function () {}' },
  ],
  [
    'import { b } from "./a.js"; setTimeout(b)',
    { 'a.js': 'export { go as b } from "./c.js"', 'c.js': 'export function go() {}' },
  ],
  [
    'import { c } from "./a.js"; setTimeout(c)',
    {
      'a.js': 'import { b } from "./b.js"; export { b as c }',
      'b.js': 'export { default as b } from "./d.js"',
      'd.js': 'export default () => {}',
    },
  ],
  [
    'import { go } from "./a.js"; setTimeout(go)',
    { 'a.js': 'export * from "./c.js"', 'c.js': 'export function go() {}' },
  ],
  ['import { go } from "./a.js"; addEventListener("load", go); go()', { 'a.js': 'export const go = k()' }],
];

for (const [app, others] of FUNCTIONS)
  test(`function: ${app} ${JSON.stringify(others)}`, async () => assert.equal(await codes(app, others), []));

test('names that are re-exported in a cycle, and many of them', async () => {
  const many = Array.from({ length: 20_000 }, (_, i) => `export { a${i} as a${i + 1} } from "./a.js";`).join('');
  const found = await codes('import { a20000 } from "./a.js"; setTimeout(a20000)', {
    'a.js': `function a0() {} ${many} export { back as again } from "./b.js"`,
    'b.js': 'export { again as back, a20000 as again } from "./a.js"',
  });
  assert.ok(!found.includes('timer_undeterminable'), `${found}`);
});

test.run();
