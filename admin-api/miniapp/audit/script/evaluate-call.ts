/**
 * Evaluates calls of known built-in functions, and of functions of the script.
 */
import type { AnyNode, CallExpression, Function as FunctionNode, NewExpression } from 'acorn';
import type { Evaluation } from './evaluation.ts';
import { foldFunction, foldJson, foldMethod } from './fold.ts';
import { harmlessFunction, isGlobalObject } from './harmless-text.ts';
import { isFunction } from './plain-call.ts';
import {
  type Constant,
  constant,
  constantOf,
  FETCHED,
  FUNCTION,
  global,
  NOTHING_KNOWN,
  OF_EVENT,
  PLACEHOLDER,
  SCRIPT,
  text,
  UNKNOWN,
  union,
  type Value,
  type Values,
} from './values.ts';

/** Maximum evaluated arguments. */
const MOST_ITEMS = 4096;
/** Methods that always return a string. */
const TEXT_METHODS = new Set([
  'join',
  'toString',
  'concat',
  'replace',
  'replaceAll',
  'substring',
  'substr',
  'charAt',
  'toLowerCase',
  'toUpperCase',
  'trim',
  'repeat',
]);
const TEXT_FUNCTIONS = new Set([
  'String',
  'atob',
  'btoa',
  'decodeURIComponent',
  'decodeURI',
  'unescape',
  'String.fromCharCode',
  'String.fromCodePoint',
  'JSON.stringify',
]);

export function valuesOfNew(evaluator: Evaluation, node: NewExpression): Values {
  for (const callee of evaluator.valuesOf(node.callee)) {
    if (callee.kind !== 'global') continue;
    if (callee.path === 'URL' && node.arguments[0]) return resolved(evaluator, node.arguments);
    if (callee.path === 'Image' || callee.path === 'Audio')
      return [{ kind: 'element', tag: callee.path === 'Image' ? 'img' : 'audio' }];
    if (callee.path === 'Array') return [{ kind: 'list', items: [] }];
  }
  return NOTHING_KNOWN;
}

/**
 * The value of `new URL(url, base)`. Relative to the page or the script, the URL stays as written.
 * With another base it is resolved if both are constant, else unknown.
 */
function resolved(evaluator: Evaluation, [url, base]: readonly AnyNode[]): Values {
  const values = evaluator.valuesOf(url);
  if (base === undefined || base.type === 'MetaProperty' || isModuleUrl(base)) return values;
  const [fixed, from] = [constantOf(values), constantOf(evaluator.valuesOf(base))];
  if (evaluator.valuesOf(base).some((value) => value.kind === 'global' && /^(?:location|document)\b/.test(value.path)))
    return values;
  try {
    if (fixed !== undefined && from !== undefined)
      return [constant(new URL(String(fixed.value), String(from.value)).href)];
  } catch {}
  return NOTHING_KNOWN;
}

/** import.meta.url */
const isModuleUrl = (node: AnyNode): boolean => node.type === 'MemberExpression' && node.object.type === 'MetaProperty';

export function valuesOfCall(evaluator: Evaluation, node: CallExpression): Values {
  const callee = unparenthesized(node.callee);
  if (callee.type === 'Super') return NOTHING_KNOWN;
  if (callee.type === 'FunctionExpression' || callee.type === 'ArrowFunctionExpression')
    return returnedBy(evaluator, callee);
  const method = callee.type === 'MemberExpression' ? evaluator.keyOf(callee) : undefined;
  if (callee.type === 'MemberExpression') {
    const objects = evaluator.valuesOf(callee.object);
    if (objects.length === 1 && method !== undefined) {
      const object = evaluator.flat(objects[0]);
      const folded = evaluator.spend(object) ? foldMethod(object, method, argumentsOf(evaluator, node)) : undefined;
      if (folded !== undefined && evaluator.spend(folded)) return [folded];
    }
    if (method === 'bind' && objects !== NOTHING_KNOWN) return objects;
    const own = method === 'call' || method === 'apply' ? unparenthesized(callee.object) : undefined;
    if (own !== undefined && isFunction(own)) return returnedBy(evaluator, own);
    if (method === 'reduce' || method === 'reduceRight') return reduced(evaluator, objects, node);
    const reached = method === undefined ? undefined : reachedBy(evaluator, method, objects, node);
    if (reached !== undefined) return reached;
  }
  if ((callee.type === 'CallExpression' || callee.type === 'NewExpression') && returnsGlobalObject(evaluator, callee))
    return [global('window')];
  const named = callee.type === 'Identifier' ? evaluator.functionOf(callee) : undefined;
  if (named !== undefined) return returnedBy(evaluator, named);
  const callees = evaluator.valuesOf(callee);
  if (callees !== NOTHING_KNOWN) {
    const results = callees.map((value) => resultOf(evaluator, value, node));
    if (results.some((result) => result !== NOTHING_KNOWN)) return union(results);
  }
  return method !== undefined && TEXT_METHODS.has(method) && method !== 'concat' ? [text(PLACEHOLDER)] : NOTHING_KNOWN;
}

/** `Function("return this")` */
function returnsGlobalObject(
  evaluator: Evaluation,
  { callee, arguments: args }: CallExpression | NewExpression,
): boolean {
  return (
    args.length > 0 &&
    callee.type !== 'Super' &&
    evaluator.valuesOf(callee).some((value) => value.kind === 'global' && value.path === 'Function') &&
    harmlessFunction(args.map((arg) => (arg.type === 'SpreadElement' ? NOTHING_KNOWN : evaluator.valuesOf(arg)))) ===
      'this'
  );
}

function unparenthesized(node: AnyNode): AnyNode {
  let at = node;
  while (at.type === 'ParenthesizedExpression') at = at.expression;
  return at;
}

function resultOf(evaluator: Evaluation, callee: Value, node: CallExpression): Values {
  if (callee.kind === 'fetched') return [FETCHED];
  if (callee.kind !== 'global') return NOTHING_KNOWN;
  const { path } = callee;
  const args = argumentsOf(evaluator, node);
  const first = args[0] ?? constant(undefined);
  switch (path) {
    case 'Host.network.fetch':
      return [FETCHED];
    case 'JSON.parse': {
      const parsed = first.kind === 'constant' && args.length === 1 ? foldJson(String(first.value)) : undefined;
      if (parsed !== undefined) return [parsed];
      return node.arguments[0] ? evaluator.valuesOf(node.arguments[0]) : NOTHING_KNOWN;
    }
    case 'eval':
      return isGlobalObject([first]) ? [global('window')] : NOTHING_KNOWN;
    case 'Promise.resolve':
      return node.arguments[0] ? evaluator.valuesOf(node.arguments[0]) : NOTHING_KNOWN;
    case 'document.createElement':
      return elementsOf(node.arguments[0] && evaluator.valuesOf(node.arguments[0]));
    case 'document.createElementNS':
      return elementsOf(node.arguments[1] && evaluator.valuesOf(node.arguments[1]));
    case 'URL.createObjectURL':
      return [constant('blob:')];
    case 'Reflect.get':
      return evaluator.member(first, args[1]?.kind === 'constant' ? String(args[1].value) : undefined);
    case 'Object.getPrototypeOf':
    case 'Reflect.getPrototypeOf':
      return first.kind === 'function' ? [FUNCTION] : NOTHING_KNOWN;
  }
  if (first.kind === 'fetched' && TEXT_FUNCTIONS.has(path)) return [FETCHED];
  const constants = args.map((arg) => (arg.kind === 'constant' ? arg : undefined));
  if (constants.every((fixed) => fixed !== undefined)) {
    const folded = foldFunction(
      path,
      constants.map((fixed) => fixed.value),
    );
    if (folded !== undefined) return [folded];
  }
  return TEXT_FUNCTIONS.has(path) ? [text(PLACEHOLDER)] : NOTHING_KNOWN;
}

/** Elements with these tag names. */
const elementsOf = (names: Values = NOTHING_KNOWN): Values =>
  union([
    names.map((name) => ({
      kind: 'element',
      tag: name.kind === 'constant' ? localName(String(name.value)) : undefined,
    })),
  ]);

const LOOKUPS = new Set(['querySelector', 'getElementsByTagName', 'querySelectorAll']);
/** Selectors of the root element. */
const ROOT: ReadonlySet<Constant> = new Set(['html', ':root']);
/** Methods that return an item, or a sublist, of an event's path. */
const ITEM_METHODS = new Set(['at', 'pop', 'shift', 'find', 'findLast', 'slice', 'reverse', 'filter']);

/** Evaluates DOM lookups, copies of elements, and the targets of events. */
function reachedBy(evaluator: Evaluation, method: string, objects: Values, node: CallExpression): Values | undefined {
  const [first] = node.arguments;
  if (LOOKUPS.has(method) && first) {
    const selectors = evaluator.valuesOf(first as AnyNode);
    if (
      method === 'querySelector' &&
      selectors.some((selector) => selector.kind === 'constant' && ROOT.has(selector.value))
    )
      return [global('document.documentElement')];
    const isScript = selectors.some(
      (selector) => selector.kind === 'constant' && /(?:^|[\s,>+~*])script(?![\w-])/i.test(String(selector.value)),
    );
    return isScript ? (method === 'querySelector' ? [SCRIPT] : [global('document.scripts')]) : undefined;
  }
  if (method === 'getRootNode') return [global('document')];
  if (method === 'valueOf' || method === 'open') {
    const same = objects.filter(
      (object) => object.kind === 'global' && (method === 'valueOf' || object.path === 'document'),
    );
    return same.length > 0 ? same : undefined;
  }
  if (method === 'cloneNode') return objects.filter(({ kind }) => kind === 'element').length > 0 ? objects : undefined;
  if ((method === 'importNode' || method === 'adoptNode') && first) {
    const values = evaluator.valuesOf(first as AnyNode);
    return values.some(({ kind }) => kind === 'element') ? values : undefined;
  }
  if (method === 'composedPath' || (ITEM_METHODS.has(method) && objects.some(({ kind }) => kind === 'receiver')))
    return [OF_EVENT];
  return undefined;
}

/** The result of `reduce`: the initial value, or a result of the callback. */
function reduced(evaluator: Evaluation, objects: Values, { arguments: [step, first] }: CallExpression): Values {
  if (step === undefined || step.type === 'SpreadElement' || first?.type === 'SpreadElement') return NOTHING_KNOWN;
  const initial = first === undefined ? evaluator.itemsOf(objects) : evaluator.valuesOf(first);
  if (isFunction(step)) return union([initial, returnedBy(evaluator, step)]);
  // `path.reduce(Reflect.get, object)`
  const isGet = evaluator.valuesOf(step).some((value) => value.kind === 'global' && value.path === 'Reflect.get');
  if (!isGet) return NOTHING_KNOWN;
  const keys = evaluator.itemsOf(objects);
  let values = initial;
  for (let index = 0; index < MOST_GETS; index++)
    values = union([
      values,
      ...values.flatMap((value) =>
        keys.map((key) => evaluator.member(value, key.kind === 'constant' ? String(key.value) : undefined)),
      ),
    ]);
  return values;
}

/** Steps of `path.reduce(Reflect.get, object)`: value, constructor, Function, and a spare one. */
const MOST_GETS = 3;

/** The results of a function. A generator's return value is ignored. */
const returnedBy = (evaluator: Evaluation, fn: FunctionNode & AnyNode): Values =>
  fn.generator ? NOTHING_KNOWN : evaluator.resultsOf(fn);

/** The value of each argument. Unknown if there are several. */
function argumentsOf(evaluator: Evaluation, node: CallExpression): Value[] {
  return node.arguments.slice(0, MOST_ITEMS).map((arg) => {
    const values = arg.type === 'SpreadElement' ? NOTHING_KNOWN : evaluator.valuesOf(arg);
    return values.length === 1 ? evaluator.flat(values[0]) : UNKNOWN;
  });
}

export const localName = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();
