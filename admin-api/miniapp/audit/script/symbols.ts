/** Recognizes symbols as member keys. No checked platform feature has a symbol as key. */
import type { AnyNode } from 'acorn';
import type { Evaluation } from './evaluation.ts';
import { constantOf, type Values } from './values.ts';

/** Constant members of Symbol (ECMA-262, 20.4.2). */
const WELL_KNOWN: ReadonlySet<string> = new Set(
  (
    'asyncDispose asyncIterator dispose hasInstance isConcatSpreadable iterator match matchAll replace ' +
    'search species split toPrimitive toStringTag unscopables'
  )
    .split(' ')
    .map((name) => `Symbol.${name}`),
);

/** `Symbol.iterator` */
export const isWellKnown = (values: Values): boolean =>
  values.length === 1 && values[0].kind === 'global' && WELL_KNOWN.has(values[0].path);

/** `Symbol.for("name")`, in place or as the only value of a variable. */
export function isSymbol(evaluator: Evaluation, key: AnyNode): boolean {
  const node = key.type === 'Identifier' ? onlyValueOf(evaluator, key) : key;
  if (node?.type !== 'CallExpression' || node.callee.type === 'Super') return false;
  const [callee, ...others] = evaluator.valuesOf(node.callee);
  return others.length === 0 && callee.kind === 'global' && (callee.path === 'Symbol' || callee.path === 'Symbol.for');
}

/** `const CONSTRUCTOR = "constructor"`: as visible in the source as a named member. */
export function isNamedText(evaluator: Evaluation, key: AnyNode): boolean {
  const node = key.type === 'Identifier' ? onlyValueOf(evaluator, key) : undefined;
  if (node?.type === 'TemplateLiteral') return node.expressions.length === 0;
  return node?.type === 'Literal' && typeof constantOf(evaluator.valuesOf(node))?.value === 'string';
}

function onlyValueOf(evaluator: Evaluation, node: AnyNode & { type: 'Identifier' }): AnyNode | undefined {
  const [write, ...others] = evaluator.variableOf(node)?.writes ?? [];
  return others.length === 0 && write?.path.length === 0 ? write.from : undefined;
}
