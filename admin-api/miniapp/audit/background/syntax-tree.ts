/** The tree of a background file, and a walk over all of it. */
import { type AnyNode, type Comment, type Options, type Program, parse } from 'acorn';

export interface SyntaxTree {
  readonly program: Program;
  readonly comments: readonly Comment[];
  /** Where a semicolon was left out: the end of the statement before. */
  readonly insertedSemicolons: readonly number[];
}

/**
 * Parses what any engine of today would, modules included, so that all that Rhino lacks is reported
 * and not the first thing only. Throws acorn's SyntaxError.
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

/** In the order of the source. */
function childrenOf(node: AnyNode): AnyNode[] {
  const children: AnyNode[] = [];
  // All are its own: acorn's nodes have a prototype without members. Pairs of Object.entries would
  // double the time of a walk.
  for (const key in node) {
    // The walk of scripts, and what evaluates them, write them there.
    if (key === 'parent' || key === 'returned' || key === 'values') continue;
    const value: unknown = node[key as keyof AnyNode];
    if (Array.isArray(value)) for (const item of value) isNode(item) && children.push(item);
    else if (isNode(value)) children.push(value);
  }
  return children;
}

/**
 * Goes over all nodes, a node before what is in it, without recursion. `above` are the nodes around
 * it, the outermost first, valid during the call.
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

/** The name of a member, which is no expression of its own. */
export const isKey = (node: AnyNode, around: AnyNode | undefined): boolean =>
  (around?.type === 'MemberExpression' && !around.computed && around.property === node) ||
  (around?.type === 'Property' && !around.computed && !around.shorthand && around.key === node) ||
  (around?.type === 'MethodDefinition' && !around.computed && around.key === node);

/**
 * Where the next token begins, from the end of one. `newline`: a line ends between them, other than
 * in a comment.
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

/** The end of the text, if it doesn't end before. */
function afterComment(text: string, at: number): number {
  const end = text.indexOf('*/', at + 2);
  return end < 0 ? text.length : end + 2;
}

const LINE_END = /[\n\r\u2028\u2029]/;
