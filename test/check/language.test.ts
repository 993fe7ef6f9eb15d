/**
 * Plain English, as far as a program can check it: words that have a plainer one, names of one
 * vague word, and the length of lines in comments and manuals. There are none.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ts } from '@ts-morph/common';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..');

/** Each with what to write instead. */
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\boctets?\b/gi, 'byte, bytes'],
  [/\bwho asks\b|\bwhoever\b|\bone that comes\b/gi, 'client, visitor, peer'],
  [/\bwhat (?:is|was) (?:asked|given)\b|\bwhat came\b/gi, 'request, response'],
  [/\b(?:is|are|was|were|be|been) told\b/gi, 'receive, report, notify'],
  [/\b(?:lies|lie|lay|lying)\b/gi, 'is stored, is in'],
  [/\b(?:take|takes|taken|taking|took) away\b|\b(?:let|lets|letting) go\b/gi, 'delete, remove, release'],
  [/\b(?:let|lets) by\b/gi, 'accept, pass'],
  [/\b(?:begin|begins|beginning|start|starts|starting) anew\b/gi, 'restart'],
  [/\bagain and again\b|\bover and over\b/gi, 'repeatedly, retry, background task'],
  [/\bhow long [^.;]{1,40} may take\b/gi, 'timeout, deadline, interval'],
  [/\bas many as (?:it|they) may\b|\bthe most that\b/gi, 'limit, maximum'],
  [/\bunder way\b/gi, 'in flight, pending'],
  [/\bby themselves\b/gi, 'automatically'],
  [/\bthe zone itself\b/gi, 'the apex'],
  [/\bbeside\b/gi, 'next to, alongside, compared with'],
  [/\bcan not\b|\bcan't\b/gi, 'cannot'],
];

/** Names of one vague word. */
const VAGUE = new Set(['told', 'said', 'beside', 'one', 'came', 'asked', 'landed', 'place', 'known']);
const COLUMNS = 100;

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesIn(path, ending);
    return entry.name.endsWith(ending) ? [path] : [];
  });
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** `path:line: "word" (write …)` of each banned word. `lineOf`: of an offset in the text. */
function banned(text: string, where: (offset: number) => string): string[] {
  return BANNED.flatMap(([words, instead]) =>
    [...text.matchAll(words)].map((match) => `${where(match.index)}: "${match[0]}" (write: ${instead})`),
  );
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** Markdown without code and without what is linked, which keeps its lines. */
const prose = (text: string): string =>
  text
    .replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ' '))
    .replace(/`[^`\n]*`/g, (code) => ' '.repeat(code.length))
    .replace(/\]\([^)\n]*\)/g, (link) => ' '.repeat(link.length));

const MANUAL = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'ARCHITECTURE.md', ...filesIn('docs', '.md')];
const SETTINGS = [...filesIn('config', '.toml'), ...filesIn('config', '.md')];

for (const path of [...MANUAL, ...SETTINGS])
  test(`${path} is in plain English`, () => {
    const text = path.endsWith('.md') ? prose(read(path)) : read(path);
    assert.equal(
      banned(text, (offset) => `${path}:${lineAt(text, offset)}`),
      [],
    );
  });

for (const path of MANUAL)
  test(`${path} has lines of at most ${COLUMNS} columns`, () => {
    const lines = prose(read(path)).split('\n');
    const long = lines.flatMap((line, index) =>
      // A table's row is one line, and so is a link.
      line.length > COLUMNS && !line.startsWith('|') && /\s/.test(line.trim()) ? [`${path}:${index + 1}`] : [],
    );
    assert.equal(long, []);
  });

interface Source {
  /** Texts that users may see, with their lines. */
  readonly texts: readonly { readonly text: string; readonly line: number }[];
  /** `path:line: …` of words in comments, vague names and long lines. */
  readonly faults: readonly string[];
}

function sourceOf(path: string): Source {
  const text = read(path);
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  const lines = text.split('\n');
  const texts: { text: string; line: number }[] = [];
  const faults: string[] = [];
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      // One word is a code or a key, not a sentence.
      if (/\w\s+\w/.test(node.text)) texts.push({ text: node.text, line: lineOf(node.getStart()) });
    } else if (ts.isIdentifier(node) && VAGUE.has(node.text) && isDeclared(node))
      faults.push(`${path}:${lineOf(node.getStart())}: the name "${node.text}" says nothing`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const { pos, end } of commentsOf(source)) {
    faults.push(...banned(text.slice(pos, end), (offset) => `${path}:${lineOf(pos + offset)}`));
    for (let line = lineOf(pos); line <= lineOf(end); line++)
      if (lines[line - 1].length > COLUMNS) faults.push(`${path}:${line}: longer than ${COLUMNS} columns`);
  }
  return { texts, faults };
}

const isDeclared = (node: ts.Identifier): boolean =>
  (ts.isVariableDeclaration(node.parent) ||
    ts.isParameter(node.parent) ||
    ts.isBindingElement(node.parent) ||
    ts.isFunctionDeclaration(node.parent) ||
    ts.isPropertyDeclaration(node.parent) ||
    ts.isPropertySignature(node.parent) ||
    ts.isMethodDeclaration(node.parent)) &&
  node.parent.name === node;

function commentsOf(source: ts.SourceFile): ts.TextRange[] {
  const found = new Map<number, ts.TextRange>();
  const visit = (node: ts.Node): void => {
    const leading = ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? [];
    const trailing = ts.getTrailingCommentRanges(source.text, node.getEnd()) ?? [];
    for (const range of [...leading, ...trailing]) found.set(range.pos, range);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found.values()];
}

const SOURCES = ['core', 'admin-api', 'edge', 'bench', 'test']
  .flatMap((part) => [...filesIn(part, '.ts'), ...filesIn(part, '.tsx')])
  .concat('main.ts');
const isShipped = (path: string): boolean => !/^(test|bench)\//.test(path);

const inTexts: string[] = [];
const inSources: string[] = [];
for (const path of SOURCES) {
  if (path === 'test/check/language.test.ts') continue;
  const { texts, faults } = sourceOf(path);
  inSources.push(...faults);
  if (isShipped(path)) for (const { text, line } of texts) inTexts.push(...banned(text, () => `${path}:${line}`));
}

test('what users read is in plain English', () => {
  assert.equal(inTexts, []);
});

test('comments and names are in plain English, and comments stay within their columns', () => {
  assert.equal(inSources, []);
});

test('the words and names are found', () => {
  assert.is(banned('Whoever sends octets', () => 'a').length, 2);
  assert.is(banned('The client sends bytes', () => 'a').length, 0);
});

test.run();
