/** Checks accesses to platform features through names, members and patterns. */
import type { AnyNode, AssignmentExpression, Identifier, MemberExpression } from 'acorn';
import { UNCOVERED_PATHS } from '../policy/covered.ts';
import type { RuleCode } from '../rules.ts';
import { BRIDGES } from './bridges.ts';
import { ATTRIBUTE_VALUES, checkProperty, isAttribute } from './check-elements.ts';
import { alias, checkHostComputed, checkHostUse, checkHostWrite } from './check-host.ts';
import { checkRebinding } from './check-this.ts';
import { noteSet } from './check-timers.ts';
import {
  checkWindowName,
  noteBridge,
  noteDefined,
  noteUsed,
  noteUsedOfWindow,
  noteWindowName,
} from './check-undefined.ts';
import { DOCUMENT_NAMES, isWindow } from './global-names.ts';
import { isGlobalObject } from './harmless-text.ts';
import { isModulePreload, PRELOAD_NAMES } from './module-preload.ts';
import { BARRED, DISTINCTIVE, RECEIVED } from './platform.ts';
import { namesOf, possibleKeys } from './possible-keys.ts';
import type { Taken } from './scope.ts';
import { type Gravity, placeOf, report, reportAnyway, type ScriptView, written } from './script-view.ts';
import { Steps } from './steps.ts';
import { isNamedText, isSymbol } from './symbols.ts';
import { isUsed, mayBeUncovered } from './uncovered-use.ts';
import { isTested, useOf } from './use.ts';
import { constantOf, global, NOTHING_KNOWN, type Values } from './values.ts';
import { parentOf, returnedOf, scopeOf } from './walk.ts';
import { isWithoutJson } from './without-json.ts';

const ASSIGNING = new Set(['=', '+=', '||=', '&&=', '??=']);
/** Names that code composes from parts only to hide them. */
const SENSITIVE_NAMES = new Set([
  ...[...BARRED.keys()].map((path) => path.slice(path.lastIndexOf('.') + 1)),
  'Function',
  'Host',
  'constructor',
  'write',
  'createElement',
]);
/** Names that ordinary code never chooses dynamically as a member. */
const NEVER_DYNAMIC = new Set([...DISTINCTIVE, 'Function', 'constructor']);
/** Objects whose computed members may be any platform feature. */
const PLATFORM_ROOTS = new Set(['window', 'document', 'navigator']);

/** `values`: the possible values of the node. */
export function checkReached(view: ScriptView, node: AnyNode, values: Values): void {
  // Fast path for most nodes.
  if (values === NOTHING_KNOWN) return;
  for (const value of values) {
    if (value.kind !== 'global') continue;
    const { path } = value;
    if (path === 'Host' || path.startsWith('Host.')) checkHostUse(view, node, path);
    else if (path === 'Function') checkFunction(view, node);
    else if (path === 'window' || path === 'navigator') checkWindow(view, node);
    else if (path === 'document') {
      const use = useOf(node);
      if (use === 'escapes' || use === 'element') view.context.isDocumentHandedOn = true;
    } else if (HANDED_ON.has(path)) checkHandedOn(view, node, HANDED_ON.get(path)!);
    else if (BRIDGES.has(path)) {
      if (!isTyped(node)) noteBridge(view, node, path);
    } else {
      const barred = BARRED.get(path);
      if (barred === undefined || isHarmless(view, node, path)) continue;
      // Background files have their own rules for features that Host replaces in pages.
      if (view.kind === 'background' && barred.instead !== undefined) continue;
      if (path === 'fetch' && isModulePreload(view, node)) {
        report(view, barred.code, node, PRELOAD, PRELOAD_FIX, { level: 'notice', unless: PRELOAD_NAMES });
        continue;
      }
      const fix = barred.instead === undefined ? undefined : `Use ${barred.instead}.`;
      const message = `${written(view, node)} ${nameIn(barred.code, path)}`;
      if (UNCOVERED_PATHS.has(path)) reportAnyway(view, barred.code, node, message, fix);
      else report(view, barred.code, node, message, fix, gravityOf(view, node, path));
    }
  }
}

const PRELOAD = 'This is the polyfill for modulepreload, which fetches modules that the page names.';
const PRELOAD_FIX = 'Nothing; or leave it out, with build.modulePreload.polyfill: false in the configuration of Vite.';

/** Harmless uses are a notice. */
function gravityOf(view: ScriptView, node: AnyNode, path: string): Gravity {
  if (path === 'eval') {
    const call = callOfValue(node);
    const text = call?.arguments[0];
    if (text !== undefined && isGlobalObject(view.evaluator.valuesOf(text))) return { level: 'notice' };
    return isWithoutJson(view, node) ? { reached: 'review' } : {};
  }
  return path === 'navigator.userAgentData' && isBrands(view, node) ? { level: 'warning' } : {};
}

/** `(0, eval)("this")` */
function callOfValue(node: AnyNode): (AnyNode & { type: 'CallExpression' }) | undefined {
  let at = node;
  let parent = parentOf(at);
  while (
    parent?.type === 'ParenthesizedExpression' ||
    (parent?.type === 'SequenceExpression' && parent.expressions.at(-1) === at)
  ) {
    at = parent;
    parent = parentOf(at);
  }
  return parent?.type === 'CallExpression' && parent.callee === at && parent.arguments.length === 1
    ? parent
    : undefined;
}

/** Only members of userAgentData that the User-Agent string also reveals are read. */
function isBrands(view: ScriptView, node: AnyNode): boolean {
  const parent = parentOf(node);
  if (parent?.type === 'MemberExpression') return isBrand(view, parent);
  if (parent?.type !== 'VariableDeclarator' || parent.id.type !== 'Identifier') return false;
  const uses = view.evaluator.usesOf(parent.id.name, node);
  return uses.every((use) => {
    const around = parentOf(use);
    return isTested(use) || (around?.type === 'MemberExpression' && around.object === use && isBrand(view, around));
  });
}

const BRANDS = new Set(['brands', 'mobile', 'platform']);
const isBrand = (view: ScriptView, node: MemberExpression): boolean =>
  !node.computed && useOf(node) !== 'assigned' && BRANDS.has(view.evaluator.keyOf(node) ?? '');

/** Functions that run a text or a URL as code. Direct calls are checked elsewhere. */
const HANDED_ON: ReadonlyMap<string, RuleCode> = new Map([
  ['setTimeout', 'timer_undeterminable'],
  ['setInterval', 'timer_undeterminable'],
  ['Worker', 'worker_undeterminable'],
  ['SharedWorker', 'worker_undeterminable'],
]);

function checkHandedOn(view: ScriptView, node: AnyNode, code: RuleCode): void {
  const use = useOf(node);
  if (view.kind !== 'background' && (use === 'escapes' || use === 'element'))
    report(view, code, node, `What is done with ${written(view, node)} cannot be followed from here.`);
}

/**
 * Checks a watched name or an alias. Values of ordinary variables have no findings.
 */
export function checkName(view: ScriptView, node: Identifier): void {
  checkReached(view, node, view.evaluator.valuesOf(node));
}

export function checkMember(view: ScriptView, node: MemberExpression): void {
  if (node.object.type === 'Super') return;
  const objects = view.evaluator.valuesOf(node.object);
  const [first] = objects;
  if (first.kind === 'global' && node.object.type === 'Identifier' && first.path === node.object.name)
    noteUsed(view, node.object);
  else if (first.kind === 'global' && !node.optional) noteUsedOfWindow(view, node.object);
  const parent = parentOf(node);
  if ((parent?.type === 'ClassDeclaration' || parent?.type === 'ClassExpression') && parent.superClass === node)
    checkSuperClass(view, node);
  if (isTarget(node, parent)) {
    const target = view.evaluator.keyOf(node);
    checkProperty(view, node, objects, target, undefined);
    if (target === 'name' && first.kind === 'global' && isWindow(first.path)) checkWindowName(view, node, node);
  }
  if (objects.length === 1 && objects[0].kind === 'unknown' && !node.computed) {
    const { property } = node;
    if (property.type !== 'Identifier') return;
    checkRebinding(view, node, property.name);
    checkOfUnknown(view, node, property.name, DISTINCTIVE);
    return;
  }
  const key = view.evaluator.keyOf(node);
  if (key !== undefined) checkRebinding(view, node, key);
  if (key === undefined) {
    if (objects.some(({ kind }) => kind === 'unknown' || kind === 'receiver')) checkOpenKey(view, node);
    for (const object of objects) {
      if (object.kind === 'receiver' && object.of === 'event' && isHidden(view, node))
        report(view, 'computed_global', node, `What ${written(view, node)} takes of an event cannot be determined.`);
      if (object.kind !== 'global') continue;
      if (PLATFORM_ROOTS.has(object.path) || isWindow(object.path))
        report(
          view,
          'computed_global',
          node,
          `Which member of ${object.path} ${written(view, node)} is cannot be determined.`,
          undefined,
          isHiding(view, node.property) || mayBeUncovered(view, node) ? { level: 'review' } : {},
        );
      else if (object.path === 'Host' || object.path.startsWith('Host.')) checkHostComputed(view, node, object.path);
    }
    return;
  }
  if (objects.some(({ kind }) => kind === 'receiver')) checkOfUnknown(view, node, key, RECEIVED);
  else if (!node.computed && objects.some(({ kind }) => kind === 'unknown' || kind === 'element'))
    checkOfUnknown(view, node, key, DISTINCTIVE);
  if (
    node.computed &&
    (DISTINCTIVE.has(key) || (SENSITIVE_NAMES.has(key) && !isWrittenName(view, node.property, key))) &&
    objects.some(({ kind }) => kind === 'unknown') &&
    useOf(node) !== 'assigned'
  )
    report(view, 'global_of_unknown', node, `${written(view, node)} may be ${key} of the global object.`);
  checkReached(view, node, view.evaluator.valuesOf(node));
}

/** The key is written out. Bundles of libraries define a constant for `constructor`. */
const isWrittenName = (view: ScriptView, key: AnyNode, name: string): boolean =>
  key.type === 'Literal' || (name === 'constructor' && isNamedText(view.evaluator, key));

/** Checks a member of an unknown object whose key has several values or is composed. */
function checkOpenKey(view: ScriptView, node: MemberExpression): void {
  const { keys, isPutTogether: isJoined } = possibleKeys(view, node.property);
  if (keys.length === 0) return;
  const use = useOf(node);
  if (use === 'assigned') return;
  const [name] = namesOf(keys, isJoined ? SENSITIVE_NAMES : NEVER_DYNAMIC, true);
  if (name !== undefined)
    report(view, 'global_of_unknown', node, `${written(view, node)} may be ${name} of the global object.`);
  else if (isCalledWithText(view, node, use) && namesOf(keys, ['constructor']).length > 0)
    report(view, 'constructor_called', node, `Whether ${written(view, node)} is a constructor cannot be determined.`);
}

/** The member is called with arguments, or the variable that it initializes is called. */
function isCalledWithText(view: ScriptView, node: AnyNode, use: string): boolean {
  const parent = parentOf(node);
  if (use === 'called') return parent?.type !== 'CallExpression' || parent.arguments.length > 0;
  return (
    parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier' && view.evaluator.isCalled(parent.id.name)
  );
}

/** Checks a named member of an object that may be the global object or the document. */
function checkOfUnknown(view: ScriptView, node: MemberExpression, name: string, names: ReadonlySet<string>): void {
  const use = useOf(node);
  if (names.has(name)) {
    if (use !== 'assigned' && !isTyped(node) && !isTested(node))
      report(view, 'global_of_unknown', node, `${written(view, node)} may be ${name} of the global object.`);
  } else if (name === 'cookie' || ((name === 'write' || name === 'writeln') && use === 'called')) {
    // Of all parent nodes, only the document has these members.
    if (isParent(view, node.object))
      report(view, 'global_of_unknown', node, `${written(view, node)} may be ${name} of the document.`);
    else if (!isMadeByClass(view, node.object))
      view.context.suspects.push({
        position: placeOf(view, node),
        message: `${written(view, node)} may be ${name} of the document, which the app hands on.`,
        script: view.script,
        at: node.start,
      });
  }
}

/** An instance of a class of this script whose constructor returns no other object. */
function isMadeByClass(view: ScriptView, node: AnyNode): boolean {
  if (node.type !== 'Identifier') return false;
  const writes = view.evaluator.variableOf(node)?.writes ?? [];
  return (
    writes.length > 0 &&
    writes.every(({ from, path }) => {
      if (path.length > 0 || from?.type !== 'NewExpression' || from.callee.type !== 'Identifier') return false;
      const [write, ...others] = view.evaluator.variableOf(from.callee)?.writes ?? [];
      const classNode = others.length === 0 && write?.path.length === 0 ? write.from : undefined;
      if ((classNode?.type !== 'ClassDeclaration' && classNode?.type !== 'ClassExpression') || classNode.superClass)
        return false;
      return classNode.body.body.every(
        (part) =>
          part.type !== 'MethodDefinition' || part.kind !== 'constructor' || returnedOf(part.value).length === 0,
      );
    })
  );
}

const isParent = (view: ScriptView, node: AnyNode): boolean =>
  node.type === 'MemberExpression' && PARENTS.has(view.evaluator.keyOf(node) ?? '');

/** Members that may refer to the document, such as the parent or the boundary of a range. */
const PARENTS = new Set(['parentNode', 'startContainer', 'endContainer', 'commonAncestorContainer']);

/** The key is composed, and may be a sensitive name. */
function isHiding(view: ScriptView, key: AnyNode): boolean {
  if (!isPutTogether(view, key) || isSymbol(view.evaluator, key)) return false;
  const { keys } = possibleKeys(view, key);
  return keys.length === 0 || namesOf(keys, SENSITIVE_NAMES).length > 0;
}

/** The key is composed in place, or in the only value of its variable. */
function isPutTogether(view: ScriptView, key: AnyNode, steps = new Steps()): boolean {
  if (!steps.take()) return true;
  switch (key.type) {
    case 'BinaryExpression':
      return key.operator === '+';
    case 'CallExpression':
      return true;
    case 'TemplateLiteral':
      return key.expressions.length > 0;
    case 'ParenthesizedExpression':
      return isPutTogether(view, key.expression, steps);
    case 'Identifier': {
      const variable = view.evaluator.variableOf(key);
      const [write, ...others] = variable?.writes ?? [];
      if (variable === undefined || others.length > 0 || !steps.enter(variable)) return false;
      return write?.from !== undefined && write.path.length === 0 && isPutTogether(view, write.from, steps);
    }
    default:
      return false;
  }
}

/** The member has a computed key that is not constant, and is called or bound to a name. */
function isHidden(view: ScriptView, node: MemberExpression): boolean {
  const use = useOf(node);
  if (use !== 'called' && use !== 'bound') return false;
  return view.evaluator.valuesOf(node.property).some(({ kind }) => kind !== 'constant');
}

/** The member is a target of an assignment pattern, or of a for-of or for-in loop. */
const isTarget = (node: MemberExpression, parent: AnyNode | undefined): boolean =>
  parent?.type === 'AssignmentExpression'
    ? parent.left !== node && parent.right !== node
    : (parent?.type === 'ForOfStatement' || parent?.type === 'ForInStatement') && parent.left === node;

export function checkAssignment(view: ScriptView, node: AssignmentExpression): void {
  const { left, right, operator } = node;
  if (left.type === 'Identifier') {
    if (scopeOf(node)?.lookup(left.name)?.isGlobal === false) return;
    if (left.name === 'Host') checkHostWrite(view, node, 'Host', 'assigned to');
    if (left.name === 'name' && ASSIGNING.has(operator)) noteWindowName(view, node);
    if (left.name.startsWith('on')) checkHandler(view, right);
    if (view.kind === 'handler') checkOfHandler(view, node, left.name, right);
    return;
  }
  if (left.type !== 'MemberExpression' || left.object.type === 'Super') return;
  const objects = view.evaluator.valuesOf(left.object);
  const key = view.evaluator.keyOf(left);
  if (left.property.type === 'PrivateIdentifier') {
    if (operator === '=') noteSet(view, `#${left.property.name}`, right);
    return;
  }
  if (key === undefined) {
    for (const object of objects) if (object.kind === 'global') checkHostWrite(view, node, object.path, 'assigned to');
    checkProperty(view, node, objects, undefined, right);
    return;
  }
  if (operator === '=') noteSet(view, key, right);
  view.context.members.add(key);
  for (const object of objects) {
    if (object.kind !== 'global') continue;
    if (isWindow(object.path)) noteDefined(view, key, view.evaluator.valuesOf(right));
    if (isWindow(object.path) && key === 'name' && objects.length === 1) checkWindowName(view, node, left);
    if (isWindow(object.path) && key === 'Host') checkHostWrite(view, node, 'Host', 'assigned to');
    else checkHostWrite(view, node, object.path, 'assigned to');
  }
  if (ATTRIBUTE_VALUES.has(key) && isAttribute(view, left.object))
    report(view, 'attribute_undeterminable', node, `Which attribute ${written(view, node)} sets cannot be determined.`);
  if (ASSIGNING.has(operator)) checkProperty(view, node, objects, key, right);
}

/** Reports handlers that would run the texts of events and errors as code. */
function checkHandler(view: ScriptView, right: AnyNode): void {
  for (const value of view.evaluator.valuesOf(right)) {
    const code = value.kind === 'global' ? HANDED_ON.get(value.path) : undefined;
    if (code !== undefined) report(view, code, right, `What ${written(view, right)} is called with is not known.`);
  }
}

/** In a handler, a name may be a member of the element or the document (HTML, 8.1.8.1). */
function checkOfHandler(view: ScriptView, node: AssignmentExpression, name: string, value: AnyNode): void {
  if (DOCUMENT_NAMES.has(name)) checkReached(view, node.left, [global(`document.${name}`)]);
  checkProperty(view, node, NOTHING_KNOWN, name, value);
}

/**
 * Reports a superclass that is the constructor of an unknown object: for functions, it is Function.
 */
function checkSuperClass(view: ScriptView, node: MemberExpression): void {
  if (view.evaluator.valuesOf(node).some(({ kind }) => kind === 'constructor'))
    report(view, 'constructor_called', node, `Whose constructor ${written(view, node)} is cannot be determined.`);
}

/** Checks uses of the whole global object. */
function checkWindow(view: ScriptView, node: AnyNode): void {
  if (view.kind === 'background') return;
  const use = useOf(node);
  if (use === 'escapes' || use === 'element')
    report(
      view,
      'window_escapes',
      node,
      `What is done with ${written(view, node)} cannot be followed from here.`,
      undefined,
      isEnumerated(view, node) ? { level: 'review' } : {},
    );
}

/** Functions that list all keys or values of an object. */
const LISTING = new Set([
  ...['Object.keys', 'Object.values', 'Object.entries', 'Object.getOwnPropertyNames', 'Reflect.ownKeys'],
  'Object.getOwnPropertyDescriptors',
]);

function isEnumerated(view: ScriptView, node: AnyNode): boolean {
  const parent = parentOf(node);
  if (parent?.type === 'ForInStatement') return true;
  if (parent?.type !== 'CallExpression') return false;
  return view.evaluator.valuesOf(parent.callee).some((callee) => callee.kind === 'global' && LISTING.has(callee.path));
}

/** Checks a member that a pattern reads: `const { [name]: value } = window`. */
export function checkTaken(view: ScriptView, { node, write }: Taken): void {
  checkReached(view, node, view.evaluator.valuesOfWrite(write));
  const key = write.path.at(-1);
  if (key === null || typeof key !== 'object' || constantOf(view.evaluator.valuesOf(key)) !== undefined) return;
  const objects = view.evaluator.valuesOfWrite({ from: write.from, path: write.path.slice(0, -1) });
  if (!objects.some((object) => object.kind === 'global' && (PLATFORM_ROOTS.has(object.path) || isWindow(object.path))))
    return;
  const target = node.type === 'Property' ? node.value : node;
  const name = target.type === 'AssignmentPattern' ? target.left : target;
  const isOpen = isHiding(view, key) || (name.type === 'Identifier' && isUsed(view, name.name, node));
  report(
    view,
    'computed_global',
    node,
    `Which member ${written(view, node)} takes cannot be determined.`,
    undefined,
    isOpen ? { level: 'review' } : {},
  );
}

/** Checks uses of Function other than calls. */
function checkFunction(view: ScriptView, node: AnyNode): void {
  const use = useOf(node);
  if (use === 'bound' || node.type === 'Property') alias(view, node);
  // `{ type: Function }` describes a property type. Under a computed key, the value may be called
  // by that key.
  const isDescription = node.type === 'Identifier' && node.name === 'Function' && !hasComputedKey(node);
  if (use === 'escapes' || (use === 'element' && !isDescription))
    report(
      view,
      'function_constructor_escapes',
      node,
      `What is done with ${written(view, node)} cannot be followed from here.`,
    );
}

/** `{ [Symbol.match]: … }` */
function hasComputedKey(node: AnyNode): boolean {
  const parent = parentOf(node);
  return parent?.type === 'Property' && parent.computed && parent.key.type !== 'Literal';
}

/** The use only tests for the feature, or replaces it with a value of the app. */
function isHarmless(view: ScriptView, node: AnyNode, path: string): boolean {
  // Testing document.cookie reads the cookies.
  if (isTyped(node) || (path !== 'document.cookie' && isTested(node))) return true;
  // `HTMLScriptElement.supports('module')`
  if (path === 'HTMLScriptElement' && useOf(node) === 'member') return true;
  if (useOf(node) !== 'assigned' || path.includes('.') || path.startsWith('on')) return false;
  const parent = parentOf(node);
  return parent?.type === 'AssignmentExpression' && constantOf(view.evaluator.valuesOf(parent.right)) === undefined;
}

/** Under `typeof`, or to the right of `instanceof`. */
function isTyped(node: AnyNode): boolean {
  const parent = parentOf(node);
  if (parent?.type === 'UnaryExpression') return parent.operator === 'typeof';
  return parent?.type === 'BinaryExpression' && parent.operator === 'instanceof' && parent.right === node;
}

function nameIn(code: string, path: string): string {
  switch (code) {
    case 'eval':
      return 'runs text as code.';
    case 'import_scripts':
    case 'webassembly':
    case 'service_worker':
      return `is ${path}, which apps may not use.`;
    case 'script_element':
      return `is ${path}, of which script elements are made.`;
    case 'parent_message':
      return 'reaches the window around the app.';
    default:
      return `is ${path}, which apps reach only through Host.`;
  }
}
