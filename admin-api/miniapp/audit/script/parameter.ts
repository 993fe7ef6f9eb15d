/** Evaluates a parameter to the arguments that the script passes. */
import type { AnyNode, CallExpression, Function as FunctionNode } from 'acorn';
import type { Evaluation } from './evaluation.ts';
import { argumentsOf, callOf, nameOf } from './plain-call.ts';
import { constant, NOTHING_KNOWN, union, type Value, type Values } from './values.ts';
import { parentOf, scopeOf, type Walked } from './walk.ts';

/** Maximum values of a parameter that are kept apart. */
const MAX_VALUES = 64;
/** Methods that call their callback with a part of their object. */
const PASSING = new Set(['then', 'map', 'forEach', 'find', 'filter', 'some', 'every', 'flatMap']);

/** Functions that may change their parameters through `arguments`. */
const rewriting = new WeakMap<Walked, ReadonlySet<AnyNode>>();

function rewritingOf(walked: Walked): ReadonlySet<AnyNode> {
  const rewritten = rewriting.get(walked);
  if (rewritten !== undefined) return rewritten;
  const functions = new Set<AnyNode>();
  for (const node of walked.names) {
    if (node.name !== 'arguments' || !isWritten(node)) continue;
    let at = parentOf(node);
    while (at !== undefined && at.type !== 'FunctionExpression' && at.type !== 'FunctionDeclaration') at = parentOf(at);
    if (at !== undefined) functions.add(at);
  }
  rewriting.set(walked, functions);
  return functions;
}

/** `arguments[0] = …`, or `arguments` is assigned to another name. */
function isWritten(node: AnyNode): boolean {
  const parent = parentOf(node);
  if (parent?.type !== 'MemberExpression')
    return parent?.type === 'VariableDeclarator' || parent?.type === 'AssignmentExpression';
  const target = parentOf(parent);
  if (target?.type === 'AssignmentExpression') return target.left === parent;
  return target?.type === 'UpdateExpression' || target?.type === 'ForOfStatement' || target?.type === 'ForInStatement';
}

export function valuesOfParameter(
  evaluator: Evaluation,
  walked: Walked,
  fn: FunctionNode & AnyNode,
  index: number,
): Values {
  const argumentValues = argumentsPassedTo(evaluator, walked, fn, index);
  return argumentValues !== NOTHING_KNOWN && rewritingOf(walked).has(fn)
    ? union([argumentValues, NOTHING_KNOWN])
    : argumentValues;
}

/**
 * The arguments of the immediate call, of all calls by name, or of the promise or list method that
 * takes the function.
 */
function argumentsPassedTo(evaluator: Evaluation, walked: Walked, fn: FunctionNode & AnyNode, index: number): Values {
  const call = callOf(fn);
  if (call !== undefined) {
    const args = argumentsOf(call.node).slice(call.skip);
    if (args.slice(0, index + 1).some((arg) => arg.type === 'SpreadElement')) return NOTHING_KNOWN;
    return args[index] ? evaluator.valuesOf(args[index]) : [constant(undefined)];
  }
  const name = nameOf(fn);
  if (name !== undefined) return ofCalls(evaluator, walked, fn, name, index);
  const parent = parentOf(fn);
  if (parent?.type !== 'CallExpression' || parent.callee.type !== 'MemberExpression') return NOTHING_KNOWN;
  const key = evaluator.keyOf(parent.callee);
  if (key === undefined) return NOTHING_KNOWN;
  if (key === 'reduce' || key === 'reduceRight') return ofReduction(evaluator, fn, parent, parent.callee.object, index);
  if (!PASSING.has(key)) return NOTHING_KNOWN;
  const objects = evaluator.valuesOf(parent.callee.object);
  if (key !== 'then' && index === 0 && objects.some(isList)) return evaluator.itemsOf(objects);
  const passed = objects.filter(({ kind }) => kind === 'fetched' || (kind === 'receiver' && key !== 'then'));
  return passed.length === 0 ? NOTHING_KNOWN : passed;
}

const isList = ({ kind }: Value): boolean => kind === 'list' || kind === 'structure';

/** For `reduce`: the initial value or a result (first parameter), or an item (second). */
function ofReduction(
  evaluator: Evaluation,
  fn: FunctionNode & AnyNode,
  { arguments: [step, first] }: CallExpression,
  list: AnyNode,
  index: number,
): Values {
  if (step !== fn || index > 1) return NOTHING_KNOWN;
  if (index === 1) return evaluator.itemsOf(evaluator.valuesOf(list));
  const initial = first === undefined ? evaluator.itemsOf(evaluator.valuesOf(list)) : evaluator.valuesOf(first);
  return union([initial, evaluator.resultsOf(fn)]);
}

/** Also unknown if the function is passed on, or if another script may call it. */
function ofCalls(evaluator: Evaluation, walked: Walked, fn: AnyNode, name: string, index: number): Values {
  const { handedOn, isShared, top } = walked;
  const sets: Values[] = [];
  for (const { args, spread } of evaluator.callsOf(fn))
    if (spread <= index && spread < args.length) sets.push(NOTHING_KNOWN);
    else if (args[index]) sets.push(evaluator.valuesOf(args[index]));
  if (sets.length === 0) return NOTHING_KNOWN;
  if (handedOn.has(name) || isExported(fn) || (isShared && scopeOf(fn) === top)) sets.push(NOTHING_KNOWN);
  return union(sets, MAX_VALUES);
}

function isExported(fn: AnyNode): boolean {
  const parent = parentOf(fn);
  const declaration = parent?.type === 'VariableDeclarator' ? parentOf(parent) : fn;
  return declaration !== undefined && parentOf(declaration)?.type.startsWith('Export') === true;
}
