/**
 * Checks globals that no browser defines: bridges of other containers, and names that no script of
 * the package defines. The latter are reported after all scripts are audited.
 */
import type { AnyNode, Identifier, MemberExpression } from 'acorn';
import globals from 'globals';
import type { RuleCode } from '../rules.ts';
import type { WebContext } from '../web/context.ts';
import type { ScriptKind } from '../web/kind.ts';
import { BRIDGES, isOfNode } from './bridges.ts';
import { placeOf, report, type ScriptView, written } from './script-view.ts';
import { isTested, useOf } from './use.ts';
import { constantOf, type Values } from './values.ts';
import { parentOf, type Walked } from './walk.ts';

/**
 * Members of all objects, globals of older browsers, and globals of module loaders.
 */
const OTHERS =
  'hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf arguments undefined Host ' +
  'webkitURL ActiveXObject SpeechRecognition setImmediate clearImmediate msSetImmediate msCrypto opera StyleMedia attachEvent detachEvent ' +
  'clipboardData CollectGarbage chrome safari module exports define require global process Buffer __dirname __filename';
const { builtin, browser, worker, serviceworker, audioWorklet } = globals;
/** Names that a script can use without defining them. */
export const KNOWN: ReadonlySet<string> = new Set([
  ...[builtin, browser, worker, serviceworker, audioWorklet].flatMap(Object.keys),
  ...OTHERS.split(' '),
]);

/** Exempt kinds: background files have other globals, data may be a template: `{{item.title}}`. */
const EXEMPT_KINDS: ReadonlySet<ScriptKind> = new Set(['background', 'data']);

/** Notes the use of a bridge, other than a test for it. */
export function noteBridge(view: ScriptView, node: AnyNode, path: string): void {
  // A pattern destructures the bridge.
  const use = node.type === 'Property' ? 'bound' : useOf(node);
  if (use === 'nothing' || use === 'assigned' || EXEMPT_KINDS.has(view.kind) || isMemberTyped(node)) return;
  if (isOfNode(path) && (isOptional(node) || isGuarded(view, node, NODE))) return;
  if (path === 'require') {
    if (!isOfPackage(view, node))
      noteUndefined(view, node, path, 'undefined_global', 'is require, which browsers do not have.');
  } else noteUndefined(view, node, path.split('.')[0], 'native_bridge', `is ${path}, a bridge of another system.`);
}

/** `typeof wx.getSystemInfoSync` */
function isMemberTyped(node: AnyNode): boolean {
  const member = parentOf(node);
  const parent = member?.type === 'MemberExpression' && member.object === node ? parentOf(member) : undefined;
  return parent?.type === 'UnaryExpression' && parent.operator === 'typeof';
}

/** `globalThis.Bun?.version` */
function isOptional(node: AnyNode): boolean {
  const parent = parentOf(node);
  return parent?.type === 'MemberExpression' && parent.object === node && parent.optional;
}

/** `require("./name")`: the audit covers files of the package anyway. */
function isOfPackage(view: ScriptView, node: AnyNode): boolean {
  const call = parentOf(node);
  const first = call?.type === 'CallExpression' && call.callee === node ? call.arguments[0] : undefined;
  const path = first && constantOf(view.evaluator.valuesOf(first))?.value;
  return typeof path === 'string' && /^\.{1,2}\//.test(path);
}

/** Notes an undeclared name that is called, or whose member is read. */
export function noteUsed(view: ScriptView, node: Identifier): void {
  noteCandidate(view, node, node.name);
}

/** As `noteUsed`, for a member of the window: `window.bridge.go()`. */
export function noteUsedOfWindow(view: ScriptView, node: AnyNode): void {
  if (node.type !== 'MemberExpression' || node.object.type === 'Super') return;
  const [value, ...others] = view.evaluator.valuesOf(node);
  if (value.kind !== 'global' || others.length > 0 || value.path.includes('.') || OF_VENDORS.test(value.path)) return;
  const [object] = view.evaluator.valuesOf(node.object);
  if (object.kind === 'global' && object.path === 'window') noteCandidate(view, node, value.path);
}

/** Names with a vendor prefix. */
const OF_VENDORS = /^(?:webkit|moz|ms|o)[A-Z]/;

function noteCandidate(view: ScriptView, node: Identifier | MemberExpression, name: string): void {
  if (KNOWN.has(name) || BRIDGES.has(name) || view.undefined.has(name)) return;
  // In a handler, names may be members of the element or the document.
  if (EXEMPT_KINDS.has(view.kind) || view.kind === 'handler') return;
  if (!isGuarded(view, node, new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$&')}(?![\\w$])`)))
    view.undefined.set(name, node);
}

/** Runs after all nodes of the script are checked. */
export function concludeUndefined(view: ScriptView, { names, nodes }: Walked): void {
  if (view.undefined.size === 0) return;
  for (const node of nodes) {
    // Names in a `with` statement are ambiguous; the statement has its own finding.
    if (node.type === 'WithStatement') return;
    if (node.type !== 'MemberExpression') continue;
    const name = view.evaluator.keyOf(node) ?? '';
    if (
      view.undefined.get(name)?.type === 'MemberExpression' &&
      (isTested(node) || isOptional(node) || isOptionalCall(node))
    )
      view.undefined.delete(name);
  }
  for (const node of names) {
    const parent = parentOf(node);
    if (parent?.type === 'UnaryExpression' && parent.operator === 'typeof') view.undefined.delete(node.name);
  }
  for (const [name, node] of view.undefined)
    noteUndefined(view, node, name, 'undefined_global', 'is not a global of browsers, and no script defines it.');
}

/** `window.name?.()`, which also tests for the global. */
function isOptionalCall(node: AnyNode): boolean {
  const parent = parentOf(node);
  return parent?.type === 'CallExpression' && parent.callee === node && parent.optional;
}

/**
 * `window.name = …` stores a text for later pages of any origin (HTML, 7.2.2.1).
 */
export function checkWindowName(view: ScriptView, node: AnyNode, target: MemberExpression): void {
  if (target.object.type !== 'ThisExpression')
    report(view, 'direct_storage', node, `${written(view, node)} ${KEEPS_TEXT}`);
}

/** As `checkWindowName`, for the bare name, which a script may declare. */
export function noteWindowName(view: ScriptView, node: AnyNode): void {
  noteUndefined(view, node, 'name', 'direct_storage', KEEPS_TEXT);
}

/** As `noteWindowName`, for patterns and loops: `[name] = …`. */
export function noteWindowNames(view: ScriptView, { implicit }: Walked): void {
  for (const { from, path } of implicit.own('name')?.writes ?? [])
    if (from !== undefined && path.length > 0) noteWindowName(view, from);
}

const KEEPS_TEXT = 'keeps a text past the page, which apps do only through Host.';

function noteUndefined(view: ScriptView, node: AnyNode, name: string, code: RuleCode, message: string): void {
  view.context.undefined.push({
    name,
    code,
    position: placeOf(view, node),
    message: `${written(view, node)} ${message}`,
  });
}

/** Notes the definition of a global. The platform's value of the same name defines nothing. */
export function noteDefined(view: ScriptView, name: string, values: Values): void {
  if (!values.some((value) => value.kind === 'global' && value.path === name)) view.context.defined.add(name);
}

/**
 * Runs after all scripts are audited. The name of an element or a member may define a global.
 */
export function reportUndefined({ findings, undefined: uses, defined, members }: WebContext): void {
  for (const { name, code, position, message } of uses)
    if (!defined.has(name) && !(code === 'undefined_global' && members.has(name)))
      findings.add(code, position, message);
}

/** A test for modules of Node. */
const NODE = /(?<![\w$])(?:module|exports|require|define|process|Deno|Bun)(?![\w$])/;
/**
 * Maximum enclosing nodes and tests to search for a guard, and maximum characters of each test.
 */
const MAX_ENCLOSING_NODES = 512;
const MAX_TESTS = 8;
const MAX_TEST_LENGTH = 400;

/**
 * A test that matches `names` guards the node. So does a `try` block, except for Node: the app
 * works without code that may fail.
 */
function isGuarded(view: ScriptView, node: AnyNode, names: RegExp): boolean {
  let at = node;
  let tests = 0;
  for (let around = 0; around < MAX_ENCLOSING_NODES && tests < MAX_TESTS; around++) {
    const parent = parentOf(at);
    if (parent === undefined) return false;
    if (parent.type === 'TryStatement' && parent.block === at && names !== NODE) return true;
    const test = testOf(parent, at);
    if (test !== undefined && names.test(textOf(view, test))) return true;
    if (test !== undefined) tests++;
    at = parent;
  }
  return false;
}

/** The condition of the parent that decides whether the child runs. */
function testOf(parent: AnyNode, child: AnyNode): AnyNode | undefined {
  if (parent.type === 'LogicalExpression') return parent.right === child ? parent.left : undefined;
  const isBranch = parent.type === 'IfStatement' || parent.type === 'ConditionalExpression';
  return isBranch && parent.test !== child ? parent.test : undefined;
}

const textOf = (view: ScriptView, { start, end }: AnyNode): string =>
  view.source.text.slice(view.base + start, view.base + Math.min(end, start + MAX_TEST_LENGTH));
