/** Markup as a tree, and the one walk over it. */
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
 * As browsers do, which flatten what is deeper. A bound on what a page can cost, as open elements
 * are searched repeatedly.
 */
export const DEEPEST = 512;

export class TooDeepError extends Error {}

interface Markup {
  readonly root: Node;
  /** Start tags that the parser has dropped, and newer ones do not: see SelectParser. */
  readonly dropped: readonly { readonly tag: string; readonly offset: number }[];
}

/** What may stand in a `select` by all versions of HTML. */
const IN_SELECT = new Set(['option', 'optgroup', 'hr', 'script', 'template']);

/** Until 2025 HTML dropped whatever else stood in a `select`; since then it is kept. */
class SelectParser extends Parser<DefaultTreeAdapterMap> {
  readonly dropped: { tag: string; offset: number }[] = [];
  /** That are open. */
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

/** As browsers that run scripts read it: content of `noscript` is text. Throws TooDeepError. */
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

/**
 * The local name in lower case, in XML too, where the parser of HTML sees a prefix as part of it.
 */
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
