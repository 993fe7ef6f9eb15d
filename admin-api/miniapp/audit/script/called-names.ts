/**
 * Resolves the names of functions that a call may reach but that variables do not resolve to:
 * functions of other scripts, members, classes.
 */
import type { AnyNode, Identifier } from 'acorn';
import { type Arguments, type Call, type Method, nameOfMember } from './method.ts';
import { importedName } from './module-names.ts';
import { isFunction, nameOf } from './plain-call.ts';
import type { Write } from './scope.ts';
import type { ScriptView } from './script-view.ts';
import { Steps } from './steps.ts';

interface CalledByName {
  readonly name: string;
  readonly args: readonly AnyNode[];
}

/** The callee's only value is a function of this script, or a parameter. */
export function isFoundByVariable(view: ScriptView, callee: Identifier): boolean {
  const writes = view.evaluator.variableOf(callee)?.writes;
  if (writes?.length !== 1) return false;
  const [{ from, path }] = writes;
  if (from === undefined || !isFunction(from)) return false;
  return path.length === 0 ? nameOf(from) === callee.name : typeof path.at(-1) === 'number';
}

/** `method`: the called method, if the callee is a member or a bound function. */
export function* calledByName(view: ScriptView, node: Call, method: Method | undefined): Iterable<CalledByName> {
  const { callee, arguments: args } = node;
  if (callee.type === 'Identifier') for (const name of namesOf(view, callee, new Steps(), true)) yield { name, args };
  if (method === undefined) return;
  // Also resolves `name.call(…)` and `name.apply(…)`.
  const owner = callee.type === 'MemberExpression' && callee.object !== method.object ? callee.object : undefined;
  if (owner?.type === 'Identifier')
    for (const name of namesOf(view, owner, new Steps(), false)) yield* call(name, method.args);
  else yield* call(method.name, method.args);
}

const call = (name: string, args: Arguments): Iterable<CalledByName> => (args === undefined ? [] : [{ name, args }]);

/** `isCalled`: the call is direct, so a function of this script resolves by its variable. */
function* namesOf(view: ScriptView, node: Identifier, steps: Steps, isCalled: boolean): Iterable<string> {
  const variable = view.evaluator.variableOf(node);
  if (variable === undefined || variable.writes.length === 0) yield node.name;
  else if (steps.take() && steps.enter(variable))
    for (const write of variable.writes) yield* namesOfWrite(view, node, write, steps, isCalled);
}

function* namesOfWrite(
  view: ScriptView,
  node: Identifier,
  { from, path }: Write,
  steps: Steps,
  isCalled: boolean,
): Iterable<string> {
  const last = path.at(-1);
  if (typeof last === 'string') yield last;
  else if (from === undefined) yield node.name;
  // A parameter, which is resolved by the calls of its function, or the value of a catch clause.
  else if (path.length > 0 || from.type === 'CatchClause') return;
  else if (from.type === 'ImportSpecifier' || from.type === 'ImportDefaultSpecifier') yield importedName(from);
  else if (from.type === 'Identifier') yield* namesOf(view, from, steps, isCalled);
  else if (from.type === 'MemberExpression') yield nameOfMember(view, from) ?? node.name;
  else if (!isCalled || !isFunction(from) || nameOf(from) !== node.name) yield node.name;
}
