/** Globals and members of Rhino 1.7.15, and names that it lacks. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Existing globals of ECMAScript, of the host, and the implicit names in functions. */
export const GLOBALS = words(
  'Array ArrayBuffer BigInt Boolean DataView Date Error EvalError Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array ' +
    'InternalError JSON Map Math NaN Number Object Promise RangeError ReferenceError RegExp Set StopIteration String Symbol SyntaxError TypeError URIError ' +
    'Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis ' +
    'isFinite isNaN parseFloat parseInt undefined unescape arguments Host onBackgroundEvent',
);

/**
 * Globals that give access to Java classes. A top-level `var java;` does not replace the bridge.
 */
export const JAVA_BRIDGES = words(
  'Packages java javax org com edu net getClass JavaImporter JavaAdapter JavaException importClass importPackage Java',
);

/**
 * Methods that return the global object when called without a receiver, objects of the engine, and
 * functions of its shell that run code or access files and processes.
 */
export const ENGINE_INTERNALS = words(
  'Script Continuation With Call CallSite Environment __GeneratorFunction XML XMLList Namespace QName isXMLName uneval defineClass deserialize ' +
    'valueOf __proto__ __lookupGetter__ __lookupSetter__ __defineGetter__ __defineSetter__ serialize doctest gc help history load loadClass print quit readFile readUrl readline runCommand seal spawn sync toint32 version write environment',
);

/** Members that give the same access from any object, and from caught errors. */
export const REACHING_MEMBERS = words(
  'getClass __parent__ javaException rhinoException Packages JavaImporter JavaAdapter importClass importPackage',
);

export const MISSING_GLOBALS = words(
  'Proxy Reflect WeakRef FinalizationRegistry Intl Atomics SharedArrayBuffer AggregateError BigInt64Array BigUint64Array Float16Array Iterator ' +
    'SuppressedError DisposableStack AsyncDisposableStack Temporal',
);

export const MISSING_STATICS = words(
  'Object.groupBy Map.groupBy Promise.any Promise.try Promise.withResolvers Array.fromAsync Symbol.asyncIterator Symbol.matchAll Error.isError ' +
    'Math.f16round Math.sumPrecise RegExp.escape JSON.rawJSON',
);

/** Methods that no object of the engine has. */
export const MISSING_METHODS = words(
  'findLast findLastIndex toReversed toSorted toSpliced matchAll isWellFormed toWellFormed symmetricDifference isSubsetOf isSupersetOf isDisjointFrom',
);

export const BROWSER_APIS = words(
  'window document self top parent frames navigator location history screen console fetch XMLHttpRequest WebSocket EventSource localStorage ' +
    'sessionStorage indexedDB caches setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate requestAnimationFrame ' +
    'cancelAnimationFrame requestIdleCallback queueMicrotask structuredClone alert confirm prompt Worker SharedWorker Blob File FileReader FormData ' +
    'URL URLSearchParams Headers Request Response AbortController AbortSignal TextEncoder TextDecoder crypto performance btoa atob Event CustomEvent ' +
    'EventTarget addEventListener removeEventListener dispatchEvent postMessage importScripts Image Audio Notification Element Node MessageChannel ' +
    'BroadcastChannel process require module exports global Buffer __dirname __filename WebAssembly ActiveXObject',
);

/** The replacement for a browser API; undefined: none. */
export function insteadOf(api: string): string | undefined {
  if (/storage$|^indexedDB$|^caches$/i.test(api))
    return 'Use Host.call("storage.get", { key }) and Host.call("storage.set", { key, value }).';
  if (/^(?:set|clear|request|cancel|queue)/.test(api))
    return 'Nothing runs later in the background: do the work in onBackgroundEvent, and schedule the next run from the page with Host.background.schedule.';
  if (/^(?:fetch|XML|Web|Event(?:Source)?$)/.test(api))
    return 'Fetch in the page with Host.network.fetch, and leave the result in storage.';
  if (api === 'console') return 'Leave it out, or keep what is to be known with Host.call("storage.set", …).';
  if (api === 'global' || api === 'self' || api === 'window') return 'Use globalThis.';
  return undefined;
}
