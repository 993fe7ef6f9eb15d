/**
 * Resolves a URL of a package as browsers do (WHATWG URL, basic URL parser).
 */

export type Location =
  /**
   * A file of the package. `path` has no query and no fragment, and is percent-decoded. Undefined:
   * the URL leads out of the root.
   */
  | { readonly kind: 'file'; readonly path: string | undefined }
  /** Only a fragment or a query: the current page. */
  | { readonly kind: 'page' }
  /**
   * `isDevice`: a file of the device or another app (`file:`, `intent:`). `host` is then the scheme
   * with its colon.
   */
  | { readonly kind: 'remote'; readonly host: string; readonly isDevice?: true }
  /** `javascript:`, `vbscript:` and the like. */
  | { readonly kind: 'code' }
  | { readonly kind: 'data' }
  | { readonly kind: 'blob' }
  /** `mailto:`, `tel:`, `about:` and others. */
  | { readonly kind: 'other'; readonly scheme: string };

const CODE = new Set(['javascript', 'vbscript', 'livescript', 'mocha']);
const REMOTE = new Set(['http', 'https', 'ws', 'wss', 'ftp']);
/** Schemes for files outside of the package and for other apps. */
const DEVICE = new Set(['file', 'content', 'intent', 'android-app', 'market', 'jar']);
/** Maximum characters to parse. No path is longer, and the origin of a longer URL is within it. */
const MAX_LENGTH = 4096;

/** `from`: the file that contains the URL. */
export function locate(url: string, from: string): Location {
  const text = clean(url.length > MAX_LENGTH ? url.slice(0, MAX_LENGTH) : url);
  const scheme = schemeOf(text);
  if (scheme !== undefined) {
    const name = scheme.toLowerCase();
    if (CODE.has(name)) return { kind: 'code' };
    if (name === 'data') return { kind: 'data' };
    if (name === 'blob' || name === 'filesystem') return { kind: 'blob' };
    if (DEVICE.has(name)) return { kind: 'remote', host: `${name}:`, isDevice: true };
    if (REMOTE.has(name)) return remote(text.slice(scheme.length + 1));
    return { kind: 'other', scheme: name };
  }
  if (isSlash(text[0]) && isSlash(text[1])) return remote(text);
  const end = text.search(/[?#]/);
  const path = end < 0 ? text : text.slice(0, end);
  if (path === '') return { kind: 'page' };
  return { kind: 'file', path: resolve(path.replaceAll('\\', '/'), from) };
}

/** The content of a data: URL as text (RFC 2397). */
export function dataOf(url: string): string {
  const comma = url.indexOf(',');
  if (comma < 0) return '';
  const data = url.slice(comma + 1);
  return /;\s*base64\s*$/i.test(url.slice(0, comma)) ? Buffer.from(decoded(data), 'base64').toString() : decoded(data);
}

/** Removes leading and trailing C0 controls and spaces, and all tabs and newlines. */
function clean(url: string): string {
  let start = 0;
  let end = url.length;
  while (start < end && url.charCodeAt(start) <= 0x20) start++;
  while (end > start && url.charCodeAt(end - 1) <= 0x20) end--;
  return url.slice(start, end).replace(/[\t\n\r]/g, '');
}

const schemeOf = (text: string): string | undefined => /^([a-z][a-z\d+.-]*):/i.exec(text)?.[1];

const isSlash = (char: string | undefined): boolean => char === '/' || char === '\\';

function remote(rest: string): Location {
  return { kind: 'remote', host: /^[\\/]*([^\\/?#]*)/.exec(rest)![1] };
}

function resolve(path: string, from: string): string | undefined {
  const parts = path.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const encoded of path.split('/')) {
    const part = decoded(encoded);
    if (part === '..') {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

function decoded(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
