/** Checks which operations of `Host` a script calls, and whether the manifest permits them. */
import type { AnyNode, Identifier } from 'acorn';
import { type ArgumentType, FETCH_METHODS, OPERATION_GROUPS, OPERATIONS } from '../../bridge/operations.ts';
import { didYouMean } from '../did-you-mean.ts';
import { placeOf, report, type ScriptView, written } from './script-view.ts';
import { useOf } from './use.ts';
import { constantOf, type Values } from './values.ts';
import { parentOf } from './walk.ts';

/** Members that every object has. */
const OF_OBJECTS = new Set(['toString', 'valueOf', 'hasOwnProperty']);

/** Checks an expression that evaluates to `Host` or to one of its members. */
export function checkHostUse(view: ScriptView, node: AnyNode, path: string): void {
  if (view.kind === 'background') return;
  const parent = parentOf(node);
  if (parent?.type === 'UnaryExpression' && parent.operator === 'delete') {
    checkHostWrite(view, parent, path, 'deleted');
    return;
  }
  if (path === 'Host') {
    checkWholeHost(view, node);
    return;
  }
  const parts = path.split('.').slice(1);
  const [group, name] = parts;
  if (OF_OBJECTS.has(parts[parts.length - 1])) return;
  if (parts.length === 1) {
    if (!OPERATION_GROUPS.has(group)) {
      reportUnknownOperation(view, node, group);
      return;
    }
    // Passing on the whole group uses the permissions of all its operations.
    if (useOf(node) === 'escapes' || useOf(node) === 'element')
      for (const [full, { permission }] of OPERATIONS)
        if (full.startsWith(`${group}.`)) requirePermission(view, node, full, permission);
    return;
  }
  if (parts.length > 2 || !OPERATION_GROUPS.has(group)) return;
  const operation = OPERATIONS.get(`${group}.${name}`);
  if (operation === undefined) reportUnknownOperation(view, node, `${group}.${name}`);
  else requirePermission(view, node, `${group}.${name}`, operation.permission);
}

/** Checks a computed member of Host or of one of its groups. */
export function checkHostComputed(view: ScriptView, node: AnyNode, path: string): void {
  if (view.kind === 'background') return;
  const [, group, ...more] = path.split('.');
  if (more.length > 0) return;
  const similar = group === undefined ? undefined : [...OPERATIONS].find(([name]) => name.startsWith(`${group}.`));
  if (similar === undefined) view.context.undeterminable = true;
  else if (similar[1].permission !== undefined) requirePermission(view, node, similar[0], similar[1].permission);
  report(view, 'host_computed', node, `Which operation ${written(view, node)} is cannot be determined.`);
}

export function checkHostCall(
  view: ScriptView,
  node: AnyNode,
  path: string,
  args: readonly AnyNode[] | undefined,
): void {
  const operation = view.kind === 'background' ? undefined : OPERATIONS.get(path.slice('Host.'.length));
  if (operation === undefined || args === undefined || args.some((arg) => arg.type === 'SpreadElement')) return;
  const { params, usage } = operation;
  const required = params.filter(({ isOptional }) => !isOptional);
  if (args.length < required.length || args.length > params.length) {
    const most = params.length;
    const takes = most === 0 ? 'none' : most === required.length ? String(most) : `${required.length} to ${most}`;
    report(
      view,
      'host_arguments',
      node,
      `${usage} takes ${takes} argument${takes === '1' ? '' : 's'}, not ${args.length}.`,
    );
    return;
  }
  params.forEach(({ type }, index) => {
    if (args[index] === undefined) return;
    const actual = typeOf(view.evaluator.valuesOf(args[index]), args[index]);
    if (actual !== undefined && actual !== type && !(index >= required.length && actual === 'undefined'))
      report(
        view,
        'host_arguments',
        args[index],
        `Argument ${index + 1} of ${usage} is ${article(type)}, not ${article(actual)}.`,
      );
  });
  if (path === 'Host.network.fetch' && args[1] !== undefined) checkMethod(view, args[1]);
}

/** `Host.network.fetch` only supports GET and HEAD. */
function checkMethod(view: ScriptView, options: AnyNode): void {
  for (const value of view.evaluator.writtenOut(options)) {
    if (value.kind !== 'structure') continue;
    const method = constantOf(view.evaluator.member(value, 'method'))?.value;
    if (method === undefined || FETCH_METHODS.has(String(method).toUpperCase())) continue;
    report(view, 'host_fetch_method', options, `The method is ${String(method).slice(0, 20)}.`);
  }
}

export function checkHostWrite(view: ScriptView, node: AnyNode, path: string, how: string): void {
  if (path === 'Host' || path.startsWith('Host.')) report(view, 'host_overwritten', node, `${path} is ${how}.`);
}

function checkWholeHost(view: ScriptView, node: AnyNode): void {
  const purpose = useOf(node);
  if (purpose === 'bound') alias(view, node);
  if (purpose !== 'escapes' && purpose !== 'element') return;
  view.context.undeterminable = true;
  report(view, 'host_escapes', node, `What is done with ${written(view, node)} cannot be followed from here.`);
}

/** Records the names that a value is bound to, so that their uses are checked too. */
export function alias(view: ScriptView, node: AnyNode): void {
  for (let at: AnyNode | undefined = node; at !== undefined; at = parentOf(at)) {
    const target =
      at.type === 'VariableDeclarator'
        ? at.id
        : at.type === 'AssignmentExpression' || at.type === 'AssignmentPattern'
          ? at.left
          : undefined;
    if (target?.type === 'Identifier') view.aliases.add(target.name);
    // The value is destructured: `{ key: name }`.
    if (at.type === 'Property' && at === node && at.value.type === 'Identifier') view.aliases.add(at.value.name);
    if (at.type === 'CallExpression' || at.type === 'NewExpression') {
      const callee = at.callee.type === 'MemberExpression' ? at.callee.object : at.callee;
      if (callee.type === 'FunctionExpression' || callee.type === 'ArrowFunctionExpression')
        for (const param of callee.params)
          if (param.type === 'Identifier') view.aliases.add((param as Identifier).name);
      return;
    }
    if (target !== undefined || at.type.endsWith('Statement')) return;
  }
}

function requirePermission(view: ScriptView, node: AnyNode, operation: string, permission: string | undefined): void {
  if (permission === undefined) return;
  const { used, manifest } = view.context;
  if (!used.has(permission)) used.set(permission, placeOf(view, node));
  if (manifest !== undefined && !manifest.permissions.includes(permission))
    report(
      view,
      'host_permission_undeclared',
      node,
      `Host.${operation} needs the permission ${permission}, which manifest.json does not list.`,
      `Add "${permission}" to permissions in manifest.json, or leave the call out.`,
    );
}

function reportUnknownOperation(view: ScriptView, node: AnyNode, name: string): void {
  if (name === 'call') {
    const fix = 'Call the operation itself: Host.storage.get(key).';
    report(view, 'host_operation_unknown', node, 'Host.call is for background code.', fix);
    return;
  }
  const [, group, last] = /^([^.]*)\.?(.*)$/.exec(name)!;
  const names = [...OPERATIONS.keys()].filter(
    (operation) => !OPERATION_GROUPS.has(group) || operation.startsWith(`${group}.`),
  );
  const hint =
    last === '' && !OPERATION_GROUPS.has(group) ? didYouMean(group, [...OPERATION_GROUPS]) : didYouMean(name, names);
  report(view, 'host_operation_unknown', node, `Host has no ${name}.${hint}`);
}

function typeOf(values: Values, node: AnyNode): string | undefined {
  const constant = constantOf(values);
  if (constant !== undefined) return constant.value === null ? 'null' : typeof constant.value;
  if (values.length !== 1) return undefined;
  if (values[0].kind === 'text') return 'string';
  if (values[0].kind === 'function') return 'function';
  return values[0].kind === 'structure' ? (node.type === 'ArrayExpression' ? 'array' : 'object') : undefined;
}

const article = (type: ArgumentType | string): string =>
  type === 'undefined' || type === 'null' ? type : `${/^[ao]/.test(type) ? 'an' : 'a'} ${type}`;
