/** Properties and attributes that take a URL. */
import type { UrlRole } from './check-url.ts';
import type { Values } from './values.ts';

const ROLES: ReadonlyMap<string, UrlRole> = new Map([
  ['src', 'resource'],
  ['poster', 'resource'],
  ['background', 'resource'],
  ['href', 'link'],
  ['action', 'link'],
  ['formAction', 'link'],
  ['formaction', 'link'],
  ['data', 'link'],
]);

/** `objects`: what the property is of. */
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
