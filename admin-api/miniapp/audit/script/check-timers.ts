/** Checks whether a timer runs a function or a text, which it would run as code. */
import type { AnyNode, CallExpression, NewExpression } from 'acorn';
import type { WebContext } from '../web/context.ts';
import type { Named } from '../web/noted.ts';
import { nameOfMember } from './method.ts';
import { importedName, noteRenamed, typeOf } from './module-names.ts';
import { addParameter, listsBy, noteParameter, notePassedOn, spread } from './passed-on.ts';
import { calledAs, isFunction, setterOf } from './plain-call.ts';
import type { Write } from './scope.ts';
import { placeOf, report, type ScriptView, written } from './script-view.ts';
import { Steps } from './steps.ts';
import type { Value, Values } from './values.ts';
import { parentOf } from './walk.ts';

/** `args` undefined: unknown. */
export function checkTimer(
  view: ScriptView,
  node: CallExpression | NewExpression,
  name: string,
  args: readonly AnyNode[] | undefined,
): void {
  const first = args?.[0];
  if (first === undefined || first.type === 'SpreadElement') {
    if (args?.length !== 0)
      report(view, 'timer_undeterminable', node, `What ${written(view, node)} runs cannot be determined.`);
    return;
  }
  const values = view.evaluator.valuesOf(first);
  if (values.some(({ kind }) => kind === 'fetched')) {
    report(view, 'fetched_code', first, `What Host.network.fetch has brought is run by ${name}.`);
    return;
  }
  if (values.some(isText)) {
    report(view, 'string_timer', node, `${name} is given text to run as code: ${written(view, first)}`);
    return;
  }
  const message = `Whether ${written(view, first)} is a function cannot be determined.`;
  const isKnown = values.every(({ kind }) => kind === 'function');
  if (!isKnown && (isOfData(view, first, new Steps()) || isResult(view, first)))
    report(view, 'timer_undeterminable', first, message);
  else
    for (const named of namesOfElsewhere(view, first, new Steps()))
      view.context.timers.push({
        position: placeOf(view, first),
        message,
        script: view.script,
        at: first.start,
        ...named,
      });
}

/** Timers convert values other than functions to text. */
const isText = (value: Value): boolean =>
  value.kind === 'text' ||
  (value.kind === 'constant' && typeof value.value === 'string') ||
  value.kind === 'list' ||
  value.kind === 'structure' ||
  value.kind === 'element';

/** The result of a call, a variable that holds one, or an unknown member: it may be text. */
function isResult(view: ScriptView, node: AnyNode, steps = new Steps()): boolean {
  if (!steps.take()) return true;
  switch (node.type) {
    case 'CallExpression':
      return !isBound(view, node, steps);
    case 'AwaitExpression':
    case 'YieldExpression':
    case 'NewExpression':
    case 'BinaryExpression':
    case 'ForInStatement':
    case 'CatchClause':
      return true;
    case 'ChainExpression':
    case 'ParenthesizedExpression':
      return isResult(view, node.expression, steps);
    case 'AssignmentExpression':
      return isResult(view, node.right, steps);
    case 'SequenceExpression':
      return isResult(view, node.expressions.at(-1)!, steps);
    case 'MemberExpression':
      return (node.computed && view.evaluator.keyOf(node) === undefined) || isOfData(view, node.object, steps);
    case 'LogicalExpression':
      return isResult(view, node.left, steps) || isResult(view, node.right, steps);
    case 'ConditionalExpression':
      return isResult(view, node.consequent, steps) || isResult(view, node.alternate, steps);
    case 'ImportDefaultSpecifier':
      return isImportedData(node);
    case 'Identifier': {
      const variable = view.evaluator.variableOf(node);
      return (
        variable !== undefined &&
        steps.enter(variable) &&
        variable.writes.some((write) => isResultOf(view, write, steps))
      );
    }
    default:
      return false;
  }
}

/** `f.bind(…)`, which is a function if `f` is a function. */
const isBound = (view: ScriptView, { callee }: CallExpression, steps: Steps): boolean =>
  callee.type === 'MemberExpression' &&
  view.evaluator.keyOf(callee) === 'bind' &&
  !isResult(view, callee.object, steps) &&
  !view.evaluator.valuesOf(callee.object).some(isText);

/** Whether a write may store a result. For a parameter: whether a call by name passes one. */
function isResultOf(view: ScriptView, { from, path }: Write, steps: Steps): boolean {
  if (!steps.take()) return true;
  if (from === undefined) return false;
  if (!isFunction(from)) return path.includes(null) ? isOfItems(view, from, steps) : isResult(view, from, steps);
  if (isCallback(view, from)) return true;
  const [index] = path;
  if (path.length !== 1 || typeof index !== 'number') return false;
  for (const given of view.evaluator.given(from, index)) if (isResult(view, given, steps)) return true;
  return false;
}

/** Whether an element of an iterated list may be text. */
const isOfItems = (view: ScriptView, list: AnyNode, steps: Steps): boolean =>
  list.type !== 'ArrayExpression' ||
  list.elements.some(
    (item) => item === null || view.evaluator.valuesOf(item).some(isText) || isResult(view, item, steps),
  );

/**
 * The function is passed to a call, in place or by name. Its arguments are then unknown.
 */
function isCallback(view: ScriptView, fn: AnyNode): boolean {
  const parent = parentOf(fn);
  if (parent?.type === 'CallExpression' && parent.callee !== fn) return true;
  return view.evaluator.isPassed(fn);
}

/** A function that is passed to `then`. */
function isOfPromise(fn: AnyNode): boolean {
  const parent = isFunction(fn) ? parentOf(fn) : undefined;
  const callee = parent?.type === 'CallExpression' ? parent.callee : undefined;
  return (
    callee?.type === 'MemberExpression' && callee.property.type === 'Identifier' && callee.property.name === 'then'
  );
}

/**
 * A value of JSON.parse or an imported JSON file, which contain no functions, or the result of a
 * promise.
 */
function isOfData(view: ScriptView, node: AnyNode, steps: Steps): boolean {
  if (!steps.take()) return true;
  if (node.type === 'AwaitExpression') return true;
  if (node.type === 'CallExpression')
    return view.evaluator.valuesOf(node.callee).some((value) => value.kind === 'global' && value.path === 'JSON.parse');
  if (node.type === 'MemberExpression') return isOfData(view, node.object, steps);
  if (node.type === 'ImportDefaultSpecifier') return isImportedData(node);
  if (node.type !== 'Identifier') return false;
  const writes = view.evaluator.variableOf(node)?.writes ?? [];
  const from = writes.length === 1 ? writes[0].from : undefined;
  return from !== undefined && (isFunction(from) ? isOfPromise(from) : isOfData(view, from, steps));
}

function isImportedData(node: AnyNode): boolean {
  const declaration = parentOf(node);
  return declaration?.type === 'ImportDeclaration' && typeOf(declaration) === 'json';
}

/**
 * The names under which other code must define functions: members, imports, and globals that this
 * script does not define.
 */
function* namesOfElsewhere(view: ScriptView, node: AnyNode, steps: Steps): Iterable<Named> {
  if (!steps.take()) return;
  switch (node.type) {
    case 'LogicalExpression':
      yield* namesOfElsewhere(view, node.left, steps);
      yield* namesOfElsewhere(view, node.right, steps);
      break;
    case 'ConditionalExpression':
      yield* namesOfElsewhere(view, node.consequent, steps);
      yield* namesOfElsewhere(view, node.alternate, steps);
      break;
    case 'ChainExpression':
    case 'ParenthesizedExpression':
      yield* namesOfElsewhere(view, node.expression, steps);
      break;
    case 'AssignmentExpression':
      yield* namesOfElsewhere(view, node.right, steps);
      break;
    case 'SequenceExpression':
      yield* namesOfElsewhere(view, node.expressions.at(-1)!, steps);
      break;
    case 'CallExpression':
      if (node.callee.type === 'MemberExpression') yield* namesOfElsewhere(view, node.callee.object, steps);
      break;
    case 'MemberExpression': {
      const values = view.evaluator.valuesOf(node);
      const name = nameOfMember(view, node);
      // A member with a known function value needs no check, although the app may replace it.
      if (name !== undefined && !values.some(({ kind }) => kind === 'function'))
        yield { name, isOfPlatform: values.some(isOfPlatform) };
      break;
    }
    case 'ImportSpecifier':
    case 'ImportDefaultSpecifier':
      yield { name: importedName(node), isOfPlatform: false };
      break;
    case 'Identifier': {
      const variable = view.evaluator.variableOf(node);
      if (variable === undefined || (variable.isGlobal && variable.writes.length === 0))
        yield { name: node.name, isOfPlatform: view.evaluator.valuesOf(node).some(isOfPlatform) };
      else if (steps.enter(variable)) for (const write of variable.writes) yield* namesOfWrite(view, write, steps);
    }
  }
}

/** As `namesOfElsewhere`, for a destructured member or the arguments of a parameter. */
function* namesOfWrite(view: ScriptView, { from, path }: Write, steps: Steps): Iterable<Named> {
  const last = path.at(-1);
  if (from === undefined || !steps.take()) return;
  if (typeof last === 'string') yield { name: last, isOfPlatform: false };
  else if (path.length === 0) yield* namesOfElsewhere(view, from, steps);
  else if (isFunction(from) && typeof path[0] === 'number') {
    const name = calledAs(from);
    if (name !== undefined) yield { name, given: path[0] };
    if (path.length > 1 || typeof last !== 'number') return;
    for (const given of view.evaluator.given(from, last)) yield* namesOfElsewhere(view, given, steps);
  }
}

/**
 * Notes arguments that may be code, in calls by name. Parameters may reach a timer. `isMember`: a
 * method call on any object.
 */
export function noteGiven(view: ScriptView, name: string, args: readonly AnyNode[], isMember: boolean): void {
  for (let index = 0; index < args.length && args[index].type !== 'SpreadElement'; index++)
    if (isCodeText(view, args[index])) addParameter(view.context.given, name, index);
    else if (!isMember) {
      if (isUntrustedText(view, args[index])) addParameter(view.context.given, name, index);
      else notePassedOn(view, name, index, args[index]);
    }
}

/** Notes an assignment to a member, which may call a setter. */
export function noteSet(view: ScriptView, name: string, value: AnyNode): void {
  noteAssigned(view, name, value);
  if (isCodeText(view, value) || isUntrustedText(view, value)) addParameter(view.context.given, setterOf(name), 0);
  else if (name.startsWith('#')) notePassedOn(view, setterOf(name), 0, value);
}

/** The argument index for a member that stores its value. */
const STORED_BY_MEMBER = -1;

/** Runs after all scripts are audited: follows arguments that functions pass on. */
export function followGiven({ given, passedOn, renamed, texts }: WebContext): void {
  if (given.size === 0) return;
  const passing = listsBy(passedOn, ({ from }) => from);
  const names = listsBy(
    [...renamed].flatMap(([name, others]) => [...others].map((other) => ({ name, other }))),
    ({ other }) => other,
  );
  spread(given, function* (name, index) {
    // `default` is ambiguous: many modules have a default export.
    if (name !== 'default') for (const called of names.get(name) ?? []) yield [called.name, index];
    for (const passed of passing.get(name) ?? []) if (passed.index === index) yield [passed.to, passed.at];
  });
  for (const [name, indexes] of given) if (indexes.has(STORED_BY_MEMBER)) texts.add(name);
}

/** A literal that may be code, or a variable whose only value is such a literal. */
function isCodeText(view: ScriptView, node: AnyNode): boolean {
  switch (node.type) {
    case 'Literal':
      return isCode(node.value);
    case 'TemplateLiteral':
      return node.quasis.some(({ value }) => isCode(value.cooked));
    case 'ArrayExpression':
      return node.elements.some((item) => item !== null && item.type !== 'SpreadElement' && isCodeText(view, item));
    case 'BinaryExpression':
      return node.operator === '+' && (isCodeText(view, node.left as AnyNode) || isCodeText(view, node.right));
    case 'Identifier': {
      const writes = view.evaluator.variableOf(node)?.writes ?? [];
      const from = writes.length === 1 && writes[0].path.length === 0 ? writes[0].from : undefined;
      return from !== undefined && from.type !== 'Identifier' && isCodeText(view, from);
    }
    default:
      return false;
  }
}

/** A fetched value, or a text of the page that others control. */
const isUntrustedText = (view: ScriptView, node: AnyNode): boolean =>
  (node.type === 'Identifier' || node.type === 'MemberExpression') && view.evaluator.valuesOf(node).some(isData);

const isData = (value: Value): boolean =>
  value.kind === 'fetched' || (value.kind === 'global' && TEXTS_OF_PAGE.has(value.path));

const TEXTS_OF_PAGE = new Set([
  ...['document.title', 'document.URL', 'document.referrer', 'document.cookie', 'document.documentURI', 'name'],
  ...['location.href', 'location.hash', 'location.search', 'location.pathname'],
]);

const isOfPlatform = (value: Value): boolean => value.kind === 'global' && OF_PLATFORM.has(value.path);

/** Functions of the window that work without arguments. */
const OF_PLATFORM = new Set(['alert', 'print', 'close', 'focus', 'blur', 'stop', 'console.log', 'console.clear']);

/**
 * Notes whether a member or global may hold a function or a text that may be code.
 */
export function noteValue(view: ScriptView, name: string, values: Values): void {
  const { functions, texts } = view.context;
  for (const value of values)
    if (value.kind === 'function') functions.add(name);
    else if (value.kind === 'text' || (value.kind === 'constant' && isCode(value.value))) texts.add(name);
}

/** As `noteValue`, for a member of an object literal or a class. */
export function noteMember(view: ScriptView, name: string, value: AnyNode): void {
  switch (value.type) {
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      view.context.functions.add(name);
      break;
    case 'Literal':
      if (isCode(value.value)) view.context.texts.add(name);
      break;
    case 'TemplateLiteral':
    case 'BinaryExpression':
      view.context.texts.add(name);
      break;
    case 'Identifier':
      noteAssigned(view, name, value);
  }
}

/**
 * As `noteValue`. A parameter counts as a function unless a known call passes something else.
 */
export function noteAssigned(view: ScriptView, name: string, value: AnyNode): void {
  const variable = value.type === 'Identifier' ? view.evaluator.variableOf(value) : undefined;
  noteValue(
    view,
    name,
    variable === undefined ? view.evaluator.valuesOf(value) : view.evaluator.valuesOfVariable(variable),
  );
  // The first write of a parameter is its function's.
  const [first] = variable?.writes ?? [];
  const isParameter = first?.from !== undefined && first.path.length > 0 && isFunction(first.from);
  if (!isParameter || isResult(view, value)) return;
  view.context.functions.add(name);
  noteParameter(view, name, STORED_BY_MEMBER, first);
  const member = first.path.at(-1);
  if (typeof member === 'string') noteRenamed(view, member, name);
}

/**
 * Whether a text can have an effect as code: it calls or assigns. Other texts are mere labels.
 */
export const isCode = (value: unknown): boolean => typeof value === 'string' && /[(`=]/.test(value);

/** Runs after all scripts are audited. */
export function isKnownFunction(named: Named, { functions, texts, given }: WebContext): boolean {
  if ('given' in named) return given.get(named.name)?.has(named.given) !== true;
  return !texts.has(named.name) && (functions.has(named.name) || named.isOfPlatform);
}
