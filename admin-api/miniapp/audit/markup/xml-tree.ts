/**
 * XML as a tree, as a browser's parser of XML makes it: names with namespaces, no element that HTML
 * would add, drop or take for text.
 */
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, type html, parseFragment, type Token } from 'parse5';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { DEEPEST, type Node, TooDeepError } from './tree.ts';

interface Xml {
  /** All that stands before the error: browsers show that, and run its scripts. */
  readonly root: Node;
  /** Undefined: the document is well-formed. `offset` in UTF-16 units. */
  readonly error: { readonly message: string; readonly offset: number } | undefined;
}

/**
 * Public identifiers by which browsers know the entities of HTML, without loading anything (HTML,
 * 14.2).
 */
const WITH_ENTITIES = /^<!DOCTYPE\s[^>[]*?PUBLIC\s+["']-\/\/(?:W3C|WAPFORUM)\/\/DTD (?:XHTML|MathML)[^"']*["']/;
/** Characters of a document type up to its public identifier. */
const MOST_DOCTYPE = 1000;

/** Throws TooDeepError. */
export function parseXml(text: string): Xml {
  const root = defaultTreeAdapter.createDocument();
  const open: DefaultTreeAdapterTypes.ParentNode[] = [root];
  const attributes: Record<string, Token.Location> = {};
  const parser = new SaxesParser({ xmlns: true, position: true });
  const doctype = text.indexOf('<!DOCTYPE');
  if (doctype >= 0 && WITH_ENTITIES.test(text.slice(doctype, doctype + MOST_DOCTYPE)))
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

/** Thrown at the first error, by which a document ends (XML, 1.2). */
const STOP = new Error('not well-formed');

/** Lines and columns are made of the offset where they are needed. */
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

/** The references of the document that HTML knows, with what they stand for. */
function entitiesIn(text: string): Record<string, string> {
  const namespaces: Record<string, string> = {};
  const names = new Set(Array.from(text.matchAll(/&([A-Za-z]\w{0,30});/g), ([, name]) => name));
  for (const name of names) {
    const reference = `&${name};`;
    const [read] = parseFragment(reference).childNodes;
    if (read !== undefined && 'value' in read && read.value !== reference) namespaces[name] = read.value;
  }
  return namespaces;
}
