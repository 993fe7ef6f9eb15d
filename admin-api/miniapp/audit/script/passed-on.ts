/**
 * Notes parameters that functions pass on to named functions of any script. They are followed after
 * all scripts are audited.
 */
import type { AnyNode } from 'acorn';
import type { Parameters } from '../web/noted.ts';
import { calledAs, isFunction } from './plain-call.ts';
import type { Write } from './scope.ts';
import type { ScriptView } from './script-view.ts';

export function notePassedOn(view: ScriptView, to: string, at: number, argument: AnyNode): void {
  const variable = argument.type === 'Identifier' ? view.evaluator.variableOf(argument) : undefined;
  if (variable !== undefined && variable.writes.length > 0) noteParameter(view, to, at, variable.writes[0]);
}

/** `write`: the first write of the variable. Only parameters are noted. */
export function noteParameter(view: ScriptView, to: string, at: number, { from, path }: Write): void {
  const [index] = path;
  if (from === undefined || path.length !== 1 || typeof index !== 'number' || !isFunction(from)) return;
  const name = calledAs(from);
  if (name !== undefined) view.context.passedOn.push({ from: name, index, to, at });
}

export function addParameter(parameters: Parameters, name: string, index: number): boolean {
  const passed = parameters.get(name);
  if (passed?.has(index)) return false;
  if (passed === undefined) parameters.set(name, new Set([index]));
  else passed.add(index);
  return true;
}

/** Adds the successors of all parameters, transitively. */
export function spread(
  parameters: Parameters,
  next: (name: string, index: number) => Iterable<readonly [string, number]>,
): void {
  const open = [...parameters].flatMap(([name, indexes]) => [...indexes].map((index) => [name, index] as const));
  for (const [name, index] of open)
    for (const found of next(name, index)) if (addParameter(parameters, ...found)) open.push(found);
}

/** Groups items by key. */
export function listsBy<T>(all: readonly T[], key: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const lists = new Map<string, T[]>();
  for (const item of all) {
    const list = lists.get(key(item));
    if (list === undefined) lists.set(key(item), [item]);
    else list.push(item);
  }
  return lists;
}
