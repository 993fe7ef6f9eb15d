/**
 * Ways on which code, keys and data reach what makes something of them: a table of classes, and
 * what looks alike and is sound.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditedBackground } from '../background/audited.ts';
import { auditedFiles, codesOf, type Files } from '../web/audited.ts';

const test = suite('admin-api/miniapp/audit/script/flows');

const MANIFEST = JSON.stringify({ entry: 'index.html', permissions: ['network'] });
/** `text` is what was fetched. */
const fetched = (code: string): string =>
  `Host.network.fetch("https://a.example/").then((r) => r.text).then((text) => { ${code} });`;

/** The codes of a page that loads the script, with a module lib.js next to it. */
async function codes(script: string, lib?: string): Promise<string[]> {
  const type = lib === undefined ? '' : 'type=module ';
  const files: Files = {
    'manifest.json': MANIFEST,
    'index.html': `<script src=host-sdk.js></script><script ${type}src=app.js></script>`,
    'host-sdk.js': '',
    'app.js': script,
    'lib.js': lib ?? '',
  };
  const found = codesOf(await auditedFiles(files));
  return found.filter((code) => code !== 'host_permission_unused' && code !== 'script_unreferenced');
}

/** By class: scripts, each with a module where it needs one, and the code of the finding. */
const FOUND: Readonly<Record<string, readonly (readonly [string, string, string?])[]>> = {
  'keys that a list has': [
    [fetched('"constructor.constructor".split(".").reduce((a, k) => a[k], {})(text)()'), 'global_of_unknown'],
    ['["constructor", "constructor"].reduce(function (a, k) { return a[k] }, {})("x")()', 'global_of_unknown'],
    ['["constructor", "constructor"].reduceRight((a, k) => a[k], {})("x")()', 'global_of_unknown'],
    ['"constructor.constructor".split(".").reduce(Reflect.get, {})("x")()', 'function_constructor'],
    ['const f = ["constructor", "constructor"].reduce((a, k) => a[k], {}); f("x")()', 'global_of_unknown'],
    [
      'const get = (o, p) => p.split(".").reduce((a, k) => a[k], o); get({}, "constructor.constructor")("x")()',
      'global_of_unknown',
    ],
    ['let o = {}; for (const k of ["constructor", "constructor"]) o = o[k]; o("go()")()', 'global_of_unknown'],
    ['let o = {}; for (const k of "constructor.constructor".split(".")) o = o[k]; o("go()")()', 'global_of_unknown'],
    ['let o = {}; ["constructor", "constructor"].forEach((k) => { o = o[k] }); o("go()")()', 'global_of_unknown'],
  ],
  'keys of JSON': [
    ['window[JSON.parse(\'"eval"\')]("1")', 'eval'],
    ['self[JSON.parse(\'["eval"]\')[0]]("1")', 'eval'],
    ['window[JSON.parse(\'{"a":"eval"}\').a]("1")', 'computed_global'],
    ['const k = JSON.parse(\'"fetch"\'); window[k]("x")', 'direct_network'],
    ['(() => {})[JSON.parse(\'"constructor"\')]("x")()', 'function_constructor'],
  ],
  'constructors of prototypes': [
    ['class A extends Object.getPrototypeOf(Object).constructor {} new A("go()")()', 'constructor_called'],
    ['class A extends Reflect.getPrototypeOf(Object).constructor {} new A("x")()', 'constructor_called'],
    ['const { constructor: F } = Object.getPrototypeOf(Object); F("x")()', 'constructor_called'],
    ['class A extends Array.constructor {} new A("x")()', 'function_constructor_escapes'],
  ],
  'a constructor that others call': [
    ['"go()".match({ [Symbol.match]: (() => {}).constructor })()', 'function_constructor_escapes'],
    ['"go()".replace({ [Symbol.replace]: Function }, "x")()', 'function_constructor_escapes'],
    ['"go()".split({ [Symbol.split]: Array.constructor })()', 'function_constructor_escapes'],
    ['Object.defineProperty({}, "a", { get: (() => {}).constructor }).a', 'function_constructor_escapes'],
    ['[(() => {}).constructor].map((f) => f("go()")())', 'function_constructor_escapes'],
    [
      'import { F } from "./lib.js"; F("x")()',
      'function_constructor_escapes',
      'export const F = (() => {}).constructor',
    ],
    [
      'import { F } from "./lib.js"; F("x")()',
      'function_constructor_escapes',
      'const { constructor: F } = () => {}; export { F }',
    ],
    ['import { w } from "./lib.js"; w.fetch("x")', 'window_escapes', 'export const w = window'],
  ],
  'texts for timers': [
    [fetched('setTimeout.call(null, text, 1)'), 'fetched_code'],
    [fetched('setTimeout.apply(null, [text, 1])'), 'fetched_code'],
    ['const o = { set x(v) { setTimeout(v, 1) } }; o.x = "go()"', 'timer_undeterminable'],
    ['class A { set x(v) { setTimeout(v, 1) } } new A().x = "go()"', 'timer_undeterminable'],
    [fetched('const o = { set x(v) { setTimeout(v, 1) } }; o.x = text'), 'timer_undeterminable'],
    [
      'class A { #f; constructor(t) { this.#f = t } go() { setTimeout(this.#f) } } new A("go()").go()',
      'timer_undeterminable',
    ],
    [
      'class A { #f; constructor({ c }) { this.#f = c } go() { setTimeout(this.#f) } } new A({ c: "go()" }).go()',
      'timer_undeterminable',
    ],
    ['class A { set #x(v) { setTimeout(v) } go(t) { this.#x = t } } new A().go("go()")', 'timer_undeterminable'],
    ['function f(...[a]) { setTimeout(a) } f("go()")', 'string_timer'],
    ['function t([s]) { setTimeout(s) } t`go()`', 'string_timer'],
    [`function t(s, v) { setTimeout(v) } t\`\${"go()"}\``, 'string_timer'],
    ['const { a } = { a: "go()" }; setTimeout(a)', 'string_timer'],
    [
      'import { o } from "./lib.js"; o.x = "go()"',
      'timer_undeterminable',
      'export const o = { set x(c) { setTimeout(c) } }',
    ],
    ['import { t } from "./lib.js"; t`go()`', 'timer_undeterminable', 'export const t = ([c]) => setTimeout(c)'],
    ['import { t } from "./lib.js"; t(["go()"])', 'timer_undeterminable', 'export const t = ([c]) => setTimeout(c)'],
    [
      'import { run } from "./lib.js"; run(document.title)',
      'timer_undeterminable',
      'export const run = (c) => setTimeout(c)',
    ],
    [
      'import { run as r } from "./lib.js"; const f = r; f("go()")',
      'timer_undeterminable',
      'export const run = (c) => setTimeout(c)',
    ],
    [
      'import { go } from "./lib.js"; go("go()")',
      'timer_undeterminable',
      'const run = (c) => setTimeout(c); export { run as go }',
    ],
    [
      `import { run } from "./lib.js"; ${fetched('run(text)')}`,
      'timer_undeterminable',
      'export const run = (c) => setTimeout(c)',
    ],
  ],
  'texts of the document for the location': [
    ['location = document.title', 'navigation_undeterminable'],
    ['[location.href] = [document.title]', 'navigation_undeterminable'],
    ['({ a: location.href } = { a: document.title })', 'navigation_undeterminable'],
    ['[location] = [document.title]', 'navigation_undeterminable'],
    ['for (location of [document.title]);', 'navigation_undeterminable'],
    ['for (location.href of [document.title]);', 'navigation_undeterminable'],
    ['var location = document.title', 'navigation_undeterminable'],
    ['Reflect.set(location, "href", document.title)', 'navigation_undeterminable'],
    ['Object.assign(location, { href: document.title })', 'navigation_undeterminable'],
    ['location.host = document.title', 'navigation_undeterminable'],
    ['location.hostname = "a.example"', 'remote_navigation'],
    ['Object.assign(location, { href: "javascript:go()" })', 'javascript_url'],
  ],
  'functions that make elements': [
    [
      'import { h } from "./lib.js"; h("script")',
      'script_element',
      'const el = (t) => document.createElement(t); export const h = (t) => el(t)',
    ],
    [
      'import { h } from "./lib.js"; h("script")',
      'script_element',
      'export const h = document.createElement.bind(document)',
    ],
    [
      'import { h } from "./lib.js"; const make = h; make("script")',
      'script_element',
      'export const h = (t) => document.createElement(t)',
    ],
    [
      'import * as dom from "./lib.js"; const { h } = dom; h("script")',
      'script_element',
      'export const h = (t) => document.createElement(t)',
    ],
    [
      'import { h } from "./lib.js"; const make = (t) => h(t); make("script"); export { make }',
      'script_element',
      'export const h = (t) => document.createElement(t); import { make } from "./app.js"; make("script")',
    ],
  ],
  'ways to the document': [
    ['document.documentElement.parentNode.write(document.title)', 'markup_undeterminable'],
    ['document.all[0].parentNode.write(document.title)', 'markup_undeterminable'],
    ['document.createRange().startContainer.write(document.title)', 'global_of_unknown'],
  ],
  'storage by the name of the window': [
    ['({ a: window.name } = { a: "x" })', 'direct_storage'],
    ['[window.name] = ["x"]', 'direct_storage'],
    ['name += "x"', 'direct_storage'],
    ['[name] = ["x"]', 'direct_storage'],
    ['for (name of ["x"]);', 'direct_storage'],
  ],
  'the device': [
    ['for (const c of ["copy"]) document.execCommand(c)', 'direct_device'],
    ['document.createElement("input").toggleAttribute("capture")', 'direct_device'],
    ['document.querySelector("input").capture = "user"', 'direct_device'],
    ['new SpeechSynthesisUtterance("a")', 'direct_device'],
    ['documentPictureInPicture.requestWindow()', 'direct_device'],
    ['LanguageModel.create()', 'direct_device'],
    ['navigator.subApps.add({})', 'direct_device'],
    ['new FileSystemObserver(console.log)', 'direct_storage'],
    ['document.hasPrivateToken("https://a.example")', 'direct_network'],
    ['fence.reportEvent({})', 'direct_network'],
  ],
  'globals of others': [
    ['window.MyBridge.go()', 'undefined_global'],
    ['self.openFile("x")', 'undefined_global'],
    ['globalThis["bridge"].go()', 'undefined_global'],
    ['new window.FileBridge()', 'undefined_global'],
    ['module.require("fs")', 'native_bridge'],
    ['chrome.management.getAll()', 'native_bridge'],
    ['safari.self.tab.dispatchMessage("x")', 'native_bridge'],
  ],
  'imports while the app runs': [
    ['import("./" + document.title)', 'dynamic_import'],
    ['import("https://a.example/x.js")', 'module_remote'],
    ['import("lib")', 'module_bare'],
    ['import(`./none.js`)', 'script_missing'],
    ['import(`./lib.js`)', 'eval', 'eval("1")'],
    ['document.body.setAttribute("onclick", "import(\'./lib.js\')")', 'dynamic_import'],
  ],
};

for (const [name, rows] of Object.entries(FOUND))
  for (const [script, code, lib] of rows)
    test(`${name}: ${script} ${lib ?? ''}`, async () => {
      const found = await codes(script, lib);
      assert.ok(found.includes(code), `${code}, not ${found}`);
    });

/** Scripts without a finding, each with a module where it needs one. */
const SOUND: Readonly<Record<string, readonly (readonly [string, string?])[]>> = {
  'a parameter hides a function': [
    [
      'function t(e,n){return setTimeout(e,n)} function q(){t(()=>{},1)} function z(t){return t("x")} q();z(document.querySelector.bind(document))',
    ],
    ['const t=(e)=>setTimeout(e); t(()=>{}); [1].map(t=>t.foo("x")); function z(t){t("x=1")} z(console.log)'],
    ['function t(e){setTimeout(e)} t(()=>{}); { let t = console.log; t("a()") }'],
    ['function t(e){setTimeout(e)} t(()=>{}); try {} catch (t) { t("a()") }'],
    ['function t(e){setTimeout(e)} t(()=>{}); function z(t){console.log(t)} z(1)'],
    [
      '(function(){ function t(e){setTimeout(e)} t(()=>{}) })(); (function(){ function t(e){console.log(e)} t("a()") })()',
    ],
    [
      'import { run } from "./lib.js"; run(() => {}); function f(run) { run("a(1)") } f(console.log)',
      'export const run = (c) => setTimeout(c)',
    ],
  ],
  'a worker whose URL is not set yet': [
    ['let u=null; function f(){ u = "lib.js"; new Worker(u) } f()'],
    ['let u; u = "lib.js"; new Worker(u)'],
    ['let u=""; u="lib.js"; new Worker(u)'],
  ],
  'tests of features': [
    ['if (window.fetch) console.log(1)'],
    ['if (!window.fetch) console.log(1)'],
    ['const has = !!window.localStorage; console.log(has, !!window.cordova)'],
    ['const isWeb = !(window.cordova || window.Capacitor); console.log(isWeb)'],
    ['const has = window.fetch && window.Promise ? 1 : 2; console.log(has)'],
    ['console.log(window.fetch !== undefined, window.indexedDB != null, void 0 === self.caches)'],
    ['console.log(Boolean(window.localStorage), window.fetch ? 1 : 2)'],
    ['if (navigator.serviceWorker || navigator.geolocation) console.log(1)'],
    ['function has(w) { return !!w.localStorage } console.log(has)'],
    ['if (window.ActiveXObject) new ActiveXObject("Microsoft.XMLHTTP")'],
    ['console.log(globalThis.Bun?.version)'],
    ['if (!window.MyLib) throw new Error("none"); window.MyLib.go()'],
    ['console.log(window.MyLib?.version)'],
    ['window.MyLib = { go() {} }; window.MyLib.go()'],
  ],
  'imports of files of the package': [
    ['import(`./lib.js`).then((m) => m.go())', 'export function go() {}'],
    ['(async () => { const { go } = await import(`./lib.js`); go() })()', 'export function go() {}'],
    ['const load = (a) => import(a ? "./lib.js" : "./app.js"); load(1)', 'export {}'],
  ],
  'lists and JSON': [
    ['const get = (o, p) => p.split(".").reduce((a, k) => a[k], o); console.log(get({ a: { b: 1 } }, "a.b"))'],
    ['const o = JSON.parse(document.title); console.log(o.a, JSON.parse(\'{"a":1}\').a, JSON.parse("[1]")[0])'],
    ['console.log([1, 2].reduce((a, b) => a + b, 0), ["a"].reduce((o, k) => { o[k] = 1; return o }, {}))'],
    ['for (const k of ["click", "keydown"]) addEventListener(k, () => {})'],
    ['for (const tag of ["p", "b"]) document.body.append(document.createElement(tag))'],
    ['[() => {}, () => 1].forEach((f) => setTimeout(f))'],
  ],
  'constructors by their names': [
    ['const props = { done: Function, type: [Function, Object] }; console.log(props)'],
    ['class A { clone() { return new this.constructor() } } console.log(new A().clone())'],
    ['const Typed = Object.getPrototypeOf(Int8Array); console.log(Typed)'],
  ],
  'functions for timers': [
    ['class A { #f; constructor(f) { this.#f = f } go() { setTimeout(this.#f) } } new A(() => {}).go()'],
    ['const o = { set x(f) { setTimeout(f) } }; o.x = () => {}; const label = {}; label.y = "a (b)"'],
    ['function f({ done }) { setTimeout(done) } f({ done: () => {} })'],
    ['function f(...[a]) { setTimeout(a) } f(() => {})'],
    ['const html = (s, ...v) => s.raw.join("") + v.length; console.log(html`<p>a(1)</p>`)'],
    ['import { run } from "./lib.js"; run(() => {})', 'export const run = (c) => setTimeout(c)'],
  ],
  'the location': [
    ['location = location.href'],
    ['location.hash = document.title'],
    ['location.href = "page.html?x=" + document.title'],
    ['function f(location) { location = document.title } f()'],
    ['const point = { host: 1 }; point.host = document.title; Object.assign(point, { location: "x" })'],
  ],
};

for (const [name, rows] of Object.entries(SOUND))
  for (const [script, lib] of rows)
    test(`sound, ${name}: ${script} ${lib ?? ''}`, async () => {
      assert.equal(await codes(script, lib), []);
    });

test('an import while the app runs makes a module of the file', async () => {
  assert.equal(await codes('import(`./lib.js`)', 'export const a = await 1; window.x = a'), []);
});

/** Background code, and the code of the finding. */
const BACKGROUND: readonly (readonly [string, string])[] = [
  ['this.Host.call("camera.takePhoto")', 'background_operation_unknown'],
  ['var {Host: h} = this; h.call("camera.takePhoto")', 'background_operation_unknown'],
  ['var {java: j} = this; j.lang', 'background_java_bridge'],
  ['var j = this[JSON.parse("\\"java\\"")]; j.lang', 'background_java_bridge'],
  ['globalThis[JSON.parse("[\\"java\\"]")[0]].lang', 'background_java_bridge'],
  ['this.load("x")', 'background_engine_internal'],
  ['(function () { return this })().load("x")', 'background_engine_internal'],
  ['var g = (function () { return this }).call(null); g.load("x")', 'background_engine_internal'],
];

for (const [script, code] of BACKGROUND)
  test(`background: ${script}`, () => {
    const found = codesOf(auditedBackground(`${script}; function onBackgroundEvent() {}`));
    assert.ok(found.includes(code), `${code}, not ${found}`);
  });

test('background: the host calls the handler as a global function', () => {
  const handler = (body: string): string[] => codesOf(auditedBackground(`function onBackgroundEvent() { ${body} }`));
  assert.ok(handler('this.Host.call("camera.takePhoto")').includes('background_operation_unknown'));
  assert.ok(handler('this.load("x")').includes('background_engine_internal'));
});

test.run();
