/** The syntax tree of a background file, and its traversal. */
import { type AnyNode, type Comment, type Options, type Program, parse } from 'acorn';

export interface SyntaxTree {
  readonly program: Program;
  readonly comments: readonly Comment[];
  /** Ends of statements where the parser inserted a semicolon. */
  readonly insertedSemicolons: readonly number[];
}

/**
 * Parses current ECMAScript, including modules, so that the audit reports all syntax that Rhino
 * lacks and not only the first error. Throws acorn's SyntaxError.
 */
export function parseTree(text: string): SyntaxTree {
  const comments: Comment[] = [];
  const insertedSemicolons: number[] = [];
  const options: Options = {
    ecmaVersion: 'latest',
    sourceType: 'script',
    allowImportExportEverywhere: true,
    allowAwaitOutsideFunction: true,
    allowHashBang: true,
    preserveParens: true,
    onComment: comments,
    onInsertedSemicolon: (end) => insertedSemicolons.push(end),
  };
  return { program: parse(text, options), comments, insertedSemicolons };
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

/** In source order. */
function childrenOf(node: AnyNode): AnyNode[] {
  const children: AnyNode[] = [];
  // acorn's nodes inherit no enumerable members. Object.entries would double the time of a
  // traversal.
  for (const key in node) {
    // Added by the script walk and the evaluator.
    if (key === 'parent' || key === 'returned' || key === 'values') continue;
    const value: unknown = node[key as keyof AnyNode];
    if (Array.isArray(value)) for (const item of value) isNode(item) && children.push(item);
    else if (isNode(value)) children.push(value);
  }
  return children;
}

/**
 * Visits all nodes in pre-order, without recursion. `above`: the ancestors, the outermost first;
 * valid only during the call.
 */
export function visit(
  root: AnyNode,
  enter: (node: AnyNode, above: readonly AnyNode[]) => void,
  leave: (node: AnyNode) => void = () => {},
): void {
  const above: AnyNode[] = [];
  const stack: (AnyNode | null)[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node === null) {
      leave(above.pop()!);
      continue;
    }
    enter(node, above);
    above.push(node);
    stack.push(null);
    const children = childrenOf(node);
    for (let i = children.length - 1; i >= 0; i--) stack.push(children[i]);
  }
}

/** Whether the node is the name of a member and not an expression. */
export const isKey = (node: AnyNode, around: AnyNode | undefined): boolean =>
  (around?.type === 'MemberExpression' && !around.computed && around.property === node) ||
  (around?.type === 'Property' && !around.computed && !around.shorthand && around.key === node) ||
  (around?.type === 'MethodDefinition' && !around.computed && around.key === node);

/**
 * The offset of the next token after `from`. `newline`: a line ends between them, outside of block
 * comments.
 */
export function skipTrivia(text: string, from: number): { readonly at: number; readonly newline: boolean } {
  let newline = false;
  let at = from;
  for (;;) {
    const char = text[at] ?? '';
    if (text.startsWith('/*', at)) at = afterComment(text, at);
    else if (text.startsWith('//', at)) while (at < text.length && !LINE_END.test(text[at])) at++;
    else if (/\s/.test(char)) {
      newline ||= LINE_END.test(char);
      at++;
    } else return { at, newline };
  }
}

/** The end of the comment; without one, the end of the text. */
function afterComment(text: string, at: number): number {
  const end = text.indexOf('*/', at + 2);
  return end < 0 ? text.length : end + 2;
}

const LINE_END = /[\n\r\u2028\u2029]/;
