/**
 * Programs that both engines accept and that end otherwise in Rhino. docs/internals/rhino.md
 * has the same rows, under the same names.
 */
export interface Difference {
  /** The first cell of the row. */
  readonly what: string;
  /** The body of a handler. */
  readonly body: string;
  /** What the handler returns, or the name of the error. */
  readonly quickjs: unknown;
  readonly rhino: unknown;
}

export const DIFFERENCES: readonly Difference[] = [
  {
    what: '`const` in a block',
    body: '{ const inBlock = 1; } return typeof inBlock;',
    quickjs: 'undefined',
    rhino: 'number',
  },
  {
    what: 'functions made in a loop with `let` in its head (`rhino_loop_closure`)',
    body: 'var a = []; for (let i = 0; i < 2; i++) { a.push(function () { return i; }); } return a[0]();',
    quickjs: 0,
    rhino: 2,
  },
  {
    what: '`let a;` in a loop (`rhino_let_in_loop`)',
    body: 'var seen = []; for (var i = 0; i < 2; i++) { let b; seen.push(typeof b); b = i; } return seen.join();',
    quickjs: 'undefined,undefined',
    rhino: 'undefined,number',
  },
  {
    what: '`let` and `const` at the top level',
    body: 'return typeof globalThis.topLevel;',
    quickjs: 'undefined',
    rhino: 'number',
  },
  {
    what: '`this` of a strict function that is called plainly',
    body: "return (function () { 'use strict'; return typeof this; })();",
    quickjs: 'undefined',
    rhino: 'object',
  },
  {
    what: '`this` of a function that a promise calls',
    body: 'return Promise.resolve().then(function () { return this === undefined; });',
    quickjs: false,
    rhino: true,
  },
  {
    what: 'a method of the global object that is called plainly',
    body: 'return typeof valueOf();',
    quickjs: 'TypeError',
    rhino: 'object',
  },
  {
    what: 'array patterns and what has no iterator',
    body: 'var [first] = { 0: 5 }; return first;',
    quickjs: 'TypeError',
    rhino: 5,
  },
  {
    what: 'a call of what is no function',
    body: 'var seen = 0; try { (1)((seen = 1)); } catch (error) {} return seen;',
    quickjs: 1,
    rhino: 0,
  },
  {
    what: '`instanceof` with what is no constructor',
    body: 'return [] instanceof [];',
    quickjs: 'TypeError',
    rhino: false,
  },
  {
    what: 'generator functions',
    body: 'return Object.getPrototypeOf(function* () {}) === null;',
    quickjs: false,
    rhino: true,
  },
  {
    what: 'the global object as text',
    body: 'return String(globalThis);',
    quickjs: '[object global]',
    rhino: '[object Object]',
  },
  {
    what: 'the name of a function in a variable',
    body: 'var f = function () {}; return f.name;',
    quickjs: 'f',
    rhino: '',
  },
  {
    what: 'the text of a function',
    body: 'return String(function (a) { return a; });',
    quickjs: 'function (a) { return a; }',
    rhino: '\nfunction (a) {\n    return a;\n}\n',
  },
  {
    what: 'the text of a function with `**=`',
    body: 'return typeof String(function (a) { a **= 2; });',
    quickjs: 'string',
    rhino: 'java.lang.RuntimeException',
  },
  {
    what: 'messages of errors of the engine',
    body: 'try { null.x; } catch (error) { return error.message; }',
    quickjs: "cannot read property 'x' of null",
    rhino: 'Cannot read property "x" from null',
  },
  {
    what: '`lineNumber` and `fileName` of errors',
    body: 'try { null.x; } catch (error) { return typeof error.lineNumber; }',
    quickjs: 'undefined',
    rhino: 'number',
  },
  {
    what: '`cause` of errors',
    body: "return typeof new Error('x', { cause: 1 }).cause;",
    quickjs: 'number',
    rhino: 'undefined',
  },
  {
    what: 'dates that are not in the format of ISO 8601',
    body: "return [isNaN(Date.parse('2020-1-2')), isNaN(Date.parse('2020-02-30'))].join();",
    quickjs: 'false,false',
    rhino: 'true,true',
  },
  {
    what: '`toString` and `toLocaleString` of dates',
    body: 'return /\\(/.test(String(new Date(0)));',
    quickjs: false,
    rhino: true,
  },
  {
    what: '`localeCompare`',
    body: "return ['z', '\\u00e4'].sort(function (a, b) { return a.localeCompare(b); })[0];",
    quickjs: 'z',
    rhino: '\u00e4',
  },
  { what: 'the smallest numbers as text', body: 'return String(5e-324);', quickjs: '5e-324', rhino: '4.9e-324' },
  {
    what: 'half of a surrogate pair in `JSON.stringify`',
    body: "return JSON.stringify('\\ud800').length;",
    quickjs: 8,
    rhino: 3,
  },
  {
    what: '`RegExp.$1` and the like',
    body: "/(b)/.test('b'); return typeof RegExp.$1;",
    quickjs: 'undefined',
    rhino: 'string',
  },
  {
    what: '`toSource`, `arity`, `Array.map` and other functions of old',
    body: 'return typeof Array.map;',
    quickjs: 'undefined',
    rhino: 'function',
  },
  { what: '`__parent__`', body: 'return typeof Host.call.__parent__;', quickjs: 'undefined', rhino: 'object' },
  {
    what: '`Symbol.asyncIterator`, `Symbol.matchAll`',
    body: 'return typeof Symbol.matchAll;',
    quickjs: 'symbol',
    rhino: 'undefined',
  },
  { what: '`\\u{…}` in strings (1.7.14)', body: "return '\\u{1f600}'.length;", quickjs: 2, rhino: 8 },
  {
    what: 'methods that came with 1.7.15 (1.7.14)',
    body: 'return typeof [].flat;',
    quickjs: 'function',
    rhino: 'undefined',
  },
  {
    what: 'syntax that came with 1.7.15 (1.7.14)',
    body: 'return (function (...rest) { return rest.length; })(1, 2);',
    quickjs: 2,
    rhino: 'SyntaxError',
  },
];

/** What QuickJS has and Rhino 1.7.14 does not. */
export const ONLY_QUICKJS: readonly string[] = [
  // Came with Rhino 1.7.15.
  'Array.prototype.at',
  'Array.prototype.flat',
  'Array.prototype.flatMap',
  'Object.getOwnPropertyDescriptors',
  'Object.hasOwn',
  'Promise.allSettled',
  'RegExp.prototype.dotAll',
  'RegExp.prototype.flags',
  'RegExp.prototype.sticky',
  'String.prototype.at',
  'String.prototype.replaceAll',
  // Are left: QuickJS itself needs them, they cannot be deleted, or they are old.
  'Date.prototype.toGMTString',
  'Object.prototype.__proto__',
  'RegExp.prototype.hasIndices',
  'RegExp.prototype.unicode',
  'RegExp.prototype.unicodeSets',
  'Set.prototype.keys',
  'Symbol.asyncIterator',
  'Symbol.matchAll',
  'Symbol.prototype.description',
];
