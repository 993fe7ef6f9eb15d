/** Sources for each row of what Rhino lacks: some that are refused, and what is near and goes. */
import type {
  RHINO_SEMANTICS_RULES,
  RHINO_SYNTAX_RULES,
} from '../../../../../admin-api/miniapp/audit/background/rhino-rules.ts';

export interface RhinoRow {
  readonly refused: readonly string[];
  readonly allowed: readonly string[];
}

/** Came with 1.7.15 and are let through, though 1.7.14 refuses them. */
export const SINCE_1_7_15 = [
  'function f(...rest) {}',
  'var f = function (a, ...rest) {};',
  'function f(a,) {}',
  '#!/usr/bin/env rhino\nvar a;',
  'var r = /a/y;',
  'var r = /a./s;',
];

export const SYNTAX_ROWS: Readonly<Record<keyof typeof RHINO_SYNTAX_RULES, RhinoRow>> = {
  rhino_class: {
    refused: ['class A {}', 'var A = class {};', 'f(class B extends A { m() {} })'],
    allowed: ['function A() {} A.prototype.m = function () {};', 'a.class', '({class: 1})'],
  },
  rhino_async: {
    refused: [
      'async function f() {}',
      'var f = async () => 1;',
      'var f = async x => x;',
      '({async m() {}})',
      'async function* g() {}',
      'async function f() { await g(); }',
      'await f();',
      'async function f() { for await (var x of y); }',
    ],
    allowed: ['var async = 1;', 'async(1)', '({async: 1})', '({async() {}})', 'a.await', 'f().then(x => x)'],
  },
  rhino_spread: {
    refused: ['f(...a)', '[...a]', 'new F(...a)', '({...a})', 'f(1, ...a, 2)'],
    allowed: ['f.apply(null, a)', '[].concat(a)', '"..."'],
  },
  rhino_rest: {
    refused: [
      'var f = (...a) => a;',
      'var f = (a, ...b) => b;',
      'var [a, ...b] = c;',
      'var {a, ...b} = c;',
      '[a, ...b] = c',
    ],
    allowed: ['var [a, b] = c;', 'var f = (a, b) => b;'],
  },
  rhino_default_value: {
    refused: [
      'function f(a = 1) {}',
      'var f = (a = 1) => a;',
      'var {a = 1} = b;',
      'var [a = 1] = b;',
      'function f({a = 1}) {}',
      '({a = 1} = b)',
      '[a = 1] = b',
    ],
    allowed: [
      'var a = 1, b = a;',
      'function f(a) { if (a === undefined) a = 1; }',
      'f(a = 1)',
      '({a: b = 1})',
      '[a = 1]',
    ],
  },
  rhino_optional_chaining: {
    refused: ['a?.b', 'a?.[0]', 'a?.()', 'a.b?.c.d'],
    allowed: ['a ? .5 : 1', 'a?.5:1', 'a && a.b'],
  },
  rhino_nullish_coalescing: { refused: ['a ?? b', '(a ?? b) || c'], allowed: ['a != null ? a : b', 'a || b'] },
  rhino_logical_assignment: {
    refused: ['a ||= b', 'a &&= b', 'a ??= b'],
    allowed: ['a |= b', 'a **= b', 'a = a || b'],
  },
  rhino_module: {
    refused: [
      "import a from 'a';",
      "import 'a';",
      "import('a')",
      'import.meta.url',
      'export var a = 1;',
      'export default 1;',
      "export * from 'a';",
    ],
    allowed: ['a.import', '({import: 1, export: 2})', 'var imported;'],
  },
  rhino_computed_key: {
    refused: ['({[a]: 1})', '({[a]() {}})', '({get [a]() { return 1; }})', 'var {[a]: b} = c;'],
    allowed: ['a[b] = 1', '({a: [b]})', "({'a': 1, 2: 3})", 'var {a: b} = c;'],
  },
  rhino_generator_method: {
    refused: ['({*g() {}})', '({a: 1, *b() { yield 1; }})'],
    allowed: ['({g: function* () {}})', '({g() {}})'],
  },
  rhino_catch_binding: {
    refused: ['try {} catch {}', 'try {} catch ({message}) {}', 'try {} catch ([a]) {}'],
    allowed: ['try {} catch (e) {}', 'try {} finally {}', 'a.catch(b)'],
  },
  rhino_new_target: {
    refused: ['function f() { return new.target; }'],
    allowed: ['new target', 'function f() { return this instanceof f; }'],
  },
  rhino_super: { refused: ['({m() { return super.m(); }})'], allowed: ['a.super', 'var superb;'] },
  rhino_for_const: {
    refused: ['for (const a of b);', 'for (const a in b);', 'for (const i = 0; i < 1;);', 'for (const [a, b] of c);'],
    allowed: [
      'for (let a of b);',
      'for (var a in b);',
      'for (a of b);',
      'const i = 0; for (; i < 1;);',
      'for (let {a, b: [c]} of d);',
    ],
  },
  rhino_for_in_pattern: {
    refused: ['for (var {a} in b);', 'for (let {a, b} in c);'],
    allowed: ['for (var {a} of b);', 'for (let [a, b] of c);', 'for (var a in b);'],
  },
  rhino_redeclared: {
    refused: [
      '{ const a = 1; } { const a = 2; }',
      'let a = 1; { const a = 2; }',
      'const a = 1; { let a; }',
      'function f(a) { { const a = 1; } }',
      '{ let x; { const y = 1; } } let y;',
      'switch (a) { case 1: let x; } let x;',
      'switch (a) { case 1: let x; } var x;',
      'function f() {} { const f = 1; }',
      'const a = 1; { function a() {} }',
      'for (let i of a) { const i = 1; }',
    ],
    allowed: [
      '{ let a = 1; } { let a = 2; }',
      'function f() { const a = 1; } function g() { const a = 2; }',
      'const a = 1; function f(a) {}',
      'let a; { let a; }',
      '{ const a = 1; } { const b = 2; }',
      'switch (a) { case 1: { let x; break; } default: { let x; } }',
      '(function f() { const f = 1; })',
      'const e = 1; try {} catch (e) {}',
      '{ let x; } const x = 1;',
      'var x; var x;',
    ],
  },
  rhino_reserved_name: {
    refused: ['var let = 1;', 'var yield = 1;', 'var await = 1;', 'let(1)', 'for (let in a);', 'f(yield)'],
    allowed: ['a.let', '({let: 1, yield: 2, await: 3})', 'var of, get, set, static;', 'let\na'],
  },
  rhino_name_character: {
    refused: ['var \u{20bb7} = 1;', 'var \\u{61} = 1;', 'var \u2118;', 'var x\u00b7;', 'a.\u{20bb7}'],
    allowed: ['var \u00e4\u00f6 = 1;', 'var \u5909\u6570;', 'var \\u0061b;', 'var $_1;', '"\u{20bb7}"', 'var e\u0301;'],
  },
  rhino_regexp_flag: { refused: ['/a/u', '/a/v', '/a/d', '/a/gu'], allowed: ['/a/g', '/a/im', '/u/', '"/a/u"'] },
  rhino_regexp_syntax: {
    refused: ['/(?<n>a)/', '/(?<=a)b/', '/(?<!a)b/', '/(?i:a)/', '/a{65535}/', '/a{1,99999999999}/'],
    allowed: [
      '/(?=a)b/',
      '/(?!a)b/',
      '/(?:a)/',
      '/[(?<n>]/',
      '/\\(?<n>/',
      '/a{65534}/',
      '/a{1/',
      '/(a)\\1/',
      '/[{70000}]/',
      '/\\k<n>/',
    ],
  },
  rhino_yield_position: {
    refused: [
      'function* g() { f(yield 1); }',
      'function* g() { return [yield 1, yield]; }',
      'function* g() { x = yield, y; }',
      'function* g() { var a = yield, b; }',
      'function* g() { f(yield* a); }',
    ],
    allowed: [
      'function* g() { f((yield 1)); }',
      'function* g() { var a = yield 1; return a + (yield); }',
      'function* g() { yield* a; }',
      'function* g() { [(yield 1), (yield)]; }',
    ],
  },
  rhino_parenthesized_pattern: {
    refused: ['[(a)] = b', '[(a).b] = c', '({a: (b)} = c)'],
    allowed: ['[(a)]', '({a: (b)})', '(a) = 1', '[a] = b'],
  },
  rhino_arrow_trailing_comma: {
    refused: ['var f = (a,) => 1;', 'var f = (a, b /* , */ , ) => 1;'],
    allowed: ['var f = (a, b) => [a, b,];', 'f(a,)', '((a) => 1, 2)'],
  },
  rhino_duplicate_key: {
    refused: [
      "'use strict'; ({a: 1, a: 2})",
      "'use strict'; ({a() {}, 'a': 1})",
      "'use strict'; ({get a() {}, get a() {}})",
    ],
    allowed: ['({a: 1, b: 1})', '({get a() {}, set a(b) {}})', "'use strict'; ({get a() {}, set a(b) {}})"],
  },
  rhino_line_end_in_comment: {
    refused: ['a /* \n */ b', 'for (;;) { break /* \n */ x }', 'a = b /* one */ /* \n */ c'],
    allowed: ['a /* \n */\nb', 'a; /* \n */ b', 'a /* b */\nc', '{ a /* \n */ }', 'a // b\nc'],
  },
  rhino_html_comment: { refused: ['a\n/**/ --> b'], allowed: ['a-- > b', 'a < !--b', '"<!--"'] },
};

/**
 * What runs and gives something else than elsewhere: `script` shows it, `elsewhere` and `rhino` are
 * what it gives.
 */
export interface SemanticsRow extends RhinoRow {
  readonly script: string;
  readonly elsewhere: unknown;
  readonly rhino: unknown;
}

export const SEMANTICS_ROWS: Readonly<
  Record<Exclude<keyof typeof RHINO_SEMANTICS_RULES, 'rhino_missing_global' | 'rhino_missing_method'>, SemanticsRow>
> = {
  rhino_const_in_loop: {
    refused: [
      'for (var i of x) { const a = i; }',
      'while (b) { if (c) { const d = 1; } }',
      'do { const e = 1; } while (f);',
    ],
    allowed: [
      'for (var i of x) { let a = i; }',
      'const a = 1; for (;;);',
      'for (;;) { f(function () { const a = 1; }); }',
      '{ const a = 1; }',
    ],
    script: '(function () { var a = []; for (var i = 0; i < 3; i++) { const b = i; a.push(b); } return a.join(); })()',
    elsewhere: '0,1,2',
    rhino: '0,0,0',
  },
  rhino_loop_closure: {
    refused: [
      'for (let i = 0; i < 3; i++) { f(function () { return i; }); }',
      'for (let a of b) c.push(() => a);',
      'for (let [a, b] of c) { later(() => { if (b) return; }); }',
    ],
    allowed: [
      'for (let i = 0; i < 3; i++) { a.forEach(function (x) { x(i); }); }',
      'for (let i of a) { let own = i; f(() => own); }',
      'for (let i of a) f(i);',
      'for (let i of a) { f((i) => i); }',
      'for (let i of a) { f(() => o.i); }',
      'for (var i of a) { f(() => i); }',
      'for (let i of a) { (function () { g(i); })(); }',
    ],
    script:
      '(function () { var a = []; for (let i = 0; i < 3; i++) { a.push(function () { return i; }); } return a.map(function (f) { return f(); }).join(); })()',
    elsewhere: '0,1,2',
    rhino: '3,3,3',
  },
  rhino_let_in_loop: {
    refused: ['while (a) { let b; f(b); }', 'for (;;) { if (a) { let b, c = 1; } }'],
    allowed: [
      'while (a) { let b = undefined; }',
      'let b; while (a);',
      'for (let a of b);',
      'for (let a in b);',
      'while (a) { var b; }',
    ],
    script:
      '(function () { var a = []; for (var i = 0; i < 3; i++) { let b; a.push(b === undefined ? "none" : b); b = i; } return a.join(); })()',
    elsewhere: 'none,none,none',
    rhino: 'none,0,1',
  },
};
