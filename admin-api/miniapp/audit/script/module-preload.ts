/**
 * Recognizes the polyfill for `<link rel="modulepreload">` that Vite adds to each build. It fetches
 * the modules that the page names, for browsers without preloading. Its text differs between
 * bundlers and minifiers, so its behaviour is checked: a function fetches the `href` of its
 * parameter, and all its calls pass links of this relation in the document. So the polyfill reaches
 * nothing that the links do not reach in a browser that supports them.
 */
import type { AnyNode, CallExpression, Function as FunctionNode, Identifier, MemberExpression } from 'acorn';
import { isFunction, nameOf } from './plain-call.ts';
import type { Write } from './scope.ts';
import type { ScriptView } from './script-view.ts';
import { Steps } from './steps.ts';
import { useOf } from './use.ts';
import { constantOf } from './values.ts';
import { parentOf, returnedOf } from './walk.ts';

/**
 * Names that select the elements of the polyfill. The package must not replace any of them.
 */
export const PRELOAD_NAMES: readonly string[] = ['querySelectorAll', 'MutationObserver', 'addedNodes', 'tagName'];

const SELECTORS: ReadonlySet<unknown> = new Set(['link[rel="modulepreload"]', 'link[rel=modulepreload]']);
/** Options of the request. They carry no data and add no header. */
const OPTIONS: ReadonlySet<string> = new Set(['integrity', 'referrerPolicy', 'credentials']);
/** The member that marks an element as done. */
const MARK = 'ep';

/** `node`: a use of `fetch`, the global function. */
export function isModulePreload(view: ScriptView, node: AnyNode): boolean {
  const call = parentOf(node);
  if (call?.type !== 'CallExpression' || call.callee !== node || call.arguments.length > 2) return false;
  const [url, options] = call.arguments;
  if (url === undefined || memberOf(url) !== 'href') return false;
  const link = (url as MemberExpression).object as Identifier;
  const write = onlyWrite(view, link);
  const load = write?.from;
  if (load === undefined || !isFunction(load) || write?.path.length !== 1 || write.path[0] !== 0) return false;
  return (
    !view.evaluator.usesArguments(load) &&
    isOnlyRead(view, link) &&
    (options === undefined || isOptions(view, options)) &&
    usesOf(view, load)?.every((use) => isOfLink(view, use)) === true
  );
}

/** The name of an uncomputed member of a variable. */
const memberOf = (node: AnyNode): string | undefined =>
  node.type === 'MemberExpression' &&
  !node.computed &&
  node.object.type === 'Identifier' &&
  node.property.type === 'Identifier'
    ? node.property.name
    : undefined;

function onlyWrite(view: ScriptView, node: Identifier): Write | undefined {
  const writes = view.evaluator.variableOf(node)?.writes ?? [];
  return writes.length === 1 ? writes[0] : undefined;
}

/** Undefined: other code may call the function without its name. */
function usesOf(view: ScriptView, fn: FunctionNode & AnyNode): readonly Identifier[] | undefined {
  const name = nameOf(fn);
  if (name === undefined || !isWithinFunction(fn)) return undefined;
  const uses = view.evaluator.usesOf(name, fn);
  return uses.every((use) => view.evaluator.functionOf(use) === fn) ? uses : undefined;
}

function isWithinFunction(fn: AnyNode): boolean {
  for (let at = parentOf(fn); at !== undefined; at = parentOf(at)) if (isFunction(at)) return true;
  return false;
}

/** `load(link)`, with a link that is in the page or was added to it. */
function isOfLink(view: ScriptView, use: Identifier): boolean {
  const call = parentOf(use);
  if (call?.type !== 'CallExpression' || call.callee !== use || call.arguments.length !== 1) return false;
  const [link] = call.arguments;
  if (link.type !== 'Identifier' || !isOnlyRead(view, link, call)) return false;
  const list = iteratedBy(view, link);
  if (list === undefined) return false;
  return isQuery(view, list) || (isAdded(view, list) && isGuarded(view, call, link));
}

/** The iterated expression of the loop that sets a variable, if the loop is its only write. */
function iteratedBy(view: ScriptView, node: Identifier): AnyNode | undefined {
  const write = onlyWrite(view, node);
  return write?.path.length === 1 && write.path[0] === null ? write.from : undefined;
}

/** `document.querySelectorAll('link[rel="modulepreload"]')` */
function isQuery(view: ScriptView, node: AnyNode): boolean {
  if (node.type !== 'CallExpression' || node.arguments.length !== 1) return false;
  const isOfDocument = view.evaluator
    .valuesOf(node.callee)
    .every((value) => value.kind === 'global' && value.path === 'document.querySelectorAll');
  return isOfDocument && SELECTORS.has(constantOf(view.evaluator.valuesOf(node.arguments[0]))?.value);
}

/** `record.addedNodes` of a record in the callback of a MutationObserver. */
function isAdded(view: ScriptView, node: AnyNode): boolean {
  if (memberOf(node) !== 'addedNodes') return false;
  const records = iteratedBy(view, (node as MemberExpression).object as Identifier);
  const write = records?.type === 'Identifier' ? onlyWrite(view, records) : undefined;
  const callback = write?.from;
  if (callback === undefined || !isFunction(callback) || write?.path.length !== 1 || write.path[0] !== 0) return false;
  const observer = parentOf(callback);
  return (
    observer?.type === 'NewExpression' &&
    observer.arguments[0] === callback &&
    view.evaluator
      .valuesOf(observer.callee)
      .every((value) => value.kind === 'global' && value.path === 'MutationObserver')
  );
}

/** Runs only where `link.tagName === "LINK" && link.rel === "modulepreload"`. */
function isGuarded(view: ScriptView, call: AnyNode, link: Identifier): boolean {
  const missing = new Map([
    ['tagName', 'LINK'],
    ['rel', 'modulepreload'],
  ]);
  const note = (test: AnyNode): void => {
    if (test.type === 'LogicalExpression' && test.operator === '&&') {
      note(test.left);
      note(test.right);
    } else if (test.type === 'BinaryExpression' && test.operator === '===')
      for (const [member, text] of [
        [test.left as AnyNode, test.right],
        [test.right, test.left as AnyNode],
      ]) {
        const name = memberOf(member) ?? '';
        const isOfIt =
          missing.has(name) &&
          view.evaluator.variableOf((member as MemberExpression).object as Identifier) ===
            view.evaluator.variableOf(link);
        if (isOfIt && constantOf(view.evaluator.valuesOf(text))?.value === missing.get(name)) missing.delete(name);
      }
  };
  let at = call;
  for (let parent = parentOf(at); parent !== undefined; at = parent, parent = parentOf(at))
    if (parent.type === 'LogicalExpression' && parent.operator === '&&' && parent.right === at) note(parent.left);
    else if (parent.type === 'IfStatement' && parent.consequent === at) note(parent.test);
    else if (parent.type !== 'ExpressionStatement' && parent.type !== 'BlockStatement') break;
  return missing.size === 0;
}

/** The value is only read, passed to a function that only reads it, or passed to `except`. */
function isOnlyRead(view: ScriptView, node: Identifier, except?: CallExpression): boolean {
  return view.evaluator.usesOf(node.name, node).every((use) => {
    const parent = parentOf(use);
    if (parent === except && except !== undefined) return true;
    if (parent?.type === 'CallExpression') return isOfReader(view, parent, use);
    const name = parent && memberOf(parent);
    if (parent?.type !== 'MemberExpression' || parent.object !== use || name === undefined) return false;
    const memberUse = useOf(parent);
    return (
      memberUse !== 'called' &&
      (memberUse !== 'assigned' || name === MARK) &&
      parentOf(parent)?.type !== 'UpdateExpression'
    );
  });
}

function isOfReader(view: ScriptView, { callee, arguments: args }: CallExpression, use: Identifier): boolean {
  const fn = callee.type === 'Identifier' && callee !== use ? view.evaluator.functionOf(callee) : undefined;
  const [parameter] = fn?.params ?? [];
  if (fn === undefined || args.length !== 1 || parameter?.type !== 'Identifier') return false;
  const first = view.evaluator.usesOfParameter(fn, parameter.name);
  return first.every((inner) => {
    const parent = parentOf(inner);
    return parent?.type === 'MemberExpression' && memberOf(parent) !== undefined && isReadMember(parent);
  });
}

const isReadMember = (member: AnyNode): boolean => {
  const memberUse = useOf(member);
  return memberUse !== 'called' && memberUse !== 'assigned' && parentOf(member)?.type !== 'UpdateExpression';
};

/** An object with no options other than `OPTIONS`. */
function isOptions(view: ScriptView, node: AnyNode, steps = new Steps()): boolean {
  if (!steps.take()) return false;
  switch (node.type) {
    case 'ObjectExpression':
      return node.properties.every(
        (property) =>
          property.type === 'Property' &&
          !property.computed &&
          property.kind === 'init' &&
          property.key.type === 'Identifier' &&
          OPTIONS.has(property.key.name),
      );
    case 'SequenceExpression':
      return isOptions(view, node.expressions.at(-1)!, steps);
    case 'CallExpression': {
      const fn = node.callee.type === 'Identifier' ? view.evaluator.functionOf(node.callee) : undefined;
      if (fn === undefined || fn.async || fn.generator || usesOf(view, fn) === undefined) return false;
      const results = fn.body.type === 'BlockStatement' ? returnedOf(fn) : [fn.body];
      return results.length > 0 && results.every((result) => isOptions(view, result, steps));
    }
    case 'Identifier': {
      const write = onlyWrite(view, node);
      const from = write?.path.length === 0 ? write.from : undefined;
      if (from?.type !== 'ObjectExpression' && from?.type !== 'CallExpression') return false;
      return isOptions(view, from, steps) && view.evaluator.usesOf(node.name, node).every((use) => isOption(use));
    }
    default:
      return false;
  }
}

/** `options.integrity = …`, `return options`, `fetch(url, options)` */
function isOption(use: Identifier): boolean {
  const parent = parentOf(use);
  switch (parent?.type) {
    case 'MemberExpression':
      return parent.object === use && OPTIONS.has(memberOf(parent) ?? '') && useOf(parent) !== 'called';
    case 'CallExpression':
      return parent.arguments[1] === use && parent.callee.type === 'Identifier' && parent.callee.name === 'fetch';
    case 'SequenceExpression':
      return parent.expressions.at(-1) === use && parentOf(parent)?.type === 'ReturnStatement';
    case 'ReturnStatement':
      return true;
    default:
      return false;
  }
}
