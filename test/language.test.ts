/**
 * Plain English, as far as a program can check it: words that have a plainer one, names of one
 * vague word, and the length of lines. User-visible text has none of the words. The sources have a
 * ceiling for each room, which may only fall: a change that rewrites a room lowers it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ts } from '@ts-morph/common';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

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

interface Counts {
  /** Banned words in comments. */
  readonly words: number;
  /** Declarations of a vague name. */
  readonly names: number;
  /** Lines of comments past COLUMNS. */
  readonly long: number;
}

/**
 * The most that a room may have. Run with WAYPOST_CEILINGS=print to print the table as it is now.
 */
const CEILINGS: Readonly<Record<string, Counts>> = {
  'admin-api': { words: 0, names: 0, long: 0 },
  'admin-api/accounts': { words: 0, names: 0, long: 0 },
  'admin-api/audit': { words: 0, names: 0, long: 0 },
  'admin-api/auth': { words: 0, names: 0, long: 0 },
  'admin-api/change': { words: 0, names: 0, long: 0 },
  'admin-api/cli': { words: 0, names: 0, long: 0 },
  'admin-api/doh': { words: 0, names: 0, long: 0 },
  'admin-api/domains': { words: 0, names: 0, long: 0 },
  'admin-api/http': { words: 0, names: 0, long: 0 },
  'admin-api/migration': { words: 0, names: 0, long: 0 },
  'admin-api/openapi': { words: 0, names: 0, long: 0 },
  'admin-api/packages': { words: 0, names: 0, long: 0 },
  'admin-api/proxy': { words: 0, names: 0, long: 0 },
  'admin-api/records': { words: 0, names: 0, long: 0 },
  'admin-api/tsig': { words: 0, names: 0, long: 0 },
  'admin-api/update': { words: 0, names: 0, long: 0 },
  bench: { words: 0, names: 0, long: 0 },
  'bench/api': { words: 0, names: 0, long: 0 },
  'bench/audit': { words: 0, names: 0, long: 0 },
  'bench/cluster': { words: 0, names: 0, long: 0 },
  'bench/core': { words: 0, names: 0, long: 0 },
  'bench/dns': { words: 0, names: 0, long: 0 },
  'bench/edge': { words: 0, names: 0, long: 0 },
  'bench/writes': { words: 0, names: 0, long: 0 },
  core: { words: 0, names: 0, long: 0 },
  'core/address': { words: 0, names: 0, long: 0 },
  'core/alias': { words: 0, names: 0, long: 0 },
  'core/answer': { words: 0, names: 0, long: 0 },
  'core/base': { words: 0, names: 0, long: 0 },
  'core/cluster': { words: 0, names: 1, long: 0 },
  'core/config': { words: 0, names: 0, long: 0 },
  'core/etcd': { words: 0, names: 0, long: 0 },
  'core/journal': { words: 0, names: 0, long: 0 },
  'core/miniapp': { words: 0, names: 0, long: 0 },
  'core/nameserver': { words: 0, names: 0, long: 0 },
  'core/os': { words: 0, names: 0, long: 0 },
  'core/resolver': { words: 0, names: 0, long: 0 },
  'core/store': { words: 0, names: 0, long: 0 },
  'core/tls': { words: 0, names: 0, long: 0 },
  'core/transfer': { words: 0, names: 0, long: 0 },
  'core/tsig': { words: 0, names: 0, long: 0 },
  'core/wire': { words: 0, names: 0, long: 0 },
  'core/zone': { words: 0, names: 0, long: 0 },
  edge: { words: 0, names: 0, long: 0 },
  'edge/acme': { words: 0, names: 0, long: 0 },
  'edge/cache': { words: 0, names: 0, long: 0 },
  'edge/compress': { words: 0, names: 0, long: 0 },
  'edge/daemon': { words: 0, names: 2, long: 5 },
  'edge/gateway': { words: 0, names: 0, long: 0 },
  'edge/http/exchange': { words: 16, names: 1, long: 76 },
  'edge/http/http1': { words: 24, names: 5, long: 71 },
  'edge/http/http2': { words: 35, names: 6, long: 126 },
  'edge/http/server': { words: 22, names: 2, long: 42 },
  'edge/http/tls': { words: 13, names: 28, long: 61 },
  'edge/http/transport': { words: 7, names: 2, long: 15 },
  'edge/origin': { words: 29, names: 29, long: 107 },
  'edge/proxy': { words: 0, names: 0, long: 0 },
  'edge/sites': { words: 6, names: 8, long: 20 },
  'main.ts': { words: 0, names: 0, long: 0 },
  test: { words: 0, names: 0, long: 0 },
  'test/admin-api': { words: 0, names: 0, long: 0 },
  'test/bench': { words: 0, names: 0, long: 0 },
  'test/core': { words: 0, names: 0, long: 0 },
  'test/docs': { words: 0, names: 0, long: 0 },
  'test/edge': { words: 0, names: 0, long: 0 },
  'test/reference': { words: 0, names: 0, long: 0 },
  'test/release': { words: 0, names: 0, long: 0 },
  'test/runner': { words: 0, names: 0, long: 0 },
  'test/scenario': { words: 0, names: 0, long: 0 },
  'test/support': { words: 0, names: 0, long: 0 },
  'test/system': { words: 0, names: 0, long: 0 },
};

/** A count so far below its ceiling shows that the ceiling was forgotten. */
const SLACK = 10;

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
  readonly counts: Counts;
}

function sourceOf(path: string): Source {
  const text = read(path);
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  const lines = text.split('\n');
  const texts: { text: string; line: number }[] = [];
  let names = 0;
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      // One word is a code or a key, not a sentence.
      if (/\w\s+\w/.test(node.text)) texts.push({ text: node.text, line: lineOf(node.getStart()) });
    } else if (ts.isIdentifier(node) && VAGUE.has(node.text) && isDeclared(node)) names++;
    ts.forEachChild(node, visit);
  };
  visit(source);
  let words = 0;
  let long = 0;
  for (const { pos, end } of commentsOf(source)) {
    const comment = text.slice(pos, end);
    words += banned(comment, () => path).length;
    for (let line = lineOf(pos); line <= lineOf(end); line++) if (lines[line - 1].length > COLUMNS) long++;
  }
  return { texts, counts: { words, names, long } };
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

/** Rooms as the ceilings count them: two folders deep, tests as one room for each part. */
function roomOf(path: string): string {
  const folders = path.split('/').slice(0, -1);
  if (folders.length === 0) return path;
  if (folders[0] === 'edge' && folders[1] === 'http') return folders.slice(0, 3).join('/');
  return folders.slice(0, 2).join('/');
}

const SOURCES = ['core', 'admin-api', 'edge', 'bench', 'test']
  .flatMap((part) => [...filesIn(part, '.ts'), ...filesIn(part, '.tsx')])
  .concat('main.ts');
const isShipped = (path: string): boolean => !/^(test|bench)\//.test(path);

const counted = new Map<string, Counts>();
const found: string[] = [];
for (const path of SOURCES) {
  if (path === 'test/language.test.ts') continue;
  const { texts, counts } = sourceOf(path);
  const room = roomOf(path);
  const sum = counted.get(room) ?? { words: 0, names: 0, long: 0 };
  counted.set(room, {
    words: sum.words + counts.words,
    names: sum.names + counts.names,
    long: sum.long + counts.long,
  });
  if (isShipped(path)) for (const { text, line } of texts) found.push(...banned(text, () => `${path}:${line}`));
}

if (process.env.WAYPOST_CEILINGS === 'print') {
  for (const [room, { words, names, long }] of [...counted].sort())
    process.stdout.write(`  '${room}': { words: ${words}, names: ${names}, long: ${long} },\n`);
}

test('what users read is in plain English', () => {
  assert.equal(found, []);
});

test('every room is at or below its ceiling, and the ceiling is not forgotten', () => {
  const wrong: string[] = [];
  for (const [room, counts] of counted) {
    const ceiling = CEILINGS[room] ?? { words: 0, names: 0, long: 0 };
    for (const kind of ['words', 'names', 'long'] as const) {
      if (counts[kind] > ceiling[kind]) wrong.push(`${room}: ${kind} ${counts[kind]}, above ${ceiling[kind]}`);
      if (counts[kind] < ceiling[kind] - SLACK)
        wrong.push(`${room}: ${kind} ${counts[kind]}; lower the ceiling of ${ceiling[kind]}`);
    }
  }
  assert.equal(wrong, []);
});

test('the words and names are found', () => {
  assert.is(banned('Whoever sends octets', () => 'a').length, 2);
  assert.is(banned('The client sends bytes', () => 'a').length, 0);
});

test.run();
