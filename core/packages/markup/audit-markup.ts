/** Audits markup. Scripts and styles in it are put among the pieces to be audited next. */
import type { SourceText } from '../source-text.ts';
import type { MarkupOrigin, WebContext } from '../web/context.ts';
import { checkAttributes } from './check-attributes.ts';
import { checkCharset, checkElement } from './check-element.ts';
import type { MarkupView } from './markup-view.ts';
import { elementsOf, parseMarkup, TooDeepError } from './tree.ts';

const XML = /\.(?:svgz?|xhtml?|xht|xml|xslt?|rdf|rss|atom|mml|mathml|xul)$/i;
const HTML = /\.(?:s?html?|phtml|mhtml)$/i;

export function auditMarkup(source: SourceText, origin: MarkupOrigin, context: WebContext): void {
  // By its name, or by what browsers sniff in a file of no known type.
  const isXml =
    origin === 'file' &&
    (XML.test(source.file) || (!HTML.test(source.file) && /^\ufeff?\s*<\?xml\s/.test(source.text)));
  const view: MarkupView = { source, origin, isXml, context, hasSdk: false, before: undefined };
  if (isXml) checkXml(view);
  try {
    const { root, dropped } = parseMarkup(source.text, origin === 'string');
    for (const node of elementsOf(root)) {
      if (!('tagName' in node)) continue;
      checkElement(view, node);
      checkAttributes(view, node);
    }
    for (const { tag, offset } of dropped)
      context.findings.add('markup_ambiguous', source.at(offset), `<${tag}> stands within <select>.`);
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

/** What a parser of XML would make of it, and one of HTML does not. */
function checkXml(view: MarkupView): void {
  const { source, context } = view;
  const encoding = /^\ufeff?<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([^"']+)/.exec(source.text)?.[1];
  if (encoding !== undefined) checkCharset(view, source.at(0), encoding, 'document');
  const entity = source.text.search(/<!(?:ENTITY|ATTLIST)/i);
  if (entity >= 0)
    context.findings.add('xml_entities', source.at(entity), 'The document declares an entity, or an attribute.');
  const instruction = source.text.search(/<\?xml-stylesheet/i);
  if (instruction >= 0)
    context.findings.add('xml_stylesheet', source.at(instruction), 'The document names a style sheet of its own.');
}
