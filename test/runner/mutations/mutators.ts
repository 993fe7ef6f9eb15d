/**
 * Mutations of production code: a small set of faults that people make.
 * Stryker's mutators have neither a dropped `await`, a wrong number nor swapped arguments.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ts } from '@ts-morph/common';
import type { Random } from '../../support/random.ts';

export interface Mutation {
  /** The same in other revisions: file, function, kind, text, and a number among equal ones. */
  readonly key: string;
  readonly file: string;
  readonly room: string;
  readonly line: number;
  readonly kind: Kind;
  /** Position of the text that is replaced. */
  readonly start: number;
  readonly end: number;
  readonly from: string;
  readonly to: string;
}

export type Kind = 'arguments' | 'arithmetic' | 'await' | 'comparison' | 'condition' | 'constant' | 'logic' | 'removal';

const PRODUCTION = ['main.ts', 'core/**/*.ts', 'admin-api/**/*.ts', 'edge/**/*.ts'];
/**
 * Code of browsers, where no test process can switch a fault on; texts; and what is generated or
 * copied.
 */
const SKIPPED =
  /^admin-api\/(?:dashboard|miniapp\/(?:sdk|simulator\/page|templates\/apps))\/|\/(?:texts|generated)\.ts$|\.d\.ts$/;

const OPERATORS: Readonly<Record<string, readonly [Kind, string]>> = {
  '<': ['comparison', '<='],
  '<=': ['comparison', '<'],
  '>': ['comparison', '>='],
  '>=': ['comparison', '>'],
  '===': ['comparison', '!=='],
  '!==': ['comparison', '==='],
  '&&': ['logic', '||'],
  '||': ['logic', '&&'],
  '+': ['arithmetic', '-'],
  '-': ['arithmetic', '+'],
  '*': ['arithmetic', '/'],
  '/': ['arithmetic', '*'],
};

/** `core/dns/wire` of `core/dns/wire/rdata/table.ts`. */
const roomOf = (file: string): string => file.split('/').slice(0, -1).slice(0, 2).join('/') || 'main.ts';

/** All mutations of a checkout, in the order of their files. */
export function mutationsIn(checkout: string): Mutation[] {
  const git = ['ls-files', '-z', ...PRODUCTION.map((pattern) => `:(glob)${pattern}`)];
  const files = execFileSync('git', git, { cwd: checkout, encoding: 'utf8' }).split('\0');
  return files
    .filter((file) => file !== '' && !SKIPPED.test(file))
    .flatMap((file) => mutationsOf(file, readFileSync(join(checkout, file), 'utf8')));
}

export function mutationsOf(file: string, text: string): Mutation[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const mutations: Mutation[] = [];
  const seen = new Map<string, number>();
  const add = (node: ts.Node, kind: Kind, to: string, within: string): void => {
    const from = node.getText(source);
    const name = [file, within, kind, from].join('|');
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    const start = node.getStart(source);
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    mutations.push({ key: `${name}|${nth}`, file, room: roomOf(file), line, kind, start, end: node.end, from, to });
  };
  const visit = (node: ts.Node, within: string): void => {
    if (isSkipped(node, source)) return;
    const inside = namesScope(node) ? `${within}.${node.name.getText(source)}` : within;
    if (node !== source) for (const [kind, to] of faultsOf(node, source)) add(node, kind, to, inside);
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(source, '');
  return mutations;
}

/** Types, imports, log calls, and errors that are thrown: their texts and their fields. */
function isSkipped(node: ts.Node, source: ts.SourceFile): boolean {
  return (
    (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isThrowStatement(node) ||
    (ts.isCallExpression(node) && /^(?:this\.)?#?(?:log|console)\b/.test(node.expression.getText(source)))
  );
}

function namesScope(node: ts.Node): node is ts.Node & { readonly name: ts.Node } {
  if ((node as { name?: ts.Node }).name === undefined) return false;
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isAccessor(node) ||
    ts.isPropertyDeclaration(node)
  );
}

/** How an expression or a statement can be broken, and with which text. */
function* faultsOf(node: ts.Node, source: ts.SourceFile): Generator<readonly [Kind, string]> {
  const text = (part: ts.Node): string => part.getText(source);
  const { parent } = node;
  if (ts.isBinaryExpression(node)) {
    const [kind, operator] = OPERATORS[text(node.operatorToken)] ?? [];
    const isText = [node.left, node.right].some((side) => /['"`]/.test(text(side)));
    if (kind !== undefined && !(kind === 'arithmetic' && isText))
      yield [kind, `(${text(node.left)}) ${operator} (${text(node.right)})`];
  }
  const isCondition =
    ((ts.isIfStatement(parent) || ts.isWhileStatement(parent)) && parent.expression === node) ||
    (ts.isConditionalExpression(parent) && parent.condition === node);
  if (isCondition) yield ['condition', `!(${text(node)})`];
  // A promise that is returned is awaited by the caller.
  if (ts.isAwaitExpression(node) && !ts.isReturnStatement(parent)) yield ['await', text(node.expression)];
  if (ts.isNumericLiteral(node) && !isName(node)) yield ['constant', `${text(node)} + 1`];
  if (node.kind === ts.SyntaxKind.TrueKeyword) yield ['constant', 'false'];
  if (node.kind === ts.SyntaxKind.FalseKeyword) yield ['constant', 'true'];
  if (ts.isCallExpression(node) && node.arguments.length >= 2 && !node.arguments.some(ts.isSpreadElement)) {
    const [first, second] = node.arguments;
    const between = source.text.slice(node.getStart(source), first.getStart(source));
    const rest = source.text.slice(second.end, node.end);
    if (text(first) !== text(second) && !isFunction(first) && !isFunction(second))
      yield ['arguments', `${between}${text(second)}, ${text(first)}${rest}`];
  }
  if (ts.isExpressionStatement(node) && !isSkipped(node.expression, source) && !isSuper(node.expression))
    yield ['removal', ';'];
}

const isFunction = (node: ts.Node): boolean => ts.isArrowFunction(node) || ts.isFunctionExpression(node);
const isSuper = (node: ts.Node): boolean =>
  ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword;
/** A key of an object, which no expression can replace. */
const isName = (node: ts.Node): boolean => (node.parent as { name?: ts.Node }).name === node;

/**
 * One of each room in turn, and of its kinds with equal chances: comparisons are many times as many
 * as `await`.
 */
export function choose(mutations: readonly Mutation[], count: number, random: Random): Mutation[] {
  const rooms = new Map<string, Map<Kind, Mutation[]>>();
  for (const mutation of mutations) {
    const kinds = rooms.get(mutation.room) ?? new Map<Kind, Mutation[]>();
    rooms.set(mutation.room, kinds.set(mutation.kind, [...(kinds.get(mutation.kind) ?? []), mutation]));
  }
  const chosen: Mutation[] = [];
  const take = <T>(from: T[]): T => from.splice(random.below(from.length), 1)[0];
  while (chosen.length < count && rooms.size > 0)
    for (const turn = [...rooms.keys()]; turn.length > 0 && chosen.length < count; ) {
      const room = take(turn);
      const kinds = rooms.get(room) as Map<Kind, Mutation[]>;
      const kind = random.pick([...kinds.keys()]);
      const list = kinds.get(kind) as Mutation[];
      chosen.push(take(list));
      if (list.length === 0) kinds.delete(kind);
      if (kinds.size === 0) rooms.delete(room);
    }
  return chosen;
}
