/** Finds syntax that Rhino 1.7.15 does not parse. `RHINO_SYNTAX_RULES` describes each case. */
import type {
  AnyNode,
  ArrowFunctionExpression,
  Function as FunctionNode,
  Literal,
  ObjectExpression,
  Property,
} from 'acorn';
import type { RHINO_SYNTAX_RULES } from './rhino-rules.ts';
import { isKey, type SyntaxTree, skipTrivia, visit } from './syntax-tree.ts';

/** Rhino rejects quantifiers from this count on. */
const COUNT_LIMIT = 65_535;

export type RhinoSyntaxCode = keyof typeof RHINO_SYNTAX_RULES;
type Report = (code: RhinoSyntaxCode, offset: number) => void;

/** Ancestors of a node, the innermost last. */
type Above = readonly AnyNode[];
type Check = (node: AnyNode, report: Report, above: Above) => void;

const refuse =
  (code: RhinoSyntaxCode): Check =>
  (node, report) =>
    report(code, node.start);

const CHECKS: Readonly<Record<string, Check>> = {
  ClassDeclaration: refuse('rhino_class'),
  ClassExpression: refuse('rhino_class'),
  AwaitExpression: refuse('rhino_async'),
  SpreadElement: refuse('rhino_spread'),
  AssignmentPattern: refuse('rhino_default_value'),
  ImportDeclaration: refuse('rhino_module'),
  ImportExpression: refuse('rhino_module'),
  ExportNamedDeclaration: refuse('rhino_module'),
  ExportDefaultDeclaration: refuse('rhino_module'),
  ExportAllDeclaration: refuse('rhino_module'),
  Super: refuse('rhino_super'),
  MetaProperty: (node, report) =>
    report(node.type === 'MetaProperty' && node.meta.name === 'new' ? 'rhino_new_target' : 'rhino_module', node.start),
  FunctionDeclaration: checkFunction,
  FunctionExpression: checkFunction,
  ArrowFunctionExpression: checkFunction,
  RestElement: checkRest,
  MemberExpression: (node, report) => {
    if (node.type === 'MemberExpression' && node.optional) report('rhino_optional_chaining', node.property.start);
  },
  CallExpression: (node, report) => {
    if (node.type !== 'CallExpression') return;
    if (node.optional) report('rhino_optional_chaining', node.callee.end);
    checkYields(node.arguments, report);
  },
  NewExpression: (node, report) => node.type === 'NewExpression' && checkYields(node.arguments, report),
  ArrayExpression: (node, report) => node.type === 'ArrayExpression' && checkYields(node.elements, report),
  LogicalExpression: (node, report) => {
    if (node.type === 'LogicalExpression' && node.operator === '??') report('rhino_nullish_coalescing', node.left.end);
  },
  AssignmentExpression: (node, report) => {
    if (node.type === 'AssignmentExpression' && ['||=', '&&=', '??='].includes(node.operator))
      report('rhino_logical_assignment', node.left.end);
  },
  CatchClause: (node, report) => {
    if (node.type === 'CatchClause' && node.param?.type !== 'Identifier') report('rhino_catch_binding', node.start);
  },
  ForStatement: (node, report) => node.type === 'ForStatement' && checkHead(node.init, report),
  ForInStatement: (node, report) => {
    if (node.type !== 'ForInStatement') return;
    checkHead(node.left, report);
    const target = node.left.type === 'VariableDeclaration' ? node.left.declarations[0].id : node.left;
    if (target.type === 'ObjectPattern' || target.type === 'ArrayPattern') report('rhino_for_in_pattern', target.start);
  },
  ForOfStatement: (node, report) => {
    if (node.type !== 'ForOfStatement') return;
    checkHead(node.left, report);
    if (node.await) report('rhino_async', node.start);
  },
  ObjectExpression: (node, report) => node.type === 'ObjectExpression' && checkKeys(node, report),
  Property: (node, report) => {
    if (node.type !== 'Property') return;
    if (node.computed) report('rhino_computed_key', node.start);
    const { value } = node;
    if (node.method && value.type === 'FunctionExpression' && value.generator && !value.async)
      report('rhino_generator_method', node.start);
  },
  Identifier: checkName,
  Literal: (node, report) => node.type === 'Literal' && node.regex !== undefined && checkRegexp(node, report),
};

/** Reports all faults, unordered. */
export function checkSyntax(text: string, tree: SyntaxTree, report: Report): void {
  visit(tree.program, (node, above) => {
    if (node.type === 'Identifier' && isKey(node, above[above.length - 1]))
      checkCharacters(node.name, text, node, report);
    else CHECKS[node.type]?.(node, report, above);
    if (node.type === 'Identifier') checkCharacters(node.name, text, node, report);
    if (node.type === 'ArrowFunctionExpression') checkArrowComma(text, node, report);
    else if (node.type === 'ArrayPattern') checkTargets(node.elements, text, report);
    else if (node.type === 'ObjectPattern')
      checkTargets(
        node.properties.map((property) => (property.type === 'Property' ? property.value : property.argument)),
        text,
        report,
      );
    else if (node.type === 'YieldExpression' && !node.argument && text[skipTrivia(text, node.end).at] === ',')
      report('rhino_yield_position', node.start);
  });
  for (const comment of tree.comments)
    if (comment.type === 'Line' && !text.startsWith('//', comment.start) && !text.startsWith('#!', comment.start))
      report('rhino_html_comment', comment.start);
  for (const end of tree.insertedSemicolons) if (endsWithinComment(text, end)) report('rhino_line_end_in_comment', end);
}

function checkFunction(node: AnyNode, report: Report): void {
  if ((node as FunctionNode).async) report('rhino_async', node.start);
}

function checkRest(node: AnyNode, report: Report, above: Above): void {
  const around = above[above.length - 1];
  const isPlain =
    node.type === 'RestElement' &&
    node.argument.type === 'Identifier' &&
    (around.type === 'FunctionDeclaration' || around.type === 'FunctionExpression');
  if (!isPlain) report('rhino_rest', node.start);
}

function checkHead(head: AnyNode | null | undefined, report: Report): void {
  if (head?.type === 'VariableDeclaration' && head.kind !== 'var' && head.kind !== 'let')
    report('rhino_for_const', head.start);
}

/** Reports parenthesized targets of a destructuring pattern. */
function checkTargets(targets: readonly (AnyNode | null)[], text: string, report: Report): void {
  for (const target of targets)
    if (target !== null && text[target.start] === '(') report('rhino_parenthesized_pattern', target.start);
}

function checkYields(list: readonly (AnyNode | null)[], report: Report): void {
  for (const item of list) if (item?.type === 'YieldExpression') report('rhino_yield_position', item.start);
}

const RESERVED = new Set(['let', 'yield', 'await']);

function checkName(node: AnyNode, report: Report): void {
  if (node.type === 'Identifier' && RESERVED.has(node.name)) report('rhino_reserved_name', node.start);
}

/**
 * Names that Rhino surely accepts: letters of the Basic Multilingual Plane. Characters that only
 * Character.isJavaIdentifierPart accepts are reported, too.
 */
const NAME = /^[$_\p{L}][$_\p{L}\p{Nd}\p{Mn}\p{Mc}]*$/u;

function checkCharacters(name: string, text: string, node: AnyNode, report: Report): void {
  if (PLAIN_NAME.test(name) && node.end - node.start === name.length) return;
  const isKnown = NAME.test(name) && !/[\u{10000}-\u{10ffff}]/u.test(name) && isOldEnough(name);
  if (!isKnown || text.slice(node.start, node.end).includes('\\u{')) report('rhino_name_character', node.start);
}

const PLAIN_NAME = /^[\w$]+$/;

/** False: contains a character of Other_ID_Start, which older versions of Unicode do not have. */
const isOldEnough = (name: string): boolean => !/[\u1885\u1886\u2118\u212e\u309b\u309c]/.test(name);

function checkRegexp({ regex, start }: Literal, report: Report): void {
  const { pattern, flags } = regex!;
  if (/[^gimsy]/.test(flags)) report('rhino_regexp_flag', start + pattern.length + 2);
  for (const offset of regexpFaults(pattern)) report('rhino_regexp_syntax', start + 1 + offset);
}

function checkKeys({ properties }: ObjectExpression, report: Report): void {
  const seen = new Set<string>();
  for (const property of properties) {
    if (property.type !== 'Property' || property.computed) continue;
    const kind = property.kind === 'init' ? '' : property.kind;
    const key = keyOf(property);
    const others = kind === '' ? ['', 'get', 'set'] : ['', kind];
    if (others.some((other) => seen.has(`${other} ${key}`))) report('rhino_duplicate_key', property.start);
    seen.add(`${kind} ${key}`);
  }
}

const keyOf = ({ key }: Property): string => (key.type === 'Identifier' ? key.name : String((key as Literal).value));

/** `(a, b,) => a` */
function checkArrowComma(text: string, { params }: ArrowFunctionExpression, report: Report): void {
  if (params.length === 0) return;
  const { at } = skipTrivia(text, params[params.length - 1].end);
  if (text[at] === ',') report('rhino_arrow_trailing_comma', at);
}

/** An inserted semicolon needs a line end; Rhino ignores line ends inside a block comment. */
function endsWithinComment(text: string, end: number): boolean {
  const { at, newline } = skipTrivia(text, end);
  return !newline && at < text.length && text[at] !== '}' && text.slice(end, at).includes('/*');
}

/**
 * Finds syntax of regular expressions that Rhino 1.7.15 rejects. Offsets of the syntax that Rhino
 * rejects in a valid ECMAScript pattern: named groups, modifiers, lookbehind, large counts.
 */
function regexpFaults(pattern: string): number[] {
  const faults: number[] = [];
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === '\\') i++;
    else if (inClass) inClass = char !== ']';
    else if (char === '[') inClass = true;
    else if (char === '(' && pattern[i + 1] === '?' && !':=!'.includes(pattern[i + 2])) faults.push(i);
    else if (char === '{') {
      const [counts] = /^\{\d+(?:,\d*)?\}/.exec(pattern.slice(i, i + 64)) ?? [''];
      if (counts.match(/\d+/g)?.some((digits) => Number(digits) >= COUNT_LIMIT)) faults.push(i);
    }
  }
  return faults;
}
