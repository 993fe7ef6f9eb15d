/** Evaluates members of values. */

import type { AnyNode, ArrayExpression, ObjectExpression } from 'acorn';
import type { Evaluation } from './evaluation.ts';
import { constructorOf, isWindow, memberPath, OF_EVENTS, pathOfUnknown } from './global-names.ts';
import { PLATFORM_NAMES } from './platform.ts';
import { keyOf } from './scope.ts';
import {
  CONSTRUCTOR,
  constant,
  constantOf,
  FETCHED,
  FUNCTION,
  global,
  NOTHING_KNOWN,
  OF_EVENT,
  SCRIPT,
  UNKNOWN,
  type Value,
  type Values,
} from './values.ts';

/** Maximum properties of an evaluated object. */
const MOST_ITEMS = 4096;

/** `key` undefined: unknown. `globals`: the globals of earlier scripts. */
export function memberOf(
  evaluator: Evaluation,
  globals: ReadonlyMap<string, Values>,
  object: Value,
  key: string | undefined,
): Values {
  if (object.kind === 'fetched') return [FETCHED];
  if (object.kind === 'global' && object.path === 'document.scripts' && (key === undefined || INDEX.test(key)))
    return [SCRIPT];
  if (key === undefined) return NOTHING_KNOWN;
  switch (object.kind) {
    case 'unknown':
    case 'element':
    case 'receiver': {
      if (key === 'constructor') return [CONSTRUCTOR];
      const path = pathOfUnknown(key, object.kind === 'receiver');
      if (path !== undefined) return [global(path)];
      return OF_EVENTS.has(key) || (object.kind === 'receiver' && INDEX.test(key)) ? [OF_EVENT] : NOTHING_KNOWN;
    }
    case 'global':
      return ofGlobal(globals, object.path, key);
    case 'function':
      if (key === 'constructor') return [global('Function')];
      return key === '__proto__' || key === 'bind' || key === 'call' || key === 'apply' ? [FUNCTION] : NOTHING_KNOWN;
    case 'constructor':
      return key === 'constructor' ? [global('Function')] : NOTHING_KNOWN;
    case 'structure':
      return memberOfStructure(evaluator, object.node, key);
    case 'list':
    case 'constant':
    case 'text':
      return ofPrimitive(object, key);
  }
}

const INDEX = /^\d+$/;

function ofGlobal(globals: ReadonlyMap<string, Values>, object: string, key: string): Values {
  if (key === 'constructor' && !object.endsWith('.prototype')) {
    const constructorType = constructorOf(object);
    return [
      constructorType === 'Function' ? global('Function') : constructorType === 'function' ? FUNCTION : CONSTRUCTOR,
    ];
  }
  const path = memberPath(object, key);
  if (path === undefined) return NOTHING_KNOWN;
  if (path === 'document.currentScript') return [SCRIPT];
  if (OF_EVENTS.has(key) && !PLATFORM_NAMES.has(path.split('.')[0])) return [OF_EVENT];
  return isWindow(object) ? (globals.get(path) ?? [global(path)]) : [global(path)];
}

/** Evaluates members of object and array literals, strings and lists. */
function memberOfStructure(evaluator: Evaluation, node: ArrayExpression | ObjectExpression, key: string): Values {
  if (node.type === 'ArrayExpression') {
    const index = Number(key);
    if (!Number.isInteger(index)) return ofPrimitive(evaluator.flat({ kind: 'structure', node }), key);
    if (node.elements.slice(0, index).some((earlier) => earlier?.type === 'SpreadElement')) return NOTHING_KNOWN;
    const element = node.elements[index];
    return element ? evaluator.valuesOf(element) : NOTHING_KNOWN;
  }
  if (node.properties.length > MOST_ITEMS) return NOTHING_KNOWN;
  const found: Values[] = [];
  for (const property of node.properties) {
    if (property.type === 'SpreadElement' || property.kind !== 'init') return NOTHING_KNOWN;
    const name = property.computed ? constantOf(evaluator.valuesOf(property.key))?.value : keyOf(property.key);
    if (name !== undefined && String(name) === key) found.push(evaluator.valuesOf(property.value));
  }
  if (found.length === 0) return key === 'constructor' ? [global('Object')] : NOTHING_KNOWN;
  return found.at(-1)!;
}

function ofPrimitive(object: Value, key: string): Values {
  const index = Number(key);
  if (object.kind === 'constant' && typeof object.value === 'string') {
    if (key === 'length') return [constant(object.value.length)];
    if (Number.isInteger(index)) return [constant(object.value[index])];
  }
  if (object.kind === 'list') {
    if (key === 'length') return [constant(object.items.length)];
    if (Number.isInteger(index)) return [constant(object.items[index])];
  }
  if (object.kind === 'constant' && (object.value === null || object.value === undefined)) return NOTHING_KNOWN;
  // `''.constructor` is String and `''.at` is a function: Function is reachable from both.
  return key === 'length' ? NOTHING_KNOWN : [key === 'constructor' ? global('String') : FUNCTION];
}

/**
 * A literal without own members (an empty string included): all members are inherited.
 */
export function isWrittenOut(node: AnyNode): boolean {
  switch (node.type) {
    case 'ArrayExpression':
      return node.elements.length === 0;
    case 'ObjectExpression':
      return node.properties.length === 0;
    case 'Literal':
      return node.value === '' || typeof node.value === 'number' || typeof node.value === 'boolean';
    default:
      return false;
  }
}

/** The values of a computed member of a text or a list of texts: a part of it, or a function. */
export const OF_TEXT: Values = [UNKNOWN, FUNCTION];

export const isTextual = (value: Value): boolean =>
  value.kind === 'text' || value.kind === 'list' || (value.kind === 'constant' && typeof value.value === 'string');

/** A computed key that is a string literal. */
export const isName = (key: AnyNode): boolean => key.type === 'Literal' && typeof key.value === 'string';
