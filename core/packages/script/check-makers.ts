/** Functions that make elements of the name that they are given, and what other scripts give them. */
import type { AnyNode, Program } from 'acorn';
import type { Place } from '../finding.ts';
import { FRAMES } from '../frames.ts';
import type { WebContext } from '../web/context.ts';
import { localName } from './evaluate-call.ts';
import type { Call } from './method.ts';
import { importedName, nameOf } from './module-names.ts';
import { calledAs, isFunction } from './plain-call.ts';
import { placeOf, type ScriptView, written } from './script-view.ts';
import { Steps } from './steps.ts';
import { constantOf } from './values.ts';

/** A call that gives a function the name of an element that holds code. */
export interface Tagged {
  readonly name: string;
  readonly index: number;
  readonly tag: string;
  readonly place: Place;
  readonly message: string;
}

/** An element is made of this name, of which nothing is known: by which functions, if it is a parameter. */
export function noteMaker(view: ScriptView, name: AnyNode): void {
  for (const { fn, index } of parametersOf(view, name, new Steps())) view.makers.push({ fn, index });
}

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
    else if (from !== undefined && isFunction(from) && path.length === 1 && typeof index === 'number')
      yield { fn: from, index };
  }
}

/** A function that the script does not have, or a member, is called with the name of such an element. */
export function noteTags(view: ScriptView, node: Call, name: string, args: readonly AnyNode[]): void {
  const { callee } = node;
  const variable = callee.type === 'Identifier' ? view.evaluator.variableOf(callee) : undefined;
  const [write] = variable?.writes ?? [];
  const isImported = write?.from?.type === 'ImportSpecifier' || write?.from?.type === 'ImportDefaultSpecifier';
  if (variable !== undefined && !isImported && variable.writes.length > 0) return;
  const known = isImported ? importedName(write.from as Parameters<typeof importedName>[0]) : name;
  for (let index = 0; index < args.length && args[index].type !== 'SpreadElement'; index++) {
    const text = constantOf(view.evaluator.valuesOf(args[index]))?.value;
    const tag = typeof text === 'string' && text.length < MOST ? localName(text) : '';
    if (tag !== 'script' && tag !== 'base' && !FRAMES.has(tag)) continue;
    const message = `${written(view, node)} makes a ${tag} element.`;
    view.context.tagged.push({ name: known, index, tag, place: placeOf(view, node), message });
  }
}

/** Longer than any name of an element with its prefix. */
const MOST = 64;

/** By which names other scripts have the functions. */
export function noteMakers(view: ScriptView, program: Program): void {
  if (view.makers.length === 0) return;
  const exported = exportedFunctions(view, program);
  for (const { fn, index } of view.makers) {
    const name = calledAs(fn);
    if (name !== undefined) noteIndex(view.context.makers, name, index);
    for (const other of exported.get(fn) ?? []) noteIndex(view.context.makers, other, index);
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

function noteIndex(makers: WebContext['makers'], name: string, index: number): void {
  const known = makers.get(name);
  if (known === undefined) makers.set(name, new Set([index]));
  else known.add(index);
}

/** Once all scripts were audited. */
export function reportTagged({ findings, makers, renamed, tagged }: WebContext): void {
  // What is added to a map is gone over, too.
  for (const [name, indexes] of makers)
    for (const other of renamed.get(name) ?? []) for (const index of indexes) noteIndex(makers, other, index);
  for (const { name, index, tag, place, message } of tagged)
    if (makers.get(name)?.has(index))
      findings.add(tag === 'script' ? 'script_element' : 'element_undeterminable', place, message);
}
