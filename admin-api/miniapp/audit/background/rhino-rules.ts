/**
 * Differences of Rhino 1.7.15 in ES6 mode (`VERSION_ES6`, 200), with replacements. Sources: its
 * release notes, its parser, and tests with Debian's 1.7.14
 * (test/admin-api/miniapp/audit/background).
 *
 * 1.7.15 added this syntax: rest parameters of functions that are not arrows, a comma after the
 * last parameter, hashbangs, the regexp flags `s` and `y`, and escapes `\u{…}` in names. It added
 * these methods: `at`, `flat`, `flatMap`, `replaceAll`, `Object.hasOwn`,
 * `Object.getOwnPropertyDescriptors`, `Promise.allSettled`.
 */
import type { Rule, RuleTable } from '../finding.ts';

const lacks = (title: string, fix: string, about = ''): Rule => ({
  type: 'error',
  title: `Rhino: ${title}`,
  about:
    about === '' ? 'The engine of background files, Rhino 1.7.15, refuses the whole file when it parses it.' : about,
  fix,
});

const differs = (type: 'error' | 'warning', title: string, about: string, fix: string): Rule => ({
  type,
  title: `Rhino: ${title}`,
  about,
  fix,
});

/** Syntax that the engine does not parse. */
export const RHINO_SYNTAX_RULES = {
  rhino_class: lacks('classes are not known', 'Write a constructor function and assign its methods to the prototype.'),
  rhino_async: lacks(
    'async functions, await and for await are not known',
    'Return a Promise and go on in then(); Host.call in background files needs no await.',
  ),
  rhino_spread: lacks(
    'spread (...) in calls, arrays and objects is not known',
    'Write f.apply(null, list), a.concat(b) or Object.assign({}, a, b).',
  ),
  rhino_rest: lacks(
    'rest (...) is supported only as the last parameter of a function other than an arrow, with a plain name',
    'Write function (...names) in place of an arrow, or take arguments; of arrays take slice(), of objects the members by name.',
  ),
  rhino_default_value: lacks(
    'default values of parameters and in patterns are not known',
    'Write if (a === undefined) a = 1; at the beginning of the function.',
  ),
  rhino_optional_chaining: lacks(
    'optional chaining (?.) is not known',
    'Write a && a.b, or a == null ? undefined : a.b.',
  ),
  rhino_nullish_coalescing: lacks('?? is not known', 'Write a != null ? a : b.'),
  rhino_logical_assignment: lacks('||=, &&= and ??= are not known', 'Write if (!a) a = b; and the like.'),
  rhino_module: lacks(
    'import, export and import.meta are not known',
    'Write one file without imports: join several with a bundler (format "iife").',
  ),
  rhino_computed_key: lacks(
    'computed keys in object literals are not known',
    'Write o[key] = value; after the literal.',
  ),
  rhino_generator_method: lacks('generator methods are not known', 'Write name: function* () { … }.'),
  rhino_catch_binding: lacks('catch takes exactly one plain name', 'Write catch (error), also when it is not used.'),
  rhino_new_target: lacks('new.target is not known', 'Look at this instanceof F.'),
  rhino_super: lacks('super is not known', 'Call the method of the prototype: Parent.prototype.m.call(this).'),
  rhino_for_const: lacks('const in the head of a loop is not known', 'Write let in the head of the loop.'),
  rhino_for_in_pattern: lacks(
    'patterns in the head of for … in are not known',
    'Take the key by a plain name and look the rest up in the body.',
    'An object pattern there is a syntax error; an array pattern is read as [key, value], unlike in any other engine.',
  ),
  rhino_redeclared: lacks(
    'const has the scope of the whole function, let in a switch that of the block around it; the name cannot be reused there',
    'Write let in place of const, put braces around the case, or give each a name of its own.',
    'Unlike in other engines { const a = 1; } { const a = 2; } is a syntax error, and so is a const whose name is that of a variable around its block.',
  ),
  rhino_reserved_name: lacks('let, yield and await cannot be names', 'Use another name.'),
  rhino_name_character: lacks(
    'names are made of letters, digits, _ and $',
    'Use letters of the basic plane (below U+10000), digits, _ and $, and no \\u{…}.',
    'Other characters, which ECMAScript allows, are refused, or are taken by one of 1.7.14 and 1.7.15 only.',
  ),
  rhino_regexp_flag: lacks(
    'the flags u, v and d of regular expressions are not known',
    'Leave the flag away; for characters from U+10000 match the surrogate pairs: [\\ud800-\\udbff][\\udc00-\\udfff].',
  ),
  rhino_regexp_syntax: lacks(
    'named groups, lookbehind and modifiers in regular expressions are not known, and counts end below 65,535',
    'Number the groups, and capture the text before instead of a look-behind.',
  ),
  rhino_yield_position: lacks(
    'yield in a list needs parentheses',
    'Write f((yield a), b), or store the value of yield in a variable first.',
    'As an argument, an element of an array or part of a comma expression yield is a syntax error unless parenthesized.',
  ),
  rhino_parenthesized_pattern: lacks('names in patterns can have no parentheses', 'Leave the parentheses away.'),
  rhino_arrow_trailing_comma: lacks('no comma follows the last parameter of an arrow', 'Leave the comma away.'),
  rhino_duplicate_key: lacks(
    'a duplicate key in an object literal',
    'Keep one of them.',
    'In strict code Rhino refuses it as ECMAScript 5 did; elsewhere the last one counts without a word.',
  ),
  rhino_line_end_in_comment: lacks(
    'a line that ends within a comment does not end a statement',
    'Write the semicolon.',
    'ECMAScript takes a comment of several lines for the end of a line, and puts the semicolon there; Rhino does not.',
  ),
  rhino_html_comment: lacks('<!-- and --> begin no comments everywhere', 'Write // in place of it.'),
} as const satisfies RuleTable;

/** Syntax that Rhino parses but executes differently. */
export const RHINO_SEMANTICS_RULES = {
  rhino_const_in_loop: differs(
    'error',
    'const in a loop keeps the value of the first round',
    'const belongs to the whole function and is set once: for (…) { const a = next(); } has the first value in all rounds, silently.',
    'Write let in place of const.',
  ),
  rhino_loop_closure: differs(
    'warning',
    'all rounds of a loop share the variable of its head',
    'for (let i …) makes one variable, not one for each round, so that a function made in the body sees the value of the last round.',
    'Copy it in the body: let own = i; and use that in the function.',
  ),
  rhino_let_in_loop: differs(
    'warning',
    'let without a value in a loop keeps the value of the round before',
    'let a; in the body of a loop is undefined in the first round only.',
    'Write let a = undefined;.',
  ),
  rhino_missing_global: differs(
    'error',
    'a global object of ECMAScript does not exist',
    'Proxy, Reflect, WeakRef, Intl and others came after 1.7.15; using them throws a ReferenceError. A file that looks with typeof first may use them.',
    'Use plain objects and functions; Object.keys, Object.getPrototypeOf and f.apply do what most of Reflect does.',
  ),
  rhino_missing_method: differs(
    'warning',
    'a method of ECMAScript does not exist',
    'Calling it throws a TypeError. A file that defines a member of that name itself may call it.',
    'Write a loop, or a function of your own.',
  ),
} as const satisfies RuleTable;
