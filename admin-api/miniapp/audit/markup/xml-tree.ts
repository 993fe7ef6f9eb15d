/**
 * Parses XML into a tree as browsers do: with entities, and without the elements that HTML adds,
 * drops or reads as text.
 */
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, type html, parseFragment, type Token } from 'parse5';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { DEEPEST, type Node, TooDeepError } from './tree.ts';

interface Xml {
  /** The tree before the error. Browsers show it and run its scripts. */
  readonly root: Node;
  /** Undefined: well-formed. `offset` in UTF-16 units. */
  readonly error: { readonly message: string; readonly offset: number } | undefined;
}

/**
 * Public identifiers for which browsers define the entities of HTML, without loading a DTD (HTML,
 * 14.2).
 */
const HTML_ENTITIES_DOCTYPE = /^<!DOCTYPE\s[^>[]*?PUBLIC\s+["']-\/\/(?:W3C|WAPFORUM)\/\/DTD (?:XHTML|MathML)[^"']*["']/;
/** Maximum length in characters of a document type up to its public identifier. */
const DOCTYPE_LIMIT = 1000;

/** Throws TooDeepError. */
export function parseXml(text: string): Xml {
  const root = defaultTreeAdapter.createDocument();
  const open: DefaultTreeAdapterTypes.ParentNode[] = [root];
  const attributes: Record<string, Token.Location> = {};
  const parser = new SaxesParser({ xmlns: true, position: true });
  const doctype = text.indexOf('<!DOCTYPE');
  if (doctype >= 0 && HTML_ENTITIES_DOCTYPE.test(text.slice(doctype, doctype + DOCTYPE_LIMIT)))
    Object.assign(parser.ENTITIES, entitiesIn(text));
  let start = 0;
  parser.on('opentagstart', () => {
    start = text.lastIndexOf('<', parser.position - 1);
    for (const name in attributes) delete attributes[name];
  });
  parser.on('attribute', ({ name }) => {
    const end = parser.position;
    const value = text.lastIndexOf(text[end - 1], end - 2);
    attributes[name] = location(text.lastIndexOf(name, value - name.length), end);
  });
  parser.on('opentag', (tag) => {
    if (open.length > DEEPEST) throw new TooDeepError();
    const element = defaultTreeAdapter.createElement(tag.local, tag.uri as html.NS, attributesOf(tag));
    element.sourceCodeLocation = {
      ...location(start, parser.position),
      attrs: { ...attributes },
      startTag: location(start, parser.position),
    };
    defaultTreeAdapter.appendChild(open[open.length - 1], element);
    open.push(element);
  });
  parser.on('closetag', ({ isSelfClosing }) => {
    const element = open.pop() as DefaultTreeAdapterTypes.Element;
    const end = parser.position;
    element.sourceCodeLocation!.endOffset = end;
    if (!isSelfClosing) element.sourceCodeLocation!.endTag = location(text.lastIndexOf('</', end), end);
  });
  const insert = (data: string): void => defaultTreeAdapter.insertText(open[open.length - 1], data);
  parser.on('text', insert);
  parser.on('cdata', insert);
  let error: Xml['error'];
  parser.on('error', ({ message }) => {
    error = { message: message.replace(/^\d+:\d+: /, '').replace(/\.?$/, '.'), offset: parser.position };
    throw STOP;
  });
  try {
    parser.write(text).close();
  } catch (reason) {
    if (reason !== STOP) throw reason;
  }
  return { root, error };
}

/** Thrown at the first error, which ends the document (XML, 1.2). */
const STOP = new Error('not well-formed');

/** Only offsets; lines and columns are computed from them when needed. */
const location = (startOffset: number, endOffset: number): Token.Location => ({
  startLine: 0,
  startCol: 0,
  endLine: 0,
  endCol: 0,
  startOffset,
  endOffset,
});

const attributesOf = ({ attributes }: SaxesTagNS): Token.Attribute[] =>
  Object.values(attributes).map(({ local, prefix, uri, value }) => ({ name: local, prefix, namespace: uri, value }));

/** Entities of HTML that the document refers to, with their values. */
function entitiesIn(text: string): Record<string, string> {
  const entities: Record<string, string> = {};
  const names = new Set(Array.from(text.matchAll(/&([A-Za-z]\w{0,30});/g), ([, name]) => name));
  for (const name of names) {
    const reference = `&${name};`;
    const [parsed] = parseFragment(reference).childNodes;
    if (parsed !== undefined && 'value' in parsed && parsed.value !== reference) entities[name] = parsed.value;
  }
  return entities;
}
