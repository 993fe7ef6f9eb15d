/** Resolves aliases of the global object and of its members to canonical paths. */

/** Names of the global object. `parent`, `top` and `opener` are other windows. */
const WINDOW = new Set(['window', 'self', 'globalThis', 'frames', 'document.defaultView']);
const OTHER_WINDOWS = new Set(['parent', 'top', 'opener']);

/** Members that few objects other than DOM nodes and frames have. */
const OF_UNKNOWN: ReadonlyMap<string, string> = new Map([
  ['ownerDocument', 'document'],
  ['contentDocument', 'document'],
  ['defaultView', 'window'],
  ['contentWindow', 'window'],
]);

/** Members that identify the global object, if the owner may be the global object. */
const OF_RECEIVER = new Set(['document', 'navigator', 'window', 'globalThis']);

/**
 * The path of a member of an unknown object. `isReceiver`: the object may be the global object.
 */
export const pathOfUnknown = (key: string, isReceiver: boolean): string | undefined =>
  OF_UNKNOWN.get(key) ?? (isReceiver && OF_RECEIVER.has(key) ? canonical(key) : undefined);

/** Event members that may hold the global object (UI Events, 3.1; DOM, 2.2; HTML, 9.1). */
export const OF_EVENTS: ReadonlySet<string> = new Set(['view', 'currentTarget', 'target', 'srcElement', 'source']);

/** Functions of the window that call their callback with the window as `this`. */
export const CALLS_BACK: ReadonlySet<string> = new Set([
  'setTimeout',
  'setInterval',
  'addEventListener',
  'requestAnimationFrame',
  'requestIdleCallback',
  'queueMicrotask',
]);

export const isWindow = (path: string): boolean => path === 'window' || OTHER_WINDOWS.has(path);

/** Global objects that are not functions: their constructor is not `Function`. */
const OBJECTS = new Set(
  'window document navigator location history screen console Math JSON Reflect Intl Atomics performance crypto Host WebAssembly'.split(
    ' ',
  ),
);
/** Global functions. */
const FUNCTIONS = new Set(
  (
    'Object Function Array String Number Boolean Symbol BigInt Date RegExp Map Set WeakMap WeakSet WeakRef Promise Proxy Error TypeError RangeError ' +
    'ArrayBuffer DataView Uint8Array Int8Array Uint16Array Int32Array Float64Array parseInt parseFloat isNaN isFinite eval atob btoa escape unescape ' +
    'encodeURIComponent decodeURIComponent encodeURI decodeURI setTimeout setInterval clearTimeout clearInterval requestAnimationFrame queueMicrotask ' +
    'structuredClone alert confirm prompt fetch open close print focus blur addEventListener removeEventListener Event Node Element HTMLElement Image URL Blob'
  ).split(' '),
);

/** Whether `.constructor` of a path is Function or another function. Undefined: unknown. */
export function constructorOf(path: string): 'Function' | 'function' | undefined {
  if (OBJECTS.has(path)) return 'function';
  const [root, ...members] = path.split('.');
  if (members.length === 0) return FUNCTIONS.has(root) ? 'Function' : undefined;
  // `Math.max` is a function. `location.href` is not, but the constructor of its constructor is
  // Function too.
  return FUNCTIONS.has(root) || OBJECTS.has(root) ? 'Function' : undefined;
}

/** The path of a member of the object at a path. Undefined: unknown. */
export function memberPath(path: string, key: string): string | undefined {
  if (isWindow(path)) {
    if (key === 'postMessage' && path !== 'window') return `${path}.postMessage`;
    return canonical(key);
  }
  if (key === 'constructor' && path.endsWith('.prototype')) return path.slice(0, -'.prototype'.length);
  const unknown = path.startsWith('Host') ? undefined : pathOfUnknown(key, false);
  if (unknown !== undefined) return unknown;
  if (path.length > 100) return undefined;
  if (path === 'Document.prototype' || path === 'HTMLDocument.prototype' || PARENT_OF_ROOT.test(path))
    return canonical(`document.${key}`);
  return canonical(`${path}.${key}`);
}

/** `window` for all names of the global object; `navigator` for `clientInformation`. */
export function canonical(path: string): string {
  if (WINDOW.has(path)) return 'window';
  if (path === 'clientInformation') return 'navigator';
  if (path === 'document.location') return 'location';
  if (ROOT.test(path)) return 'document.documentElement';
  return path;
}

/** Paths to the root element, and paths from the document's children to the document (DOM, 4.4). */
const ROOT = /^document\.(?:body|head)\.parent(?:Node|Element)$/;
const PARENT_OF_ROOT =
  /^document\.(?:documentElement|doctype|scrollingElement|(?:first|last)(?:Element)?Child|(?:all|children|childNodes)\.\d+)\.parentNode$/;

/** Members of the document that a handler attribute accesses by name alone (HTML, 8.1.8.1). */
export const DOCUMENT_NAMES: ReadonlySet<string> = new Set([
  'write',
  'writeln',
  'cookie',
  'createElement',
  'defaultView',
  'createElementNS',
  'domain',
]);
