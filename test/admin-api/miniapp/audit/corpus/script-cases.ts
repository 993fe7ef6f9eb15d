/** Cases of the rules about scripts. */
import type { CorpusCase } from './corpus-case.ts';
import { smallApp } from './small-app.ts';

const app = (script: string, more: Readonly<Record<string, string | Uint8Array>> = {}): ReturnType<typeof smallApp> =>
  smallApp({ 'app.js': `${script}\nHost.storage.get('text');\n`, ...more });

const both = (code: CorpusCase['code'], triggers: string, nearMiss: string): CorpusCase => ({
  code,
  triggers: app(triggers),
  nearMiss: app(nearMiss),
});

const module = (script: string): ReturnType<typeof smallApp> =>
  smallApp({
    'index.html': '<script src="host-sdk.js"></script><script type="module" src="app.js"></script>',
    'app.js': `${script}\nHost.storage.get('text');\n`,
    'lib.js': 'export const lib = 1;\n',
  });

const manifest = (...permissions: string[]): string => {
  const base = JSON.parse(String(smallApp()['manifest.json']));
  return JSON.stringify({ ...base, permissions });
};

const scheduled = (events: readonly string[]): string => {
  const background = { enabled: true, entry: 'background.js', events, permissions: [] };
  return JSON.stringify({ ...JSON.parse(manifest('storage', 'background')), background });
};

/** Findings of more rules than are reported one by one. */
const MANY_COVERED = `function all(k, o) {
  window[k](); k(window); document.body[k] = k(); document.body.innerHTML = k();
  setTimeout(k()); o.constructor(k()); k(Function); open(k()); new Worker(k());
}
start(all);
function start() {}`;

const NETWORK = { 'manifest.json': manifest('storage', 'network') };
const DEEP = 60_000;

export const SCRIPT_CASES: readonly CorpusCase[] = [
  both('eval', 'eval("1 + 1");', 'function run(eval) { return eval("1 + 1"); }\nrun(String); typeof eval;'),
  both(
    'function_constructor',
    'new Function("return 1")();',
    'const isFunction = (f) => f instanceof Function;\nisFunction(isFunction);',
  ),
  both(
    'function_constructor_escapes',
    'register(Function);\nfunction register() {}',
    'const props = { type: Function };\nprops.type;',
  ),
  both(
    'constructor_called',
    'function make(x) { return x.constructor("return 1"); }\nstart(make);',
    'function copy(x) { return new x.constructor(x.size); }\ncopy({});',
  ),
  both(
    'constructor_called',
    'function make(x) { return this.constructor(x); }\nmake.call(make, text)();',
    'function make(x) { return this.constructor(x); }\nconst made = new Date();\nmade.make = make.bind(made);\nmake.call(made, text);',
  ),
  both(
    'constructor_called',
    'const maker = { make(x) { return this.constructor(x); } };\nmaker.make.apply(start, list)();',
    'const maker = { make(x) { return this.constructor(x); } };\nmaker.make(text);\nstart.apply(maker, list);',
  ),
  both(
    'constructor_called',
    'function make(o, parts) { let k = ""; for (const part of parts) k += part; return o[k](text); }\nstart(make);',
    'function sum(o, sizes) { let k = 0; for (const size of sizes) k += size; return o[k](text); }\nstart(sum);',
  ),
  both(
    'constructor_called',
    'function make(k) { return "a"[k][k](text); }\nstart(make);',
    'function mark(k) { return "abc"[k] + "abc"[k].at(0) + "abc"[k].repeat(k); }\nstart(mark);',
  ),
  both(
    'constructor_called',
    'function make(x) { return x["constructor"](text); }\nstart(make);',
    'function copy(x) { return new x["constructor"](x["size"]); }\ncopy({});',
  ),
  both(
    'string_timer',
    'setTimeout("tick()", 100);',
    'setTimeout(() => {}, 100); new Promise((done) => setTimeout(done, 100));',
  ),
  both(
    'timer_undeterminable',
    'setTimeout(pick("tick"), 100);',
    'function tick() {}\nsetTimeout(tick.bind(null, 1), 100);',
  ),
  both(
    'timer_undeterminable',
    'function later(task) { setTimeout(task.run, 100); }\nlater(list[0]);',
    'function later(task) { setTimeout(task.run, 100); }\nlater({ run() {} });\nclass Clock { tick = () => {}; start() { setTimeout(this.tick, 9); } }\nnew Clock();',
  ),
  {
    code: 'timer_undeterminable',
    triggers: app('setTimeout(tick, 100);'),
    nearMiss: app('setTimeout(tick, 100);', {
      'index.html': '<script src="host-sdk.js"></script><script src="tick.js"></script><script src="app.js"></script>',
      'tick.js': 'function tick() {}\n',
    }),
  },
  both(
    'timer_undeterminable',
    'const stored = JSON.parse(text);\nsetTimeout(stored.tick);\nclass Clock { tick() {} }\nnew Clock();',
    'const clock = { tick: () => {} };\nconst { tick } = clock;\nsetTimeout(tick);\nsetTimeout(clock.tick);',
  ),
  both(
    'dynamic_import',
    'import("./" + name + ".js");\nvar name;',
    'const loaded = { import: () => 1 };\nloaded.import("lib.js");',
  ),
  both('import_scripts', 'importScripts("lib.js");', 'function importScripts() {}\nimportScripts("lib.js");'),
  both(
    'webassembly',
    'WebAssembly.instantiate(new Uint8Array(8));',
    'const texts = { WebAssembly: "not here" };\ntexts.WebAssembly;',
  ),
  both(
    'service_worker',
    'navigator.serviceWorker.register("sw.js");',
    'const parts = { serviceWorker: 1 };\nparts.serviceWorker;',
  ),
  both(
    'worker_from_code',
    'new Worker(URL.createObjectURL(new Blob(["1"])));',
    'class Worker {}\nnew Worker("blob:1");',
  ),
  both(
    'worker_undeterminable',
    'function start(name) { return new Worker(name); }\nregister(start);',
    'const name = "app.js";\nnew Worker(name);',
  ),
  both(
    'remote_script',
    'document.createElement("script").src = "https://example.com/a.js";',
    'document.createElement("a").href = "https://example.com/a.js";',
  ),
  both('script_element', 'document.createElement("script");', 'document.createElement("span");'),
  both('frame_element', 'document.createElement("iframe");', 'document.createElement("figure");'),
  both(
    'element_undeterminable',
    'function make(x) { return document.createElement("scr" + x); }\nstart(make);',
    'function make(x) { return document.createElement(x); }\nmake("p");',
  ),
  both(
    'element_undeterminable',
    'function make(tag, url) { const made = document.createElement(tag); made.src = url; return made; }\nmake(name, list);',
    'function make(tag, url) { const made = document.createElement(tag); made.src = url; return made; }\nmake("img", list);\nmake("video", list);',
  ),
  both(
    'attribute_undeterminable',
    'function set(element, name, value) { element.setAttribute(name, value); }\nstart(set);',
    'function set(element, name, value) { element.setAttribute("data-" + name, value); element.setAttribute(name, ""); }\nstart(set);',
  ),
  both(
    'attribute_undeterminable',
    'function set(element, name, value) { element[name] = value; }\nset(document.body, first.name, text);\nset(document.body, "id", text);',
    'function set(element, name, value) { element[name] = value; }\nfor (const name in text) set(document.body, name, text[name]);\nset(document.body, "id", text);',
  ),
  both(
    'markup_undeterminable',
    'function set(element, name, value) { element[name] = value; }\nset(first, "innerHTML", text);\nset(first, "id", text);',
    'function set(element, name, value) { element[name] = value; }\nset(first, "title", text);\nset(first, "id", text);',
  ),
  both(
    'navigation_undeterminable',
    'function go(page) { location.href = page; }\nstart(go);',
    'function go(page) { location.href = "page.html?" + page; location.hash = page; }\nstart(go);',
  ),
  both(
    'script_element',
    'const code = document.querySelector("script").cloneNode();\ncode.textContent = text;',
    'const row = document.querySelector(".description").cloneNode();\nrow.textContent = text;',
  ),
  both(
    'timer_undeterminable',
    'list.forEach(setTimeout);',
    'function wait(ms) { return new Promise((done) => setTimeout(done, ms)); }\nconst later = setTimeout;\nlater(wait);',
  ),
  both(
    'worker_undeterminable',
    'class Own extends Worker {}\nnew Own(text);',
    'if (window.Worker) new Worker(new URL("app.js", location.href));',
  ),
  both(
    'global_of_unknown',
    'function run(x) { let k = "ev"; k += "al"; return x[k](text); }\nstart(run);',
    'function run(x) { let k = "on"; k += "al"; return x[k](text); }\nstart(run);',
  ),
  both(
    'global_of_unknown',
    'addEventListener("click", (event) => event.view.fetch(text));',
    'addEventListener("click", (event) => event.target.focus());\nclass Model { load() { return this.fetch(); } fetch() {} }\nnew Model().load();',
  ),
  both(
    'global_of_unknown',
    'start(document);\nstart.pages.forEach((page) => page.write(text));',
    'const out = [];\nout.forEach((log) => log.write(text));',
  ),
  both('window_escapes', 'start(navigator);', 'const n = navigator;\nstart(n.language);'),
  both('base_element', 'document.createElement("base");', 'document.createElement("b");'),
  both(
    'markup_with_code',
    'document.body.innerHTML = "<img src=x onerror=go()>";',
    'document.body.innerHTML = "<img alt=onerror>";',
  ),
  both(
    'markup_undeterminable',
    'function show(x) { document.body.innerHTML = "<b>" + x; }\nstart(show);',
    'function show(x) { document.body.textContent = "<b>" + x; }\nshow(1);',
  ),
  {
    code: 'fetched_code',
    triggers: app(
      'Host.network.fetch("https://example.com/").then((r) => { document.body.innerHTML = r.body; });',
      NETWORK,
    ),
    nearMiss: app(
      'Host.network.fetch("https://example.com/").then((r) => { document.body.textContent = r.body; });',
      NETWORK,
    ),
  },
  both('javascript_url', 'document.body.href = "java\\nscript:go()";', 'document.body.href = "./javascript.html";'),
  both(
    'handler_attribute_set',
    'function set(code) { document.body.setAttribute("onclick", code); }\nstart(set);',
    'document.body.setAttribute("onclick", "go()");',
  ),
  both('with_statement', 'with (document) { title = "x"; }', 'const words = { with: 1 };\nwords.with;'),
  both(
    'computed_global',
    'function read(name) { return window[name]; }\nstart(read);',
    'const name = "title";\nwindow["document"][name];',
  ),
  both(
    'global_of_unknown',
    'function keep(w) { return w.localStorage; }\nstart(keep);',
    'function keep(w) { return w.storage; }\nkeep(1);',
  ),
  both(
    'direct_network',
    'fetch("https://example.com/");',
    'const fetch = (url) => url;\nfetch("https://example.com/");',
  ),
  both(
    'direct_storage',
    'localStorage.setItem("a", "b");',
    '{ let localStorage = new Map();\nlocalStorage.set("a", "b"); }',
  ),
  both(
    'direct_device',
    'navigator.geolocation.getCurrentPosition(() => {});',
    'const navigator = { geolocation: 1 };\nnavigator.geolocation;',
  ),
  both(
    'native_bridge',
    'webkit.messageHandlers.app.postMessage(1);',
    'const webkit = { messageHandlers: 1 };\nwebkit.messageHandlers;',
  ),
  both('undefined_global', 'Bridge.open("a");', 'const Bridge = { open() {} };\nBridge.open("a");'),
  both('native_bridge', 'wx.request({});', 'if (window.wx) document.title = "wx";'),
  both('parent_message', 'parent.postMessage("x", "*");', 'window.postMessage("x", "*");'),
  both('window_opened', 'window.open("page.html");', 'const menu = { open() {} };\nmenu.open("page.html");'),
  both('remote_navigation', 'location.href = "https://example.com/";', 'location.hash = "https://example.com/";'),
  both('script_syntax', 'const = 1;', 'const value = 1;'),
  both('script_too_intricate', `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`, `${'['.repeat(50)}${']'.repeat(50)}`),
  both('html_like_comment', '<!-- old', 'const x = 1 < ! 0;'),
  both('host_overwritten', 'window.Host = {};', '(function (Host) { Host = {}; })();'),
  {
    code: 'host_permission_undeclared',
    triggers: app('Host.camera.takePhoto();'),
    nearMiss: app('Host.camera.takePhoto();', { 'manifest.json': manifest('storage', 'camera') }),
  },
  {
    code: 'host_permission_unused',
    triggers: app('', { 'manifest.json': manifest('storage', 'camera') }),
    nearMiss: app('const { camera } = Host;\ncamera.takePhoto();', { 'manifest.json': manifest('storage', 'camera') }),
  },
  both(
    'host_operation_unknown',
    'Host.storage.remove("x");',
    'const hosts = { storage: { remove() {} } };\nhosts.storage.remove("x");',
  ),
  both('host_arguments', 'Host.storage.get(1);', 'function read(key) { return Host.storage.get(key); }\nread("x");'),
  both(
    'host_arguments',
    'Host.storage.set("count", 1);',
    'function keep(count) { Host.storage.set("count", String(count)); Host.storage.set("last", count); }\nkeep(1); start(keep);',
  ),
  {
    code: 'sandbox_covered',
    triggers: app(MANY_COVERED),
    nearMiss: app('start(window);\nfunction start() {}'),
  },
  {
    code: 'sandbox_undecided',
    triggers: app(MANY_COVERED),
    nearMiss: app('x.constructor("a");\nvar x = start();\nfunction start() {}'),
  },
  {
    code: 'host_fetch_method',
    triggers: app('Host.network.fetch("https://example.com/", { method: "POST", body: "x" });', NETWORK),
    nearMiss: app('Host.network.fetch("https://example.com/", { method: "get" });', NETWORK),
  },
  {
    code: 'host_schedule_unheard',
    triggers: app('Host.background.schedule("sync", 60000);', {
      'manifest.json': scheduled([]),
      'background.js': 'function onBackgroundEvent(event) {}\n',
    }),
    nearMiss: app('Host.background.schedule("sync", 60000);', {
      'manifest.json': scheduled(['schedule']),
      'background.js': 'function onBackgroundEvent(event) {}\n',
    }),
  },
  both(
    'host_computed',
    'function call(name) { return Host.storage[name]("x"); }\nstart(call);',
    'const name = "get";\nHost.storage[name]("x");',
  ),
  both(
    'window_escapes',
    'start(window);\nfunction start() {}',
    '(function (root) { root.app = {}; })(this);\nif (window === parent) window.focus();',
  ),
  both(
    'remote_source',
    'const copy = document.getElementById("code").cloneNode();\ncopy.src = "https://example.com/a.js";',
    'const image = document.createElement("img");\nimage.src = "https://example.com/a.png";\nnew Image().src = "//example.com/b.png";',
  ),
  both(
    'host_escapes',
    'start(Host);\nfunction start() {}',
    'const h = Host;\nif (h && typeof Host !== "undefined") h.storage.get("x");',
  ),
  {
    code: 'module_remote',
    triggers: module('import "https://example.com/a.js";'),
    nearMiss: module('import "./lib.js";'),
  },
  {
    code: 'module_bare',
    triggers: module('import "lib.js";'),
    nearMiss: module('import { lib } from "./lib.js";\nlib;'),
  },
  { code: 'script_missing', triggers: module('import "./Lib.js";'), nearMiss: module('export * from "./lib.js";') },
  {
    code: 'script_unreferenced',
    triggers: app('', { 'old.js': '' }),
    nearMiss: app('new Worker("old.js");', { 'old.js': '' }),
  },
  {
    code: 'text_not_utf8',
    triggers: smallApp({ 'app.js': Uint8Array.of(0x2f, 0x2f, 0xe4, 0x0a) }),
    nearMiss: smallApp({ 'app.js': '// \u00e4\n' }),
  },
];
