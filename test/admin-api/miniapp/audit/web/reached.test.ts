// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are scripts
/**
 * What scripts reach without naming it: by events, `this`, functions of their own, and more values
 * than are distinguished.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditedScript, codesOf } from './audited.ts';

const test = suite('admin-api/miniapp/audit/web/reached');

const MANY = Array.from({ length: 20 }, (_, i) => i);
/** Names for the window, each for the one before it. */
const aliases = (count: number): string =>
  `const a0 = window; ${Array.from({ length: count }, (_, i) => `const a${i + 1} = a${i};`).join('')}`;

/** Script and the code of a finding that it must have. `k` is a function of another script. */
const SCRIPTS: readonly (readonly [string, string])[] = [
  ['document.addEventListener("click", function (e) { e.view.fetch(1) })', 'global_of_unknown'],
  ['addEventListener("load", (e) => { const w = e.view; w.fetch(1) })', 'global_of_unknown'],
  ['addEventListener("click", go); function go(e) { e.currentTarget.fetch(1) }', 'global_of_unknown'],
  ['addEventListener("message", (e) => e.source.fetch(1)); postMessage(1)', 'global_of_unknown'],
  ['addEventListener("x", (e) => e.composedPath().pop().fetch(1))', 'global_of_unknown'],
  ['addEventListener("x", (e) => e.composedPath().find((one) => one.fetch)(1))', 'global_of_unknown'],
  ['addEventListener("x", (e) => e.view[k()](1))', 'computed_global'],
  ['addEventListener("x", (e) => { e.view.document.cookie = 1 })', 'direct_storage'],
  ['document.body.setAttribute("onclick", "event.view.fetch(1)")', 'global_of_unknown'],
  ['document.body.setAttribute("onclick", "cookie = 1")', 'direct_storage'],
  ['document.body.setAttribute("onclick", "innerHTML = k()")', 'markup_undeterminable'],
  ['onload = function () { this.fetch(1) }', 'direct_network'],
  ['queueMicrotask(function () { this.fetch(1) })', 'direct_network'],
  ['[1].forEach(function () { this.fetch(1) })', 'global_of_unknown'],
  ['function f() { this.fetch(1) } f()', 'direct_network'],
  ['const f = function () { const w = this; w.fetch(1) }; f()', 'direct_network'],
  ['function f() { return this[k()](1) } f()', 'computed_global'],
  ['function f() { const { fetch: x } = this; x(1) } f()', 'direct_network'],
  ['const id = (x) => x; id(document).cookie = 1', 'direct_storage'],
  ['function id(x) { k(); return x } id(document).write("<p onclick=go()>")', 'markup_with_code'],
  ['const o = {}; o.d = document; o.d.cookie = 1', 'global_of_unknown'],
  ['class A { constructor(d) { this.d = d } go() { this.d.write(k()) } } new A(document)', 'global_of_unknown'],
  ['k(navigator)', 'window_escapes'],
  [`let w = 0; ${MANY.map((i) => `w = ${i};`).join('')} w = window; w.fetch(1)`, 'direct_network'],
  [`let w = ${MANY.map((i) => `k() ? ${i} : `).join('')} window; w.fetch(1)`, 'direct_network'],
  [`${aliases(900)} a900.fetch(1)`, 'direct_network'],
  [`${aliases(2100)} a2100.fetch(1)`, 'script_too_intricate'],
  ['k.constructor(k())()', 'constructor_called'],
  ['k.constructor(...["1"])()', 'constructor_called'],
  ['new k.constructor(k())()', 'constructor_called'],
  ['Object.getOwnPropertyDescriptors(Object.getPrototypeOf(k))', 'constructor_called'],
  ['const code = k(); setTimeout(code)', 'timer_undeterminable'],
  ['setTimeout(k.list[k()], 1)', 'timer_undeterminable'],
  ['setTimeout(...k())', 'timer_undeterminable'],
  ['setTimeout.apply(null, k())', 'timer_undeterminable'],
  ['Host.storage.get("x").then((code) => setTimeout(code))', 'timer_undeterminable'],
  ['const o = {}; o.later = setTimeout; o.later("x()")', 'timer_undeterminable'],
  ['new Worker(new URL("w.js", "https://example.com/"))', 'worker_from_code'],
  ['new Worker(new URL("lib.js", k()))', 'worker_undeterminable'],
  ['Reflect.construct(Worker, k())', 'worker_undeterminable'],
  ['new Worker("no.js")', 'script_missing'],
  ['const made = document.createElement(k()); made.textContent = k()', 'element_undeterminable'],
  ['const made = document.createElement(k()); made.setAttribute("src", k())', 'element_undeterminable'],
  ['const made = document.createElement(k()); made.append(k())', 'element_undeterminable'],
  ['const made = document.createElement(k()); Object.assign(made, k())', 'attribute_undeterminable'],
  ['document.currentScript.cloneNode().append(k())', 'script_element'],
  ['document.getElementsByTagName("script")[0].text = k()', 'script_element'],
  ['Object.assign(document.body, { innerHTML: k() })', 'markup_undeterminable'],
  ['Reflect.set(document.body, "innerHTML", k())', 'markup_undeterminable'],
  ['[document.body.innerHTML] = [k()]', 'markup_undeterminable'],
  ['for (document.body.innerHTML of [k()]);', 'markup_undeterminable'],
  ['document.body.innerHTML ??= k()', 'markup_undeterminable'],
  ['Object.getOwnPropertyDescriptor(Element.prototype, "innerHTML").set.call(k(), k())', 'markup_undeterminable'],
  ['document.execCommand("insertHTML", false, k())', 'markup_undeterminable'],
  ['new DOMParser().parseFromString(k(), "text/html")', 'markup_undeterminable'],
  ['new XSLTProcessor()', 'markup_undeterminable'],
  ['document.body[k()] = k()', 'attribute_undeterminable'],
  ['function set(p, n, v) { p[n] = v } set(document.body, k(), k()); set(k(), "id", k())', 'attribute_undeterminable'],
  ['function set(p, v) { p[v.name.trim()] = v.text } set(document.body, k())', 'attribute_undeterminable'],
  ['k()[k() ? "innerHTML" : "title"] = k()', 'markup_undeterminable'],
  ['setTimeout(name)', 'timer_undeterminable'],
  ['setTimeout(k() || String)', 'timer_undeterminable'],
  ['setTimeout(location.hash)', 'timer_undeterminable'],
  ['const { run } = k; setTimeout(run)', 'timer_undeterminable'],
  ['const run = k.run || k.go; setTimeout(run)', 'timer_undeterminable'],
  ['const later = (task) => setTimeout(task); later(k.run)', 'timer_undeterminable'],
  ['class Job { run() {} } k().then((job) => setTimeout(job.run))', 'timer_undeterminable'],
  ['class Job { run() {} } new Job().go; k.run = "go()"; setTimeout(k.run)', 'timer_undeterminable'],
  ['function f(x) { return this.constructor(x) } Reflect.apply(f, f, [k()])()', 'constructor_called'],
  ['const o = { f(x) { return this.constructor(x) } }; const { f } = o; f.bind(f)(k())()', 'constructor_called'],
  ['function f(x) { return this.constructor(x) } [k()].map(f, f)[0]()', 'constructor_called'],
  ['function f() {} f.g = function (x) { return this.constructor(x) }.bind(f)', 'constructor_called'],
  ['function f(x) { return x[k() ? "constructor" : "name"](k()) } k.f = f', 'global_of_unknown'],
  ['function f(x, n) { let c = "con"; c += n; c += "tor"; return x[c](k()) } k.f = f', 'constructor_called'],
  ['function f(x, n) { let c = "con"; c += n; const g = x[c]; return g(k()) } k.f = f', 'constructor_called'],
  ['const s = `${k()}`; s[k()][k()](k())()', 'constructor_called'],
  ['"a b".split(" ")[k()][k()](k())()', 'constructor_called'],
  ['document.createAttribute("onclick")', 'handler_attribute_set'],
  ['location = k()', 'navigation_undeterminable'],
  ['location.replace(`${k()}/page.html`)', 'navigation_undeterminable'],
  ['open(k())', 'navigation_undeterminable'],
  ['navigation.navigate("javascript:go()")', 'javascript_url'],
  ['const a = document.createElement("a"); a.href = k(); a.click()', 'navigation_undeterminable'],
  ['const a = k(); a.click(); a.setAttribute("href", k())', 'navigation_undeterminable'],
  ['document.forms[0].action = k(); document.forms[0].submit()', 'navigation_undeterminable'],
  [
    'const a = k(); Object.assign(a, { href: k() }); a.dispatchEvent(new MouseEvent("click"))',
    'navigation_undeterminable',
  ],
  ['const a = k(); a.href = "https://example.com/"; a.click()', 'remote_navigation'],
  ['const a = k(); a.href = "javascript:go()"; a.click()', 'javascript_url'],
  ['document.body.attributes[0].value = k()', 'attribute_undeterminable'],
  ['const one = k().getAttributeNode("x"); one.nodeValue = "go()"', 'attribute_undeterminable'],
  ['document.body.attributes.getNamedItem("x").textContent = k()', 'attribute_undeterminable'],
  ['document.body.setAttributeNode(k())', 'attribute_undeterminable'],
  ['document.body.attributes.setNamedItem(k())', 'attribute_undeterminable'],
  ['document.body.style.backgroundImage = "url(https://example.com/a.png)"', 'remote_resource'],
  ['document.body.style.setProperty("background", `url(//example.com/${k()})`)', 'remote_resource'],
  ['document.body.setAttribute("style", "background: url( \'//example.com/a\')")', 'remote_resource'],
  ['k().style["background-image"] = "url(//example.com/a.png)"', 'remote_resource'],
  ['k().style[k()] = "url(//example.com/a.png)"', 'remote_resource'],
  ['k().style.WebkitMaskImage = "url(//example.com/a.png)"', 'remote_resource'],
  ['k().style.backgroundImage = `image-set("//example.com/a.png" 1x)`', 'remote_resource'],
  ['k().addRule("p", "background: url(//example.com/a.png)")', 'remote_resource'],
  ['new FontFace("Own", "url(//example.com/a.woff2)")', 'remote_resource'],
  ['k().insertRule("@import \'//example.com/a.css\'")', 'remote_resource'],
  [
    'const s = document.createElement("style"); s.textContent = "p { cursor: url(//example.com/a) }"',
    'remote_resource',
  ],
  ['const l = document.createElement("link"); l.href = "//example.com/a.css"', 'remote_resource'],
  ['location = "intent://x#Intent;end"', 'remote_navigation'],
  ['document.querySelector("a").href = "file:///etc/hosts"', 'remote_navigation'],
];

for (const [script, code] of SCRIPTS)
  test(script.slice(0, 200), async () => {
    const codes = codesOf(await auditedScript(script));
    assert.ok(codes.includes(code), `${code}, not ${codes}`);
  });

/** What comes near, without a finding. */
const ORDINARY: readonly string[] = [
  'addEventListener("click", ({ target }) => { target.value = target.dataset.text; target.closest("li").remove() })',
  'addEventListener("click", (e) => { if (e.composedPath().includes(document.body)) e.stopPropagation() })',
  'class Store { fetch(key) { return Host.storage.get(key) } load() { return this.fetch("a") } } new Store().load()',
  '"use strict"; function Model() { this.fetch = () => 1 } Model.prototype.load = function () { return this.fetch() }; new Model()',
  'function List(items) { this.items = items; this.parent = null; this.view = {} } List.prototype.first = function () { return this.items[0] }; new List([])',
  'const make = (tag, text) => { const made = document.createElement(tag); made.textContent = text; return made }; make("p", k()); make("b", k())',
  'const copy = document.querySelector("template").content.cloneNode(true); copy.querySelector("p").textContent = k()',
  'const observer = new MutationObserver(k); observer.observe(document, { childList: true })',
  'const link = document.createElement("a"); link.href = URL.createObjectURL(k()); link.download = "a.txt"; link.click()',
  'const link = document.createElement("a"); link.href = "#" + k(); link.click(); k().href = k(); k().click',
  'const button = k(); button.click(); const field = k(); field.value = k(); field.attributes.length',
  'const card = k(); card.style.backgroundImage = `url(${k()})`; card.style.background = "url(data:image/png;base64,AA==)"; card.style.content = "x"',
  'const form = k(); form.action = "#"; form.requestSubmit(); const mail = k(); mail.href = "mailto:" + k(); mail.click()',
  'const labels = { save: "Save", close: "Close" }; class Menu { close() {} later() { setTimeout(this.close, 300, labels) } } new Menu()',
  'class Debounced { constructor(run) { this.run = run } start() { setTimeout(this.run, 9) } } new Debounced(() => {})',
  'function later(run, ms) { setTimeout(run, ms) } const app = { save() {} }; later(app.save, 9); later(() => {}, 9); setTimeout(print)',
  'function poll({ onDone, every }) { setInterval(onDone, every) } poll({ onDone: () => {}, every: 9 })',
  'const table = { a: String, b: Number }; function f(type, x) { return table[type](x) } k(f)',
  'function f(date, part) { return date["get" + part](1) || date[`set${part}`](2) } k(f)',
  'const HEX = "0123456789abcdef"; let text = ""; for (const byte of k()) text += HEX[byte >> 4] + HEX[byte & 15]; k(text[0][1])',
  'let at = 0; for (;;) { at += 2; k(k()[at](at)) }',
  'function assign(target, source) { for (const key in source) target[key] = source[key]; return target } assign(document.body, k())',
  'class Shape { scaled(by) { return this.constructor(this.size * by) } } Shape.prototype.scaled.call(new Shape(), 2)',
  'const worker = new Worker("lib.js"); worker.postMessage(k())',
  'const tick = () => {}; setTimeout(tick.bind(null, 1)); setTimeout(function go() { setTimeout(go, 9) }, 9)',
  'function error(E) { return new E.constructor(E.message) } error(new Error("x"))',
];

for (const script of ORDINARY) test(script, async () => assert.equal(await auditedScript(script), []));

test.run();
