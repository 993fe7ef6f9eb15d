/**
 * Globals that no browser has: bridges of other containers, and names that no script of the package
 * defines.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditedFiles, codesOf, type Files } from '../web/audited.ts';

const test = suite('admin-api/miniapp/audit/script/undefined');

/** The codes of a page that loads the scripts in this order. */
async function codes(scripts: readonly string[], body = ''): Promise<string[]> {
  const files: Files = Object.fromEntries(scripts.map((script, index) => [`${index}.js`, script]));
  const page = `${scripts.map((_, index) => `<script src=${index}.js></script>`).join('')}${body}`;
  return codesOf(
    await auditedFiles({ 'index.html': `<script src=host-sdk.js></script>${page}`, 'host-sdk.js': '', ...files }),
  );
}

const FOUND: Readonly<Record<string, readonly (readonly string[])[]>> = {
  native_bridge: [
    ['Android.readFile("x")'],
    ['window.Android.readFile("x")'],
    ['const { Android: a } = window; a.readFile("x")'],
    ['const bridge = wx; bridge.request({})'],
    ['wx.request({})'],
    ['if (typeof wx !== "undefined") wx.request({})'],
    ['if (window.wx) window.wx.request({})'],
    ['self["w" + "x"].request({})'],
    ['var wx; wx.request({})'],
    ['var wx = window.wx || {}; wx.request({})'],
    ['window.wx = window.wx; wx.request({})'],
    ['my.call("x")'],
    ['tt.request({})'],
    ['swan.request({})'],
    ['uni.postMessage({})'],
    ['WeixinJSBridge.invoke("x")'],
    ['window.__TAURI__.invoke("x")'],
    ['__TAURI_INTERNALS__.invoke("x")'],
    ['chrome.runtime.sendMessage("x")'],
    ['window.chrome.storage.local.get("x")'],
    ['browser.runtime.sendMessage("x")'],
    ['electron.shell.openExternal("x")'],
    ['ipcRenderer.send("x")'],
    ['process.binding("fs")'],
    ['Deno.readTextFile("x")'],
    ['pywebview.api.go()'],
    ['tizen.filesystem.resolve("x")'],
    ['cefQuery({})'],
    // An element of that name does not hide the bridge.
    ['document.getElementById("wx").id = "my"; my.call()'],
  ],
  undefined_global: [
    ['MyBridge.readFile("x")'],
    ['readFile("x")'],
    ['new FileBridge("x")'],
    ['const o = {}; o.a = 1; MyBridge.go()'],
    ['function f() { MyBridge.go() } f(); { let MyBridge = {}; MyBridge.go() }'],
    ['require("fs").readFileSync("x")'],
    ['const r = require; r("fs")'],
    ['if (1) require("electron").shell.openExternal("x")'],
  ],
  direct_storage: [
    ['window.name = JSON.stringify({ a: 1 })'],
    ['self.name += "x"'],
    ['globalThis["na" + "me"] = "x"'],
    ['name = "x"'],
  ],
};

for (const [code, cases] of Object.entries(FOUND))
  for (const scripts of cases)
    test(`${code}: ${scripts.join(' // ')}`, async () => {
      const found = await codes(scripts);
      assert.ok(found.includes(code), `${code}, not ${found}`);
    });

/** Scripts without a finding. */
const SOUND: readonly (readonly string[])[] = [
  // To ask is not to use.
  ['if (window.wx) console.log(1)'],
  ['const isAndroid = typeof Android !== "undefined"; console.log(isAndroid)'],
  ['const isMini = !!window.wx && !window.my; console.log(isMini)'],
  ['console.log(window.__TAURI__ ? "desktop" : "web", "wx" in window)'],
  // The package has something of its own by that name.
  ['var my = { call() {} };', 'my.call()'],
  ['function tt(text) { return text }', 'tt("x")'],
  ['window.wx = { request() {} };', 'wx.request(); window.wx.request()'],
  ['class Windows {}', 'new Windows()'],
  ['const model = { wx: 1, Android: { go() {} } }; model.Android.go(model.wx)'],
  ['function f(chrome, require) { chrome.runtime.go(require("x")) } f({}, String)'],
  ['chrome.runtime; var chrome = { runtime: 1 }'],
  // Bundles for loaders of modules.
  [
    '(function (root, factory) { if (typeof define === "function" && define.amd) define(["x"], factory); else if (typeof module === "object" && module.exports) module.exports = factory(require("x")); else root.Lib = factory(root.X) })(this, function () { return {} });',
    'console.log(Lib.version)',
  ],
  [
    '!function(e,t){"object"==typeof exports&&"undefined"!=typeof module?t(exports,require("x")):"function"==typeof define&&define.amd?define(["exports","x"],t):t((e=e||self).Lib={},e.X)}(this,function(e){e.go=function(){}});',
    'Lib.go()',
  ],
  [
    'var crypto2; if (typeof require === "function") { try { crypto2 = require("crypto") } catch {} } console.log(crypto2)',
  ],
  ['const parts = [require("./a.js")]; console.log(parts)'],
  ['const env = typeof process !== "undefined" && process.env.NODE_ENV; console.log(env)'],
  ['typeof __REACT_DEVTOOLS_GLOBAL_HOOK__ !== "undefined" && __REACT_DEVTOOLS_GLOBAL_HOOK__.inject({})'],
  ['if (window.jQuery) jQuery.fn.go = () => {}'],
  ['if ("Zepto" in window) Zepto.go()'],
  ['try { Promised.go() } catch {}'],
  // What another script has, however it came about.
  ['(function () { this.Tools = { go() {} } })();', 'Tools.go()'],
  ['shared = { go() {} }', 'shared.go()'],
  ['Object.prototype.__defineGetter__("magic", function () { return {} }); magic.x = 1'],
  ['Object.defineProperty(Object.prototype, "magic", { value: {} }); magic.x = 1'],
  // What browsers have.
  [
    'structuredClone(1); new AbortController(); visualViewport.width; hasOwnProperty.call({}, "x"); new CSSStyleSheet()',
  ],
  ['arguments.length; setImmediate(() => {}); new webkitURL("a.html", location.href)'],
  ['var name = "x"; console.log(name)'],
  ['let title; { let name; name = "x"; title = name } console.log(title)'],
  ['console.log(window.name, document.forms.name); document.forms[0].name = "x"'],
  ['function Person() { this.name = "x" } new Person()'],
];

for (const scripts of SOUND) test(scripts.join(' // '), async () => assert.equal(await codes(scripts), []));

test('functions of Object define globals', async () => {
  const define = ['Object.assign(window, { tools: {} })', 'Object.defineProperty(window, "tools", { value: {} })'];
  for (const script of define) assert.equal(await codes([script, 'tools.go()']), ['window_escapes'], script);
  assert.equal(await codes(['Object.assign(window, { tool: {} })', 'tools.go()']), [
    'undefined_global',
    'window_escapes',
  ]);
});

test('an element is a global by its id', async () => {
  assert.equal(await codes(['box.append("x")'], '<p id="box"></p>'), []);
  assert.equal(await codes(['document.body.innerHTML = "<p id=box></p>"; box.append("x")']), []);
  assert.equal(await codes(['box.append("x")'], '<p class="box"></p>'), ['undefined_global']);
});

test('a template between script tags is no script', async () => {
  const template = '<script type="text/template">{{item.title}} {{my.call()}}</script>';
  assert.equal(await codes(['document.title = "a"'], template), []);
});

test('a bridge is reported as a bridge only', async () => {
  assert.equal(await codes(['Android.go()']), ['native_bridge']);
  assert.equal(await codes(['browser.go()']), ['undefined_global']);
});

test('a name is found once in a script', async () => {
  const script = 'MyBridge.a();\nMyBridge.b();\nMyBridge.c();';
  const found = await auditedFiles({
    'index.html': '<script src=host-sdk.js></script><script src=a.js></script>',
    'host-sdk.js': '',
    'a.js': script,
  });
  assert.equal(
    found.map(({ code, line }) => [code, line]),
    [['undefined_global', 1]],
  );
});

test.run();
