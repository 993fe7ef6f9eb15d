/** Markup as a tree, and the one walk over it. */
import { type DefaultTreeAdapterMap, type DefaultTreeAdapterTypes, defaultTreeAdapter, Parser } from 'parse5';

export type Element = DefaultTreeAdapterTypes.Element;
export type Node = DefaultTreeAdapterTypes.Node;

/** As browsers do, which flatten what is deeper. A bound on what a page can cost, as open elements are searched again and again. */
const DEEPEST = 512;

export class TooDeepError extends Error {}

/** Content of `noscript` is markup, since a web view may run without scripts. Throws TooDeepError. */
export function parseMarkup(text: string, isFragment: boolean): Node {
  let depth = 0;
  const options = {
    sourceCodeLocationInfo: true,
    scriptingEnabled: false,
    treeAdapter: {
      ...defaultTreeAdapter,
      onItemPush: (): void => {
        if (++depth > DEEPEST) throw new TooDeepError();
      },
      onItemPop: (): void => {
        depth--;
      },
    },
  };
  if (!isFragment) return Parser.parse<DefaultTreeAdapterMap>(text, options);
  const parser = Parser.getFragmentParser<DefaultTreeAdapterMap>(undefined, options);
  parser.tokenizer.write(text, true);
  return parser.getFragment();
}

/** In the order of the source; contents of templates as well. */
export function* elementsOf(root: Node): Generator<Node> {
  const stack: Node[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    yield node;
    if ('content' in node) stack.push(node.content);
    if ('childNodes' in node)
      for (let index = node.childNodes.length - 1; index >= 0; index--) stack.push(node.childNodes[index]);
  }
}

/** The local name in lower case, in XML too, where the parser of HTML sees a prefix as part of it. */
export function localNameOf(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}

export function attributeOf(element: Element, name: string): string | undefined {
  return element.attrs.find((attribute) => localNameOf(attribute.name) === name)?.value;
}

export function textOf(element: Element): string {
  return element.childNodes.map((child) => ('value' in child ? child.value : '')).join('');
}
