/**
 * Detects computed uses of features that the policy does not block: WebRTC constructors, messages
 * to the window around the app, and texts in window.name.
 */
import type { AnyNode } from 'acorn';
import { isFunction } from './plain-call.ts';
import type { ScriptView } from './script-view.ts';
import { type Called, parentOf } from './walk.ts';

/** `node`: a member of the global object. */
export function mayBeUncovered(view: ScriptView, node: AnyNode, depth = 0): boolean {
  if (depth > MOST_DEPTH) return true;
  let at = node;
  for (let parent = parentOf(at); parent !== undefined; at = parent, parent = parentOf(at)) {
    switch (parent.type) {
      case 'ChainExpression':
      case 'ParenthesizedExpression':
      case 'LogicalExpression':
      case 'ConditionalExpression':
      case 'SequenceExpression':
      case 'AwaitExpression':
        continue;
      case 'AssignmentPattern':
      case 'VariableDeclarator':
      case 'AssignmentExpression': {
        if (parent.type === 'AssignmentExpression' && parent.left === node) return isText(view, parent.right);
        const name = parent.type === 'VariableDeclarator' ? parent.id : parent.left;
        return name.type === 'Identifier' && isUsed(view, name.name, node);
      }
      case 'ReturnStatement':
      case 'ArrowFunctionExpression': {
        const fn = functionAround(at);
        return fn !== undefined && view.evaluator.callsOf(fn).some((call) => isCallUncovered(view, call, depth));
      }
      default:
        return isUse(view, parent, at);
    }
  }
  return false;
}

/** Maximum depth of functions that return the results of other functions. */
const MOST_DEPTH = 4;

function functionAround(node: AnyNode): AnyNode | undefined {
  for (let at = parentOf(node); at !== undefined; at = parentOf(at)) if (isFunction(at)) return at;
  return undefined;
}

function isCallUncovered(view: ScriptView, { callee }: Called, depth: number): boolean {
  const call = parentOf(callee);
  return call?.type === 'CallExpression' && mayBeUncovered(view, call, depth + 1);
}

export const isUsed = (view: ScriptView, name: string, at: AnyNode): boolean =>
  view.evaluator.usesOf(name, at).some((use) => {
    const parent = parentOf(use);
    return parent !== undefined && isUse(view, parent, use);
  });

function isUse(view: ScriptView, parent: AnyNode, value: AnyNode): boolean {
  switch (parent.type) {
    case 'NewExpression':
      return parent.callee === value;
    case 'ClassDeclaration':
    case 'ClassExpression':
      return true;
    case 'MemberExpression':
      return parent.object === value && view.evaluator.keyOf(parent) === 'postMessage';
    case 'CallExpression':
      return view.evaluator
        .valuesOf(parent.callee)
        .some((callee) => callee.kind === 'global' && callee.path === 'Reflect.construct');
    default:
      return false;
  }
}

const isText = (view: ScriptView, node: AnyNode): boolean =>
  view.evaluator
    .valuesOf(node)
    .some((value) => value.kind === 'text' || (value.kind === 'constant' && typeof value.value === 'string'));
