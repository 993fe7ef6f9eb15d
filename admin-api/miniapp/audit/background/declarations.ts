/**
 * Checks declarations that Rhino 1.7.15 handles differently: const has no block scope, and the
 * variables of a loop head exist once for all iterations.
 */
import type { AnyNode, Function as FunctionNode, Pattern, VariableDeclaration } from 'acorn';
import { isKey, visit } from './syntax-tree.ts';

export type DeclarationCode = 'rhino_redeclared' | 'rhino_const_in_loop' | 'rhino_loop_closure' | 'rhino_let_in_loop';
type Report = (code: DeclarationCode, offset: number, name: string) => void;
type Kind = 'var' | 'let' | 'const';
type Block = Map<string, Kind>;

interface Loop {
  readonly node: AnyNode;
  /** Names declared with let in the loop head. A name is removed when it is reported. */
  readonly names: Set<string>;
}

/** A function or the script: first its own scope, then the enclosing blocks at the current node. */
interface Frame {
  readonly blocks: Block[];
  readonly loops: Loop[];
  readonly node: AnyNode;
}

const LOOPS = new Set(['ForStatement', 'ForInStatement', 'ForOfStatement', 'WhileStatement', 'DoWhileStatement']);
const HEADS = new Set(['ForStatement', 'ForInStatement', 'ForOfStatement']);
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Resolves declarations in source order, as Rhino's parser does. */
export function checkDeclarations(program: AnyNode, report: Report): void {
  const frames: Frame[] = [{ blocks: [new Map()], loops: [], node: program }];

  /** Mirrors Parser.defineSymbol of Rhino. */
  const declare = (kind: Kind, { name, start }: Name): void => {
    const { blocks } = frames[frames.length - 1];
    const around = blocks.findLast((block) => block.has(name));
    const other = around?.get(name);
    const isInnermost = around === blocks[blocks.length - 1];
    if (other === 'const' || (other !== undefined && kind === 'const') || (other === 'let' && isInnermost))
      report('rhino_redeclared', start, name);
    else if (kind === 'let') blocks[blocks.length - 1].set(name, kind);
    else if (other === undefined) blocks[0].set(name, kind);
  };

  const enter = (node: AnyNode, above: readonly AnyNode[]): void => {
    const frame = frames[frames.length - 1];
    const around = above[above.length - 1];
    if (FUNCTIONS.has(node.type)) {
      const { id, params } = node as FunctionNode;
      if (node.type === 'FunctionDeclaration' && id) declare('var', id);
      frames.push({ blocks: [new Map()], loops: [], node });
      for (const param of params) for (const name of namesOf(param)) declare('var', name);
    } else if (LOOPS.has(node.type)) {
      frame.loops.push({ node, names: new Set() });
      if (HEADS.has(node.type)) frame.blocks.push(new Map());
    } else if (node.type === 'BlockStatement' && !FUNCTIONS.has(around.type)) frame.blocks.push(new Map());
    else if (node.type === 'VariableDeclaration') enterDeclaration(node, around, frame);
    else if (node.type === 'Identifier' && frames.length > 1 && !isKey(node, around)) checkUse(node.name, above);
  };

  const enterDeclaration = (node: VariableDeclaration, around: AnyNode, { loops }: Frame): void => {
    const loop = loops[loops.length - 1];
    const isHead = loop?.node === around && around.type !== 'WhileStatement' && around.type !== 'DoWhileStatement';
    for (const { id, init } of node.declarations) {
      for (const name of namesOf(id)) {
        declare(node.kind as Kind, name);
        if (isHead && node.kind === 'let') loop.names.add(name.name);
        else if (!isHead && loop !== undefined && node.kind === 'const')
          report('rhino_const_in_loop', name.start, name.name);
        else if (!isHead && loop !== undefined && node.kind === 'let' && !init)
          report('rhino_let_in_loop', name.start, name.name);
      }
    }
  };

  /** Reports a function that uses a loop variable declared outside it. */
  const checkUse = (name: string, above: readonly AnyNode[]): void => {
    for (let i = frames.length - 1; i > 0; i--) {
      if (frames[i].blocks.some((block) => block.has(name))) return;
      const loop = frames[i - 1].loops.findLast(({ names }) => names.has(name));
      if (loop === undefined) continue;
      if (isCalledSynchronously(frames[i].node, above)) return;
      loop.names.delete(name);
      report('rhino_loop_closure', frames[i].node.start, name);
      return;
    }
  };

  visit(program, enter, (node) => {
    const frame = frames[frames.length - 1];
    if (frame.node === node) {
      frames.pop();
      return;
    }
    if (LOOPS.has(node.type)) frame.loops.pop();
    const isFunctionBody = frame.blocks.length === 1;
    if (HEADS.has(node.type) || (node.type === 'BlockStatement' && !isFunctionBody)) frame.blocks.pop();
  });
}

interface Name {
  readonly name: string;
  readonly start: number;
}

function namesOf(pattern: Pattern): Name[] {
  const names: Name[] = [];
  const stack: AnyNode[] = [pattern];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === 'Identifier') names.push(node);
    else if (node.type === 'AssignmentPattern') stack.push(node.left);
    else if (node.type === 'RestElement') stack.push(node.argument);
    else if (node.type === 'ArrayPattern') for (const element of node.elements) element && stack.push(element);
    if (node.type === 'ObjectPattern')
      for (const property of node.properties) stack.push(property.type === 'Property' ? property.value : property);
  }
  return names.sort((a, b) => a.start - b.start);
}

/** Methods that call their function argument before they return. */
const SYNCHRONOUS_METHODS =
  /^(?:forEach|map|filter|some|every|find|findIndex|reduce|reduceRight|flatMap|sort|replace)$/;

/** True for an argument of such a method and for an immediately invoked function. */
function isCalledSynchronously(node: AnyNode, above: readonly AnyNode[]): boolean {
  let at = above.indexOf(node) - 1;
  while (above[at].type === 'ParenthesizedExpression') at--;
  const call = above[at];
  if (call.type !== 'CallExpression') return false;
  const { callee } = call;
  if (callee.start <= node.start && node.end <= callee.end) return true;
  return (
    callee.type === 'MemberExpression' &&
    callee.property.type === 'Identifier' &&
    SYNCHRONOUS_METHODS.test(callee.property.name)
  );
}
