/** Parses HTML into a tree, and traverses it. */
import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  Parser,
  type Token,
} from 'parse5';

export type Element = DefaultTreeAdapterTypes.Element;
export type Node = DefaultTreeAdapterTypes.Node;

/**
 * Maximum depth, as in browsers, which flatten deeper elements. It also bounds the cost of a page,
 * since the parser repeatedly searches the open elements.
 */
export const DEEPEST = 512;

export class TooDeepError extends Error {}

interface Markup {
  readonly root: Node;
  /** Start tags that this parser drops and newer parsers keep; see SelectParser. */
  readonly dropped: readonly { readonly tag: string; readonly offset: number }[];
}

/** Elements that all versions of HTML allow in a `select`. */
const IN_SELECT = new Set(['option', 'optgroup', 'hr', 'script', 'template']);

/** Records elements that HTML dropped inside a `select` until 2025. Newer parsers keep them. */
class SelectParser extends Parser<DefaultTreeAdapterMap> {
  readonly dropped: { tag: string; offset: number }[] = [];
  /** Number of open `select` elements. */
  selects = 0;

  override onStartTag(token: Token.TagToken): void {
    if (this.selects > 0 && !IN_SELECT.has(token.tagName))
      this.dropped.push({ tag: token.tagName, offset: token.location?.startOffset ?? 0 });
    super.onStartTag(token);
  }

  override onItemPush(node: DefaultTreeAdapterTypes.ParentNode, tagId: number, isTop: boolean): void {
    if ('tagName' in node && node.tagName === 'select') this.selects++;
    super.onItemPush(node, tagId, isTop);
  }

  override onItemPop(node: DefaultTreeAdapterTypes.ParentNode, isTop: boolean): void {
    if ('tagName' in node && node.tagName === 'select') this.selects--;
    super.onItemPop(node, isTop);
  }
}

/**
 * Parses as browsers with scripts enabled: the content of `noscript` is text. Throws TooDeepError.
 */
export function parseMarkup(text: string, isFragment: boolean): Markup {
  let depth = 0;
  const options = {
    sourceCodeLocationInfo: true,
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
  const parser = isFragment
    ? (SelectParser.getFragmentParser<DefaultTreeAdapterMap>(undefined, options) as SelectParser)
    : new SelectParser(options);
  parser.tokenizer.write(text, true);
  return { root: isFragment ? parser.getFragment() : parser.document, dropped: parser.dropped };
}

/** All nodes in source order, including the contents of templates. */
export function* elementsOf(root: Node): Generator<Node> {
  const stack: Node[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    yield node;
    if ('content' in node) stack.push(node.content);
    if ('childNodes' in node)
      for (let index = node.childNodes.length - 1; index >= 0; index--) stack.push(node.childNodes[index]);
  }
}

/** The local name in lower case. The HTML parser keeps an XML prefix as part of the name. */
export function localNameOf(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}

export function isInTemplate(element: Element): boolean {
  let node: DefaultTreeAdapterTypes.ParentNode | null = element;
  while (node !== null && 'parentNode' in node) node = node.parentNode;
  return node?.nodeName === '#document-fragment';
}

export function attributeOf(element: Element, name: string): string | undefined {
  return element.attrs.find((attribute) => localNameOf(attribute.name) === name)?.value;
}

export function textOf(element: Element): string {
  return element.childNodes.map((child) => ('value' in child ? child.value : '')).join('');
}
