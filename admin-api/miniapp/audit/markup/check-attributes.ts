/** Checks attributes: handlers, URLs, styles and documents. */
import { EmbeddedText } from '../web/embedded-text.ts';
import { locate } from '../web/location.ts';
import { checkReference, IMAGE } from '../web/references.ts';
import { type MarkupView, placeOf, report } from './markup-view.ts';
import { type Element, localNameOf } from './tree.ts';

/** Attributes that contain a URL, on any element. */
const URLS = new Set([
  'href',
  'src',
  'action',
  'formaction',
  'data',
  'poster',
  'background',
  'cite',
  'longdesc',
  'manifest',
  'codebase',
  'classid',
  'profile',
  'lowsrc',
  'dynsrc',
  'ping',
  'definitionurl',
  'usemap',
  'archive',
  'code',
  'from',
  'to',
  'values',
  'by',
  'icon',
]);
/** URL attributes whose content the page shows. */
const DISPLAYED = new Set(['src', 'poster', 'background', 'lowsrc', 'dynsrc', 'data', 'icon']);
/** Elements whose `href` loads a resource instead of navigating. */
const LOADING = new Set([
  'image',
  'use',
  'feimage',
  'textpath',
  'pattern',
  'lineargradient',
  'radialgradient',
  'mpath',
]);
/** Elements that check-element.ts checks. */
const CHECKED_WITH_ELEMENT = new Set(['script', 'link', 'base']);

export function checkAttributes(view: MarkupView, element: Element): void {
  const tag = localNameOf(element.tagName);
  for (const { name, value, prefix } of element.attrs) {
    const local = localNameOf(name);
    const key = prefix ? `${prefix}:${name}` : name;
    if (local === 'id' || local === 'name') view.context.members.add(value);
    if (local.startsWith('on') && local.length > 2) checkHandler(view, element, key, value);
    else if (local === 'style') checkStyle(view, element, key, value);
    else if (local === 'srcdoc') {
      const at = { ...placeOf(view, element, key), file: view.source.file };
      view.context.pieces.push({ type: 'markup', source: new EmbeddedText(at, value), origin: 'srcdoc' });
    } else if (local === 'srcset' || local === 'imagesrcset') {
      for (const candidate of value.split(','))
        checkUrl(view, element, tag, key, candidate.trim().split(/\s+/)[0], 'src');
    } else if (URLS.has(local) && !CHECKED_WITH_ELEMENT.has(tag)) checkUrl(view, element, tag, key, value, local);
  }
}

/** The attribute value with decoded entities, so every place in it is that of the attribute. */
function embedded(view: MarkupView, element: Element, key: string, value: string): EmbeddedText {
  return new EmbeddedText({ ...placeOf(view, element, key), file: view.source.file }, value, view.source.isPartial);
}

function checkHandler(view: MarkupView, element: Element, key: string, value: string): void {
  report(view, 'inline_handler', placeOf(view, element, key), `${key} holds code.`);
  view.context.pieces.push({
    type: 'script',
    source: embedded(view, element, key, value),
    start: 0,
    end: value.length,
    kind: 'handler',
  });
}

function checkStyle(view: MarkupView, element: Element, key: string, value: string): void {
  view.context.pieces.push({
    type: 'style',
    source: embedded(view, element, key, value),
    start: 0,
    end: value.length,
    inline: true,
  });
}

function checkUrl(view: MarkupView, element: Element, tag: string, key: string, value: string, name: string): void {
  const { context, source } = view;
  // Animations have lists of URLs.
  const urls = name === 'values' ? value.split(';') : [value];
  for (const url of urls) {
    const location = locate(url, source.file);
    const at = placeOf(view, element, key);
    if (location.kind === 'code') {
      report(view, 'javascript_url', at, `${key} is a javascript: URL.`);
      continue;
    }
    const isForm = name === 'action' || name === 'formaction';
    if (name === 'href' && location.kind === 'remote' && location.isDevice)
      context.findings.add('remote_navigation', at, `${key} leads to ${location.host}.`);
    else if (isForm && location.kind === 'data')
      report(view, 'javascript_url', at, 'A form leads to a document in a data: URL.');
    else if (name === 'href' && tag === 'use' && location.kind === 'data')
      report(view, 'javascript_url', at, 'An image brings in a document of a data: URL.');
    else if (isForm || name === 'ping') {
      if (location.kind === 'remote')
        context.findings.add('remote_navigation', at, `${key} leads to ${location.host}.`);
    } else if (DISPLAYED.has(name) || (name === 'href' && LOADING.has(tag)))
      checkReference(context, source.file, url, at, IMAGE);
    else if (name === 'href' && location.kind === 'data')
      report(view, 'javascript_url', at, 'A link leads to a document in a data: URL.');
    else if (name === 'href' && location.kind === 'file') checkReference(context, source.file, url, at, IMAGE);
  }
}
