/** Apps that give a library as a whole to something, and apps that take parts of it by name. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Parts } from '../../../../../admin-api/miniapp/audit/reach/handed-on.ts';
import { parseScript } from '../../../../../admin-api/miniapp/audit/script/parser.ts';
import { walk } from '../../../../../admin-api/miniapp/audit/script/walk.ts';

const test = suite('admin-api/miniapp/audit/reach/handed-on');

const walked = (source: string, isModule: boolean) =>
  walk(parseScript(source, { ecmaVersion: 'latest', sourceType: isModule ? 'module' : 'script' }).program, isModule);

/** `lib.js` is a library that gives `Lib` to the window. */
function isWhole(source: string, isModule = false): boolean {
  const parts = new Parts(new Set(['lib.js']));
  parts.addLibrary(walked('(function (root) { root.Lib = { send() {} }; })(this);', false));
  parts.addApp(walked('function other() {}', false), 'other.js');
  parts.addApp(walked(source, isModule), 'app.js');
  return parts.isWhole();
}

const WHOLE: readonly string[] = [
  'Object.values(Lib).forEach((f) => f())',
  'Object.assign(window, Lib); send()',
  'const o = { ...Lib }; k(o)',
  'const { ...rest } = Lib; k(rest)',
  'const { [k()]: f } = Lib; f()',
  'const l = Lib; k(l)',
  'var Lib; k(Lib)',
  'k(window.Lib)',
  'k(this.Lib)',
  'k(k() || Lib)',
  'k(k() ? 1 : Lib)',
  'k((0, Lib))',
  'with (Lib) send()',
  'Lib.get(Lib, k())()',
  'class A extends Lib {}',
  'x = { Lib }',
  'x = [Lib]',
  'import(k).then(k)',
];
const OF_MODULES: readonly string[] = [
  'import * as lib from "./lib.js"; k(lib)',
  'import lib from "./lib.js"; Object.values(lib)',
  'import { part } from "./lib.js"; k(part)',
  'export * from "./lib.js"',
  'export { part } from "./lib.js"',
];
const PARTS: readonly string[] = [
  'Lib.send(1); new Lib.A(); Lib(1); new Lib()',
  'if (Lib) Lib.send(); typeof Lib; Lib && Lib.send(); Lib === 1; k(Lib ? 1 : 2)',
  'const { send, a: { b } } = Lib; send()',
  'k(other); addEventListener("load", other); k(document, Math)',
  'const own = {}; k(own); k({ ...own }); const { ...rest } = own',
  'function f(Lib) { k(Lib) } f(1)',
];

for (const source of WHOLE) test(source, () => assert.ok(isWhole(source)));
for (const source of OF_MODULES) test(source, () => assert.ok(isWhole(source, true)));
for (const source of PARTS) test(source, () => assert.not.ok(isWhole(source.replaceAll('k(', 'other('))));
test('modules of the app', () => assert.not.ok(isWhole('import own, { a } from "./own.js"; own(a); [own]', true)));

test.run();
