/** Detects fallbacks for browsers without JSON: `JSON.parse ? JSON.parse(text) : eval(text)`. */
import type { AnyNode } from 'acorn';
import type { ScriptView } from './script-view.ts';
import { parentOf } from './walk.ts';

export function isWithoutJson(view: ScriptView, node: AnyNode): boolean {
  let at = node;
  for (let parent = parentOf(at); parent !== undefined; at = parent, parent = parentOf(at)) {
    if (parent.type === 'ConditionalExpression' || parent.type === 'IfStatement') {
      if (parent.alternate === at && isJson(view, parent.test)) return true;
    } else if (parent.type === 'FunctionExpression' || parent.type === 'FunctionDeclaration') return false;
  }
  return false;
}

/** The test is true in all browsers with JSON. */
function isJson(view: ScriptView, test: AnyNode): boolean {
  switch (test.type) {
    case 'LogicalExpression':
      return test.operator === '&&' && isJson(view, test.left) && isJson(view, test.right);
    case 'ParenthesizedExpression':
      return isJson(view, test.expression);
    case 'BinaryExpression': {
      // Minifiers write `typeof JSON < "u"`.
      const [type, text] = test.left.type === 'UnaryExpression' ? [test.left, test.right] : [test.right, test.left];
      const isUndefined = text.type === 'Literal' && (text.value === 'undefined' || text.value === 'u');
      const isOther =
        test.operator === '!=' || test.operator === '!==' || (test.operator === '<' && text === test.right);
      return isUndefined && isOther && type.type === 'UnaryExpression' && isJsonValue(view, type.argument);
    }
    default:
      return isJsonValue(view, test);
  }
}

const isJsonValue = (view: ScriptView, node: AnyNode): boolean => {
  const [value, ...others] = view.evaluator.valuesOf(node);
  return others.length === 0 && value.kind === 'global' && (value.path === 'JSON' || value.path === 'JSON.parse');
};
