/** Checks elements that load, embed or run something. */

import { html } from 'parse5';
import type { Place } from '../finding.ts';
import { FRAMES } from '../frames.ts';
import type { SourceText } from '../source-text.ts';
import { EmbeddedText } from '../web/embedded-text.ts';
import type { ScriptKind } from '../web/kind.ts';
import { locate } from '../web/location.ts';
import { checkReference, IMAGE, loadScript, STYLE } from '../web/references.ts';
import { type MarkupView, placeOf, report } from './markup-view.ts';
import { attributeOf, type Element, isInTemplate, localNameOf, textOf } from './tree.ts';

/** Directives for sources of code, with `default-src` as the fallback. */
const CODE = new Set([
  'default-src',
  'script-src',
  'script-src-elem',
  'script-src-attr',
  'worker-src',
  'child-src',
  'frame-src',
  'object-src',
]);
const CODE_FROM_TEXT = new Set(["'unsafe-eval'", "'wasm-unsafe-eval'", "'unsafe-hashes'"]);
const LOCAL_KEYWORDS = new Set(["'self'", "'none'", "'strict-dynamic'", "'report-sample'", "'unsafe-inline'"]);

const ANIMATIONS = new Set(['animate', 'set', 'animatetransform', 'animatemotion', 'animatecolor', 'discard']);
/** Types of script elements that run, including the empty type (HTML, 4.12.1.1). */
const RUNNABLE_TYPE = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma|j|live)script[\d.]*)$/;
/** Link relations that load a resource or prepare a connection. */
const PREPARING_RELATIONS = new Set(['prefetch', 'preconnect', 'dns-prefetch', 'prerender', 'manifest', 'preload']);

const RCDATA = new Set(['title', 'textarea']);
/** Elements whose content is text in HTML, and markup in XML. */
const RAW_TEXT = new Set([
  'title',
  'textarea',
  'xmp',
  'noembed',
  'noframes',
  'noscript',
  'iframe',
  'plaintext',
  'style',
]);

export function checkElement(view: MarkupView, element: Element): void {
  const name = localNameOf(element.tagName);
  if (view.isXml && !view.isReadAsXml && (RAW_TEXT.has(name) || name === 'script')) checkRawText(view, element);
  if (name === 'noscript') addNoscript(view, element);
  if (name === 'script') {
    checkScript(view, element);
    return;
  }
  if (FRAMES.has(name)) report(view, 'frame_element', placeOf(view, element), `<${name}> shows another document.`);
  else if (name === 'base')
    report(view, 'base_element', placeOf(view, element), 'A base element moves all relative URLs of the page.');
  else if (name === 'meta') checkMeta(view, element);
  else if (name === 'link') checkLink(view, element);
  else if (name === 'style') addStyle(view, element);
  else if (name === 'input' && attributeOf(element, 'capture') !== undefined)
    report(view, 'direct_device', placeOf(view, element, 'capture'), 'This input opens the camera around Host.');
  else if (name === 'foreignobject')
    report(view, 'foreign_object', placeOf(view, element), '<foreignObject> brings HTML into an image.');
  else if (ANIMATIONS.has(name)) checkAnimation(view, element);
}

function checkScript(view: MarkupView, element: Element): void {
  const { context } = view;
  const type = (ownAttribute(view, element, 'type') ?? '').trim().toLowerCase();
  const at = placeOf(view, element);
  if (type === 'importmap') {
    report(view, 'import_map', at, 'An import map selects the modules that are loaded.');
    return;
  }
  const sources = sourcesOf(view, element);
  const isModule = type === 'module';
  if (type === 'speculationrules') {
    report(view, 'remote_link', at, 'Speculation rules select pages to prepare.');
    return;
  }
  if (!RUNNABLE_TYPE.test(type.split(';')[0].trim())) {
    // Another script can change its type or use its text, so it is audited as data.
    if (view.origin === 'string') return;
    context.hasDataScript = true;
    addScript(view, element, 'data');
    return;
  }
  const charset = attributeOf(element, 'charset');
  if (charset !== undefined) checkCharset(view, at, charset, 'script');
  if (view.origin === 'string') {
    if (sources.length > 0 || textOf(element).trim() !== '') report(view, 'remote_script', at, 'a script element');
    return;
  }
  for (const from of sources) checkSource(view, from, at, isModule ? 'module' : 'script');
  // A script with a source does not run its text. In XML its namespace is uncertain.
  if (sources.length > 0 && isInTemplate(element)) checkUnstarted(view, element, 'is in a template');
  if (sources.length > 0 && (!view.isXml || textOf(element).trim() === '')) return;
  if (!view.hasSdk) view.before ??= at;
  if (sources.length === 0 && textOf(element).trim() === '') checkUnstarted(view, element, 'is empty');
  else if (sources.length === 0 && isInTemplate(element)) checkUnstarted(view, element, 'is in a template');
  addScript(view, element, isModule ? 'module' : 'script');
}

/**
 * HTML only uses `src` (HTML, 4.12.1), and SVG only `href` (SVG 2, 15.4). With only the other
 * attribute, no file is loaded and the text runs.
 */
function sourcesOf(view: MarkupView, element: Element): string[] {
  const names = view.isXml ? ['src', 'href'] : [element.namespaceURI === html.NS.SVG ? 'href' : 'src'];
  return names.map((name) => ownAttribute(view, element, name)).filter((from) => from !== undefined);
}

/** In HTML a prefix is part of the name: `x:src` is not `src`. */
const ownAttribute = ({ isXml }: MarkupView, element: Element, name: string): string | undefined =>
  isXml ? attributeOf(element, name) : element.attrs.find((attribute) => attribute.name === name)?.value;

function checkSource(view: MarkupView, from: string, at: Place, kind: 'module' | 'script'): void {
  const { context, source } = view;
  const location = locate(from, source.file);
  if (location.kind === 'page') {
    if (from.trim() !== '') loadScript(context, source.file, kind, at);
  } else if (location.kind === 'file') {
    if (location.path === 'host-sdk.js' && kind === 'script') view.hasSdk = true;
    else if (!view.hasSdk) view.before ??= at;
    loadScript(context, location.path, kind, at);
  } else if (location.kind === 'code')
    report(view, 'javascript_url', at, 'The source of a script is a javascript: URL.');
  else if (location.kind === 'remote') report(view, 'remote_script', at, `A script is loaded from ${location.host}.`);
  else report(view, 'remote_script', at, `A script is loaded from a ${location.kind}: URL.`);
}

/**
 * A script that is empty or in a template has not started. It runs code that it gets later (HTML,
 * 4.12.1.1).
 */
function checkUnstarted(view: MarkupView, element: Element, how: string): void {
  report(view, 'script_unstarted', placeOf(view, element), `This script ${how}.`);
}

function addScript(view: MarkupView, element: Element, kind: ScriptKind): void {
  const { context } = view;
  addPieces(view, element, (source, start, end) => context.pieces.push({ type: 'script', source, start, end, kind }));
}

function addStyle(view: MarkupView, element: Element): void {
  const { context } = view;
  addPieces(view, element, (source, start, end) =>
    context.pieces.push({ type: 'style', source, start, end, inline: false }),
  );
}

/** Reports markup that an XML parser finds in content that is text in HTML. */
function checkRawText(view: MarkupView, element: Element): void {
  const location = element.sourceCodeLocation;
  if (element.namespaceURI !== html.NS.HTML || !location?.startTag) return;
  const start = location.startTag.endOffset;
  const text = view.source.text
    .slice(start, location.endTag?.startOffset ?? location.endOffset)
    .replace(/<!\[CDATA\[[\s\S]*?(?:\]\]>|$)/g, (section) => ' '.repeat(section.length));
  const hidden = text.search(RCDATA.has(element.tagName) ? /<[^\s\d=]/ : /<[^\s\d=]|&#?\w/);
  if (hidden >= 0)
    view.context.findings.add('xml_hidden_markup', view.source.at(start + hidden), `In XML this is markup.`);
}

/** Content of noscript is text if scripts are enabled, otherwise markup. */
function addNoscript(view: MarkupView, element: Element): void {
  const text = textOf(element);
  if (!text.includes('<')) return;
  const at = { ...placeOf(view, element), file: view.source.file };
  view.context.pieces.push({ type: 'markup', source: new EmbeddedText(at, text), origin: 'srcdoc' });
}

/** Adds the content of an element, without the delimiters of CDATA sections. */
function addPieces(
  view: MarkupView,
  element: Element,
  add: (source: SourceText, start: number, end: number) => void,
): void {
  const location = element.sourceCodeLocation;
  if (!location?.startTag) return;
  let start = location.startTag.endOffset;
  let end = location.endTag?.startOffset ?? location.endOffset;
  const text = view.source.text.slice(start, end);
  const section = /^\s*<!\[CDATA\[/.exec(text);
  const close = section === null ? -1 : text.lastIndexOf(']]>');
  if (section !== null && close >= 0) {
    end = start + close;
    start += section[0].length;
  }
  // In XML, SVG and MathML the content has references and child elements. Only its text is code.
  const isText = element.namespaceURI === html.NS.HTML && !view.isReadAsXml;
  const inner = isText ? undefined : textOf(element);
  if (inner !== undefined && inner.trim() !== view.source.text.slice(start, end).trim()) {
    const at = { ...placeOf(view, element), file: view.source.file };
    add(new EmbeddedText(at, inner, view.source.isPartial), 0, inner.length);
  } else if (end > start) add(view.source, start, end);
}

function checkMeta(view: MarkupView, element: Element): void {
  const at = placeOf(view, element);
  const content = attributeOf(element, 'content') ?? '';
  const charset = attributeOf(element, 'charset') ?? /charset\s*=\s*["']?([^\s"';]+)/i.exec(content)?.[1];
  const directive = attributeOf(element, 'http-equiv')?.trim().toLowerCase();
  if (charset !== undefined && (directive === undefined || directive === 'content-type'))
    checkCharset(view, at, charset, 'page');
  // A space also separates the URL (HTML, 4.2.5.3).
  if (directive === 'refresh' && /^[\d.]*[;,\s]\s*\S/.test(content.trim()))
    report(view, 'meta_refresh', at, 'The page goes elsewhere by itself.');
  if (directive === 'content-security-policy')
    for (const { text, isInline } of loosened(content))
      report(view, isInline ? 'csp_unsafe_inline' : 'csp_loosened', at, `The policy allows ${text.slice(0, 100)}.`);
}

/**
 * In another encoding, characters may contain bytes of quotes and backslashes, or hide text between
 * escape sequences.
 */
export function checkCharset(view: MarkupView, at: Place, charset: string, what: string): void {
  if (!/^utf-?8$/i.test(charset.trim()))
    view.context.findings.add('charset_not_utf8', at, `The ${what} is said to be in ${charset.slice(0, 40)}.`);
}

function checkLink(view: MarkupView, element: Element): void {
  const { context, source } = view;
  const href = attributeOf(element, 'href');
  if (href === undefined) return;
  const at = placeOf(view, element, 'href');
  const relations = (attributeOf(element, 'rel') ?? '').toLowerCase().split(/\s+/);
  const location = locate(href, source.file);
  const isScript =
    relations.includes('modulepreload') ||
    relations.includes('import') ||
    attributeOf(element, 'as')?.toLowerCase() === 'script';
  if (isScript && location.kind !== 'file')
    report(
      view,
      'remote_script',
      at,
      `A script is loaded from ${location.kind === 'remote' ? location.host : `a ${location.kind}: URL`}.`,
    );
  else if (relations.includes('stylesheet')) checkReference(context, source.file, href, at, STYLE);
  else if (location.kind === 'remote' && relations.some((relation) => PREPARING_RELATIONS.has(relation)))
    report(view, 'remote_link', at, `This link leads to ${location.host}.`);
  else if (location.kind === 'file' || relations.some((relation) => relation.includes('icon')))
    checkReference(context, source.file, href, at, IMAGE);
}

/** An animation may change a link (SVG 2, 18.5). */
function checkAnimation(view: MarkupView, element: Element): void {
  const target = localNameOf(attributeOf(element, 'attributename')?.trim() ?? '');
  if (target === 'href' || target === 'src' || target.startsWith('on'))
    report(view, 'animated_url', placeOf(view, element), `An animation changes ${target}.`);
}

/**
 * Finds sources in a content security policy in markup (CSP Level 3) that allow code. Returns
 * sources that loosen the policy, in lower case. `isInline`: the source is 'unsafe-inline'.
 */
function loosened(policy: string): { readonly text: string; readonly isInline: boolean }[] {
  const found: { text: string; isInline: boolean }[] = [];
  for (const directive of policy.split(/[;,]/)) {
    const [name, ...sources] = directive.trim().toLowerCase().split(/\s+/);
    if (!CODE.has(name)) continue;
    for (const source of sources) {
      const isInline = source === "'unsafe-inline'";
      const isKey = source.startsWith("'nonce-") || /^'sha(?:256|384|512)-/.test(source);
      if (CODE_FROM_TEXT.has(source) || isInline || !(LOCAL_KEYWORDS.has(source) || isKey))
        found.push({ text: `${name} ${source}`, isInline });
    }
  }
  return found;
}
