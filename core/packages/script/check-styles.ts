/** Texts of CSS that a script gives to elements and style sheets: what they load from elsewhere. */
import type { AnyNode } from 'acorn';
import { checkUrl } from './check-url.ts';
import type { ScriptView } from './script-view.ts';
import { constant, type Values } from './values.ts';

/** Properties of `style` that take a URL, and those that take declarations. */
export const STYLE_PROPERTIES: ReadonlySet<string> = new Set([
  'style',
  'cssText',
  'background',
  'backgroundImage',
  'borderImage',
  'borderImageSource',
  'listStyle',
  'listStyleImage',
  'content',
  'cursor',
  'mask',
  'maskImage',
  'filter',
  'clipPath',
]);
/** Methods that take a text of CSS, and which argument it is. */
export const STYLE_METHODS: ReadonlyMap<string, number> = new Map([
  ['setProperty', 1],
  ['insertRule', 0],
  ['replaceSync', 0],
]);

const URLS = /(?:url\(|@import\s+(?=["']))\s*["']?([^"')\s;]+)/gi;
/** Characters of a text that is looked at. */
const MOST = 1 << 16;

/** Only what is known: a file of the package, a photo and a blob are told from a host by how they begin. */
export function checkStyle(view: ScriptView, node: AnyNode, values: Values): void {
  for (const value of values) {
    const text = value.kind === 'text' ? value.known : value.kind === 'constant' ? value.value : undefined;
    if (typeof text !== 'string' || text.length > MOST) continue;
    for (const [, url] of text.matchAll(URLS)) checkUrl(view, node, [constant(url)], 'resource');
  }
}
