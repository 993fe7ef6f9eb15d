/** Evaluates members of values. */
import type { Evaluation } from './evaluation.ts';
import { constructorOf, isWindow, memberPath, OF_EVENTS, pathOfUnknown } from './global-names.ts';
import { memberOfStructure, ofPrimitive } from './own-member.ts';
import { PLATFORM_NAMES } from './platform.ts';
import {
  CONSTRUCTOR,
  FETCHED,
  FUNCTION,
  global,
  NOTHING_KNOWN,
  OF_EVENT,
  SCRIPT,
  type Value,
  type Values,
} from './values.ts';

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
