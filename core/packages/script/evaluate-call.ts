/** What a call comes to: of built-in functions that are known, and of functions that are called where they stand. */
import type { CallExpression, Function as FunctionNode, NewExpression } from 'acorn';
import type { Evaluator } from './evaluate.ts';
import { foldFunction, foldMethod } from './fold.ts';
import {
  constant,
  FETCHED,
  FUNCTION,
  NOTHING_KNOWN,
  PLACEHOLDER,
  text,
  UNKNOWN,
  union,
  type Value,
  type Values,
} from './values.ts';

/** Arguments that are looked at. */
const MOST_ITEMS = 4096;
/** Their results are strings, whatever they are given. */
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

export function valuesOfNew(evaluator: Evaluator, node: NewExpression): Values {
  for (const callee of evaluator.valuesOf(node.callee)) {
    if (callee.kind !== 'global') continue;
    if (callee.path === 'URL' && node.arguments[0]) return evaluator.valuesOf(node.arguments[0]);
    if (callee.path === 'Image' || callee.path === 'Audio')
      return [{ kind: 'element', tag: callee.path === 'Image' ? 'img' : 'audio' }];
    if (callee.path === 'Array') return [{ kind: 'list', items: [] }];
  }
  return NOTHING_KNOWN;
}

export function valuesOfCall(evaluator: Evaluator, node: CallExpression): Values {
  const { callee } = node;
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
  }
  const callees = evaluator.valuesOf(callee);
  if (callees !== NOTHING_KNOWN) {
    const results = callees.map((one) => resultOf(evaluator, one, node));
    if (results.some((result) => result !== NOTHING_KNOWN)) return union(results);
  }
  return method !== undefined && TEXT_METHODS.has(method) && method !== 'concat' ? [text(PLACEHOLDER)] : NOTHING_KNOWN;
}

function resultOf(evaluator: Evaluator, callee: Value, node: CallExpression): Values {
  if (callee.kind === 'fetched') return [FETCHED];
  if (callee.kind !== 'global') return NOTHING_KNOWN;
  const { path } = callee;
  const args = argumentsOf(evaluator, node);
  const first = args[0] ?? constant(undefined);
  switch (path) {
    case 'Host.network.fetch':
      return [FETCHED];
    case 'JSON.parse':
    case 'Promise.resolve':
      return node.arguments[0] ? evaluator.valuesOf(node.arguments[0]) : NOTHING_KNOWN;
    case 'document.createElement':
      return first.kind === 'constant' ? [{ kind: 'element', tag: String(first.value).toLowerCase() }] : NOTHING_KNOWN;
    case 'document.createElementNS':
      return args[1]?.kind === 'constant'
        ? [{ kind: 'element', tag: localName(String(args[1].value)) }]
        : NOTHING_KNOWN;
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
  if (constants.every((one) => one !== undefined)) {
    const folded = foldFunction(
      path,
      constants.map((one) => one.value),
    );
    if (folded !== undefined) return [folded];
  }
  return TEXT_FUNCTIONS.has(path) ? [text(PLACEHOLDER)] : NOTHING_KNOWN;
}

/** Of a function that does nothing but return, called there and then. */
function returnedBy(evaluator: Evaluator, fn: FunctionNode): Values {
  if (fn.async || fn.generator) return NOTHING_KNOWN;
  if (fn.body.type !== 'BlockStatement') return evaluator.valuesOf(fn.body);
  const [only] = fn.body.body;
  return fn.body.body.length === 1 && only.type === 'ReturnStatement' && only.argument
    ? evaluator.valuesOf(only.argument)
    : NOTHING_KNOWN;
}

/** The only value of each argument; unknown where there are more. */
function argumentsOf(evaluator: Evaluator, node: CallExpression): Value[] {
  return node.arguments.slice(0, MOST_ITEMS).map((arg) => {
    const values = arg.type === 'SpreadElement' ? NOTHING_KNOWN : evaluator.valuesOf(arg);
    return values.length === 1 ? evaluator.flat(values[0]) : UNKNOWN;
  });
}

export const localName = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();
