/**
 * What a URL in a package points to, as the URL parser of a browser reads it (WHATWG URL, basic URL
 * parser).
 */

export type Location =
  /**
   * Another file of the package; `path` without query and fragment, percent-decoded. Undefined: it
   * leads out of the root.
   */
  | { readonly kind: 'file'; readonly path: string | undefined }
  /** Nothing but a fragment or a query of the page itself. */
  | { readonly kind: 'page' }
  /** `isDevice`: a file of the device, or another app, as `file:` and `intent:` have; `host` is the scheme with its colon. */
  | { readonly kind: 'remote'; readonly host: string; readonly isDevice?: true }
  /** `javascript:`, `vbscript:` and the like. */
  | { readonly kind: 'code' }
  | { readonly kind: 'data' }
  | { readonly kind: 'blob' }
  /** `mailto:`, `tel:`, `about:` and others. */
  | { readonly kind: 'other'; readonly scheme: string };

const CODE = new Set(['javascript', 'vbscript', 'livescript', 'mocha']);
const REMOTE = new Set(['http', 'https', 'ws', 'wss', 'ftp']);
/** Of files outside of the package, and of other apps. */
const DEVICE = new Set(['file', 'content', 'intent', 'android-app', 'market', 'jar']);
/** Longer than any path, and enough to see where a longer one leads. */
const MOST = 4096;

/** `from`: the file that the URL stands in. */
export function locate(url: string, from: string): Location {
  const text = clean(url.length > MOST ? url.slice(0, MOST) : url);
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

/** What a data: URL holds, as text (RFC 2397). */
export function dataOf(url: string): string {
  const comma = url.indexOf(',');
  if (comma < 0) return '';
  const data = url.slice(comma + 1);
  return /;\s*base64\s*$/i.test(url.slice(0, comma)) ? Buffer.from(decoded(data), 'base64').toString() : decoded(data);
}

/** Leading and trailing C0 controls and spaces go, tab and newline everywhere. */
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
