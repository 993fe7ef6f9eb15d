/** What is done with the value of an expression where it stands. */
import type { AnyNode } from 'acorn';
import { parentOf } from './walk.ts';

type Use =
  /** Nothing comes of it: it is compared, tested, or dropped. */
  | 'nothing'
  /** A member of it is taken. */
  | 'member'
  | 'called'
  /** It goes to a variable, or to a parameter of a function that is called there and then. */
  | 'bound'
  /** It is assigned to. */
  | 'assigned'
  /** It is put into an object or array as it is written. */
  | 'element'
  /** It goes where it is not followed: an argument, a result, a member, an export. */
  | 'escapes';

export function useOf(node: AnyNode): Use {
  let at = node;
  for (let parent = parentOf(at); parent !== undefined; at = parent, parent = parentOf(at)) {
    switch (parent.type) {
      case 'ChainExpression':
      case 'ParenthesizedExpression':
      case 'AwaitExpression':
        continue;
      case 'LogicalExpression':
        if (parent.left === at && parent.operator === '&&') return 'nothing';
        continue;
      case 'ConditionalExpression':
        if (parent.test === at) return 'nothing';
        continue;
      case 'SequenceExpression':
        if (parent.expressions.at(-1) !== at) return 'nothing';
        continue;
      case 'MemberExpression':
        return parent.object === at ? 'member' : 'nothing';
      case 'CallExpression':
      case 'NewExpression':
        if (parent.callee === at) return 'called';
        return isFunctionExpression(parent.callee) || isCallOfFunction(parent.callee) ? 'bound' : 'escapes';
      case 'VariableDeclarator': {
        const declaration = parentOf(parent);
        return declaration !== undefined && parentOf(declaration)?.type === 'ExportNamedDeclaration'
          ? 'escapes'
          : 'bound';
      }
      case 'AssignmentPattern':
      case 'VariableDeclaration':
        return 'bound';
      case 'AssignmentExpression':
        if (parent.left === at) return 'assigned';
        return parent.left.type === 'MemberExpression' ? 'escapes' : 'bound';
      case 'Property':
      case 'ArrayExpression':
        return 'element';
      case 'ReturnStatement':
      case 'YieldExpression':
      case 'ThrowStatement':
      case 'SpreadElement':
      case 'ExportDefaultDeclaration':
      case 'ExportSpecifier':
      case 'ClassDeclaration':
      case 'ClassExpression':
      case 'PropertyDefinition':
      case 'ForInStatement':
      case 'ForOfStatement':
      case 'ArrowFunctionExpression':
        return 'escapes';
      case 'TaggedTemplateExpression':
        return parent.tag === at ? 'called' : 'nothing';
      default:
        return 'nothing';
    }
  }
  return 'nothing';
}

const STATEMENTS_OF_TEST = new Set(['IfStatement', 'WhileStatement', 'DoWhileStatement', 'ForStatement']);
const COMPARISONS = new Set(['==', '===', '!=', '!==']);

/**
 * Nothing but whether it is there is asked: `if (window.fetch)`, `!!window.fetch`, `window.fetch
 * !== undefined`.
 */
export function isTested(node: AnyNode): boolean {
  let at = node;
  for (let parent = parentOf(at); parent !== undefined; at = parent, parent = parentOf(at)) {
    switch (parent.type) {
      case 'ChainExpression':
      case 'ParenthesizedExpression':
        continue;
      case 'LogicalExpression':
        // Where it is falsy nothing of it is handed on.
        if (parent.left === at && parent.operator === '&&') return true;
        continue;
      case 'UnaryExpression':
        return parent.operator === '!' || parent.operator === 'typeof';
      case 'ConditionalExpression':
        if (parent.test === at) return true;
        continue;
      case 'BinaryExpression':
        return COMPARISONS.has(parent.operator) && isNone(parent.left === at ? parent.right : parent.left);
      case 'CallExpression':
        return parent.callee.type === 'Identifier' && parent.callee.name === 'Boolean' && parent.callee !== at;
      default:
        return STATEMENTS_OF_TEST.has(parent.type) && 'test' in parent && parent.test === at;
    }
  }
  return false;
}

/** `undefined`, `null`, `void 0` */
const isNone = (node: AnyNode): boolean =>
  (node.type === 'Literal' && node.value === null) ||
  (node.type === 'Identifier' && node.name === 'undefined') ||
  (node.type === 'UnaryExpression' && node.operator === 'void');

const isFunctionExpression = (node: AnyNode): boolean =>
  node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';

const isCallOfFunction = (node: AnyNode): boolean =>
  node.type === 'MemberExpression' && isFunctionExpression(node.object);
