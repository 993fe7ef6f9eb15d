/** Every file that the documents name is there, and so is every page that they link to. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

/** Compiled tests are in a folder of their own next to the sources. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDERS = ['.ci', 'admin-api', 'bench', 'config', 'core', 'docs', 'edge', 'systemd', 'test'];
const pagesOf = (folder: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
const DOCUMENTS = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  ...pagesOf('bench'),
  ...pagesOf('docs'),
  ...pagesOf('docs/internals'),
  ...pagesOf('docs/mini-apps'),
];

const namesIn = (folder: string): string[] =>
  (readdirSync(join(ROOT, folder), { recursive: true }) as string[]).map((path) => path.split('/').pop()!);
/** Names of source files, without their folders. */
const NAMES = new Set([...FOLDERS.flatMap(namesIn), ...readdirSync(ROOT)]);

/** The text of a document without its blocks of code. */
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8').replace(/^```[\s\S]*?^```/gm, '');

/**
 * Paths in backticks that begin with a folder of the repository, and names of sources. A star or a
 * capital word stands for a part of one.
 */
function pathsIn(text: string): string[] {
  return [...text.matchAll(/`([^`\s]+)`/g)]
    .map(([, path]) => path)
    .filter((path) => !/[*{}<>]|[A-Z]{3,}(?!\w*\.md)/.test(path))
    .filter((path) => FOLDERS.some((folder) => path.startsWith(`${folder}/`)) || /^[\w-]+(\.\w+)*\.ts$/.test(path));
}

/** A page is for one room; what does not fit belongs into the code. */
const PAGE_LINES = 150;

const exists = (path: string): boolean => (path.includes('/') ? existsSync(join(ROOT, path)) : NAMES.has(path));

test('the documents are found, and paths in them', () => {
  assert.ok(DOCUMENTS.includes('ARCHITECTURE.md'));
  assert.equal(pathsIn('`core/dns/wire`, `a/b`, `key.ts`, `core/X*`, `config/NAME.toml`, key.ts'), [
    'core/dns/wire',
    'key.ts',
  ]);
  assert.ok(pathsIn(textOf('ARCHITECTURE.md')).length > 20);
});

test('pages of docs/internals have at most 150 lines', () => {
  const long = readdirSync(join(ROOT, 'docs/internals')).filter(
    (name) => readFileSync(join(ROOT, 'docs/internals', name), 'utf8').split('\n').length - 1 > PAGE_LINES,
  );
  assert.equal(long, []);
});

test('every path in a document exists', () => {
  const missing = DOCUMENTS.flatMap((document) =>
    pathsIn(textOf(document))
      .filter((path) => !exists(path))
      .map((path) => `${document}: ${path}`),
  );
  assert.equal(missing, []);
});

/** A file of this repository in a comment, such as docs/dns.md; not a name that a test makes up. */
const DOCUMENT_IN_SOURCE =
  /(?<![\w/.-])(?:(?:docs|bench|config)\/[\w/-]+|ARCHITECTURE|CONTRIBUTING|CHANGELOG|SECURITY|DESIGN|API)\.md\b/g;

test('every document that a source names exists', () => {
  const missing = ['core', 'admin-api', 'edge', 'bench', 'test'].flatMap((folder) =>
    (readdirSync(join(ROOT, folder), { recursive: true }) as string[])
      .filter((name) => name.endsWith('.ts') && name !== 'paths.test.ts')
      .flatMap((name) => {
        const found = readFileSync(join(ROOT, folder, name), 'utf8').match(DOCUMENT_IN_SOURCE) ?? [];
        return found.filter((path) => !existsSync(join(ROOT, path))).map((path) => `${folder}/${name}: ${path}`);
      }),
  );
  assert.equal(missing, []);
});

test('ARCHITECTURE.md is short, and lines end by column 100 outside of tables and code', () => {
  const long = DOCUMENTS.flatMap((path) => {
    const lines = textOf(path).split('\n');

    return lines.flatMap((line) =>
      [...line].length > 100 && !line.startsWith('|') ? [`${path}: ${line.slice(0, 40)}`] : [],
    );
  });
  assert.equal(long, []);
  const { length } = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8').trimEnd().split('\n');
  assert.ok(length <= 250, `ARCHITECTURE.md has ${length} lines; 250 are allowed`);
});

test('every link between documents leads to a file, and to a heading of it', () => {
  const missing: string[] = [];
  for (const document of DOCUMENTS)
    for (const [, link] of textOf(document).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [file, heading] = link.split('#');
      const path = file === '' ? document : relative(ROOT, join(ROOT, dirname(document), file));
      const isThere = existsSync(join(ROOT, path));
      if (!isThere || (heading !== undefined && !anchorsOf(path).has(heading))) missing.push(`${document}: ${link}`);
    }
  assert.equal(missing, []);
});

/** What a heading is linked by: lower case, blanks as hyphens, no punctuation. */
function anchorsOf(path: string): Set<string> {
  if (statSync(join(ROOT, path)).isDirectory()) return new Set();
  const headings = textOf(path).matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, text]) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test.run();
