/** Recognizes constant text that is harmless as code: `Function("return this")()`. */
import type { AnyNode, Program } from 'acorn';
import { parseScript } from './parser.ts';
import { constantOf, type Values } from './values.ts';

/** Maximum characters of a checked text. */
const MAX_CODE_LENGTH = 300;

/**
 * The effect of the code. `value`: it does nothing, or compares parameters. `this`: it returns the
 * global object, which is tracked if the call is direct. `kept`: it stores a parameter in a known
 * global. Undefined: anything else.
 */
type Harmless = 'value' | 'this' | 'kept';

/** `texts`: the arguments of Function: the parameters, then the body. */
export function harmlessFunction(texts: readonly Values[]): Harmless | undefined {
  const constants = texts.map((values) => constantOf(values)?.value);
  if (constants.some((text) => typeof text !== 'string' || text.length > MAX_CODE_LENGTH)) return undefined;
  const parameters = constants.slice(0, -1).map((text) => String(text).trim());
  if (!parameters.every((name) => NAME.test(name))) return undefined;
  return harmless(String(constants.at(-1) ?? ''), new Set(parameters));
}

/** Whether the argument of eval returns the global object: `(0, eval)("this")`. */
export function isGlobalObject(values: Values | undefined): boolean {
  const text = values && constantOf(values)?.value;
  return typeof text === 'string' && /^\s*this;?\s*$/.test(text);
}

const NAME = /^[A-Za-z_$][\w$]*$/;

function harmless(text: string, names: ReadonlySet<string>): Harmless | undefined {
  let program: Program;
  try {
    const options = { ecmaVersion: 'latest', sourceType: 'script', allowReturnOutsideFunction: true } as const;
    ({ program } = parseScript(text, options));
  } catch {
    return undefined;
  }
  const [only, ...more] = program.body;
  if (more.length > 0) return undefined;
  if (only === undefined) return 'value';
  if (only.type !== 'ReturnStatement' && only.type !== 'ExpressionStatement') return undefined;
  const value = only.type === 'ReturnStatement' ? only.argument : only.expression;
  if (value && isComparison(value, names)) return 'value';
  if (!value) return undefined;
  if (value.type === 'ThisExpression' || (value.type === 'Identifier' && value.name === 'globalThis')) return 'this';
  const isKept =
    value.type === 'AssignmentExpression' &&
    value.operator === '=' &&
    value.left.type === 'Identifier' &&
    KEPT.has(value.left.name) &&
    value.right.type === 'Identifier' &&
    names.has(value.right.name);
  return isKept ? 'kept' : undefined;
}

/** Globals in which helpers of compilers store themselves. */
const KEPT = new Set(['regeneratorRuntime']);
const COMPARING = new Set(['==', '===', '!=', '!==', '<', '>', '<=', '>=']);

const isComparison = (node: AnyNode, names: ReadonlySet<string>): boolean =>
  node.type === 'BinaryExpression' &&
  COMPARING.has(node.operator) &&
  isOperand(node.left as AnyNode, names) &&
  isOperand(node.right, names);

/** A parameter, a member of a parameter, or a literal. */
function isOperand(node: AnyNode, names: ReadonlySet<string>): boolean {
  if (node.type === 'Literal') return true;
  if (node.type === 'Identifier') return names.has(node.name);
  if (node.type !== 'MemberExpression') return false;
  return isOperand(node.object, names) && (!node.computed || isOperand(node.property, names));
}
