/**
 * Elements that a function of another script makes, scripts in templates, and inputs that open the
 * camera.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditedFiles, auditedScript, codesOf, type Files } from '../web/audited.ts';

const test = suite('admin-api/miniapp/audit/script/makers');

async function codes(app: string, others: Files, type = 'type=module'): Promise<string[]> {
  const page = `<script src=host-sdk.js></script><script ${type} src=app.js></script>`;
  return codesOf(await auditedFiles({ 'index.html': page, 'host-sdk.js': '', 'app.js': app, ...others }));
}

/** A module, the others, and the code of the finding. */
const MADE: readonly (readonly [string, Files, string])[] = [
  [
    'import { el } from "./a.js"; el("script")',
    { 'a.js': 'export const el = (tag) => document.createElement(tag)' },
    'script_element',
  ],
  [
    'import { el as make } from "./a.js"; make("SCRIPT")',
    { 'a.js': 'export function el(tag) { return document.createElement(tag) }' },
    'script_element',
  ],
  [
    'import el from "./a.js"; el("script")',
    { 'a.js': 'export default function (tag) { return document.createElement(tag) }' },
    'script_element',
  ],
  [
    'import el from "./a.js"; el("script")',
    { 'a.js': 'const make = (tag) => document.createElement(tag); export default make' },
    'script_element',
  ],
  [
    'import { x } from "./a.js"; x("script")',
    { 'a.js': 'function make(tag) { return document.createElement(tag) } export { make as x }' },
    'script_element',
  ],
  [
    'import { x } from "./b.js"; x("script")',
    { 'a.js': 'export const el = (tag) => document.createElement(tag)', 'b.js': 'export { el as x } from "./a.js"' },
    'script_element',
  ],
  [
    'import * as dom from "./a.js"; dom.el("script")',
    { 'a.js': 'export const el = (tag) => document.createElement(tag)' },
    'script_element',
  ],
  [
    'import { dom } from "./a.js"; dom.el({}, "script")',
    { 'a.js': 'export const dom = { el(options, tag) { return document.createElement(tag) } }' },
    'script_element',
  ],
  [
    'import { Dom } from "./a.js"; new Dom().el("script")',
    { 'a.js': 'export class Dom { el(tag) { return document.createElement(tag) } }' },
    'script_element',
  ],
  [
    'import { el } from "./a.js"; el("scr" + "ipt")',
    { 'a.js': 'export const el = (tag = "p") => document.createElement(tag || "p")' },
    'script_element',
  ],
  [
    'import { el } from "./a.js"; el("script")',
    { 'a.js': 'export const el = (tag, doc) => doc.createElement(tag.toLowerCase())' },
    'script_element',
  ],
  [
    'import { el } from "./a.js"; el("script")',
    { 'a.js': 'export const el = (tag) => { const name = tag; return document.createElementNS("x", name) }' },
    'script_element',
  ],
  [
    'import { el } from "./a.js"; el("iframe")',
    { 'a.js': 'export const el = (tag) => document.createElement(tag)' },
    'element_undeterminable',
  ],
  [
    'import { el } from "./a.js"; el("base")',
    { 'a.js': 'export const el = (tag) => document.createElement(tag)' },
    'element_undeterminable',
  ],
];

for (const [app, others, code] of MADE)
  test(`${app} ${JSON.stringify(others)}`, async () => {
    const found = await codes(app, others);
    assert.ok(found.includes(code), `${code}, not ${found}`);
  });

test('a classic script sees the functions of others', async () => {
  const found = codesOf(
    await auditedFiles({
      'index.html': '<script src=host-sdk.js></script><script src=a.js></script><script src=b.js></script>',
      'host-sdk.js': '',
      'a.js': 'function el(tag) { return document.createElement(tag) }',
      'b.js': 'el("script")',
    }),
  );
  assert.equal(found, ['script_element']);
});

const ORDINARY: readonly (readonly [string, Files])[] = [
  ['import { el } from "./a.js"; el("p")', { 'a.js': 'export const el = (tag) => document.createElement(tag)' }],
  [
    'import { el } from "./a.js"; el("p", "script")',
    {
      'a.js': 'export const el = (tag, text) => { console.log(text); return document.createElement(tag) }',
    },
  ],
  [
    'import { log } from "./a.js"; log("script")',
    {
      'a.js': 'export const log = (text) => console.log(text); export const el = (tag) => document.createElement(tag)',
    },
  ],
  [
    'function el(text) { console.log(text) } el("script")',
    { 'a.js': 'export const el = (tag) => document.createElement(tag)' },
  ],
  ['import { open } from "./a.js"; open("object")', { 'a.js': 'export const open = (kind) => console.log(kind)' }],
];

for (const [app, others] of ORDINARY)
  test(`ordinary: ${app} ${JSON.stringify(others)}`, async () => {
    const found = (await codes(app, others)).filter((code) => code !== 'script_unreferenced');
    assert.equal(found, []);
  });

/** Pages, and the code of the finding. */
const PAGES: readonly (readonly [string, string])[] = [
  ['<template id="t"><script src="lib.js"></script></template>', 'script_unstarted'],
  ['<template id="t"><p><script type="module" src="lib.js"></script></template>', 'script_unstarted'],
  ['<template id="t"><script></script></template>', 'script_unstarted'],
  ['<div><template shadowrootmode="open"><script src="lib.js"></script></template></div>', 'script_unstarted'],
  ['<input type="file" capture>', 'direct_device'],
  ['<input type="file" accept="image/*" capture="environment">', 'direct_device'],
];

for (const [page, code] of PAGES)
  test(page, async () => {
    const found = codesOf(await auditedFiles({ 'page.html': page, 'lib.js': '' }));
    assert.ok(found.includes(code), `${code}, not ${found}`);
  });

test('ordinary templates and inputs', async () => {
  const page = '<template><p>a</p></template><script src="lib.js"></script><input type="file" accept="image/*">';
  assert.equal(codesOf(await auditedFiles({ 'page.html': page, 'lib.js': '' })), []);
});

/** Scripts, and the code of the finding. `k` is a function of another script. */
const SCRIPTS: readonly (readonly [string, string])[] = [
  [
    'const s = document.createRange().createContextualFragment("<script></scr" + "ipt>").firstChild; s.text = k()',
    'script_unstarted',
  ],
  ['document.write("<script id=a></scr" + "ipt>")', 'script_unstarted'],
  ['const i = document.createElement("input"); i.type = "file"; i.capture = "user"', 'direct_device'],
  ['const i = document.createElement("input"); Object.assign(i, { type: "file", capture: "user" })', 'direct_device'],
  ['document.getElementById("file").setAttribute("capture", "")', 'direct_device'],
  ['k("input", { type: "file", capture: "user" })', 'direct_device'],
  ['document.body.innerHTML = "<input type=file capture>"', 'direct_device'],
];

for (const [script, code] of SCRIPTS)
  test(script, async () => {
    const found = codesOf(await auditedScript(script));
    assert.ok(found.includes(code), `${code}, not ${found}`);
  });

const SOUND: readonly string[] = [
  'const div = document.createElement("div"); div.innerHTML = "<script></scr" + "ipt>"; div.removeChild(div.firstChild)',
  'document.createRange().createContextualFragment("<p>description</p>")',
  'document.body.addEventListener("click", () => {}, { capture: true, passive: true })',
  'const options = {}; options.capture = true; console.log({ type: "click", capture: true }, options)',
  'const i = document.createElement("input"); i.type = "file"; i.accept = "image/*"',
];

for (const script of SOUND) test(script, async () => assert.equal(await auditedScript(script), []));

test.run();
