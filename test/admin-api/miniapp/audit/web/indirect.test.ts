// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are scripts
/**
 * What is called by other ways than where it is named, and what timers get from those who call a
 * function.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditedFiles, auditedScript, codesOf } from './audited.ts';

const test = suite('admin-api/miniapp/audit/web/indirect');

/** Script and the code of a finding that it must have. `k` is a function of another script. */
const SCRIPTS: readonly (readonly [string, string])[] = [
  ['onerror = setTimeout; throw "=1;go()"', 'timer_undeterminable'],
  ['JSON.parse(\'["go()"]\', (key, v) => setTimeout(v))', 'timer_undeterminable'],
  ['for (const c of ["go()"]) setTimeout(c)', 'string_timer'],
  ['class A { #c = "go()"; r() { setTimeout(this.#c) } } new A().r()', 'timer_undeterminable'],
  ['const o = { get c() { return "go()" } }; setTimeout(o.c)', 'timer_undeterminable'],
  ['const s = { toString() { return "go()" } }; setTimeout(s)', 'string_timer'],
  ['setTimeout(new String("go()"))', 'timer_undeterminable'],
  ['setTimeout(["go()"])', 'string_timer'],
  ['label: setTimeout(k?.c)', 'timer_undeterminable'],
  ['Range.prototype.createContextualFragment.call(document.createRange(), k())', 'markup_undeterminable'],
  ['customElements.define("x-a", class extends HTMLScriptElement {}, { extends: "script" })', 'script_element'],
  ['new HTMLScriptElement()', 'script_element'],
  ['addEventListener("devicemotion", k)', 'direct_device'],
  ['addEventListener("deviceorientation", k)', 'direct_device'],
  ['const v = document.createElement("source"); v.srcset="https://e.com/v"', 'remote_resource'],
  ['document.querySelector("img").srcset = "https://e.com/v 2x"', 'remote_resource'],
  ['new ShadowRealm().evaluate("x")', 'eval'],
  ['document.body.setAttribute("on" + k(), "go()")', 'attribute_undeterminable'],
  ['const o = { d(c) { setTimeout(c) } }; o.d("go()")', 'timer_undeterminable'],
  ['class A { d(c) { setTimeout(c) } } new A().d("go()")', 'timer_undeterminable'],
  ['class A { constructor(c) { setTimeout(c) } } new A("go()")', 'timer_undeterminable'],
  ['function f(c) { setTimeout(c) } f.call(null, "go()")', 'timer_undeterminable'],
  ['function f(c) { setTimeout(c) } f.apply(null, ["go()"])', 'timer_undeterminable'],
  ['function f(c) { setTimeout(c) } k(f)', 'timer_undeterminable'],
  ['function f(c) { setTimeout(c) } ["go()"].forEach(f)', 'timer_undeterminable'],
  ['["go()"].forEach((c) => setTimeout(c))', 'string_timer'],
  ['k((c) => setTimeout(c))', 'timer_undeterminable'],
  ['const f = (c) => setTimeout(c); const g = f; g("go()")', 'timer_undeterminable'],
  ['const o = {}; o.f = (c) => setTimeout(c); o.f("go()")', 'timer_undeterminable'],
  ['window.f = (c) => setTimeout(c); f("go()")', 'timer_undeterminable'],
  ['for (const c in {"go()": 1}) setTimeout(c)', 'timer_undeterminable'],
  ['for (const [c] of [["go()"]]) setTimeout(c)', 'string_timer'],
  ['try { throw "go()" } catch (c) { setTimeout(c) }', 'timer_undeterminable'],
  ['setTimeout(k + k)', 'timer_undeterminable'],
  ['const a = []; a.push("go()"); setTimeout(a)', 'string_timer'],
  ['const c = document.createElement("p"); setTimeout(c)', 'string_timer'],
  ['const c = new String("go()"); setTimeout(c)', 'timer_undeterminable'],
  ['class A { toString() { return "go()" } } setTimeout(new A())', 'timer_undeterminable'],
  ['setTimeout(new Error("go()"))', 'timer_undeterminable'],
  ['document.body.setAttribute(k(), "go()")', 'attribute_undeterminable'],
  ['Element.prototype.setAttribute.call(document.body, "onclick", "go()")', 'inline_handler'],
  ['document.body.setAttribute.call(k(), "onclick", "go()")', 'inline_handler'],
  ['document.body.setAttribute.apply(k(), ["onclick", "go()"])', 'inline_handler'],
  ['const s = document.body.setAttribute.bind(document.body); s("onclick", "go()")', 'inline_handler'],
  ['const s = document.body.setAttribute; s.call(k(), "onclick", "go()")', 'inline_handler'],
  ['["onclick"].forEach((n) => document.body.setAttribute(n, "go()"))', 'inline_handler'],
  ['Reflect.apply(Element.prototype.setAttribute, k(), ["onclick", "go()"])', 'inline_handler'],
  ['const {setAttribute} = document.body; setAttribute.call(k(), "onclick", "go()")', 'inline_handler'],
  ['Document.prototype.write.call(document, k())', 'markup_undeterminable'],
  ['HTMLDocument.prototype.write.apply(document, [k()])', 'markup_undeterminable'],
  ['document.open().write(k())', 'markup_undeterminable'],
  ['document.body.getRootNode().write(k())', 'markup_undeterminable'],
  ['document.body.insertAdjacentHTML.call(k(), "x", k())', 'markup_undeterminable'],
  ['const f = document.body.insertAdjacentHTML; f.call(k(), "x", k())', 'markup_undeterminable'],
  ['const f = document.body.insertAdjacentHTML.bind(document.body, "x"); f(k())', 'markup_undeterminable'],
  [
    'const d = Object.getOwnPropertyDescriptors(Element.prototype); d.innerHTML.set.call(document.body, k())',
    'markup_undeterminable',
  ],
  ['Element.prototype.__lookupSetter__("innerHTML").call(document.body, k())', 'markup_undeterminable'],
  ['document.body.__proto__.__lookupSetter__("innerHTML")', 'markup_undeterminable'],
  ['class A extends HTMLScriptElement {} new A()', 'script_element'],
  ['Reflect.construct(HTMLScriptElement, [])', 'script_element'],
  ['window.valueOf().fetch(1)', 'direct_network'],
];

for (const [script, code] of SCRIPTS)
  test(script, async () => {
    const codes = codesOf(await auditedScript(script));
    assert.ok(codes.includes(code), `${code}, not ${codes}`);
  });

/** What comes near, without a finding. */
const ORDINARY: readonly string[] = [
  'class A { t() {} s() { setTimeout(this.t.bind(this), 9) } } new A()',
  'function f(cb) { setTimeout(cb.bind(null, 1), 9) } f(() => {})',
  'const sleep = (ms) => new Promise((r) => setTimeout(r, ms)); sleep(1)',
  'function debounce(fn, ms) { let t; return (...a) => { clearTimeout(t); t = setTimeout(() => fn(...a), ms) } } debounce(() => {}, 1)',
  'const raf = window.requestAnimationFrame || ((cb) => setTimeout(cb, 16)); raf(() => {})',
  'window.requestAnimationFrame = window.requestAnimationFrame || function (cb) { return setTimeout(cb, 16) }',
  'const nextTick = typeof queueMicrotask === "function" ? queueMicrotask : (cb) => setTimeout(cb, 0); nextTick(() => {})',
  'class Q { #run; constructor(run) { this.#run = run } go() { setTimeout(this.#run, 1) } } new Q(() => {})',
  'class Q { #tick() {} go() { setTimeout(this.#tick, 1) } } new Q()',
  'for (const run of [() => {}, function () {}]) setTimeout(run, 9)',
  'const Timer = { after(ms, fn) { return setTimeout(fn, ms) } }; Timer.after(9, () => {}); Timer.name("a (b)"); window.Timer = Timer',
  'function Later(cb) { if (!cb) cb = function () {}; setTimeout(cb, 1) } Later()',
  'let cb = null; cb = () => {}; setTimeout(cb); onload = cb; onerror = () => {}',
  'const list = Array.prototype.slice.call(arguments); const name = Object.prototype.toString.call(k); k.apply(null, list); name.length',
  'Element.prototype.setAttribute.call(k(), "title", k()); const set = k().setAttribute.bind(k()); set("aria-label", "a (b)")',
  'k().setAttribute(k(), "true"); k().setAttribute("data-" + k(), "a (b)")',
  'const image = new Image(); image.srcset = "a.png 1x, b.png 2x"; image.srcset = k()',
  'addEventListener("resize", k); addEventListener("click", () => {}); k().getRootNode().append(k())',
  'if (HTMLScriptElement.supports && k() instanceof HTMLScriptElement) k()',
];

for (const script of ORDINARY) test(script, async () => assert.equal(await auditedScript(script), []));

const PAGE = '<script src=host-sdk.js></script><script src=a.js></script><script src=b.js></script>';

for (const [given, isText] of [
  ['"go()"', true],
  ['`go(${1})`', true],
  ['"go" + "()"', true],
  ['TEXT', true],
  ['() => {}', false],
  ['"Save"', false],
] as const)
  for (const call of [
    'later(GIVEN)',
    'o.later(GIVEN)',
    'o.later.call(o, GIVEN)',
    'new Later(GIVEN)',
    'o.after(9, GIVEN)',
  ])
    test(`a timer of one script, ${call.replace('GIVEN', given)} in another`, async () => {
      const found = await auditedFiles({
        'index.html': PAGE,
        'host-sdk.js': '',
        'a.js':
          'function later(c) { setTimeout(c) } const o = { later(c) { setTimeout(c) }, after(ms, c) { setTimeout(c, ms) } }; class Later { constructor(c) { setTimeout(c) } }',
        'b.js': `const TEXT = "go()"; ${call.replace('GIVEN', given)}`,
      });
      assert.is(codesOf(found).includes('timer_undeterminable'), isText);
    });

test.run();
