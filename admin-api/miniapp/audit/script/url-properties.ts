/** Properties and attributes that take a URL. */
import type { UrlRole } from './check-url.ts';
import { constant, text, type Value, type Values } from './values.ts';

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

/** `objects`: possible owners of the property. */
export function urlRole(name: string, objects: Values): UrlRole | undefined {
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
export const urlsIn = (name: string, values: Values): Values =>
  /srcset$/i.test(name) ? values.flatMap(candidates) : values;

function candidates(value: Value): Values {
  if (value.kind === 'text') return split(value.start).map(text);
  return value.kind === 'constant' && typeof value.value === 'string' ? split(value.value).map(constant) : [value];
}

const split = (sources: string): string[] => sources.split(',').map((source) => source.trim().split(/\s+/)[0]);
