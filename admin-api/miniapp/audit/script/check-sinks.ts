/**
 * Checks where values of scripts go: links and forms, the location, markup, and style sheets.
 */
import type { AnyNode } from 'acorn';
import { EmbeddedText } from '../web/embedded-text.ts';
import { checkUrl } from './check-url.ts';
import { isWindow } from './global-names.ts';
import { placeOf, report, type ScriptView, written } from './script-view.ts';
import { asText, constant, constantOf, type Values } from './values.ts';
import type { Walked } from './walk.ts';

/** Properties of `style` that take a URL or declarations. */
const STYLE_PROPERTIES: ReadonlySet<string> = new Set(
  (
    'style cssText background backgroundImage borderImage borderImageSource listStyle listStyleImage content cursor filter backdropFilter ' +
    'mask maskImage maskBorder maskBorderSource webkitMask webkitMaskImage webkitMaskBoxImage webkitMaskBoxImageSource webkitBoxReflect ' +
    'clipPath shapeOutside'
  ).split(' '),
);

/** Methods that take CSS text, and the index of that argument. */
export const STYLE_METHODS: ReadonlyMap<string, number> = new Map([
  ['setProperty', 1],
  ['insertRule', 0],
  ['addRule', 1],
  ['replaceSync', 0],
]);

const URLS = /(?:url\(|image-set\(\s*(?=["'])|@import\s+(?=["']))\s*["']?([^"')\s;]+)/gi;
/** Maximum characters of a checked text. */
const MAX_CSS_LENGTH = 1 << 16;

/** Maximum characters of markup in strings that are parsed per package. */
const MOST_EMBEDDED = 1 << 21;

/**
 * Methods whose script elements can run. Scripts of innerHTML and DOMParser never run (HTML,
 * 4.12.1.1 and 13.2.6.4.4).
 */
const STARTING = new Set(['createContextualFragment', 'document.write', 'document.writeln']);

/** Methods that follow a link or submit a form. */
export const FOLLOWING: ReadonlySet<string> = new Set(['click', 'submit', 'requestSubmit', 'dispatchEvent']);
/** Maximum characters of an expression that is identified by its source text. */
const MAX_IDENTITY_LENGTH = 200;

/**
 * Checks the targets of links and forms. A script that clicks a link navigates; when a user clicks
 * it, the system asks for confirmation. Notes a URL that is set on a link or form. `target`: the
 * link; undefined: unknown.
 */
export function noteLink(view: ScriptView, target: AnyNode | undefined, url: AnyNode): void {
  view.links.push({ target: target && sameAs(view, target), url });
}

export function noteFollowed(view: ScriptView, target: AnyNode): void {
  view.followed.add(sameAs(view, target));
}

/** Runs at the end: the source may click a link before the place that sets its URL. */
export function checkLinks(view: ScriptView): void {
  for (const { target, url } of view.links) {
    const isFollowed = target !== undefined && view.followed.has(target);
    checkUrl(view, url, view.evaluator.valuesOf(url), isFollowed ? 'navigation' : 'link');
  }
}

/** The identity of a link: its variable, or the source text of the expression. */
function sameAs(view: ScriptView, node: AnyNode): unknown {
  const variable = node.type === 'Identifier' ? view.evaluator.variableOf(node) : undefined;
  if (variable !== undefined) return variable;
  if (node.end - node.start > MAX_IDENTITY_LENGTH) return node;
  return view.source.text.slice(view.base + node.start, view.base + node.end).replace(/\s+/g, '');
}

/**
 * Checks assignments to the location or a part of it, in all their forms.
 *
 * `value` undefined: unknown. `objects`: possible owners of the property.
 */
export function checkLocation(
  view: ScriptView,
  node: AnyNode,
  objects: Values,
  key: string,
  value: AnyNode | undefined,
): void {
  if (!PROPERTIES.has(key)) return;
  for (const object of objects) {
    if (object.kind !== 'global') continue;
    const { path } = object;
    const isWhole = key === 'location' && (isWindow(path) || path === 'document');
    if (isWhole || (path === 'location' && key === 'href')) {
      if (value === undefined) reportOpen(view, node);
      else checkUrl(view, value, view.evaluator.valuesOf(value), 'navigation');
    } else if (path === 'location' && HOSTS.has(key)) {
      const host = value && constantOf(view.evaluator.valuesOf(value));
      if (host === undefined) reportOpen(view, node);
      else report(view, 'remote_navigation', node, `The app navigates to ${host.value}.`);
    }
  }
}

const HOSTS = new Set(['host', 'hostname']);
const PROPERTIES = new Set(['location', 'href', ...HOSTS]);

const reportOpen = (view: ScriptView, node: AnyNode): void =>
  report(view, 'navigation_undeterminable', node, `Where ${written(view, node)} leads cannot be determined.`);

/**
 * Checks assignments to the bare name: `location = …`, `[location] = …`, and `var location = …` at
 * the top of a classic script.
 */
export function checkLocationName(view: ScriptView, { top, implicit }: Walked): void {
  for (const scope of [top, implicit]) {
    const variable = scope.own('location');
    if (variable?.isGlobal !== true) continue;
    for (const write of variable.writes) {
      const value = write.added === undefined ? write.from : write.added.right;
      if (value === undefined) continue;
      const values = write.added === undefined ? view.evaluator.valuesOfWrite(write) : view.evaluator.valuesOf(value);
      checkUrl(view, value, values, 'navigation');
    }
  }
}

/**
 * Checks texts that a script inserts into the page as markup.
 *
 * `how`: the name of the property or method that takes the text.
 */
export function checkMarkup(view: ScriptView, value: AnyNode, how: string): void {
  const values = view.evaluator.valuesOf(value);
  let isKnown = true;
  for (const candidate of values) {
    if (candidate.kind === 'fetched') {
      report(view, 'fetched_code', value, `Data of Host.network.fetch is used in ${how}.`);
      continue;
    }
    const start = candidate.kind === 'text' ? candidate.start : asText(candidate);
    if (candidate.kind === 'text' || start === undefined) isKnown = false;
    if (start !== undefined && STARTING.has(how) && /<(?:\w+:)?script[\s/>]/i.test(start))
      report(view, 'script_unstarted', value, `${how} makes a script element that can get code later.`);
    if (start?.includes('<') && spend(view, value, start)) {
      const at = { ...placeOf(view, value), file: view.source.file };
      const source = new EmbeddedText(at, start, candidate.kind === 'text');
      view.context.pieces.push({ type: 'markup', source, origin: 'string' });
    }
  }
  if (!isKnown)
    report(view, 'markup_undeterminable', value, `${written(view, value)} is used in ${how}, and is unknown.`);
}

/** Bounds the parsed characters: a script may insert the same text in many places. */
function spend(view: ScriptView, value: AnyNode, text: string): boolean {
  const { context } = view;
  if (context.embedded > MOST_EMBEDDED) return false;
  context.embedded += text.length;
  if (context.embedded > MOST_EMBEDDED)
    report(
      view,
      'script_too_intricate',
      value,
      'The scripts of the package put more markup together than the audit follows.',
    );
  return true;
}

/** Also accepts `background-image` and `WebkitMask` (CSSOM, 6.7.1). */
export const isStyleProperty = (key: string): boolean =>
  STYLE_PROPERTIES.has(key) ||
  STYLE_PROPERTIES.has(key.replace(/^-?[Ww]ebkit/, 'webkit').replace(/-([a-z])/g, (_, letter) => letter.toUpperCase()));

/**
 * Checks the URLs in CSS texts that a script sets on elements and style sheets. Checks known text
 * only. The start of a URL distinguishes a file of the package, a photo and a blob from a host.
 */
export function checkStyle(view: ScriptView, node: AnyNode, values: Values): void {
  for (const value of values) {
    const text = value.kind === 'text' ? value.start : value.kind === 'constant' ? value.value : undefined;
    if (typeof text !== 'string' || text.length > MAX_CSS_LENGTH) continue;
    for (const [, url] of text.matchAll(URLS)) checkUrl(view, node, [constant(url)], 'resource');
  }
}
