/** Checks the elements that a script creates, and the properties and attributes that it sets. */
import type { AnyNode } from 'acorn';
import { FRAMES } from '../frames.ts';
import { EmbeddedText } from '../web/embedded-text.ts';
import { noteMaker } from './check-makers.ts';
import { checkLocation, checkMarkup, checkStyle, isStyleProperty, noteLink } from './check-sinks.ts';
import { isCode } from './check-timers.ts';
import { checkUrl, type UrlRole } from './check-url.ts';
import { localName } from './evaluate-call.ts';
import { isFunction } from './plain-call.ts';
import { isMade, namesOf, possibleKeys } from './possible-keys.ts';
import { keyOf } from './scope.ts';
import { placeOf, report, type ScriptView, written } from './script-view.ts';
import { constant, constantOf, PLACEHOLDER, text, type Value, type Values } from './values.ts';

const ROLES: ReadonlyMap<string, UrlRole> = new Map([
  ['src', 'resource'],
  ['poster', 'resource'],
  ['background', 'resource'],
  ['srcset', 'resource'],
  ['imageSrcset', 'resource'],
  ['imagesrcset', 'resource'],
  ['href', 'link'],
  ['action', 'link'],
  ['formAction', 'link'],
  ['formaction', 'link'],
  ['data', 'link'],
]);

/** Properties that take markup. */
export const MARKUP_PROPERTIES: ReadonlySet<string> = new Set(['innerHTML', 'outerHTML', 'srcdoc']);
/** Properties and methods that give a script element its code. */
const CODE_PROPERTIES = new Set([
  'text',
  'textContent',
  'innerText',
  'append',
  'appendChild',
  'prepend',
  'replaceChildren',
]);
const SOURCES = new Set(['src', 'href', 'xlink:href']);
/** Types that make browsers run a script element. */
const RUN = /^\s*$|module|script/i;

export function checkElement(view: ScriptView, node: AnyNode, name: AnyNode | undefined): void {
  if (name === undefined) return;
  for (const value of view.evaluator.valuesOf(name)) {
    if (value.kind === 'constant') {
      const tag = localName(String(value.value));
      if (tag === 'script') report(view, 'script_element', node, `${written(view, node)} makes a script element.`);
      else if (tag === 'base') report(view, 'base_element', node, `${written(view, node)} makes a base element.`);
      else if (FRAMES.has(tag))
        report(
          view,
          'frame_element',
          node,
          `${written(view, node)} makes an element that shows another document.`,
          undefined,
          { reached: 'review' },
        );
    } else if (value.kind === 'unknown') noteMaker(view, name);
    else if (value.kind === 'text')
      report(view, 'element_undeterminable', node, `Which element ${written(view, node)} makes cannot be determined.`);
  }
}

/** `key`, `value` undefined: unknown. `objects`: possible owners of the property. */
export function checkProperty(
  view: ScriptView,
  node: AnyNode,
  objects: Values,
  key: string | undefined,
  value: AnyNode | undefined,
): void {
  const values = value === undefined ? undefined : view.evaluator.valuesOf(value);
  if (key === undefined) {
    if (value !== undefined && values !== undefined) checkStyle(view, value, values);
    if (!isConstant(values)) checkOpenProperty(view, node, objects, value);
    return;
  }
  if (MARKUP_PROPERTIES.has(key)) {
    if (value !== undefined) checkMarkup(view, value, key);
    else report(view, 'markup_undeterminable', node, `The value of ${key} is unknown.`);
    return;
  }
  checkLocation(view, node, objects, key, value);
  if (key === 'capture' && (objects.some(isInput) || isCamera(values))) reportCapture(view, node);
  if (key === 'type' && values !== undefined) checkType(view, node, objects, values);
  checkGiven(view, node, objects, key, values);
  const role = urlRole(key, objects);
  if (value === undefined || values === undefined) return;
  if (isStyleProperty(key) || (CODE_PROPERTIES.has(key) && objects.some(isStyle))) checkStyle(view, value, values);
  if (role === 'link') noteLink(view, targetOf(node), value);
  else if (role !== undefined) checkUrl(view, value, urlsIn(key, values), role);
}

const isInput = (object: Value): boolean => object.kind === 'element' && object.tag === 'input';

/** Values of `capture` that select a camera. Other properties of that name rarely have them. */
const isCamera = (values: Values | undefined): boolean =>
  values?.some((value) => value.kind === 'constant' && CAMERAS.has(value.value)) ?? false;

const CAMERAS: ReadonlySet<unknown> = new Set(['user', 'environment']);

/** A file input that opens the camera or the microphone (HTML Media Capture, 4). */
function reportCapture(view: ScriptView, node: AnyNode): void {
  report(view, 'direct_device', node, `${written(view, node)} opens the camera, which apps reach only through Host.`);
}

/**
 * Checks properties that are passed to a function that creates an element: `h("input", { type:
 * "file", capture: "user" })`.
 */
export function checkCapture(view: ScriptView, args: readonly AnyNode[]): void {
  for (const arg of args) {
    if (arg.type !== 'ObjectExpression') continue;
    let isFile = false;
    let capture: AnyNode | undefined;
    for (const property of arg.properties) {
      if (property.type === 'SpreadElement' || property.computed) continue;
      const name = keyOf(property.key);
      if (name === 'capture') capture = property;
      else if (name === 'type') isFile = constantOf(view.evaluator.valuesOf(property.value))?.value === 'file';
    }
    if (isFile && capture !== undefined) reportCapture(view, capture);
  }
}

const isStyle = (object: Value): boolean => object.kind === 'element' && object.tag === 'style';

/** The object that an assignment, Object.assign or Reflect.set changes. */
function targetOf(node: AnyNode): AnyNode | undefined {
  if (node.type === 'AssignmentExpression') return node.left.type === 'MemberExpression' ? node.left.object : undefined;
  return node.type === 'CallExpression' ? node.arguments[0] : undefined;
}

function reportUnknown(view: ScriptView, node: AnyNode, what: 'property' | 'attribute'): void {
  report(view, 'attribute_undeterminable', node, `Which ${what} ${written(view, node)} sets cannot be determined.`);
}

/**
 * Checks a write to a computed property. Writes to a member of a parameter are allowed: frameworks
 * iterate over keys to set them on any element.
 */
function checkOpenProperty(view: ScriptView, node: AnyNode, objects: Values, value: AnyNode | undefined): void {
  const key =
    node.type === 'AssignmentExpression' && node.left.type === 'MemberExpression' ? node.left.property : undefined;
  const keys = key === undefined ? [] : possibleKeys(view, key).keys;
  const markup = namesOf(keys, MARKUP_PROPERTIES, true);
  for (const name of markup) checkProperty(view, node, objects, name, value);
  if (markup.length > 0 || !objects.some(isOfPage)) return;
  if (!isOfParameter(view, node) || (key !== undefined && isMade(view, key))) reportUnknown(view, node, 'property');
}

/** The assigned member belongs to a parameter. */
function isOfParameter(view: ScriptView, node: AnyNode): boolean {
  const target = node.type === 'AssignmentExpression' ? node.left : node;
  if (target.type !== 'MemberExpression' || target.object.type !== 'Identifier') return false;
  const writes = view.evaluator.variableOf(target.object)?.writes ?? [];
  return (
    writes.length > 0 && writes.every(({ from, path }) => path.length > 0 && from !== undefined && isFunction(from))
  );
}

/** Reports an unknown source or text for an element that may be a script element. */
export function checkGiven(
  view: ScriptView,
  node: AnyNode,
  objects: Values,
  key: string,
  values: Values | undefined,
): void {
  if (!SOURCES.has(key) && !CODE_PROPERTIES.has(key)) return;
  for (const object of objects) {
    if (object.kind !== 'element') continue;
    if (object.tag === 'script' && (CODE_PROPERTIES.has(key) || !isConstant(values)))
      report(view, 'script_element', node, `${written(view, node)} writes to a script element.`);
    else if (object.tag === undefined && key !== 'appendChild' && !isConstant(values) && !isElements(values))
      report(
        view,
        'element_undeterminable',
        node,
        `The element that ${written(view, node)} writes to cannot be determined.`,
      );
  }
}

export function checkAttribute(
  view: ScriptView,
  node: AnyNode,
  objects: Values,
  [name, value]: readonly AnyNode[],
): void {
  if (name === undefined) return;
  const names = view.evaluator.valuesOf(name);
  const fixed = constantOf(names);
  if (typeof fixed?.value !== 'string') {
    const isOpen = names.some(
      (possible) => possible.kind !== 'constant' && !(possible.kind === 'text' && isData(possible.start)),
    );
    const isHandler = names.some((possible) => possible.kind === 'text' && /^on/i.test(possible.start));
    const values = value && view.evaluator.valuesOf(value);
    if (
      isOpen &&
      (isHandler ||
        !isConstant(values) ||
        values?.some((possible) => possible.kind === 'constant' && isCode(possible.value)))
    )
      reportUnknown(view, node, 'attribute');
    return;
  }
  const attribute = localName(fixed.value);
  if (value === undefined) {
    if (attribute === 'capture') reportCapture(view, node);
    if (attribute.startsWith('on'))
      report(view, 'handler_attribute_set', node, `${written(view, node)} makes a handler of text.`);
    return;
  }
  const values = view.evaluator.valuesOf(value);
  if (attribute.startsWith('on')) checkHandler(view, node, value);
  else if (attribute === 'srcdoc') checkMarkup(view, value, attribute);
  else {
    if (attribute === 'capture') reportCapture(view, node);
    if (attribute === 'type') checkType(view, node, objects, values);
    checkGiven(view, node, objects, attribute, values);
    const role = urlRole(attribute, objects);
    if (attribute === 'style') checkStyle(view, value, values);
    if (role === 'link') noteLink(view, receiverOf(node), value);
    else if (role !== undefined) checkUrl(view, value, urlsIn(attribute, values), role);
  }
}

const receiverOf = (node: AnyNode): AnyNode | undefined =>
  node.type === 'CallExpression' && node.callee.type === 'MemberExpression' ? node.callee.object : undefined;

/** The expression is an attribute node, whose name is unknown where its value is set. */
export function isAttribute(view: ScriptView, node: AnyNode): boolean {
  if (node.type === 'Identifier') {
    const [write, ...others] = view.evaluator.variableOf(node)?.writes ?? [];
    return (
      others.length === 0 &&
      write?.from !== undefined &&
      write.path.length === 0 &&
      write.from.type !== 'Identifier' &&
      isAttribute(view, write.from)
    );
  }
  if (node.type === 'CallExpression')
    return node.callee.type === 'MemberExpression' && ATTRIBUTE_GETTERS.has(view.evaluator.keyOf(node.callee) ?? '');
  return (
    node.type === 'MemberExpression' &&
    node.object.type === 'MemberExpression' &&
    view.evaluator.keyOf(node.object) === 'attributes'
  );
}

const ATTRIBUTE_GETTERS = new Set(['getAttributeNode', 'getAttributeNodeNS', 'getNamedItem', 'getNamedItemNS']);
/** Properties of an attribute node that hold its value. */
export const ATTRIBUTE_VALUES: ReadonlySet<string> = new Set(['value', 'nodeValue', 'textContent']);

/** Whether the known prefix of a name rules out handlers and sources: `data-`, `aria-`. */
const isData = (start: string): boolean => /^[a-z]+-/.test(start) && !start.startsWith(PLACEHOLDER);

/**
 * Notes a change of `type`. A script element with a data type runs once it has a script type and
 * gets new text.
 */
export function checkType(view: ScriptView, node: AnyNode, objects: Values, values: Values): void {
  if (
    objects.every(
      ({ kind, ...object }) =>
        kind === 'element' && 'tag' in object && object.tag !== undefined && object.tag !== 'script',
    )
  )
    return;
  if (values.some((value) => value.kind !== 'constant' || (typeof value.value === 'string' && RUN.test(value.value))))
    view.context.retyped.push(placeOf(view, node));
}

/** Queues a constant text for the audit, like a handler in markup. */
function checkHandler(view: ScriptView, node: AnyNode, value: AnyNode): void {
  const code = constantOf(view.evaluator.valuesOf(value))?.value;
  if (typeof code !== 'string') {
    report(view, 'handler_attribute_set', node, `${written(view, node)} makes a handler of text.`);
    return;
  }
  report(view, 'inline_handler', node, `${written(view, node)} makes a handler of text.`, undefined, {
    level: 'warning',
  });
  const source = new EmbeddedText({ ...placeOf(view, value), file: view.source.file }, code);
  view.context.pieces.push({ type: 'script', source, start: 0, end: code.length, kind: 'handler' });
}

const isElements = (values: Values | undefined): boolean => values?.every(({ kind }) => kind === 'element') ?? false;

const isConstant = (values: Values | undefined): boolean =>
  values?.every(({ kind }) => kind === 'constant' || kind === 'function') ?? false;

/** An element that the script created, or a root element of the document. */
const isOfPage = (object: Value): boolean =>
  object.kind === 'element' ||
  (object.kind === 'global' && /^document\.(?:body|head|documentElement)/.test(object.path));

/**
 * Properties and attributes that take a URL.
 *
 * `objects`: possible owners of the property.
 */
function urlRole(name: string, objects: Values): UrlRole | undefined {
  const role = ROLES.get(name);
  if (role === undefined) return undefined;
  const isScript = objects.some((object) => object.kind === 'element' && object.tag === 'script');
  if (isScript && (name === 'src' || name === 'href')) return 'script';
  if (name === 'href' && objects.some((object) => object.kind === 'element' && object.tag === 'link'))
    return 'resource';
  const isElement = objects.some((object) => object.kind === 'element' && object.tag !== undefined);
  return role === 'resource' && name === 'src' && !isElement ? 'source' : role;
}

/** The URLs in a value. A source set has several (HTML, 4.8.4.2). */
const urlsIn = (name: string, values: Values): Values => (/srcset$/i.test(name) ? values.flatMap(candidates) : values);

function candidates(value: Value): Values {
  if (value.kind === 'text') return split(value.start).map(text);
  return value.kind === 'constant' && typeof value.value === 'string' ? split(value.value).map(constant) : [value];
}

const split = (sources: string): string[] => sources.split(',').map((source) => source.trim().split(/\s+/)[0]);
