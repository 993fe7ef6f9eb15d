// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are scripts
/** Ways to hide what a script does, and ordinary code that looks like one of them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditedFiles, auditedScript, codesOf } from './audited.ts';

const test = suite('admin-api/miniapp/audit/web/evasions');

/** Script and the code of a finding that it must have. */
const SCRIPTS: readonly (readonly [string, string])[] = [
  ['(0, eval)("1")', 'eval'],
  ['const e = eval; e("1")', 'eval'],
  ['window.eval("1")', 'eval'],
  ['globalThis["ev" + "al"]("1")', 'eval'],
  ['self[`ev${"al"}`]("1")', 'eval'],
  ['const k = "ev"; const l = "al"; window[k + l]("1")', 'eval'],
  ['window[["e", "v", "a", "l"].join("")]("1")', 'eval'],
  ['window["lave".split("").reverse().join("")]("1")', 'eval'],
  ['window[String.fromCharCode(101, 118, 97, 108)]("1")', 'eval'],
  ['window[atob("ZXZhbA==")]("1")', 'eval'],
  ['window["xeval".slice(1)]("1")', 'eval'],
  ['window["e_val".replace("_", "")]("1")', 'eval'],
  ['window["\\u0065val"]("1")', 'eval'],
  ['const { eval: run } = window; run("1")', 'eval'],
  ['let run; ({ eval: run } = window); run("1")', 'eval'],
  ['const [w] = [window]; w["eval"]("1")', 'eval'],
  ['const { a: { b } } = { a: { b: window } }; b.eval("1")', 'eval'],
  ['(function (w) { w.eval("1") })(window)', 'eval'],
  ['((w, k) => w[k]("1"))(window, "eval")', 'eval'],
  ['(function () { this.eval("1") })()', 'eval'],
  ['(function () { return this })().eval("1")', 'eval'],
  ['this.eval("1")', 'eval'],
  ['window.window.self.globalThis.eval("1")', 'eval'],
  ['document.defaultView.eval("1")', 'eval'],
  ['top.eval("1")', 'eval'],
  ['(Math.random() > 2 ? String : eval)("1")', 'eval'],
  ['var w; w = window; w["eval"]("1")', 'eval'],
  ['w = window; w.eval("1")', 'eval'],
  ['Reflect.get(window, "eval")("1")', 'eval'],
  ['eval?.("1")', 'eval'],
  ['eval`1`', 'eval'],
  ['var eval; eval("1")', 'eval'],
  ['function run(w) { w["ev" + "al"]("1") } run(window)', 'eval'],
  ['function run(w) { w["ev" + "al"]("1") } start(run)', 'global_of_unknown'],
  ['Function("return 1")()', 'function_constructor'],
  ['Function`return 1``', 'script_syntax'],
  ['Function`return 1`', 'function_constructor'],
  ['const F = Function; new F("1")', 'function_constructor'],
  ['window.Function("1")', 'function_constructor'],
  ['(function () {}).constructor("1")()', 'function_constructor'],
  ['(() => {})["const" + "ructor"]("1")()', 'function_constructor'],
  ['Object.getPrototypeOf(async function () {}).constructor("1")()', 'function_constructor'],
  ['Object.getPrototypeOf(function* () {}).constructor("1")()', 'function_constructor'],
  ['[].filter.constructor("1")()', 'function_constructor'],
  ['"".constructor.constructor("1")()', 'function_constructor'],
  ['[]["filter"]["constructor"]("1")()', 'function_constructor'],
  ['({}).constructor.constructor("1")()', 'function_constructor'],
  ['x.constructor.constructor("1")(); var x = {}', 'function_constructor'],
  ['Reflect.construct(Function, ["1"])()', 'function_constructor'],
  ['Reflect.apply(Function, null, ["1"])()', 'function_constructor'],
  ['Function.call(null, "1")()', 'function_constructor'],
  ['Function.prototype.constructor("1")()', 'function_constructor'],
  ['Function.bind(null, "1")()()', 'function_constructor'],
  ['const { constructor: C } = () => {}; C("1")()', 'function_constructor'],
  ['class A {} A.constructor("1")()', 'function_constructor'],
  ['({ f: Function }).f("1")()', 'function_constructor'],
  ['setTimeout("go" + "()")', 'string_timer'],
  ['window.setInterval(`go()`, 1)', 'string_timer'],
  ['setTimeout.call(window, "go()")', 'string_timer'],
  ['const later = setTimeout; later("go()")', 'string_timer'],
  ['function f(x) { setTimeout("go(" + x + ")") } f(1)', 'string_timer'],
  ['document.write("<script src=//example.com/a.js><\\/script>")', 'markup_with_code'],
  ['const w = document.write.bind(document); w("<p onclick=go()>")', 'markup_with_code'],
  ['document["body"]["inner" + "HTML"] = "<a href=\'java\\tscript:go()\'>"', 'markup_with_code'],
  ['document.body.insertAdjacentHTML("beforeend", "<iframe>")', 'markup_with_code'],
  ['function f(x) { document.body.innerHTML = `<p onclick="${x}">` } f(1)', 'markup_with_code'],
  ['new DOMParser().parseFromString("<script>go()</script>", "text/html")', 'markup_with_code'],
  ['document.createRange().createContextualFragment("<script>go()</script>")', 'markup_with_code'],
  ['document.createElement("SCR" + "IPT")', 'script_element'],
  ['document.createElementNS("http://www.w3.org/2000/svg", "svg:script")', 'script_element'],
  [
    'const d = document; const s = d.createElement("script"); s.setAttribute("src", "//example.com/a.js")',
    'remote_script',
  ],
  ['location = "javascript:go()"', 'javascript_url'],
  ['window.location.href = " java\\nscript:go()"', 'javascript_url'],
  ['location.assign("javascript:go()")', 'javascript_url'],
  ['document.body.setAttribute("href", "\\u0001javascript:go()")', 'javascript_url'],
  ['const n = navigator; n.geolocation.getCurrentPosition(String)', 'direct_device'],
  ['const { geolocation } = navigator; geolocation.getCurrentPosition(String)', 'direct_device'],
  ['document.cookie = "a=b"', 'direct_storage'],
  ['const f = window["fet" + "ch"]; f("//example.com")', 'direct_network'],
  ['new window.XMLHttpRequest()', 'direct_network'],
  ['fetch("x"); var fetch = 0', 'direct_network'],
  ['window.parent.postMessage(1, "*")', 'parent_message'],
  ['Object.assign(Host, {})', 'host_overwritten'],
  ['Object.defineProperty(window, "Host", {})', 'host_overwritten'],
  ['var Host = {}', 'host_overwritten'],
  ['document.body.setAttribute("on" + "click", "eval(1)")', 'eval'],
  ['const o = { k: "x" }; o.k = "ev" + "al"; window[o.k]("1")', 'computed_global'],
  ['const l = []; l.push("eval"); window[l.join("")]("1")', 'computed_global'],
  ['Host.storage.get = String', 'host_overwritten'],
  ['delete Host.storage', 'host_overwritten'],
  ['const h = Host; h.storage.drop()', 'host_operation_unknown'],
  ['const { storage } = Host; storage.gte("x")', 'host_operation_unknown'],
  ['const s = window.Host.storage; s.get()', 'host_arguments'],
  ['const h = Host; start(h); function start() {}', 'host_escapes'],
  ['new Worker("data:text/javascript,1")', 'worker_from_code'],
  ['new Worker(new URL("https://example.com/w.js"))', 'worker_from_code'],
  ['(async () => { const r = await Host.network.fetch("x"); eval(r.body) })()', 'fetched_code'],
  ['Host.network.fetch("x").then((r) => r.text()).then((t) => { new Function(t) })', 'fetched_code'],
  ['Object.values(window).find(Boolean)', 'computed_global'],
  ['const id = (x) => x; id(window)["Func" + "tion"]("1")()', 'window_escapes'],
  ['const o = { get w() { return window } }; o.w["fet" + "ch"]("//example.com")', 'window_escapes'],
  ['class A { static #w = window; static f() { A.#w[`Func${"tion"}`]("1")() } } A.f()', 'window_escapes'],
  ['for (const w of [window]) w[k()]("1"); function k() { return "ev" + "al" }', 'window_escapes'],
  ['const m = {}; m.w = window; m.w.fetch("//example.com")', 'window_escapes'],
  ['new Map([["k", globalThis]]).get("k").fetch("//example.com")', 'window_escapes'],
  ['f(this); function f(w) { w.fetch("//example.com") }', 'window_escapes'],
  ['function f() { return this } f().fetch("//example.com")', 'window_escapes'],
  ['addEventListener("load", (e) => e.currentTarget["fet" + "ch"]("//example.com"))', 'global_of_unknown'],
  ['addEventListener("load", function () { this.fetch("//example.com") })', 'direct_network'],
  ['setTimeout(function () { this.fetch("//example.com") })', 'direct_network'],
  ['(function () { return this }).apply().fetch("//example.com")', 'window_escapes'],
  ['document.body.ownerDocument.defaultView.fetch("//example.com")', 'direct_network'],
  ['document.getElementById("text").ownerDocument.defaultView.fetch("//example.com")', 'direct_network'],
  ['addEventListener("load", (e) => { e.target.ownerDocument.cookie = "a=b" })', 'direct_storage'],
  [
    'f(document.querySelector("p")); function f(p) { p.ownerDocument.write("<script>go()</scr" + "ipt>") }',
    'markup_with_code',
  ],
  ['const f = () => {}; const k = Object.keys({ constructor: 1 })[0]; f[k]("1")()', 'constructor_called'],
  ['for (const k in { constructor: 1 }) [][k][k]("1")()', 'constructor_called'],
  ['function constructor() {} (() => {})[constructor.name]("1")()', 'constructor_called'],
  ['function f(a) { return ["1"].map(a.constructor)[0] } f(f)()', 'constructor_called'],
  ['function f(a) { class G extends a.constructor {} new G("1")() } f(f)', 'constructor_called'],
  ['Object.getOwnPropertyDescriptor(Function.prototype, "constructor").value("1")()', 'constructor_called'],
  ['try { null.x } catch ({ constructor: { constructor: F } }) { F("1")() }', 'function_constructor'],
  ['const s = document.scripts[0].cloneNode(); s.src = "//example.com/a.js"', 'remote_script'],
  ['const s = document.getElementById("code").cloneNode(); s.src = "//example.com/a.js"', 'remote_source'],
];

for (const [script, code] of SCRIPTS)
  test(script, async () =>
    assert.ok(
      codesOf(await auditedScript(script)).includes(code),
      `${code}, not ${codesOf(await auditedScript(script))}`,
    ),
  );

/** Ordinary code without a finding. */
const ORDINARY: readonly string[] = [
  'function f(eval1, fetch) { return fetch(eval1) } f(1, String)',
  'const model = { fetch() {}, eval: 1, open() {} }; model.fetch(); model.open()',
  'import("x") && 0'.replace('import("x") && 0', 'const a = { import: 1 }; a.import'),
  'class Copy { copy() { return new this.constructor(this.size) } } new Copy().copy()',
  'if (typeof fetch === "function" && typeof eval === "function") console.log(1)',
  'try { JSON.parse("x") } catch (fetch) { console.log(fetch) }',
  'const { fetch } = Host.network; fetch("https://example.com/").then((r) => r.json()).then(console.log)',
  'Host.storage.get("a").then((v) => { document.body.textContent = v })',
  'const root = document.getElementById("root"); root.innerHTML = ""; root.innerHTML = "<b>x</b>"',
  'const list = [1, 2]; const i = 1; list[i]; for (const x of list) console.log(x)',
  'setTimeout(function () {}, 1); setInterval(() => {}, 1); const t = () => {}; setTimeout(t)',
  'document.querySelectorAll("a").forEach((a) => a.addEventListener("click", () => {}))',
  'const img = document.createElement("img"); img.src = "lib.js"',
  'const url = new URL("lib.js", location.href); url.href',
  '`a${1}b`.split("").map((x) => x.constructor.name)',
  'window.addEventListener("load", () => {}); window.app = {}',
  '#!/usr/bin/env node\nconsole.log(1)',
];

for (const script of ORDINARY) test(script, async () => assert.equal(await auditedScript(script), []));

/** Markup and the code of a finding that it must have. */
const MARKUP: readonly (readonly [string, string])[] = [
  ['<a href="&#106;avascript:go()">', 'javascript_url'],
  ['<a href=" &#x01;jav&#x0a;ascript&colon;go()">', 'javascript_url'],
  ['<svg><a xlink:href="javascript:go()">', 'javascript_url'],
  ['<math href="javascript:go()">', 'javascript_url'],
  ['<form action="JaVaScRiPt:go()">', 'javascript_url'],
  ['<button formaction="javascript:go()">', 'javascript_url'],
  ['<iframe srcdoc="&lt;script src=//example.com/a.js&gt;&lt;/script&gt;">', 'remote_script'],
  ['<svg><script href="https://example.com/a.js"/></svg>', 'remote_script'],
  ['<script src="\\\\example.com\\a.js"></script>', 'remote_script'],
  ['<script src="data:text/javascript,go()"></script>', 'remote_script'],
  // What is no source of this element does not keep its text from running.
  ['<script href="a.js">eval(1)</script>', 'eval'],
  ['<script x:src="a.js">eval(1)</script>', 'eval'],
  ['<svg><script src="a.js">eval(1)</script></svg>', 'eval'],
  ['<svg><script x:href="a.js">eval(1)</script></svg>', 'eval'],
  ['<script x:type="text/plain">1 +</script>', 'script_syntax'],
  ['<link rel="modulepreload" href="//example.com/a.js">', 'remote_script'],
  ['<template><script>eval("1")</script></template>', 'eval'],
  ['<div><template shadowrootmode="open"><p onclick="eval(1)"></template></div>', 'eval'],
  ['<noscript><iframe></noscript>', 'frame_element'],
  ['<svg><set attributeName="onclick" to="go()">', 'animated_url'],
  ['<p onclick="&#101;val(1)">', 'eval'],
  ['<p onclick="write(`<script>go()</scr` + `ipt>`)">', 'markup_with_code'],
  ['<style>@import "https://example.com/a.css"</style>', 'remote_style'],
  ['<p style="background: u\\72l(https://example.com/a.png)">', 'remote_resource'],
  ['<style>p { be\\68 avior: url(a.htc) }</style>', 'style_code'],
  ['<style>p { background: url("javascript:go()") }</style>', 'style_code'],
  ['<meta http-equiv="refresh" content="0 //example.com">', 'meta_refresh'],
  ['<form action="data:text/html,<script>go()</script>">', 'javascript_url'],
  ['<svg><use href="data:image/svg+xml,<svg/>#x">', 'javascript_url'],
  ['<svg><script>/*&#42;&#47;eval(1)/**/</script>', 'eval'],
  ['<svg><script>"<g>";x="</g>";eval(1)//"</script>', 'eval'],
  ['<svg><script>ev<!-- -->al(1)</script>', 'eval'],
  ['<script type="later">eval(1)</script>', 'eval'],
  ['<script charset="iso-2022-jp">1</script>', 'charset_not_utf8'],
  ['<img srcset="a.png 1x, //example.com/b.png 2x">', 'remote_resource'],
  ['<form action="https://example.com/">', 'remote_navigation'],
  ['<meta http-equiv="Content-Security-Policy" content="default-src *">', 'csp_loosened'],
];

for (const [markup, code] of MARKUP)
  test(markup, async () => {
    const found = codesOf(await auditedFiles({ 'page.html': markup }));
    assert.ok(found.includes(code), `${code}, not ${found}`);
  });

test('a name bound by one classic script is visible in the next', async () => {
  const found = await auditedFiles({
    'page.html': '<script src=b.js></script><script src=a.js></script>',
    'b.js': 'var F = Function, w = window;',
    'a.js': 'F("1")(); w["local" + "Storage"];',
  });
  assert.equal(codesOf(found), ['direct_storage', 'function_constructor']);
});

test('positions are those of the page, in inline scripts too', async () => {
  const [found] = await auditedFiles({ 'page.html': '<p>\n<script>\n  eval("1");\n</script>' });
  assert.equal(
    [found.code, found.file, found.line, found.column, found.excerpt],
    ['eval', 'page.html', 3, 3, '  eval("1");'],
  );
});

test('markup is audited under every file name that a browser shows', async () => {
  const page = '<!doctype html><script>eval(1)</script>';
  for (const path of ['page', 'page.bin', 'page.shtml'])
    assert.equal(codesOf(await auditedFiles({ [path]: page })), ['eval'], path);
  assert.equal(await auditedFiles({ 'page.txt': page, 'page.png': page }), []);
});

test('an XML file is read like an XML parser reads it', async () => {
  const bodies = [
    '<textarea><script>eval(1)</script></textarea>',
    '<style><b><script>eval(1)</script></b></style>',
    '<script>/*&#42;&#47;eval(1)/**/</script>',
    '<script>ev<!-- -->al(1)</script>',
  ];
  for (const body of bodies) {
    const found = await auditedFiles({
      'a.xhtml': `<html xmlns="http://www.w3.org/1999/xhtml"><body>${body}</body></html>`,
    });
    assert.ok(codesOf(found).includes('xml_hidden_markup'), body);
  }
  const declared = await auditedFiles({ 'a.svg': '<?xml version="1.0" encoding="iso-2022-jp"?><svg/>' });
  assert.equal(codesOf(declared), ['charset_not_utf8']);
});

test('an imported file is parsed as a module, and an unused one by its syntax', async () => {
  const found = await auditedFiles({
    'page.html': '<script type=module src=a.js></script>',
    'a.js': 'import "./b.js"; await 1;',
    'b.js': 'export const b = import.meta.url;',
    'c.js': 'export {};',
  });
  assert.equal(
    found.map(({ code, file }) => [code, file]),
    [['script_unreferenced', 'c.js']],
  );
});

test.run();
