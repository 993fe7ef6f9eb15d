/** Checks the URLs in CSS texts that a script sets on elements and style sheets. */
import type { AnyNode } from 'acorn';
import { checkUrl } from './check-url.ts';
import type { ScriptView } from './script-view.ts';
import { constant, type Values } from './values.ts';

/** Properties of `style` that take a URL or declarations. */
const STYLE_PROPERTIES: ReadonlySet<string> = new Set(
  (
    'style cssText background backgroundImage borderImage borderImageSource listStyle listStyleImage content cursor filter backdropFilter ' +
    'mask maskImage maskBorder maskBorderSource webkitMask webkitMaskImage webkitMaskBoxImage webkitMaskBoxImageSource webkitBoxReflect ' +
    'clipPath shapeOutside'
  ).split(' '),
);

/** Also accepts `background-image` and `WebkitMask` (CSSOM, 6.7.1). */
export const isStyleProperty = (key: string): boolean =>
  STYLE_PROPERTIES.has(key) ||
  STYLE_PROPERTIES.has(key.replace(/^-?[Ww]ebkit/, 'webkit').replace(/-([a-z])/g, (_, letter) => letter.toUpperCase()));

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

/**
 * Checks known text only. The start of a URL distinguishes a file of the package, a photo and a
 * blob from a host.
 */
export function checkStyle(view: ScriptView, node: AnyNode, values: Values): void {
  for (const value of values) {
    const text = value.kind === 'text' ? value.start : value.kind === 'constant' ? value.value : undefined;
    if (typeof text !== 'string' || text.length > MAX_CSS_LENGTH) continue;
    for (const [, url] of text.matchAll(URLS)) checkUrl(view, node, [constant(url)], 'resource');
  }
}
