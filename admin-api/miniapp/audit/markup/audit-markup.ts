/** Audits markup. Adds embedded scripts and styles to the pieces still to be audited. */
import type { SourceText } from '../source-text.ts';
import type { MarkupOrigin, WebContext } from '../web/context.ts';
import { checkAttributes } from './check-attributes.ts';
import { checkCharset, checkElement } from './check-element.ts';
import type { MarkupView } from './markup-view.ts';
import { type Element, elementsOf, localNameOf, type Node, parseMarkup, TooDeepError, textOf } from './tree.ts';
import { parseXml } from './xml-tree.ts';

const XML = /\.(?:svgz?|xhtml?|xht|xml|xslt?|rdf|rss|atom|mml|mathml|xul)$/i;
const HTML = /\.(?:s?html?|phtml|mhtml)$/i;

export function auditMarkup(source: SourceText, origin: MarkupOrigin, context: WebContext): void {
  // By file name, or by content: browsers sniff files of unknown type.
  const isXml =
    origin === 'file' &&
    (XML.test(source.file) || (!HTML.test(source.file) && /^\ufeff?\s*<\?xml\s/.test(source.text)));
  const view: MarkupView = {
    source,
    origin,
    isXml,
    isReadAsXml: false,
    context,
    hasSdk: false,
    before: undefined,
  };
  try {
    const { root, dropped } = parseMarkup(source.text, origin === 'string');
    checkTree(view, root);
    for (const { tag, offset } of dropped)
      context.findings.add('markup_ambiguous', source.at(offset), `<${tag}> is within <select>.`);
    if (isXml) checkXml(view, root);
  } catch (error) {
    if (!(error instanceof TooDeepError) && !(error instanceof RangeError)) throw error;
    context.findings.add('markup_too_deep', source.at(0), 'This markup is nested too deeply to be audited.');
  }
  if (view.before !== undefined && origin === 'file' && source.file === context.manifest?.entry) checkSdk(view);
}

function checkSdk(view: MarkupView): void {
  const message = view.hasSdk ? 'This script comes before host-sdk.js.' : 'This page does not load host-sdk.js.';
  view.context.findings.add('sdk_not_loaded', view.before ?? view.source.at(0), message);
}

function checkTree(view: MarkupView, root: Node, ids?: ReadonlySet<string>): void {
  for (const node of elementsOf(root)) {
    if (!('tagName' in node) || ids?.has(signatureOf(node))) continue;
    checkElement(view, node);
    checkAttributes(view, node);
  }
}

/** Checks the XML tree for elements that differ from the HTML tree. `htmlRoot`: the HTML tree. */
function checkXml(view: MarkupView, htmlRoot: Node): void {
  const { source, context } = view;
  const encoding = /^\ufeff?<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([^"']+)/.exec(source.text)?.[1];
  if (encoding !== undefined) checkCharset(view, source.at(0), encoding, 'document');
  const entity = source.text.search(/<!(?:ENTITY|ATTLIST)/i);
  if (entity >= 0)
    context.findings.add('xml_entities', source.at(entity), 'The document declares an entity, or an attribute.');
  const instruction = source.text.search(/<\?xml-stylesheet/i);
  if (instruction >= 0)
    context.findings.add('xml_stylesheet', source.at(instruction), 'The document names a style sheet of its own.');
  // The values of entities are not expanded; `xml_entities` rejects the package anyway.
  if (entity >= 0) return;
  const { root, error } = parseXml(source.text);
  if (error !== undefined) context.findings.add('xml_malformed', source.at(error.offset), error.message);
  const ids = new Set<string>();
  for (const node of elementsOf(htmlRoot)) if ('tagName' in node) ids.add(signatureOf(node));
  view.isReadAsXml = true;
  checkTree(view, root, ids);
}

/** Elements whose text is code or markup. */
const WITH_CODE = new Set(['script', 'style', 'noscript']);

/**
 * Identifies an element by position, name, attributes and code: equal if HTML and XML parse it
 * alike.
 */
const signatureOf = (element: Element): string =>
  JSON.stringify([
    element.sourceCodeLocation?.startOffset,
    localNameOf(element.tagName),
    element.attrs.map(({ name, value }) => [localNameOf(name), value]).sort(),
    WITH_CODE.has(localNameOf(element.tagName)) && textOf(element).trim(),
  ]);
