/** Checks calls that create code, elements, workers and windows. */

import type { AnyNode, Property } from 'acorn';
import { calledByName, isFoundByVariable } from './called-names.ts';
import {
  checkAttribute,
  checkCapture,
  checkElement,
  checkGiven,
  checkProperty,
  checkType,
  MARKUP_PROPERTIES,
} from './check-elements.ts';
import { checkHostCall, checkHostWrite } from './check-host.ts';
import { noteBoundMaker, noteMaker, noteTags } from './check-makers.ts';
import { checkReached } from './check-names.ts';
import { checkMarkup, checkStyle, FOLLOWING, noteFollowed, STYLE_METHODS } from './check-sinks.ts';
import { noteRebound, noteUnbound } from './check-this.ts';
import { checkTimer, noteGiven } from './check-timers.ts';
import { noteDefined, noteUsed, noteUsedOfWindow } from './check-undefined.ts';
import { checkUrl } from './check-url.ts';
import { isWindow } from './global-names.ts';
import { harmlessFunction } from './harmless-text.ts';
import { type Arguments, type Call, listed, type Method, methodOf } from './method.ts';
import { CLIPBOARD_COMMANDS, SENSOR_EVENTS } from './platform.ts';
import { keyOf } from './scope.ts';
import { type Gravity, report, type ScriptView, written } from './script-view.ts';
import { mayBeUncovered } from './uncovered-use.ts';
import { asText, constantOf, NOTHING_KNOWN, UNKNOWN, type Value, type Values } from './values.ts';
import { parentOf } from './walk.ts';
import { isWithoutJson } from './without-json.ts';

const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'msSetImmediate']);
const WORKERS = new Set(['Worker', 'SharedWorker']);
/** Methods that take markup, and the index of that argument. */
const MARKUP_METHODS: ReadonlyMap<string, number> = new Map([
  ['insertAdjacentHTML', 1],
  ['createContextualFragment', 0],
]);
/**
 * `setHTMLUnsafe`, `appendHTMLUnsafe` and similar methods. The `stream…` variants receive the
 * markup later (HTML, 8.5).
 */
const UNSAFE = /^(stream)?\w*HTMLUnsafe$/;
/** Functions that change the object in their first argument. */
const CHANGES = new Set([
  'Object.assign',
  'Object.defineProperty',
  'Object.defineProperties',
  'Object.setPrototypeOf',
  'Reflect.set',
  'Reflect.defineProperty',
  'Reflect.deleteProperty',
  'Reflect.setPrototypeOf',
  'Object.freeze',
]);

export function checkCall(view: ScriptView, node: Call): void {
  const { callee } = node;
  if (callee.type === 'Super' || callee.type === 'FunctionExpression' || callee.type === 'ArrowFunctionExpression')
    return;
  const { values, args } = target(view, node);
  if (callee.type === 'Identifier' && values[0].kind === 'global' && values[0].path === callee.name)
    noteUsed(view, callee);
  else if (callee.type === 'MemberExpression' && !isOptional(node)) noteUsedOfWindow(view, callee);
  if (values.length > 1 || values[0].kind !== 'unknown')
    for (const value of values) checkValue(view, node, value, args);
  const method = methodOf(view, node);
  if (method !== undefined) checkMethod(view, node, method, values);
  if (args !== undefined) checkCapture(view, args);
  // Fast paths: most callees are members or functions of this script.
  if (callee.type === 'MemberExpression' && method?.object === callee.object)
    checkCalled(view, node, method.name, method.args ?? [], true);
  else if (callee.type === 'Identifier' && method === undefined && view.evaluator.variableOf(callee) === undefined)
    checkCalled(view, node, callee.name, node.arguments, false);
  else if (callee.type !== 'Identifier' || !isFoundByVariable(view, callee))
    for (const called of calledByName(view, node, method)) checkCalled(view, node, called.name, called.args, false);
}

/** Checks a call by a name that a function of another script may have. */
function checkCalled(view: ScriptView, node: Call, name: string, args: readonly AnyNode[], isMember: boolean): void {
  noteTags(view, node, name, args);
  if (name === 'addEventListener') checkListener(view, node, args[0]);
  else noteGiven(view, name, args, isMember);
}

const isOptional = (node: Call): boolean => node.type === 'CallExpression' && node.optional;

function checkListener(view: ScriptView, node: Call, event: AnyNode | undefined): void {
  if (event !== undefined && SENSOR_EVENTS.has(constantOf(view.evaluator.valuesOf(event))?.value))
    report(view, 'direct_device', node, `${written(view, node)} reads sensors, which apps reach only through Host.`);
}

/** Resolves the called values and their arguments, through `call`, `apply`, `bind` and Reflect. */
function target(view: ScriptView, node: Call): { values: Values; args: Arguments } {
  const { evaluator } = view;
  const callee = node.callee as AnyNode;
  const args: readonly AnyNode[] = node.arguments;
  if (node.type === 'CallExpression' && callee.type === 'MemberExpression') {
    const key = evaluator.keyOf(callee);
    if (key === 'call' || key === 'apply' || key === 'bind') {
      const values = evaluator.valuesOf(callee.object);
      // Reflect.apply has other parameters.
      if (values.some((value) => (value.kind === 'global' && value.path !== 'Reflect') || value.kind === 'constructor'))
        return {
          values,
          args:
            key === 'apply'
              ? listed(args[1])
              : key === 'call'
                ? args.slice(1)
                : args.length > 1
                  ? args.slice(1)
                  : undefined,
        };
    }
  }
  const values = evaluator.valuesOf(callee);
  if (values.length === 1 && values[0].kind === 'global') {
    const { path } = values[0];
    if (path === 'Reflect.apply' && args[0]) noteRebound(view, args[0]);
    if (path === 'Reflect.apply' && args[0]) return { values: evaluator.valuesOf(args[0]), args: listed(args[2]) };
    if (path === 'Reflect.construct' && args[0]) return { values: evaluator.valuesOf(args[0]), args: listed(args[1]) };
  }
  return { values, args };
}

function checkValue(view: ScriptView, node: Call, callee: Value, args: Arguments): void {
  if (callee.kind === 'constructor') {
    checkConstructor(view, node, args);
    return;
  }
  if (callee.kind !== 'global') return;
  const { path } = callee;
  if (path === 'Function' || path === 'GeneratorFunction' || path === 'AsyncFunction') {
    const gravity = path === 'Function' ? gravityOf(view, node, args) : {};
    report(view, 'function_constructor', node, `${written(view, node)} makes code of text.`, undefined, gravity);
    checkFetched(view, args);
  } else if (path === 'eval') checkFetched(view, args);
  else if (TIMERS.has(path)) checkTimer(view, node, path, args);
  else if (WORKERS.has(path)) {
    if (args?.[0]) checkUrl(view, args[0], view.evaluator.valuesOf(args[0]), 'worker');
    else report(view, 'worker_undeterminable', node, `Which script ${written(view, node)} runs cannot be determined.`);
  } else if (path === 'document.write' || path === 'document.writeln')
    for (const arg of args ?? [node]) checkMarkup(view, arg, path);
  else if (path === 'document.createElement') checkElement(view, node, args?.[0]);
  else if (path === 'document.createElementNS') checkElement(view, node, args?.[1]);
  else if (path === 'open') {
    report(view, 'window_opened', node, `${written(view, node)} opens a window.`);
    if (args?.[0]) checkUrl(view, args[0], view.evaluator.valuesOf(args[0]), 'navigation');
  } else if (path === 'XSLTProcessor')
    report(view, 'markup_undeterminable', node, 'What a transformation makes of a document is not known before.');
  else if (path === 'location.assign' || path === 'location.replace' || path === 'navigation.navigate') {
    if (args?.[0]) checkUrl(view, args[0], view.evaluator.valuesOf(args[0]), 'navigation');
  } else if (path === 'FontFace') {
    if (args?.[1]) checkStyle(view, args[1], view.evaluator.valuesOf(args[1]));
  } else if (path.startsWith('Host.')) checkHostCall(view, node, path, args);
  else if (path.startsWith('Object.') || path.startsWith('Reflect.')) checkReflection(view, node, path, args);
}

/** Lowers the level of constant text that is harmless as code. */
function gravityOf(view: ScriptView, node: Call, args: Arguments): Gravity {
  const harmless = args && harmlessFunction(args.map((arg) => view.evaluator.valuesOf(arg)));
  if (harmless === undefined) return isWithoutJson(view, node) ? { reached: 'review' } : {};
  const call = parentOf(node);
  const isCalled = call?.type === 'CallExpression' && call.callee === node;
  if (harmless === 'value') return { level: 'notice' };
  // The stored argument must not be a platform object.
  const isOwn = () =>
    call?.type === 'CallExpression' &&
    call.arguments.every((arg) =>
      view.evaluator.valuesOf(arg).every(({ kind }) => kind !== 'global' && kind !== 'receiver'),
    );
  return isCalled && (harmless === 'this' || isOwn()) ? { level: 'notice' } : {};
}

function checkFetched(view: ScriptView, args: Arguments): void {
  for (const arg of args ?? [])
    if (view.evaluator.valuesOf(arg).some(({ kind }) => kind === 'fetched'))
      report(view, 'fetched_code', arg, 'What Host.network.fetch has brought is run as code.');
}

function checkConstructor(view: ScriptView, node: Call, args: Arguments): void {
  // A class cannot be called without `new`, and code rarely calls its instances.
  const isGiven = node.type === 'CallExpression' && args?.length !== 0;
  const isCall = node.type === 'CallExpression' ? isGiven && !isOfThis(node.callee) : parentCalls(node);
  if (isOfThis(node.callee) && isInStaticMethod(node)) {
    report(view, 'function_constructor', node, `${written(view, node)} makes code of text: this is the class.`);
    return;
  }
  const isText = args?.some((arg) =>
    view.evaluator
      .valuesOf(arg)
      .some((value) => value.kind === 'text' || (value.kind === 'constant' && typeof value.value === 'string')),
  );
  if (isText || isCall)
    report(view, 'constructor_called', node, `Whose constructor ${written(view, node)} calls cannot be determined.`);
  else if (isGiven) noteUnbound(view, node);
}

/** `this.constructor(…)`, as frameworks write it to call a component function. */
const isOfThis = (callee: AnyNode): boolean =>
  callee.type === 'MemberExpression' && callee.object.type === 'ThisExpression';

/** In static code, `this` is the class, whose constructor is Function. */
function isInStaticMethod(node: AnyNode): boolean {
  for (let at = parentOf(node); at !== undefined; at = parentOf(at)) {
    if (at.type === 'FunctionDeclaration' || at.type === 'StaticBlock') return at.type === 'StaticBlock';
    if (at.type === 'PropertyDefinition') return at.static;
    if (at.type !== 'FunctionExpression') continue;
    const method = parentOf(at);
    return method?.type === 'MethodDefinition' && method.static;
  }
  return false;
}

const parentCalls = (node: AnyNode): boolean => {
  const parent = parentOf(node);
  return parent?.type === 'CallExpression' && parent.callee === node;
};

/** Checks methods of Object and Reflect that take an object and a key. */
function checkReflection(view: ScriptView, node: Call, path: string, args: Arguments): void {
  const [object, key] = args ?? [];
  if (object === undefined) return;
  if (path === 'Object.assign') checkAssigned(view, node, args ?? []);
  else if (path === 'Reflect.set' && key !== undefined)
    checkProperty(view, node, view.evaluator.valuesOf(object), textOf(view, key), args?.[2]);
  if (path === 'Reflect.get') checkReached(view, node, view.evaluator.valuesOf(node));
  const name = key === undefined ? undefined : constantOf(view.evaluator.valuesOf(key))?.value;
  if (path.endsWith('.getOwnPropertyDescriptor') && name === 'constructor')
    report(view, 'constructor_called', node, `Whose constructor ${written(view, node)} takes cannot be determined.`);
  if (path.endsWith('.getOwnPropertyDescriptor') && MARKUP_PROPERTIES.has(String(name)))
    report(view, 'markup_undeterminable', node, `What is done with ${written(view, node)} is not known.`);
  if (path.endsWith('.getOwnPropertyDescriptors') && view.evaluator.valuesOf(object).some(isOfElements))
    report(view, 'markup_undeterminable', node, `What is done with ${written(view, node)} is not known.`);
  if (path.endsWith('.getOwnPropertyDescriptors') && isPrototype(object))
    report(view, 'constructor_called', node, `Whose constructor ${written(view, node)} takes cannot be determined.`);
  // A property defined on Object.prototype is also a global.
  if (typeof name === 'string' && path.endsWith('.defineProperty')) noteDescribed(view, name);
  if (path === 'Object.defineProperties' && key?.type === 'ObjectExpression')
    for (const property of key.properties)
      if (property.type === 'Property') noteDescribed(view, nameOf(view, property) ?? '');
  for (const value of view.evaluator.valuesOf(object)) {
    if (value.kind !== 'global') continue;
    if (CHANGES.has(path)) {
      checkHostWrite(view, node, value.path, `changed by ${path}`);
      if (isWindow(value.path) && name !== undefined) noteDefined(view, String(name), NOTHING_KNOWN);
      if (isWindow(value.path) && name === 'Host') checkHostWrite(view, node, 'Host', `changed by ${path}`);
    }
    const isRead =
      path === 'Reflect.get' ||
      path === 'Object.getOwnPropertyDescriptor' ||
      path === 'Reflect.getOwnPropertyDescriptor';
    const isList = path === 'Object.values' || path === 'Object.entries' || path === 'Object.getOwnPropertyDescriptors';
    if (!isWindow(value.path) && value.path !== 'Host') continue;
    if (isList || (isRead && name === undefined) || (isRead && path !== 'Reflect.get'))
      report(
        view,
        'computed_global',
        node,
        `What ${written(view, node)} takes of ${value.path} cannot be determined.`,
        undefined,
        isList || mayBeUncovered(view, node) ? { level: 'review' } : {},
      );
  }
}

function noteDescribed({ context }: ScriptView, name: string): void {
  context.members.add(name);
  context.redefined.add(name);
}

/** Prototypes of elements, which define the properties that take markup. */
const isOfElements = (value: Value): boolean =>
  value.kind === 'global' && /^(?:\w*Element|ShadowRoot)\.prototype$/.test(value.path);

/** `….getPrototypeOf(…)`, of any object, and `….__proto__`. */
const isPrototype = (node: AnyNode): boolean => {
  const name = node.type === 'CallExpression' ? node.callee : node;
  return (
    name.type === 'MemberExpression' &&
    name.property.type === 'Identifier' &&
    (name.property.name === 'getPrototypeOf' || name.property.name === '__proto__')
  );
};

const textOf = (view: ScriptView, key: AnyNode): string | undefined => {
  const constant = constantOf(view.evaluator.valuesOf(key));
  return constant === undefined ? undefined : String(constant.value);
};

/** Checks the properties that Object.assign sets. */
function checkAssigned(view: ScriptView, node: Call, [receiver, ...sources]: readonly AnyNode[]): void {
  const objects = view.evaluator.valuesOf(receiver);
  for (const source of sources)
    for (const value of view.evaluator.writtenOut(source)) {
      if (value.kind !== 'structure' || value.node.type !== 'ObjectExpression') {
        if (value.kind !== 'constant') checkProperty(view, node, objects, undefined, undefined);
        continue;
      }
      for (const property of value.node.properties)
        if (property.type === 'SpreadElement') checkProperty(view, node, objects, undefined, undefined);
        else {
          const name = nameOf(view, property);
          if (name !== undefined) view.context.members.add(name);
          checkProperty(view, node, objects, name, property.value);
        }
    }
}

const nameOf = (view: ScriptView, { computed, key }: Property): string | undefined =>
  computed ? textOf(view, key) : (keyOf(key) ?? undefined);

/** Methods that call their argument with values that they iterate over or resolve to. */
const CALLING = new Set([
  'map',
  'flatMap',
  'forEach',
  'filter',
  'find',
  'some',
  'every',
  'reduce',
  'then',
  'replace',
  'from',
]);

function checkCallback(view: ScriptView, args: readonly AnyNode[]): void {
  if (args.length > 1) noteRebound(view, args[0]);
  for (const arg of args)
    if (arg.type === 'MemberExpression' && view.evaluator.valuesOf(arg).some(({ kind }) => kind === 'constructor'))
      report(view, 'constructor_called', arg, `Whose constructor ${written(view, arg)} is cannot be determined.`);
}

/** Whether the argument is a URL for a worklet, not a name for an unrelated `addModule` method. */
function isUrlOfModule(view: ScriptView, url: AnyNode): boolean {
  const text = constantOf(view.evaluator.valuesOf(url))?.value;
  return typeof text !== 'string' || /[./:]/.test(text) || view.context.files.has(text);
}

/** Checks methods that are recognized by name, on any object. `reached`: the called values. */
function checkMethod(view: ScriptView, node: Call, { name, object, args }: Method, reached: Values): void {
  if (args === undefined) return;
  const objects = (): Values => (object === undefined ? NOTHING_KNOWN : view.evaluator.valuesOf(object));
  if (CALLING.has(name)) checkCallback(view, args);
  if (name === '__defineGetter__' && args[0]) noteDescribed(view, textOf(view, args[0]) ?? '');
  if (name === '__lookupSetter__' || name === '__lookupGetter__') {
    const key = args[0] && textOf(view, args[0]);
    if (key === undefined || MARKUP_PROPERTIES.has(key))
      report(view, 'markup_undeterminable', node, `What is done with ${written(view, node)} is not known.`);
  }
  const unsafe = UNSAFE.exec(name);
  const markup = unsafe === null ? MARKUP_METHODS.get(name) : 0;
  if (unsafe?.[1] !== undefined)
    report(view, 'markup_undeterminable', node, `What ${written(view, node)} is given later is not known before.`);
  else if (markup !== undefined) {
    if (args[markup]) checkMarkup(view, args[markup], name);
  } else if (name === 'execCommand') {
    const commands = (args[0] ? view.evaluator.valuesOf(args[0]) : []).map((value) => asText(value)?.toLowerCase());
    if (args[2] && commands.includes('inserthtml')) checkMarkup(view, args[2], name);
    if (commands.some((command) => CLIPBOARD_COMMANDS.has(command)))
      report(view, 'direct_device', node, `${written(view, node)} reaches the clipboard, which is only for Host.`);
  } else if (name === 'parseFromString') {
    if (args[0]) checkMarkup(view, args[0], name);
  } else if (name === 'html') {
    // A method named html() may do anything, so only arguments with a known value are checked.
    const values = args[0] && view.evaluator.valuesOf(args[0]);
    if (values?.some(({ kind }) => kind !== 'unknown')) checkMarkup(view, args[0], name);
  } else if (name === 'createElement' || name === 'createElementNS') {
    const isDocument = reached.some((value) => value.kind === 'global' && value.path === `document.${name}`);
    const tag = args[name === 'createElement' ? 0 : 1];
    if (!isDocument && tag) {
      if (constantOf(view.evaluator.valuesOf(tag)) !== undefined) checkElement(view, node, tag);
      else noteMaker(view, tag);
    }
  } else if (name === 'setAttribute' || name === 'setAttributeNS')
    checkAttribute(view, node, objects(), name === 'setAttribute' ? args : args.slice(1));
  else if (name === 'createAttribute' || name === 'createAttributeNS')
    checkAttribute(
      view,
      node,
      objects(),
      args.slice(name === 'createAttribute' ? 0 : 1, name === 'createAttribute' ? 1 : 2),
    );
  else if (name === 'toggleAttribute') checkAttribute(view, node, objects(), args.slice(0, 1));
  else if (name === 'bind') noteBoundMaker(view, node, reached, args.length - 1);
  else if (name === 'removeAttribute' && args[0] && textOf(view, args[0]) === 'type')
    checkType(view, node, objects(), [UNKNOWN]);
  else if (name === 'append' || name === 'appendChild' || name === 'prepend' || name === 'replaceChildren')
    for (const arg of args) checkGiven(view, node, objects(), name, view.evaluator.valuesOf(arg));
  else if (name === 'setAttributeNode' || name === 'setAttributeNodeNS' || name === 'setNamedItem')
    report(view, 'attribute_undeterminable', node, `Which attribute ${written(view, node)} sets cannot be determined.`);
  else if (FOLLOWING.has(name) && object !== undefined) noteFollowed(view, object);
  else if (STYLE_METHODS.has(name)) {
    const text = args[STYLE_METHODS.get(name)!];
    if (text) checkStyle(view, text, view.evaluator.valuesOf(text));
  } else if (name === 'addModule' && args[0] && isUrlOfModule(view, args[0]))
    checkUrl(view, args[0], view.evaluator.valuesOf(args[0]), 'worker');
}
