/** Classifies the use of an expression's value by its parent nodes. */
import type { AnyNode } from 'acorn';
import { parentOf } from './walk.ts';

type Use =
  /** The value is compared, tested or discarded. */
  | 'nothing'
  /** A member of the value is accessed. */
  | 'member'
  | 'called'
  /** The value is bound to a variable, or to a parameter of an immediately called function. */
  | 'bound'
  /** The expression is the target of an assignment. */
  | 'assigned'
  /** The value is part of an object or array literal. */
  | 'element'
  /** The value leaves the tracked code: an argument, a result, a member, an export. */
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
 * The value is only tested for presence: `if (window.fetch)`, `!!window.fetch`, `window.fetch
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
        // The `&&` expression passes on only a falsy value.
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
