/**
 * Finds functions that create an element from a tag name argument, and calls that pass them one.
 */
import type { AnyNode, Identifier, Program } from 'acorn';
import { FRAMES } from '../frames.ts';
import type { WebContext } from '../web/context.ts';
import { localName } from './evaluate-call.ts';
import type { Call } from './method.ts';
import { nameOf } from './module-names.ts';
import { addParameter, listsBy, spread } from './passed-on.ts';
import { calledAs, isFunction } from './plain-call.ts';
import { placeOf, type ScriptView, written } from './script-view.ts';
import { Steps } from './steps.ts';
import { constantOf, type Values } from './values.ts';

/**
 * Notes the functions of which the unknown tag name `name` is a parameter.
 */
export function noteMaker(view: ScriptView, name: AnyNode): void {
  for (const { fn, index } of parametersOf(view, name, new Steps())) view.makers.push({ fn, index });
}

/**
 * `const make = document.createElement.bind(document)`. `bound`: the number of bound arguments.
 */
export function noteBoundMaker(view: ScriptView, node: Call, methods: Values, bound: number): void {
  const name = calledAs(node);
  if (name === undefined) return;
  for (const method of methods)
    if (method.kind === 'global' && NAME_OF_ELEMENT.has(method.path))
      addParameter(view.context.makers, name, NAME_OF_ELEMENT.get(method.path)! - bound);
}

/** The index of the argument with the tag name. */
const NAME_OF_ELEMENT: ReadonlyMap<string, number> = new Map([
  ['document.createElement', 0],
  ['document.createElementNS', 1],
]);

function* parametersOf(view: ScriptView, node: AnyNode, steps: Steps): Iterable<{ fn: AnyNode; index: number }> {
  if (!steps.take()) return;
  if (node.type === 'LogicalExpression') {
    yield* parametersOf(view, node.left, steps);
    yield* parametersOf(view, node.right, steps);
  } else if (node.type === 'ConditionalExpression') {
    yield* parametersOf(view, node.consequent, steps);
    yield* parametersOf(view, node.alternate, steps);
  } else if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression')
    // `tag.toLowerCase()`
    yield* parametersOf(view, node.callee.object, steps);
  if (node.type !== 'Identifier') return;
  const variable = view.evaluator.variableOf(node);
  if (variable === undefined || !steps.enter(variable)) return;
  for (const { from, path } of variable.writes) {
    const [index] = path;
    if (from !== undefined && path.length === 0) yield* parametersOf(view, from, steps);
    else if (from !== undefined && isFunction(from) && path.length === 1 && typeof index === 'number') {
      yield { fn: from, index };
      for (const given of view.evaluator.given(from, index)) yield* parametersOf(view, given, steps);
    }
  }
}

/** Notes calls by name with the tag name of an element that can run code. */
export function noteTags(view: ScriptView, node: Call, name: string, args: readonly AnyNode[]): void {
  for (let index = 0; index < args.length && args[index].type !== 'SpreadElement'; index++) {
    const arg = args[index];
    if (NEVER_TEXT.has(arg.type) || (arg.type === 'Identifier' && isPassedOn(view, arg))) continue;
    const text = arg.type === 'Literal' ? arg.value : constantOf(view.evaluator.valuesOf(arg))?.value;
    const tag = typeof text === 'string' && text.length < MAX_TAG_LENGTH ? localName(text) : '';
    if (tag !== 'script' && tag !== 'base' && !FRAMES.has(tag)) continue;
    const message = `${written(view, node)} makes a ${tag} element.`;
    view.context.tagged.push({
      name,
      index,
      tag,
      message,
      position: placeOf(view, node),
      script: view.script,
      at: node.start,
    });
  }
}

/** A parameter, in a script without any literal tag name of such an element. */
function isPassedOn(view: ScriptView, node: Identifier): boolean {
  const [write] = view.evaluator.variableOf(node)?.writes ?? [];
  if (write?.from === undefined || write.path.length === 0 || !isFunction(write.from)) return false;
  view.names.isOfCode ??= CODE_TAG.test(view.source.text);
  return !view.names.isOfCode;
}

const CODE_TAG = new RegExp(`["'\`](?:\\w+:)?(?:script|base|${[...FRAMES].join('|')})["'\`]`, 'i');

/** Expressions that never evaluate to text. */
const NEVER_TEXT = new Set([
  'ArrowFunctionExpression',
  'FunctionExpression',
  'ObjectExpression',
  'ArrayExpression',
  'ThisExpression',
]);

/** Maximum characters of a tag name with its prefix. */
const MAX_TAG_LENGTH = 64;

/** Notes the names by which other scripts can call the functions. */
export function noteMakers(view: ScriptView, program: Program): void {
  if (view.makers.length === 0) return;
  const exported = exportedFunctions(view, program);
  for (const { fn, index } of view.makers) {
    const name = calledAs(fn);
    if (name !== undefined) addParameter(view.context.makers, name, index);
    for (const other of exported.get(fn) ?? []) addParameter(view.context.makers, other, index);
  }
}

function exportedFunctions(view: ScriptView, { body }: Program): ReadonlyMap<AnyNode, readonly string[]> {
  const names = new Map<AnyNode, string[]>();
  const add = (node: AnyNode, name: string): void => {
    const fn = node.type === 'Identifier' ? view.evaluator.functionOf(node) : node;
    if (fn !== undefined) names.set(fn, [...(names.get(fn) ?? []), name]);
  };
  for (const node of body)
    if (node.type === 'ExportDefaultDeclaration') add(node.declaration, 'default');
    else if (node.type === 'ExportNamedDeclaration')
      for (const { local, exported } of node.specifiers) if (local.type === 'Identifier') add(local, nameOf(exported));
  return names;
}

/** Runs after all scripts are audited. */
export function reportTagged({ covered, makers, renamed, tagged, passedOn }: WebContext): void {
  if (tagged.length === 0) return;
  const passing = listsBy(passedOn, ({ to }) => to);
  spread(makers, function* (name, index) {
    for (const other of renamed.get(name) ?? []) yield [other, index];
    for (const passed of passing.get(name) ?? []) if (passed.at === index) yield [passed.from, passed.index];
  });
  for (const { name, index, tag, ...found } of tagged) {
    if (makers.get(name)?.has(index) !== true) continue;
    const code = tag === 'script' ? 'script_element' : 'element_undeterminable';
    covered.push({ ...found, code, fix: undefined });
  }
}
